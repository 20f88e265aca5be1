package codex

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/piton-project/piton/internal/client"
	"github.com/piton-project/piton/internal/client/rawjson"
)

// script is a program of the model's, in JavaScript, which calls the client's
// tools ("code mode"). Some versions tell of its commands one by one; of others
// this is all there is: the calls as they are written, and what the script has
// printed.
type script struct {
	calls  []string // the ids of its calls, in their order
	prints []string // what it has printed, one text for each call to text()
	status bool     // it looks at exit statuses, so that it may print them
}

// answers gives each call of the script what it has said. Where the script
// prints as many results as it made calls, they stand in the calls' order;
// else nobody can tell whose a line is, and each call gets all of them.
func (s *script) answers() []answer {
	var all []answer
	for _, text := range s.prints {
		all = append(all, printed(text, s.status)...)
	}
	if n := len(all); n > 0 && n < len(s.calls) && all[n-1].thrown {
		// Of those that ran at once, any may be the one that failed.
		all = append(all, slices.Repeat(all[n-1:], len(s.calls)-n)...)
	}
	if len(all) == len(s.calls) {
		return all
	}
	whole := answer{said: strings.Join(s.prints, "\n")}
	if len(s.calls) == 1 {
		for _, a := range all {
			if a.exit != nil || a.process != "" {
				whole.exit, whole.process = a.exit, a.process
			}
		}
	}
	out := make([]answer, len(s.calls))
	for i := range out {
		out[i] = whole
	}
	return out
}

// scriptOutput parts what the model was told of a script: the client's own line,
// and the texts that the script has printed.
func scriptOutput(raw []byte) (head string, prints []string) {
	if len(raw) > 0 && raw[0] == '"' {
		first, rest, _ := strings.Cut(rawjson.Text(raw), "\n")
		if _, out, ok := strings.Cut(rest, "Output:\n"); ok && out != "" {
			prints = append(prints, out)
		}
		return first, prints
	}
	for part := range rawjson.Elements(raw) {
		text := rawjson.Text(rawjson.Member(part, "text"))
		if head == "" {
			head, _, _ = strings.Cut(text, "\n")
			continue
		}
		prints = append(prints, text)
	}
	return head, prints
}

// printed reads what a script has printed at once: results as the client's tool
// gives them, in JSON, or some text of theirs.
func printed(text string, status bool) []answer {
	if trimmed := strings.TrimSpace(text); trimmed != "" && (trimmed[0] == '{' || trimmed[0] == '[') {
		if found := resultsIn([]byte(trimmed), 0); len(found) > 0 {
			return found
		}
	}
	a := answer{said: text}
	if _, thrown, ok := strings.Cut(text, "Script error:\n"); ok && strings.HasPrefix(thrown, "Exit code: ") {
		a = answerIn(thrown)
		a.thrown = true
		if client.Shortened(text) {
			a.said = text // with the line that says so
		}
	} else if strings.HasPrefix(text, "Exit code: ") {
		a = answerIn(text)
	}
	if a.exit == nil && a.process == "" && status {
		a.exit = printedStatus(text)
	}
	return []answer{a}
}

// maxDeep bounds how deep results may lie in what is printed.
const maxDeep = 4

// resultsIn lists the results in a JSON value, in their order.
func resultsIn(raw []byte, deep int) (all []answer) {
	switch {
	case len(raw) == 0 || deep > maxDeep:
	case raw[0] == '[':
		for element := range rawjson.Elements(raw) {
			all = append(all, resultsIn(element, deep+1)...)
		}
	case raw[0] == '{':
		v := rawjson.Values(raw, "output", "exit_code", "session_id", "wall_time_seconds")
		if v[0] != nil && (v[1] != nil || v[2] != nil || v[3] != nil) {
			a := answer{said: rawjson.Text(v[0]), exit: exitCode(v[1])}
			if isThere(v[2]) && a.exit == nil {
				a.process = string(v[2])
			}
			return []answer{a}
		}
		for _, member := range rawjson.Members(raw) {
			all = append(all, resultsIn(member, deep+1)...)
		}
	}
	return all
}

var exitWord = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^\W*(?:.*\W)?(?:exit|status|code)(?:[ _-]?(?:code|status))?["']?\s*[=:]?\s*(-?\d+)\W*$|^\s*(\d+)\s*$`)
})

// printedStatus is the exit status that a script has printed beside the output:
// on the first line of the text, or on its last.
func printedStatus(text string) *int {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for _, line := range []string{lines[0], lines[len(lines)-1]} {
		if m := exitWord().FindStringSubmatch(line); m != nil {
			return exitCode([]byte(m[1] + m[2]))
		}
	}
	return nil
}
