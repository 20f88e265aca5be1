package debrief

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/piton-project/piton/internal/judge/tools"
)

// ok tells whether the line succeeded.
func (c *call) ok() bool { return !c.Failed && (c.ExitCode == nil || *c.ExitCode == 0) }

// summary is what the output says, over all its lines.
func (c *call) summary() tools.Summary {
	return c.sum.get(func() tools.Summary { return tools.Summarize(c.printed(), c.runners()...) })
}

// runners are the programs of the line that run tests.
func (c *call) runners() (all []*tools.Tool) {
	for _, cmd := range c.commands {
		if !cmd.unreadable && len(cmd.Words) > 0 && cmd.look().tests {
			all = append(all, tools.Of(cmd.Words[0]))
		}
	}
	return all
}

// printed is the output without what the client itself wrote of a failure.
func (c *call) printed() string {
	if c.ok() {
		return c.Output()
	}
	return toldAsIs(c.Output())
}

// impossible reports whether the output says that the command could not begin: its
// program, or what it needs, is not here, or the line was wrong.
func (c *call) impossible() bool {
	out := told(c.Output())
	return saysNoRun.said(out[:min(len(out), 2*headShown)])
}

// headShown is how much of an output says why a command could not begin.
const headShown = 500

// errs reports an error by structure; a person's no is none.
func (c *call) errs() bool {
	return !c.Interrupted && !c.ok() && !saysRefused.said(c.Call.Output[:min(len(c.Call.Output), headShown)])
}

// Output is what the call has printed, without secrets: it may be quoted. It
// hides the field, which may hold some.
func (c *call) Output() string {
	return c.clean.get(func() string {
		if c.turn.Clean == nil {
			return c.Call.Output
		}
		return c.turn.Clean(c.Call.Output)
	})
}

// filtered reports whether a line that tells of a failure may be missing, because
// the line passes the output on to a program that shows a part of it: head -3, grep
// ok. What ends in a sum is not harmed by tail; one that shows more lines than came
// leaves nothing out.
func (c *call) filtered(cmd *command) bool {
	if piped := strings.Contains(cmd.line, "|"); cmd.unreadable || !piped {
		return piped
	}
	return slices.ContainsFunc(c.commands[min(cmd.at+1, len(c.commands)):], func(next *command) bool {
		n := strings.Count(strings.TrimRight(c.Output(), "\n"), "\n") + 1
		return partial(next) && !(next.name() == "head" && linesAsked(next.Words) > n)
	})
}

// partial reports whether a program shows a part of what it reads in which a failure
// need not be.
func partial(cmd *command) bool {
	fails := strings.Contains(strings.ToLower(cmd.text), "fail") || strings.Contains(strings.ToLower(cmd.text), "error")
	switch cmd.name() {
	case "grep", "egrep", "rg":
		return slices.Contains(cmd.Words, "-v") == fails
	case "head", "wc", "sed", "awk", "cut", "uniq":
		return true
	}
	return false
}

// linesAsked is how many lines head shows; 0 where it does not count in lines, or from
// the other end.
func linesAsked(words []string) int {
	n := 10
	for _, m := range lineCount().FindAllStringSubmatch(strings.Join(words[1:], " "), -1) {
		n, _ = strconv.Atoi(m[1])
	}
	return max(n, 0)
}

var lineCount = lazily(`(?:^| )(?:-c|(?:-n ?|--lines[= ]|-)([+-]?\d{1,9})(?: |$))`)

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
	step        = lazily(`[;\n]`)
	otherwise   = lazily(`\|\|\s*[({]?\s*echo\s+(?:"([^"$\x60]+)"|'([^']+)'|([\w.:!=-]+))`)
	statusShown = lazily(`^\s*echo\s+["']?([^"'$]*)\$(?:\?|\{\?\}|\{PIPESTATUS\[0\]\}|LASTEXITCODE)`)
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
