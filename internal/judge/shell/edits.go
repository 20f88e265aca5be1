package shell

import (
	"path"
	"slices"
	"strings"
)

// Edits returns the files that the command names as written, moved or removed,
// joined with Dir; a pattern stays a pattern (*.go), a removed folder stands for
// what is in it.
// Rule: docs/spec.md, "Changed files".
func (c Command) Edits() []string {
	named, _ := c.changes()
	return joinAll(c.Dir, named)
}

// MayEdit reports whether the command can change files at all, named or not:
// false for what only reads (ls, git status, go test), true for programs that
// we do not know.
func (c Command) MayEdit() bool {
	named, more := c.changes()
	return more || len(named) > 0
}

// MayEditOthers reports whether the command can change files that Edits does not
// name.
func (c Command) MayEditOthers() bool {
	_, more := c.changes()
	return more
}

// changes returns the files named and whether there may be others.
func (c Command) changes() (named []string, more bool) {
	named = slices.Clone(c.Writes)
	if len(c.Words) == 0 || c.DryRun() {
		return named, false
	}
	files, more := changes(plain(c.Words), c.Stdin)
	files = slices.DeleteFunc(slices.Clone(files), func(f string) bool { return strings.HasPrefix(f, "/dev/") })
	return append(named, files...), more || slices.ContainsFunc(files, unnamed)
}

// unnamed tells a file that only the shell, or the program that runs this one,
// knows the name of.
func unnamed(file string) bool {
	return strings.Contains(file, "{}") || strings.ContainsAny(file, "$`")
}

func changes(words []string, stdin string) (named []string, more bool) {
	name := program(words[0])
	if harmless(name) {
		return nil, false
	}
	a := read(words, valued(name))
	switch name {
	case "tee", "sponge", "ed", "ex", "vi", "vim", "nano":
		return a.operands, false
	case "rm", "unlink":
		return a.operands, len(a.operands) == 0 // xargs names them
	case "touch", "truncate", "shred":
		a = read(words, "-s --size -r --reference -n -d --date -t")
		return a.operands, len(a.operands) == 0
	case "chmod", "chown", "chgrp":
		return a.from(1), len(a.operands) < 2 // git sees a change of mode
	case "cp", "mv", "install", "ln", "rsync", "scp":
		return transfer(name, words)
	case "sed", "perl", "awk", "gawk", "yq":
		return inPlace(name, words)
	case "dd":
		return after(words, "of="), false
	case "sort", "gcc", "g++", "cc", "c++", "clang", "clang++", "ld", "curl", "wget":
		return output(name, words)
	case "patch":
		a = read(words, "-i --input -d --directory -p --strip")
		return append(a.operands[:min(1, len(a.operands))], patched(stdin)...), true
	case "apply_patch", "applypatch":
		named = patched(stdin + "\n" + strings.Join(words[1:], "\n"))
		return named, len(named) == 0
	case "find":
		return after(words, "-fprint"), slices.Contains(words, "-delete")
	case "git":
		return gitChanges(words, stdin)
	}
	return toolChanges(name, words)
}

// harmless lists the programs that read, wait and talk only. A folder made or
// a process ended is no changed file.
func harmless(name string) bool {
	switch name {
	case "ls", "cat", "head", "tail", "less", "more", "bat", "batcat", "nl", "tac", "wc", "cut", "tr", "uniq", "comm", "paste", "join", "fold", "column",
		"grep", "egrep", "fgrep", "zgrep", "rg", "ag", "ack", "fd", "fdfind", "tree", "du", "df", "stat", "file", "diff", "cmp", "colordiff",
		"echo", "printf", "true", "false", ":", "test", "[", "expr", "seq", "yes", "sleep", "wait", "date", "cal", "bc",
		"pwd", "cd", "pushd", "popd", "dirs", "set", "unset", "export", "shopt", "ulimit", "umask", "alias", "exit", "return", "break", "continue",
		"shift", "read", "getopts", "local", "declare", "hash", "jobs", "fg", "bg", "disown", "times", "trap",
		"which", "type", "whereis", "command", "man", "tldr", "info", "help", "history", "clear", "tput",
		"env", "printenv", "whoami", "id", "groups", "uname", "hostname", "nproc", "uptime", "free", "arch", "locale", "tty",
		"ps", "pgrep", "pidof", "top", "htop", "lsof", "ss", "netstat", "kill", "pkill", "killall", "nc", "ping", "dig", "nslookup", "host", "ip", "ifconfig",
		"basename", "dirname", "realpath", "readlink", "md5sum", "sha1sum", "sha256sum", "shasum", "cksum", "xxd", "od", "hexdump", "strings", "nm", "ldd", "objdump",
		"jq", "mkdir", "rmdir", "mktemp", "systemctl", "service", "journalctl", "launchctl", "tmux", "screen", "xargs",
		"psql", "mysql", "mariadb", "redis-cli", "kubectl", "helm", "ssh-add", "open", "xdg-open",
		"mypy", "pyright", "flake8", "pylint", "bandit", "shellcheck", "hadolint", "yamllint", "actionlint", "staticcheck", "govulncheck", "errcheck", "tflint", "vulture",
		"activate", "rspec", "phpunit", "mocha", "ctest", "gotestsum", "pg_isready", "tsserver", "cloc", "tokei", "scc":
		return true
	}
	return false
}

// transfer reads cp and its kin: the destination, or the files in it, and what
// mv takes away.
func transfer(name string, words []string) (named []string, more bool) {
	valued := "-t --target-directory -S --suffix"
	switch name {
	case "install":
		valued += " -m --mode -o --owner -g --group"
	case "rsync":
		valued = "-e --rsh --exclude --include -f --filter"
	case "scp":
		valued = "-i -P -o -F -l"
	}
	a := read(words, valued)
	if name == "install" && a.letter("d") || a.has("--directory") {
		return nil, false
	}
	sources, into := a.operands, ""
	if t := a.values("-t --target-directory"); len(t) > 0 {
		into = t[0] + "/"
	} else if n := len(sources); n > 1 {
		sources, into = sources[:n-1], sources[n-1]
	} else if name == "ln" && n == 1 {
		into = "./"
	} else {
		return nil, true
	}
	if name == "mv" {
		named = append(named, sources...)
	}
	if (name == "rsync" || name == "scp") && strings.Contains(into, ":") {
		return nil, false // to another machine
	}
	if name == "rsync" {
		return []string{into}, true
	}
	if len(sources) == 1 && !strings.HasSuffix(into, "/") && path.Base(into) != "." && path.Base(into) != ".." {
		return append(named, into), a.letter("rR") || path.Ext(into) == "" // perhaps a folder, and the file is in it
	}
	for _, s := range sources {
		named = append(named, join(into, path.Base(s)))
	}
	return named, false
}

// output reads programs that write the file that -o names.
func output(name string, words []string) (named []string, more bool) {
	switch name {
	case "curl":
		a := read(words, "-o --output -H --header -d --data -X --request -u --user -F --form -A -b -c -m --max-time")
		named = a.values("-o --output")
		if a.has("-O --remote-name") {
			for _, url := range a.operands {
				named = append(named, path.Base(url))
			}
		}
	case "wget":
		a := read(words, "-O --output-document -o -P --directory-prefix --header -t --tries -T --timeout")
		if named = a.values("-O --output-document"); len(named) == 0 && !a.letter("O") && !a.has("--spider") {
			return nil, true
		}
	default:
		named = read(words, "-o --output -k -t -S -T -I -L -l").values("-o --output")
		if len(named) == 0 && name != "sort" {
			return nil, true
		}
	}
	return slices.DeleteFunc(named, func(f string) bool { return f == "-" }), false
}

// after gives the values of key=value words, or the words after the word key.
func after(words []string, key string) (values []string) {
	for i, w := range words {
		if v, ok := strings.CutPrefix(w, key); ok && strings.HasSuffix(key, "=") {
			values = append(values, v)
		} else if w == key && i+1 < len(words) {
			values = append(values, words[i+1])
		}
	}
	return values
}

// patched lists the files that a patch in the line names: git's, diff's or the
// agents' own form (*** Update File: x).
func patched(text string) (named []string) {
	seen := map[string]bool{}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		for _, mark := range [...]string{"*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: ", "+++ b/", "--- a/"} {
			if file, ok := strings.CutPrefix(line, mark); ok && file != "" && !seen[file] {
				seen[file] = true
				named = append(named, file)
			}
		}
	}
	return named
}
