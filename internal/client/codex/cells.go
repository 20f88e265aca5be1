package codex

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client"
	"github.com/piton-project/piton/internal/client/rawjson"
)

// cellMark stands in the id of a call that is read out of a cell.
const cellMark = "/cell/"

// cellBegan begins the commands of a cell.
func (f *fold) cellBegan(l line, id, script string) {
	x := &cell{begun: l.at, script: script}
	x.calls, x.plain = scriptCalls(script)
	for i, call := range x.calls {
		own := id + cellMark + strconv.Itoa(i)
		x.ids = append(x.ids, own)
		command := cmp.Or(call.fields["cmd"], call.fields["command"])
		if toolKind(call.name) != agent.CallShell || command == "" {
			continue
		}
		c := agent.Call{ID: own, Kind: agent.CallShell, Command: command, Dir: f.dir, Subagent: f.subagent, StartedAt: l.at}
		if dir := call.fields["workdir"]; dir != "" {
			c.Dir = f.absolute(dir, "")
		}
		c.Tool = client.ShellIn(c.Dir)
		f.begin(c)
	}
	f.cells[id] = x
}

// cellSaid takes what a cell has printed, and its end.
func (f *fold) cellSaid(l line, id string, output []byte) {
	x := f.cells[id]
	var parts []string
	for raw := range rawjson.Elements(output) {
		parts = append(parts, rawjson.Text(rawjson.Member(raw, "text")))
	}
	if len(output) > 0 && output[0] == '"' {
		head, rest, _ := strings.Cut(rawjson.Text(output), "\nOutput:\n")
		parts = append(parts, head)
		if strings.TrimSpace(rest) != "" {
			parts = append(parts, rest)
		}
	}
	if len(parts) == 0 {
		return
	}
	head, _, _ := strings.Cut(parts[0], "\nOutput:")
	status, wall, _ := strings.Cut(head, "\nWall time ")
	seconds, _ := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(wall), " seconds"), 64)
	x.wall += seconds
	for _, part := range parts[1:] {
		if strings.TrimSpace(part) != "" || len(x.calls) == len(parts)-1 {
			x.parts = append(x.parts, part)
		}
	}
	if number, on := strings.CutPrefix(status, "Script running with cell ID "); on {
		f.goingOn[number] = id
		return
	}
	f.cellEnded(l, x)
}

// cellEnded gives each command of a cell what the cell has printed of it: all of
// it where there is one call, or one text for each. What is not known to have
// ended goes on behind.
func (f *fold) cellEnded(l line, x *cell) {
	for i, call := range x.calls {
		said, told := "", false
		switch {
		case len(x.calls) == 1 && x.plain:
			said, told = strings.Join(x.parts, "\n"), len(x.parts) > 0
		case len(x.calls) == len(x.parts) && x.plain:
			said, told = x.parts[i], true
		}
		a := cellAnswer(said, x.script)
		yield, err := strconv.ParseFloat(call.fields["yield_time_ms"], 64)
		if err != nil {
			yield = defaultYield
		}
		over := a.exit != nil || a.process == "" && x.wall*1000 < yield
		if process := call.fields["session_id"]; call.name == "write_stdin" && process != "" && told {
			f.polled(l, process, a)
		}
		at, ok := f.calls[x.ids[i]]
		if !ok {
			continue
		}
		c := &f.t.Calls[at]
		if a.exit != nil {
			a.end(c, l)
			continue
		}
		c.EndedAt, c.Unsure = l.at, true
		client.Said(c, a.said)
		c.Cut = c.Cut || !told
		if !over {
			c.Background, c.Task = true, a.process
			if a.process != "" {
				f.running[a.process] = c.ID
			}
		}
	}
}

// defaultYield is after how many milliseconds the client leaves a command that the
// call sets no time for.
const defaultYield = 10_000

// saidExit is how scripts print a command's exit status before its output.
var saidExit = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^\W*exit(?:[ _]?(?:code|status))?\s*[:=]?\s*(\d{1,3})\b\W*`)
})

// cellAnswer reads what a script has printed of a command: its output alone, or
// the object that the call has given.
func cellAnswer(said, script string) (a answer) {
	// The other shell gives a text, and throws it where the status is not 0.
	_, thrown, ok := strings.Cut(said, "Script error:\n")
	if ok && strings.HasPrefix(thrown, "Exit code: ") || strings.HasPrefix(said, "Exit code: ") {
		whole := answerIn(cmp.Or(thrown, said))
		if client.Shortened(said) {
			whole.said = said // with the line that says so
		}
		return whole
	}
	a.said = said
	if raw := []byte(said); len(raw) > 1 && raw[0] == '{' {
		if out := rawjson.Member(raw, "output"); out != nil {
			a.said, a.exit = rawjson.Text(out), exitCode(rawjson.Member(raw, "exit_code"))
			a.process = string(rawjson.Member(raw, "session_id"))
			if a.exit == nil && a.process == "" && strings.Contains(script, "exit_code") {
				a.process = "?" // it has no exit status yet
			}
			return a
		}
	}
	if m := saidExit().FindStringSubmatchIndex(said); m != nil && strings.Contains(script, "exit_code") {
		a.exit, a.said = exitCode([]byte(said[m[2]:m[3]])), said[m[1]:]
	}
	return a
}

// withoutCells takes out what was read of cells where the client itself has told of
// commands: they are the same.
func (f *fold) withoutCells() {
	told := slices.ContainsFunc(f.t.Calls, func(c agent.Call) bool { return c.Kind == agent.CallShell && f.items[c.ID] })
	if !told {
		return
	}
	f.t.Calls = slices.DeleteFunc(f.t.Calls, func(c agent.Call) bool { return strings.Contains(c.ID, cellMark) && !f.items[c.ID] })
}
