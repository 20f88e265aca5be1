package shell

import (
	"strings"

	"github.com/piton-project/piton/internal/judge/tools"
)

// away is where a wrapper runs its command; nil for here.
func away(w tools.Wrapped) *Away {
	name, _, _ := strings.Cut(w.Tool.Names, " ")
	switch {
	case w.Tool.Away == tools.Machine:
		return &Away{By: name + " exec", Apart: true}
	case w.Wrap.Image:
		return &Away{By: name + " " + w.Wrap.Sub, Image: w.Own[len(w.Own)-1], Mounts: tools.Mounts(w.Own)}
	case w.Tool.Away == tools.Container && w.Wrap.Skip > 0:
		return &Away{By: name + " " + w.Wrap.Sub, Service: w.Own[len(w.Own)-1], Files: tools.ComposeFiles(w.Own), Mounts: tools.Mounts(w.Own)}
	case w.Tool.Away == tools.Container:
		return &Away{By: name}
	}
	return nil
}

// instant reports whether a time limit leaves no program the time to start.
func instant(args []string) bool {
	if len(args) == 0 {
		return false
	}
	limit := args[len(args)-1]
	return strings.HasPrefix(limit, "0.") || strings.HasPrefix(limit, ".") || strings.HasSuffix(limit, "ms")
}

// options are those of a shell that change how it ends.
type options struct{ errexit, pipefail, noexec bool }

// follow reads a flag, -e, +e or -o pipefail, and returns how many words it is.
// One that may not have run turns nothing on.
func (o *options) follow(args []string, runs bool) (words int) {
	letters, long, words := args[0][1:], "", 1
	if strings.ContainsAny(letters, "oO") && len(args) > 1 {
		long, words = args[1], 2
	}
	on := args[0][0] == '-'
	if on && !runs {
		return words
	}
	if strings.Contains(letters, "e") || long == "errexit" {
		o.errexit = on
	}
	if long == "pipefail" {
		o.pipefail = on
	}
	o.noexec = o.noexec || on && (strings.Contains(letters, "n") || long == "noexec")
	return words
}

func isFlag(arg string) bool { return len(arg) > 1 && (arg[0] == '-' || arg[0] == '+') }

// inline is a script that a shell gets on the line itself.
type inline struct {
	text string
	options
}

// inlineScript finds the script that words hand to a shell: after -c, or as
// the standard input of a shell that was given no file.
func inlineScript(words []string, stdin string) (in inline, ok bool) {
	t := tools.Of(words[0])
	if t.Script != nil && t.Script.Shell {
		return shellScript(words[1:], stdin)
	}
	in.text, ok = t.ShellText(words)
	return in, ok
}

func shellScript(args []string, stdin string) (in inline, ok bool) {
	command := false
	for at := 0; at < len(args); at++ {
		arg := args[at]
		switch {
		case arg == "--rcfile" || arg == "--init-file":
			at++
		case strings.HasPrefix(arg, "--"), arg == "-":
		case isFlag(arg):
			at += in.follow(args[at:], true) - 1
			command = command || arg[0] == '-' && strings.Contains(arg, "c")
			if strings.Contains(arg, "s") && !command {
				in.text = stdin
			}
		case command:
			in.text = arg
			return in, !in.noexec
		default:
			return in, in.text != "" && !in.noexec // a file, or arguments after -s
		}
	}
	in.text = stdin
	return in, !command && stdin != "" && !in.noexec
}
