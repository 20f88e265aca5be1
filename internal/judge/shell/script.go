package shell

import "strings"

// inline is a script that a shell gets on the line itself.
type inline struct {
	text              string
	errexit, pipefail bool
}

// inlineScript finds the script that words hand to a shell: after -c, or as
// the standard input of a shell that was given no file.
func inlineScript(words []string, stdin string) (in inline, ok bool) {
	switch program(words[0]) {
	case "bash", "sh", "zsh", "dash", "ksh", "ash", "mksh", "fish":
		return shellScript(words[1:], stdin)
	case "su", "script", "flock", "npx":
		for i, w := range words {
			if i+1 < len(words) && (among("-c --command --call -qc -qec -qefc", w)) {
				return inline{text: words[i+1]}, true
			}
		}
	case "nix-shell", "vagrant", "nodemon":
		for i, w := range words {
			if among("--run --command -c -x --exec", w) && i+1 < len(words) {
				return inline{text: words[i+1]}, true
			}
		}
	case "cargo":
		if len(words) > 3 && words[1] == "watch" && among("-x --exec", words[2]) {
			return inline{text: "cargo " + words[3]}, true
		}
	case "env":
		for i, w := range words {
			if among("-S --split-string", w) && i+1 < len(words) {
				return inline{text: strings.Join(words[i+1:], " ")}, true
			}
		}
	}
	return inline{}, false
}

func shellScript(args []string, stdin string) (in inline, ok bool) {
	command := false
	for i := 0; i < len(args); i++ {
		arg := args[i]
		switch {
		case arg == "--rcfile" || arg == "--init-file":
			i++
		case strings.HasPrefix(arg, "--"):
		case arg == "-":
		case len(arg) > 1 && (arg[0] == '-' || arg[0] == '+'):
			on := arg[0] == '-'
			if on && strings.Contains(arg, "n") {
				return in, false // it only reads
			}
			command = command || on && strings.Contains(arg, "c")
			in.errexit = in.errexit || on && strings.Contains(arg, "e")
			if strings.ContainsAny(arg, "oO") && i+1 < len(args) {
				i++
				in.pipefail = in.pipefail || on && args[i] == "pipefail"
				in.errexit = in.errexit || on && args[i] == "errexit"
			}
			if strings.Contains(arg, "s") && !command {
				in.text = stdin
			}
		case command:
			in.text = arg
			return in, true
		default:
			return in, in.text != "" // a file, or arguments after -s
		}
	}
	in.text = stdin
	return in, !command && stdin != ""
}

// executed is the command that find or fd runs on what it finds.
func executed(words []string) []string {
	switch program(words[0]) {
	case "find":
		for i, w := range words {
			if among("-exec -execdir -ok -okdir", w) {
				inner := words[i+1:]
				for j, w := range inner {
					if w == ";" || w == "+" {
						return inner[:j]
					}
				}
				return inner
			}
		}
	case "fd", "fdfind":
		for i, w := range words {
			if among("-x -X --exec --exec-batch", w) {
				return words[i+1:]
			}
		}
	}
	return nil
}
