package verbs

import (
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/request"
)

// Hints of errors name verbs and options in single quotes (piton.Error): 'list',
// 'fork ID branch NAME', 'phase_total N'. Each door writes them in its own words.

// CommandsAlone are the commands that hints name and that no verb of the table is.
var CommandsAlone = []string{"config", "doctor", "export", "flush", "import", "init", "repair", "schema", "serve", "trust", "uninstall"}

// FlagsAlone are the flags that hints name and that are not fields of a request.
var FlagsAlone = []string{"accept", "all", "cron", "dir", "follow", "install", "list", "listen", "output", "pane", "reject", "replace", "save", "scope", "show", "socket", "store", "within"}

// vocabulary is what a hint can name: verbs, and options by their names over HTTP or on the command
// line.
type vocabulary struct {
	verbs   map[string]Verb
	options map[string]request.Field
}

var words = sync.OnceValue(func() vocabulary {
	v := vocabulary{map[string]Verb{}, map[string]request.Field{}}
	for _, name := range CommandsAlone {
		v.verbs[name] = Verb{Command: name}
	}
	// No verb of the table: its answer is a state, byte for byte.
	load := Verb{Command: "load", Tool: "checkpoint_load", Request: reflect.TypeFor[piton.LoadRequest]()}
	for _, verb := range append(slices.Clone(All), load) {
		first, second, _ := strings.Cut(verb.Command, " ")
		if _, known := v.verbs[first]; first != "" && !known {
			v.verbs[first] = Verb{Command: first}
		}
		if first != "" && second == "" || verb.Tool != "" {
			v.verbs[verb.Command] = verb
		}
		for _, f := range request.FormOf(verb.Request).Fields {
			v.learn(f)
		}
	}
	return v
})

// Option is the field that a hint's option means.
func Option(name string) (request.Field, bool) {
	f, ok := words().options[name]
	return f, ok
}

// IsVerb tells whether a hint's word is a verb.
func IsVerb(name string) bool {
	_, ok := words().verbs[name]
	return ok
}

// learn adds a field by its names, or takes the one that more doors have.
func (v vocabulary) learn(f request.Field) {
	for _, name := range []string{f.Name(request.HTTP), f.Tag("path", request.HTTP), strings.ReplaceAll(f.Name(request.CLI), "-", "_")} {
		if had, ok := v.options[name]; name != "" && (!ok || had.Name(request.MCP) == "") {
			v.options[name] = f
		}
	}
}

// quoted is a phrase in single quotes: what stands before it, whether it is a command line
// already, its first word and the rest.
var quoted = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(^|[\s(:;,])'(piton )?([a-z_]+)((?: [^']*)?)'`) })

// Rewrite replaces the phrases of a hint that say knows.
func Rewrite(hint string, say func(command bool, first, rest string) (string, bool)) string {
	return quoted().ReplaceAllStringFunc(hint, func(s string) string {
		m := quoted().FindStringSubmatch(s)
		if text, ok := say(m[2] != "", m[3], m[4]); ok {
			return m[1] + text
		}
		return s
	})
}

// CommandLine writes a hint for the command line: 'verify' becomes 'piton verify',
// 'fork ID branch NAME' becomes 'piton fork ID --branch NAME', and 'workflow NAME' becomes
// --workflow NAME.
func CommandLine(hint string) string {
	return Rewrite(hint, func(command bool, first, rest string) (string, bool) {
		switch {
		case command, first == "store" && rest == "": // the setting
			return "", false
		case IsVerb(first):
			return "'piton " + first + flags(first, rest) + "'", true
		case first == "id":
			return "ID" + rest, true
		}
		text := strings.TrimPrefix(flags("", " "+first), " ")
		return text + flags(first, rest), text != first
	})
}

// flags writes the words behind a verb, or the verb's own first word, as flags.
func flags(before, rest string) string {
	list := strings.Split(rest, " ")
	for i, w := range list {
		_, option := Option(w)
		value := before == "scope"                          // project is an option's name too
		command := before == "runs" || before == "schedule" // so are list and show
		if (option || slices.Contains(FlagsAlone, w)) && !value && !command {
			list[i] = "--" + strings.ReplaceAll(w, "_", "-")
		}
		if w != "" {
			before = w
		}
	}
	return strings.Join(list, " ")
}

// ForModel writes a hint in the words of the tools: 'list workflow NAME' becomes
// "checkpoint_list with workflow NAME", 'phase_total N' becomes "phaseTotal N", and what
// no tool does is a command for a shell.
func ForModel(hint string) string {
	return Rewrite(hint, func(command bool, first, rest string) (string, bool) {
		verb, isVerb := words().verbs[first]
		if second, more, _ := strings.Cut(strings.TrimPrefix(rest, " "), " "); words().verbs[first+" "+second].Tool != "" {
			verb, rest = words().verbs[first+" "+second], more
		}
		f, isOption := Option(first)
		switch {
		case isVerb && verb.Tool != "":
			return asTool(verb, strings.Fields(rest)), true
		case isVerb:
			return "the command `piton " + first + flags(first, rest) + "` in a shell", true
		case isOption && f.Name(request.MCP) != "" && !command:
			return f.Name(request.MCP) + rest, true
		}
		return "", false
	})
}

// asTool writes a tool and its arguments.
func asTool(verb Verb, list []string) string {
	tool, first := verb.Tool, ""
	for _, f := range request.FormOf(verb.Request).Fields {
		if f.Tag("arg", request.CLI) == "1" {
			first = f.Name(request.MCP) + " "
		}
	}
	var args []string
	for i := 0; i < len(list); i++ {
		f, ok := Option(list[i])
		switch {
		case ok && f.Switch():
			args = append(args, f.Name(request.MCP)+" true")
		case ok && i+1 < len(list):
			args = append(args, f.Name(request.MCP)+" "+list[i+1])
			i++
		case ok:
			args = append(args, f.Name(request.MCP))
		case slices.Contains(FlagsAlone, list[i]): // no tool has it
		case len(args) == 0:
			args = append(args, first+list[i])
		default:
			args = append(args, list[i])
		}
	}
	if len(args) == 0 {
		return tool
	}
	return tool + " with " + strings.Join(args, " and ")
}
