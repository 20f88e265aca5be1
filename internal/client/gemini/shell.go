package gemini

import (
	"path/filepath"
	"strconv"
	"strings"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client"
	"github.com/piton-project/piton/internal/client/rawjson"
)

// readShell reads a command and what became of it; dir is where the client works.
// A command that fails is a success to the client; that it failed stands in its
// output only, behind what the command itself has said.
func readShell(c *agent.Call, g toolCall, said, dir string) {
	v := rawjson.Values(g.args, "command", "is_background", "dir_path", "directory")
	c.Command, c.Background = rawjson.Text(v[0]), rawjson.IsTrue(v[1])
	for _, named := range v[2:] {
		if at := client.Absolute(dir, rawjson.Text(named)); filepath.IsAbs(at) {
			c.Dir = at
		}
	}
	if client.ShellIn(c.Dir) == client.PowerShell {
		c.Tool = client.PowerShell
	}
	said = unwrapped(said)
	out, ran := strings.CutPrefix(said, "Output: ")
	switch {
	case ran:
		var end ending
		out, end = cutSections(out, lastLine(g.display, said))
		c.ExitCode = end.code
		broke := end.signal || end.code != nil && *end.code != 0
		c.Failed = c.Failed || broke && !c.Interrupted
		client.Said(c, out)
		return
	case strings.HasPrefix(said, "Command was cancelled by user"):
		c.Interrupted, c.Failed = true, false // it may have run
	case strings.HasPrefix(said, "Command was automatically cancelled"):
		c.Failed = !c.Interrupted
	case strings.HasPrefix(said, "Command is running in background. "), strings.HasPrefix(said, "Command moved to background "):
		c.Background = !c.Interrupted
		c.Task = processOf(said)
	}
	client.Said(c, said)
}

// ending is how a command ended.
type ending struct {
	code   *int
	signal bool
}

// cutSections cuts off the lines that the client writes behind a command's
// output, each of which may be missing, and reads them. A command may have
// written such lines itself: its output ends with the last line that the person
// was shown, where that is known.
func cutSections(said, last string) (out string, end ending) {
	rest, cuts := said, []string{said}
	for _, name := range []string{"Process Group PGID: ", "Background PIDs: ", "Signal: ", "Exit Code: "} {
		if i := strings.LastIndexByte(rest, '\n'); i >= 0 && strings.HasPrefix(rest[i+1:], name) {
			rest = rest[:i]
			cuts = append(cuts, rest)
		}
	}
	if last != "" && !strings.HasSuffix(strings.TrimSpace(rest), last) {
		for i := len(cuts) - 1; i >= 0; i-- {
			if cuts[i][strings.LastIndexByte(cuts[i], '\n')+1:] == last {
				rest = cuts[i]
				break
			}
		}
	}
	for line := range strings.Lines(said[len(rest):]) {
		if value, ok := strings.CutPrefix(line, "Exit Code: "); ok {
			if code, err := strconv.Atoi(strings.TrimSpace(value)); err == nil {
				end.code = &code
			}
		}
		if value, ok := strings.CutPrefix(line, "Signal: "); ok {
			value = strings.TrimSpace(value)
			end.signal = value != "" && value != "(none)"
		}
	}
	if rest == "(empty)" {
		rest = ""
	}
	return rest, end
}

// lastLine is the last line that is not blank of what the person was shown of
// a command's output: a text, or the lines of a terminal with their colours. In
// the client's debug mode it is what the model was told, and says nothing.
func lastLine(display []byte, said string) string {
	if shown := strings.TrimSpace(rawjson.Text(display)); shown != "" {
		if shown == strings.TrimSpace(said) {
			return ""
		}
		return strings.TrimSpace(shown[strings.LastIndexByte(shown, '\n')+1:])
	}
	last := ""
	for line := range rawjson.Elements(display) {
		var b strings.Builder
		for token := range rawjson.Elements(line) {
			b.WriteString(rawjson.Text(rawjson.Member(token, "text")))
		}
		if s := strings.TrimSpace(b.String()); s != "" {
			last = s
		}
	}
	return last
}

// processOf is the number of the process that goes on behind.
func processOf(said string) string {
	_, rest, ok := strings.Cut(said[:min(len(said), 200)], "PID: ")
	n := strings.IndexFunc(rest, func(r rune) bool { return r < '0' || r > '9' })
	if !ok || n <= 0 {
		return ""
	}
	return rest[:n]
}
