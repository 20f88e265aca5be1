package debrief

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/piton-project/piton/internal/judge/tools"
)

// saysFailed is the line in which the call's own line tells that a test command
// failed: the status that it prints (`go test > log; echo rc=$?`), or the words
// that it has for that case (`go test > log && echo fine || echo bad`); "" where it
// tells nothing, or all is well.
func (c *call) saysFailed(cmd *command) string {
	if cmd.unreadable || len(cmd.Words) == 0 || c.turn.kindOf(cmd) == noCheck || !strings.Contains(c.Command, "echo") {
		return ""
	}
	for _, s := range c.steps(cmd) {
		for _, m := range otherwise().FindAllStringSubmatch(s.text, -1) {
			if line := c.prints(regexp.QuoteMeta(strings.TrimSpace(m[1] + m[2] + m[3]))); line != "" {
				return line
			}
		}
		piped := strings.Contains(strings.ReplaceAll(s.text, "||", ""), "|") // its status is then the last program's
		if s.shown != nil && (!piped || strings.Contains(s.shown[0], "PIPESTATUS")) {
			if line := c.prints(regexp.QuoteMeta(s.shown[1]) + `0*[1-9][0-9]*\b.*`); line != "" {
				return line
			}
		}
	}
	return ""
}

// saysDone reports whether the call's own line prints that a test command has
// ended with status 0 (`go test > log; echo rc=$?`).
func (c *call) saysDone(cmd *command) bool {
	return slices.ContainsFunc(c.steps(cmd), func(s lineStep) bool {
		return s.shown != nil && !strings.Contains(s.text, "|") && c.prints(regexp.QuoteMeta(s.shown[1])+`0+\b.*`) != ""
	})
}

// lineStep is a part of a call's line, and how the next one prints its status: the whole
// of it and what stands before the status; nil where it does not.
type lineStep struct {
	text  string
	shown []string
}

// steps are the parts of the call's line that hold a command.
func (c *call) steps(cmd *command) (all []lineStep) {
	if len(cmd.Words) == 0 {
		return nil
	}
	parts := append(step().Split(c.Command, -1), "")
	for i, text := range parts[:len(parts)-1] {
		if strings.Contains(text, strings.Join(cmd.Words[:min(2, len(cmd.Words))], " ")) {
			all = append(all, lineStep{text, statusShown().FindStringSubmatch(parts[i+1])})
		}
	}
	return all
}

var (
	step      = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[;\n]`) })
	otherwise = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\|\|\s*[({]?\s*echo\s+(?:"([^"$\x60]+)"|'([^']+)'|([\w.:!=-]+))`)
	})
	statusShown = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\s*echo\s+["']?([^"'$]*)\$(?:\?|\{\?\}|\{PIPESTATUS\[0\]\}|LASTEXITCODE)`)
	})
)

// prints is a line of the output that a pattern fits as a whole, "" for none.
func (c *call) prints(pattern string) string {
	whole, err := regexp.Compile(`^` + pattern + `$`)
	if err != nil {
		return ""
	}
	for line := range strings.Lines(c.Output()) {
		if line = strings.TrimSpace(tools.Uncoloured(line)); line != "" && whole.MatchString(line) {
			return line
		}
	}
	return ""
}
