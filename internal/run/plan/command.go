package plan

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
)

// maxVariable bounds the value of an environment variable: a program is not given
// a longer one (MAX_ARG_STRLEN of Linux is 128 KiB, with the name).
const maxVariable = 127 << 10

// fits reports why a value cannot stand in the environment.
func fits(value string) error {
	switch {
	case len(value) > maxVariable:
		return fmt.Errorf("the value has %d bytes, and a command takes at most %d by its environment; hand it over in a file, or by 'stdin'", len(value), maxVariable)
	case strings.ContainsRune(value, 0):
		return fmt.Errorf("the value has a NUL character, which no command can be given")
	}
	return nil
}

// parsedScript takes a command apart and finds its holes.
func parsedScript(command string, tainted ...string) (string, []hole, error) {
	parts, err := split(command)
	if err != nil {
		return "", nil, err
	}
	return script(parts, tainted...)
}

// taintedBy are what of a shell step has a value beside its command: variables by
// their names, "<", its input, and "PWD", its folder.
func taintedBy(params map[string]any) (names []string) {
	env, _ := params["env"].(map[string]any)
	for name, v := range env {
		if hasValue(v) {
			names = append(names, name)
		}
	}
	if hasValue(params["stdin"]) {
		names = append(names, "<")
	}
	if hasValue(params["dir"]) {
		names = append(names, "PWD")
	}
	return names
}

// hasValue tells whether a text has an expression or a secret in it.
func hasValue(v any) bool {
	t, ok := v.(string)
	return ok && (strings.Contains(t, "${{") || strings.Contains(t, "${env:"))
}

var errShell = errors.New("'shell' is run, and has a value; write the shell itself")

// readable reports why a script with values cannot be made safe: what reads it is
// no shell.
func readable(command string, shell any) error {
	list, isList := shell.([]any)
	if !isList {
		list = []any{shell}
	}
	if slices.ContainsFunc(list, hasValue) {
		return errShell
	}
	program, _ := append(list, "")[0].(string)
	name := append(strings.Fields(program), "")[0]
	if shell == nil || !hasValue(command) || slices.Contains(shells, path.Base(name)) {
		return nil
	}
	return fmt.Errorf("values cannot be put safely into a script that is not a shell's; give them by 'env' and read them there")
}

// list is a command that is a program and its arguments.
type list struct {
	code     int // the argument that a shell runs as a script; -1 where there is none
	tainted  []string
	verdicts []verdict
}

// listed weighs the words of a list. An error where a value would be run as code: only
// the script of a shell is made safe, where one may stand.
func listed(command []any, scripts bool, given ...string) (list, error) {
	l := list{code: -1}
	words := make([]argument, len(command))
	shell := false
	for i, item := range command {
		text, _ := item.(string)
		words[i].valued = hasValue(item)
		if parts, err := split(text); err == nil && words[i].valued {
			words[i].leading = parts[0].text == ""
			text = ""
			for _, p := range parts {
				if text += p.text; p.text == "" {
					text += markBegin
				}
			}
		}
		words[i].text = text
		if shell && scripts && l.code < 0 && isScriptFlag(words[i-1].text) {
			l.code, words[i].valued = i, false
			continue
		}
		if l.code >= 0 && words[i].valued {
			l.tainted = []string{"@"}
		}
		shell = shell || slices.Contains(shells, path.Base(text))
	}
	if len(words) == 0 {
		return l, nil
	}
	var input, environ error
	l.verdicts, input, environ = weigh(words, slices.Contains(given, "<"))
	for i, v := range l.verdicts {
		if v.err != nil {
			return l, fmt.Errorf("%s: %w", clipped(fmt.Sprint(command[i])), v.err)
		}
	}
	if environ != nil && slices.ContainsFunc(given, func(name string) bool { return isVariable(name) && name != "PWD" }) {
		return l, environ
	}
	if input != nil {
		return l, fmt.Errorf("'stdin' has a value of ${{ … }}: %w", input)
	}
	return l, nil
}

// argvs are the lists among a step's parameters that start a program, or become its
// options.
func argvs(s Step) map[string][]any {
	m := map[string][]any{}
	note := func(where string, v any) {
		if list, ok := v.([]any); ok && len(list) > 0 {
			m[where] = list
		}
	}
	switch s.Action {
	case "mcp":
		note("server", s.Parameters["server"])
	case "agent":
		if args, ok := s.Parameters["args"].([]any); ok {
			note("args", append([]any{"agent"}, args...))
		}
	case Approve:
		shown, ok := s.Parameters["show"].([]any)
		if !ok {
			shown = []any{s.Parameters["show"]}
		}
		for i, x := range shown {
			if x, ok := x.(map[string]any); ok {
				note(fmt.Sprintf("show.%d.run", i), x["run"])
			}
		}
	}
	return m
}
