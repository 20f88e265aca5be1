package codex

import (
	"strings"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client"
	"github.com/piton-project/piton/internal/client/rawjson"
)

// answer is what the model was told of a call's end.
type answer struct {
	said    string
	exit    *int
	process string // the number of a process that goes on
}

// readAnswer reads an answer: a text with some lines before the command's
// output, or JSON, or parts of either.
func readAnswer(raw []byte) answer { return answerIn(textOf(raw)) }

func answerIn(text string) (a answer) {
	a.said = text
	if inner := []byte(a.said); len(inner) > 0 && inner[0] == '{' {
		if meta := rawjson.Member(inner, "metadata"); meta != nil {
			a.exit = exitCode(rawjson.Member(meta, "exit_code"))
			a.said = rawjson.Text(rawjson.Member(inner, "output"))
			return a
		}
	}
	head, out, ok := strings.Cut(a.said, "\nOutput:\n")
	if !ok {
		return a
	}
	for line := range strings.SplitSeq(head, "\n") {
		for _, mark := range []string{"Exit code: ", "Process exited with code "} {
			if code, ok := strings.CutPrefix(line, mark); ok {
				a.exit = exitCode([]byte(code))
			}
		}
		if p, ok := strings.CutPrefix(line, "Process running with session ID "); ok {
			a.process = p
		}
	}
	if a.exit != nil || a.process != "" {
		a.said = out
	}
	return a
}

// end says how a call ended. A command or a patch of which no exit code was
// told did not run to its end: a person stopped or refused it, or it could not
// be started.
func (a answer) end(c *agent.Call, l line) {
	c.EndedAt = l.at
	client.Said(c, a.said)
	short := a.said[:min(len(a.said), 200)]
	// Rejected by a person, or by what the settings allow; or the model wrote the
	// call wrong, and the client could not read it.
	c.NeverRan = a.exit == nil && (strings.Contains(short, "rejected by user") || c.Kind == agent.CallShell && strings.HasPrefix(short, "failed to parse function arguments"))
	c.Interrupted = c.NeverRan || a.exit == nil && (strings.HasSuffix(short, "aborted by user") || strings.HasPrefix(short, "aborted by user after "))
	if c.Kind == agent.CallShell || c.Kind == agent.CallEdit { // else it is a process's that was asked about
		c.ExitCode, c.Unsure = a.exit, false
	}
	switch {
	case c.Interrupted:
	case c.ExitCode != nil:
		c.Failed = *a.exit != 0
	case c.Kind == agent.CallEdit:
		c.Failed = !strings.Contains(short, "Success.")
	case c.Kind == agent.CallShell:
		c.Failed = true
	default:
		c.Failed = strings.HasPrefix(short, "unsupported call") || strings.HasPrefix(short, "failed ")
	}
	c.Created = c.Created && !c.Failed && !c.Interrupted
}
