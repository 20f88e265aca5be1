package debrief

import (
	"regexp"
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
	steps := step().Split(c.Command, -1)
	for i, text := range steps {
		if !strings.Contains(text, strings.Join(cmd.Words[:min(2, len(cmd.Words))], " ")) {
			continue
		}
		for _, m := range otherwise().FindAllStringSubmatch(text, -1) {
			if line := c.prints(regexp.QuoteMeta(strings.TrimSpace(m[1] + m[2] + m[3]))); line != "" {
				return line
			}
		}
		if i+1 == len(steps) {
			continue
		}
		if m := statusShown().FindStringSubmatch(steps[i+1]); m != nil && (!piped(text) || strings.Contains(m[0], "PIPESTATUS")) {
			if line := c.prints(regexp.QuoteMeta(m[1]) + `0*[1-9][0-9]*\b.*`); line != "" {
				return line
			}
		}
	}
	return ""
}

// piped reports whether a step hands its output on: its status is then the last
// program's.
func piped(step string) bool { return strings.Contains(strings.ReplaceAll(step, "||", ""), "|") }

// saysDone reports whether the call's own line prints that a test command has
// ended with status 0 (`go test > log; echo rc=$?`).
func (c *call) saysDone(cmd *command) bool {
	steps := step().Split(c.Command, -1)
	for i, text := range steps[:len(steps)-1] {
		if len(cmd.Words) == 0 || !strings.Contains(text, strings.Join(cmd.Words[:min(2, len(cmd.Words))], " ")) || strings.Contains(text, "|") {
			continue
		}
		if m := statusShown().FindStringSubmatch(steps[i+1]); m != nil && c.prints(regexp.QuoteMeta(m[1])+`0+\b.*`) != "" {
			return true
		}
	}
	return false
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
