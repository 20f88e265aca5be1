package setup

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/piton-project/piton/internal/client"
	"github.com/piton-project/piton/internal/edit"
)

// statusVerb is what piton-hook is started with for a status line.
const statusVerb = "statusline"

// statusEnd ends the line that Init writes, as the hooks' lines end: a missing program shows nothing, and no error.
const statusEnd = " " + statusVerb + " 2>/dev/null || :"

// statusLine is what a client's settings have as their status line.
type statusLine struct {
	there   bool
	ours    bool   // as Init writes it, with any path of the program
	command string // "" where it is not a command
	program string // of a command that runs Piton's, whoever wrote it; "" of others
}

// statusIn reads the status line. Null counts as none.
func (c agentClient) statusIn(f form, text []byte) (l statusLine) {
	at := f.value(text, c.StatusLine)
	if c.StatusLine == "" || at == nil || at.Kind() == edit.Null {
		return l
	}
	l.there, l.command = true, at.At("command").Str()
	if agentOf(l.command) == statusVerb {
		l.program, _ = hookProgram(l.command)
	}
	asWritten := len(at.List) == 2 && at.At("type").Raw() == `"command"`
	l.ours = asWritten && isAbs(l.program) && l.command == quote(l.program)+statusEnd
	return l
}

// isAbs also knows the paths of the other system: settings may have come from there.
func isAbs(path string) bool { return filepath.IsAbs(path) || strings.HasPrefix(path, "/") }

// enterStatus plans the status line: a new one where the target asks for it and there is none, and the present path in one of ours.
// Anybody's own stays. note says why nothing was added.
func (c agentClient) enterStatus(t Target, before []byte, empty map[string]string) (after []byte, note string, err error) {
	f := c.form(t)
	was := c.statusIn(f, before)
	switch {
	case c.StatusLine == "" && t.StatusLine:
		return before, c.Title + " has no status line that runs a program: none was set up there", nil
	case t.StatusLine && t.Scope == Project:
		return before, f.path + ": no status line was set up, because one in a project's settings takes the place of everybody's own; set it up in yours", nil
	case was.there && !was.ours && t.StatusLine:
		return before, f.path + " has a status line already, which was left alone; to see Piton's beside it, let your program run '" + hookName + " " + statusVerb + "' with the same input", nil
	case !was.ours && !t.StatusLine, t.Scope == Project, was.there && !was.ours:
		return before, "", nil
	case was.ours && sameFile(was.program, t.Hook):
		return before, "", nil
	}
	command := edit.Quote(quote(t.Hook) + statusEnd)
	after, err = f.edited(before, empty, func(s *edit.JSON) error {
		if !was.ours {
			return s.Put([]string{c.StatusLine}, false, fmt.Sprintf(`{"type":"command","command":%s}`, command))
		}
		s.Set(s.Root().At(c.StatusLine), "command", command)
		return nil
	})
	return after, "", err
}

// leaveStatus takes out the status line if it is as Init writes it.
func (c agentClient) leaveStatus(t Target, before []byte, empty map[string]string) (after []byte, note string, err error) {
	f := c.form(t)
	was := c.statusIn(f, before)
	if !was.ours || t.Scope == Project { // Init puts none into a project's settings
		if was.program != "" {
			note = f.path + ": the status line runs " + was.program + " and is not as Piton writes it: it was left alone; remove it yourself"
		}
		return before, note, nil
	}
	after, err = f.edited(before, empty, func(s *edit.JSON) error {
		s.Remove(s.Root().At(c.StatusLine))
		return nil
	})
	return after, "", err
}

// statusLine: what the client shows as its status line. One of ours runs the present program; whether there is one is the user's choice.
func (x *exam) statusLine() Check {
	const name = "status line"
	var shown statusLine
	path, hidden := "", ""
	for _, f := range x.files {
		if l := x.client.statusIn(f.form, f.text); l.there {
			if shown.program != "" {
				hidden = path
			}
			shown, path = l, f.path
		}
	}
	switch {
	case !shown.there:
		return client.Pass(name, "none; 'piton init --statusline --agent "+x.client.name+"' sets Piton's up")
	case shown.program == "" && hidden != "":
		return client.Pass(name, path+" has another, which is shown in the place of Piton's in "+hidden)
	case shown.program == "":
		return client.Pass(name, path+" has one of its own")
	}
	again := "run 'piton init --statusline --agent " + x.client.name + "'"
	if !shown.ours {
		again = "name the present program there, or remove the line and " + again
	}
	program := x.expand(shown.program)
	if !filepath.IsAbs(program) {
		found, err := x.LookPath(program)
		if err != nil {
			return client.Fail(name, path+" runs "+program+", which is not in PATH: the status line stays empty", again)
		}
		program = found
	}
	if err := runnable(program); err != nil {
		return client.Fail(name, path+": "+err.Error()+": the status line stays empty", again)
	}
	if !x.presentHook(program) {
		return client.Warn(name, path+" runs "+program+", not "+x.Hook, again)
	}
	return client.Pass(name, path+" runs "+program)
}
