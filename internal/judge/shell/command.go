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

// inline is a script that a shell gets on the line itself.
type inline struct {
	text              string
	errexit, pipefail bool
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
