package project

import (
	"maps"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/piton-project/piton/internal/judge/tools"
)

// handed is a call of targets with what the caller gives them.
type handed struct {
	at      *folder // where they are defined
	from    *folder // where the caller is
	tool    string
	names   []string
	args    []string          // words for the last of them
	vars    map[string]string // NAME=value for all
	members []*folder         // of the workspace, where the caller names some
	unread  bool              // some of it is not understood
}

// texts are a recipe's lines as the shell gets them, with the words that the
// caller gives it: in the places that the recipe has for them, else behind its
// last line.
func (h handed) texts(form tools.Form, d definitions, r recipe) []string {
	given := maps.Clone(h.vars)
	switch form {
	case tools.Justfile:
		var ok bool
		if given, ok = h.parameters(r.params, d.vars); !ok {
			return []string{"$(" + unknownValue + ")"}
		}
	case tools.Taskfile:
		given = map[string]string{"CLI_ARGS": quoted(h.args)}
		maps.Copy(given, h.vars)
	case tools.Rakefile, tools.HooksFile:
		return r.lines
	}
	if r.raw != nil {
		return commands(r.raw, func(line string) string {
			line = filled(line, false, given, d.vars)
			if form == tools.Justfile {
				line = positional(line, h.args)
			}
			return line
		})
	}
	lines, placed := make([]string, len(r.lines)), false
	for i, line := range r.lines {
		lines[i] = h.placed(line)
		placed = placed || lines[i] != line
	}
	if n := len(lines); n > 0 && !placed && len(h.args) > 0 {
		lines[n-1] = strings.TrimRight(lines[n-1], "\n ") + " " + quoted(h.args)
	}
	return lines
}

// parameters are the values of a just recipe's parameters.
func (h handed) parameters(params []string, vars map[string]string) (map[string]string, bool) {
	given, args := map[string]string{}, h.args
	maps.Copy(given, h.vars)
	for _, p := range params {
		name, value, has := strings.Cut(strings.TrimLeft(p, "*+$"), "=")
		if known, ok := vars[value]; ok {
			value = known
		}
		value = strings.Trim(value, `"'`)
		switch {
		case p[0] == '*' || p[0] == '+':
			if len(args) > 0 {
				value = quoted(args)
			}
			args = nil
		case len(args) > 0:
			value, args = args[0], args[1:]
		case !has:
			return nil, false
		}
		given[name] = value
	}
	return given, true
}

// placed puts the caller's words in the places that a line has for them: those of
// a shell script, hatch's and pdm's {args:default}.
func (h handed) placed(line string) string {
	line = argsPlace().ReplaceAllStringFunc(line, func(ref string) string {
		if len(h.args) > 0 {
			return quoted(h.args)
		}
		return argsPlace().FindStringSubmatch(ref)[1]
	})
	return positional(line, h.args)
}

var argsPlace = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{args(?::([^{}]*))?\}`) })

// positional puts arguments in the place of $1 and "$@". In a text that has
// functions, or that goes through its arguments, they may mean something else;
// then they stay.
func positional(text string, args []string) string {
	if !strings.Contains(text, "$") || function().MatchString(text) {
		return text
	}
	return argument().ReplaceAllStringFunc(text, func(ref string) string {
		m := argument().FindStringSubmatch(ref)
		name, otherwise := m[1]+m[2], m[3]
		if name == "@" || name == "*" {
			if len(args) == 0 {
				return otherwise
			}
			return quoted(args)
		}
		at, _ := strconv.Atoi(name)
		if at > len(args) {
			return otherwise
		}
		return quoted(args[at-1 : at])
	})
}

var (
	argument = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`"?\$(?:([1-9@*])|\{([1-9@*])(?::?-([^{}]*))?\})"?`) })
	function = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)\(\)\s*\{|^\s*function |\bshift\b|\bgetopts\b`) })
)

// quoted are words as a shell reads them back.
func quoted(words []string) string {
	list := make([]string, len(words))
	for i, w := range words {
		if list[i] = w; w == "" || strings.ContainsAny(w, " \t\n\"'|&;<>()*?[]#~\\!") {
			list[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(list, " ")
}
