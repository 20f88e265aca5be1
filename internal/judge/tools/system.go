package tools

import "strings"

// systemTools run other programs, and look after the machine.
var systemTools = []Tool{
	{Names: "sudo", Wraps: []Wrap{{Takes: "-u --user -g --group -h --host -p --prompt -C -D --chdir -R -T -U -r -t", Assigns: true, Not: "-l --list -v --validate", Folder: "-D --chdir"}}},
	{Names: "doas", Wraps: []Wrap{{Takes: "-u -C"}}},
	{Names: "env", Does: Reads | Prints, Text: envText, Wraps: []Wrap{{Takes: "-u --unset -C --chdir", Assigns: true, Not: "-S --split-string", Folder: "-C --chdir"}}},
	{Names: "timeout", Aliases: "gtimeout", Limits: true, Wraps: []Wrap{{Takes: "-s --signal -k --kill-after", Skip: 1}}},
	{Names: "nice", Wraps: []Wrap{{Takes: "-n --adjustment"}}},
	{Names: "ionice", Wraps: []Wrap{{Takes: "-c --class -n --classdata"}}},
	{Names: "time", Wraps: []Wrap{{Takes: "-o --output -f --format"}}},
	{Names: "command", Does: Reads, Wraps: []Wrap{{Not: "-v -V -pv -pV"}}},
	{Names: "nohup noglob builtin setsid unbuffer entr unshare firejail chronic dbus-run-session ssh-agent", Wraps: []Wrap{{}}},
	{Names: "exec", Wraps: []Wrap{{Takes: "-a"}}},
	{Names: "xargs", Feeds: true, Does: Reads, Wraps: []Wrap{{Takes: "-n -P -I -L -d -s -a -E --max-args --max-procs --max-lines --delimiter --arg-file"}}},
	{Names: "stdbuf", Wraps: []Wrap{{Takes: "-i -o -e --input --output --error"}}},
	{Names: "watch", Wraps: []Wrap{{Takes: "-n --interval"}}},
	{Names: "parallel", Feeds: true, Wraps: []Wrap{{Takes: "-j --jobs -a --arg-file -n --max-args -N --timeout -P --colsep --joblog"}}},
	{Names: "systemd-run", Wraps: []Wrap{{Takes: "-p --property -u --unit -E --setenv --slice --working-directory"}}},
	{Names: "chrt taskset faketime", Wraps: []Wrap{{Skip: 1}}},
	{Names: "proxychains proxychains4", Wraps: []Wrap{{Takes: "-f"}}},
	{Names: "arch", Does: Reads, Wraps: []Wrap{{Takes: "-e"}}},
	{Names: "caffeinate", Wraps: []Wrap{{Takes: "-t -w"}}},
	{Names: "flock", Inline: scriptFlags, Wraps: []Wrap{{Takes: "-w --timeout -E --conflict-exit-code", Skip: 1}}},
	{Names: "strace", Wraps: []Wrap{{Takes: "-e -o -p -s"}}},
	{Names: "xvfb-run", Wraps: []Wrap{{Takes: "-s --server-args -n --server-num -e --error-file"}}},
	{Names: "asdf", Wraps: []Wrap{{Sub: "exec"}}},
	{Names: "direnv", Wraps: []Wrap{{Sub: "exec", Skip: 1}}},
	{Names: "rtk", Takes: "-v -u", Wraps: []Wrap{{Sub: "test"}, {Sub: "err"}, {Sub: "proxy"}, {Sub: "summary"}, {}}},
	{Names: "devenv flox guix", Wraps: []Wrap{{Sub: "shell", Dashes: true}, {Sub: "activate", Dashes: true}}},
	{Names: "sops", Text: lastText},
	{Names: "op doppler infisical dotenvx chamber teller", Inline: "--command", Wraps: []Wrap{{Sub: "run", Dashes: true}}},
	{Names: "aws-vault", Wraps: []Wrap{{Sub: "exec", Dashes: true}}},
	{Names: "nix", Wraps: []Wrap{{Sub: "develop", After: "-c --command"}, {Sub: "shell", After: "-c --command"}}},
	{Names: "su script", Inline: scriptFlags},
	{Names: "nix-shell vagrant", Inline: "--run --command -c -x --exec"},

	{Names: "brew", Chooses: 1, Does: Testless | Subject, Subs: []Sub{{"install", Installs}}, Writes: listsOnly},
	{Names: "apt apt-get", Chooses: 1, Does: Testless | Subject, Subs: []Sub{{"install", Installs}}},
	{Names: "ps", Does: Reads | Prints | Testless},
	{Names: "lsof ss netstat pkill killall printenv", Does: Reads | Prints},
	{Names: "kill", Does: Reads | Prints | Testless, Output: ended},
	{Names: "taskkill Stop-Process", Does: Reads | Testless, Output: ended},
	{Names: "which", Does: Reads | Probes | Mentions | Testless},
	{Names: "whereis type", Does: Reads | Probes | Mentions},
	{Names: "hash pgrep pidof", Does: Reads | Probes},
	{Names: "man help", Does: Reads | Prints | Mentions | Testless},
	{Names: "tldr", Does: Reads | Mentions},
	{Names: "history", Does: Reads | Mentions | Testless},
	{Names: "whoami id uname hostname uptime free", Does: Reads | Testless},
	{Names: "df du", Does: Reads | Prints | Testless},
	{Names: "journalctl", Does: Reads | Prints},
	{Names: "service launchctl tmux screen ssh-add open xdg-open top htop ip ifconfig groups nproc locale tty info clear tput cal bc yes seq", Does: Reads},
	{Names: "code zip", Does: Testless},
	{Names: "tar", Does: Testless | Moves},
	{Names: "unzip", Does: Moves},
}

const scriptFlags = "-c --command --call -qc -qec -qefc"

// lastText is the shell's text that sops exec-env is given last.
func lastText(words []string) (string, bool) {
	if len(words) < 4 || !Among("exec-env exec-file", words[1]) {
		return "", false
	}
	return words[len(words)-1], true
}

// envText is what env -S splits into words.
func envText(words []string) (string, bool) {
	for i, w := range words {
		if i+1 < len(words) && Among("-S --split-string", w) {
			return strings.Join(words[i+1:], " "), true
		}
	}
	return "", false
}

// listsOnly reads package managers and the like, of which some commands only
// list.
func listsOnly(c Call) (named []string, others bool) {
	return nil, !Among("list show freeze check pr issue run api auth status view search info", c.Operand(0)) || c.Operand(1) == "checkout"
}

// ended is what programs that end others say where the process is not there any more.
var ended = Output{Done: []string{"no such process", "\" not found.", "cannot find a process with the "}}
