package shell

import (
	"slices"
	"strings"
)

// wrapper is a program that runs the command in its arguments.
type wrapper struct {
	words   string // its name, with the subcommand
	valued  string // its flags that take the next word as their value
	skip    int    // operands before the command: timeout's duration, exec's service
	assigns bool   // NAME=value may stand before the command
	dashes  bool   // what stands before -- is its own
	after   string // what stands before one of these flags is its own
}

var wrappers = [...]wrapper{
	{words: "sudo", valued: "-u --user -g --group -h --host -p --prompt -C -D --chdir -R -T -U -r -t", assigns: true},
	{words: "doas", valued: "-u -C"},
	{words: "env", valued: "-u --unset -C --chdir", assigns: true},
	{words: "cross-env", assigns: true},
	{words: "timeout", valued: "-s --signal -k --kill-after", skip: 1},
	{words: "nice", valued: "-n --adjustment"},
	{words: "ionice", valued: "-c --class -n --classdata"},
	{words: "nohup"},
	{words: "time", valued: "-o --output -f --format"},
	{words: "command"},
	{words: "builtin"},
	{words: "exec", valued: "-a"},
	{words: "noglob"},
	{words: "xargs", valued: "-n -P -I -L -d -s -a -E --max-args --max-procs --max-lines --delimiter --arg-file"},
	{words: "stdbuf", valued: "-i -o -e --input --output --error"},
	{words: "setsid"},
	{words: "unbuffer"},
	{words: "watch", valued: "-n --interval"},
	{words: "entr"},
	{words: "parallel", valued: "-j --jobs -a --arg-file -n --max-args -N --timeout -P --colsep --joblog"},
	{words: "systemd-run", valued: "-p --property -u --unit -E --setenv --slice --working-directory"},
	{words: "chrt", skip: 1},
	{words: "unshare"},
	{words: "firejail"},
	{words: "proxychains", valued: "-f"},
	{words: "proxychains4", valued: "-f"},
	{words: "arch", valued: "-e"},
	{words: "faketime", skip: 1},
	{words: "rtk"},
	{words: "lima"},
	{words: "wsl", valued: "-d --distribution -u --user --cd"},
	{words: "caffeinate", valued: "-t -w"},
	{words: "chronic"},
	{words: "flock", valued: "-w --timeout -E --conflict-exit-code", skip: 1},
	{words: "taskset", skip: 1},
	{words: "strace", valued: "-e -o -p -s"},
	{words: "xvfb-run", valued: "-s --server-args -n --server-num -e --error-file"},
	{words: "dbus-run-session"},
	{words: "uv run", valued: "--with --with-editable --with-requirements --python -p --extra --group --only-group --no-group --env-file --directory --project --package --index"},
	{words: "uv tool run", valued: "--with --from --python -p"},
	{words: "uvx", valued: "--with --from --python -p"},
	{words: "pipx run", valued: "--spec --python"},
	{words: "poetry run"},
	{words: "pipenv run"},
	{words: "pdm run", valued: "-p --project"},
	{words: "hatch run"},
	{words: "rye run"},
	{words: "pixi run", valued: "-e --environment --manifest-path"},
	{words: "conda run", valued: "-n --name -p --prefix --cwd"},
	{words: "mamba run", valued: "-n --name -p --prefix --cwd"},
	{words: "micromamba run", valued: "-n --name -p --prefix --cwd"},
	{words: "coverage run", valued: "--source --omit --include --rcfile --data-file"},
	{words: "npx", valued: "-p --package"},
	{words: "npm exec", valued: "-p --package -w --workspace"},
	{words: "npm x", valued: "-p --package -w --workspace"},
	{words: "pnpm exec"},
	{words: "pnpm dlx", valued: "--package"},
	{words: "yarn exec"},
	{words: "yarn dlx", valued: "-p --package"},
	{words: "bunx", valued: "-p --package"},
	{words: "bun x", valued: "-p --package"},
	{words: "bundle exec"},
	{words: "rbenv exec"},
	{words: "pyenv exec"},
	{words: "asdf exec"},
	{words: "rustup run", skip: 1},
	{words: "volta run", valued: "--node --npm --yarn --pnpm"},
	{words: "corepack"},
	{words: "ssh-agent"},
	{words: "mise exec", dashes: true},
	{words: "mise x", dashes: true},
	{words: "direnv exec", skip: 1},
	{words: "devbox run"},
	{words: "op run", dashes: true},
	{words: "doppler run", dashes: true},
	{words: "infisical run", dashes: true},
	{words: "dotenvx run", dashes: true},
	{words: "dotenv run", valued: "-e -f -c -v --file"},
	{words: "dotenv", valued: "-e -f -c -v --file -p"},
	{words: "aws-vault exec", dashes: true},
	{words: "devcontainer exec", valued: "--workspace-folder --config --container-id --id-label --remote-env"},
	{words: "flatpak-spawn"},
	{words: "toolbox run", valued: "-c --container -d --distro -r --release"},
	{words: "distrobox enter", dashes: true},
	{words: "nix develop", after: "-c --command"},
	{words: "nix shell", after: "-c --command"},
	{words: "docker compose exec", valued: "-u --user -w --workdir -e --env --index", skip: 1},
	{words: "docker compose run", valued: "-u --user -w --workdir -e --env -v --volume -p --publish -l --label --name --entrypoint", skip: 1},
	{words: "docker exec", valued: "-u --user -w --workdir -e --env --env-file", skip: 1},
	{words: "docker run", valued: "-u --user -w --workdir -e --env --env-file -v --volume -p --publish -l --label --name --entrypoint --network --mount --platform -m --memory --cpus -h --hostname", skip: 1},
	{words: "kubectl exec", dashes: true},
}

// unwrap takes one wrapper off words and gives the command in it with the
// directory it is sent to; nil if there is none.
func unwrap(words []string) (inner []string, dir string) {
	words = docker(words)
	name := program(words[0])
	for i := range wrappers {
		if w := &wrappers[i]; name != "" && w.words[0] == name[0] && strings.HasPrefix(w.words, name) {
			if at := w.match(words, name); at > 0 {
				return w.open(words, at)
			}
		}
	}
	return nil, ""
}

// docker spells docker-compose as docker compose.
func docker(words []string) []string {
	if program(words[0]) == "docker-compose" {
		return slices.Concat([]string{"docker", "compose"}, words[1:])
	}
	return words
}

// match returns the place after the wrapper's own words, 0 if it is another.
// Flags of the program may stand before its subcommand.
func (w *wrapper) match(words []string, name string) int {
	head, more, _ := strings.Cut(w.words, " ")
	if head != name {
		return 0
	}
	at, own := 1, valued(name)
	for more != "" {
		var sub string
		sub, more, _ = strings.Cut(more, " ")
		at = nextOperand(words, at, own)
		if at >= len(words) || words[at] != sub {
			return 0
		}
		at++
	}
	return at
}

// nextOperand is the place of the first word from at on that is neither a flag
// nor the value of one.
func nextOperand(words []string, at int, valued string) int {
	for at < len(words) && len(words[at]) > 1 && words[at][0] == '-' {
		if among(valued, words[at]) {
			at++
		}
		at++
	}
	return at
}

// open gives the command that begins after the wrapper's flags and operands.
func (w *wrapper) open(words []string, at int) (inner []string, dir string) {
	dir = ownDir(words[:at])
	if w.dashes {
		end := slices.Index(words[at:], "--")
		if end < 0 {
			return nil, ""
		}
		at += end
	}
	if w.after != "" {
		end := slices.IndexFunc(words[at:], func(word string) bool { return among(w.after, word) })
		if end < 0 {
			return nil, ""
		}
		at += end + 1
	}
	for ; at < len(words) && len(words[at]) > 1 && words[at][0] == '-'; at++ {
		if words[at] == "--" {
			at++
			break
		}
		if w.other(words[at]) {
			return nil, ""
		}
		if name, value, ok := strings.Cut(words[at], "="); ok {
			dir = w.chdir(name, value, dir)
		} else if among(w.valued, words[at]) && at+1 < len(words) {
			dir = w.chdir(words[at], words[at+1], dir)
			at++
		}
	}
	at += w.skip
	for w.assigns && at < len(words) && assignment(words[at]) {
		at++
	}
	if at < len(words) && words[at] == "--" {
		at++
	}
	if at >= len(words) || words[at] == "" || words[at][0] == '-' {
		return nil, ""
	}
	if w.words == "hatch run" {
		return hatchScript(words[at:]), dir
	}
	return words[at:], dir
}

// hatchScript takes the environment off: hatch run +py=3.11 test:pytest.
func hatchScript(words []string) []string {
	for len(words) > 1 && strings.HasPrefix(words[0], "+") {
		words = words[1:]
	}
	if _, script, ok := strings.Cut(words[0], ":"); ok && script != "" {
		return slices.Concat([]string{script}, words[1:])
	}
	return words
}

// other reports whether flag makes the wrapper something else: with --help it
// runs nothing, command -v only asks where a program is, env -S and npx -c take a
// script (see inlineScript).
func (w *wrapper) other(flag string) bool {
	if among("--help --version --dry-run --dryrun", flag) {
		return true
	}
	switch w.words {
	case "sudo":
		return among("-l --list -v --validate", flag)
	case "pdm run":
		return among("-l --list", flag)
	case "command":
		return strings.ContainsAny(flag, "vV")
	case "env":
		return among("-S --split-string", flag)
	case "npx", "npm exec", "npm x":
		return among("-c --call", flag)
	}
	return false
}

func (w *wrapper) chdir(flag, value, dir string) string {
	switch {
	case w.words == "doas":
	case w.words == "sudo" && among("-D --chdir", flag), w.words == "env" && among("-C --chdir", flag), among("--directory --cwd", flag):
		return join(dir, value)
	}
	return dir
}

func assignment(word string) bool {
	name, _, ok := strings.Cut(word, "=")
	return ok && name != "" && !strings.ContainsAny(name, "/.-$ ")
}
