package mcp

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// The verbs that hints name (piton.Error): those that are tools here, and those
// that only the command line has.
var (
	toolVerbs    = []string{"complete", "delete", "diff", "inspect", "list", "load", "resume", "save", "search"}
	commandVerbs = []string{"config", "doctor", "export", "flush", "fork", "import", "init", "purge", "repair", "rules", "schema", "sessions", "trust", "uninstall", "verify"}
)

// options are the options that hints name, with the argument that each is here,
// and whether it takes a value.
var options = map[string]struct {
	argument string
	valued   bool
}{
	"branch": {"branch", true}, "name": {"name", true}, "nearest": {"nearest", false}, "older_than": {"olderThan", true},
	"parent": {"parent", true}, "phase": {"phase", true}, "phase_number": {"phaseNumber", true}, "phase_total": {"phaseTotal", true},
	"project": {"project", true}, "session": {"sessionId", true}, "step": {"step", true}, "type": {"type", true}, "workflow": {"workflow", true},
}

// phrase is a phrase in single quotes, with what stands before it.
var phrase = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(^|[\s(:;,])'(piton )?([a-z_]+)((?: [^']*)?)'`) })

// forModel writes a hint in the words of the tools: 'list workflow NAME' becomes
// "checkpoint_list with workflow NAME", 'phase_total N' becomes "phaseTotal N", and
// what no tool does is a command for a shell.
func forModel(hint string) string {
	return phrase().ReplaceAllStringFunc(hint, func(s string) string {
		m := phrase().FindStringSubmatch(s)
		words := strings.Fields(m[4])
		option, isOption := options[m[3]]
		switch {
		case slices.Contains(toolVerbs, m[3]):
			return m[1] + asTool(m[3], words)
		case slices.Contains(commandVerbs, m[3]):
			return m[1] + "the command `piton " + strings.Join(append([]string{m[3]}, flags(words)...), " ") + "` in a shell"
		case isOption && m[2] == "":
			return m[1] + strings.TrimSpace(option.argument+m[4])
		}
		return s
	})
}

// asTool writes a verb and its words as a tool and its arguments.
func asTool(verb string, words []string) string {
	var args []string
	for i := 0; i < len(words); i++ {
		o, ok := options[words[i]]
		switch {
		case !ok && len(args) == 0:
			args = append(args, "checkpointId "+words[i])
		case !ok:
			args = append(args, words[i])
		case o.valued && i+1 < len(words):
			i++
			args = append(args, o.argument+" "+words[i])
		case o.valued:
			args = append(args, o.argument)
		default:
			args = append(args, o.argument+" true")
		}
	}
	if len(args) == 0 {
		return "checkpoint_" + verb
	}
	return "checkpoint_" + verb + " with " + strings.Join(args, " and ")
}

// switches are the words of a command's hint that are flags there, beside the
// options.
var switches = []string{"accept", "agent", "all", "list", "output", "repair", "save", "scope", "show", "store"}

// flags writes the words of a verb that is a command as flags.
func flags(words []string) []string {
	out := slices.Clone(words)
	for i, w := range words {
		if _, ok := options[w]; (ok || slices.Contains(switches, w)) && !(i > 0 && words[i-1] == "scope") {
			out[i] = "--" + strings.ReplaceAll(w, "_", "-")
		}
	}
	return out
}
