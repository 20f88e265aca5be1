package headless

import (
	"strings"

	"github.com/piton-project/piton/internal/run/plan"
)

// couldNotMark begins the last line of an agent that could not do its task.
const couldNotMark = "PITON: could not:"

// contract is what an agent is told beside its task.
func contract(checks []plan.Check) string {
	var b strings.Builder
	b.WriteString("\n\nYou work without a terminal: nobody can answer questions.")
	if len(checks) > 0 {
		b.WriteString(" When you end, this is checked, whatever you say:\n")
		for _, c := range checks {
			b.WriteString("- " + demand(c) + "\n")
		}
	} else {
		b.WriteByte(' ')
	}
	b.WriteString("If you cannot do the task, end with a last line of this form: " + couldNotMark + " REASON")
	return b.String()
}

// demand is what a check asks for, in words.
func demand(c plan.Check) string {
	switch {
	case c.Run != "":
		return "the command succeeds: " + c.Run
	case c.File != "":
		return "there is a file: " + c.File
	case c.Changed != "":
		return "a file was changed: " + c.Changed
	case c.Verified:
		return "what was changed was verified by commands that succeeded after the last change"
	case c.Expr != "":
		return "it holds for your last message (output.text, output.result): " + c.Expr
	}
	return "nothing"
}

// fresh is the prompt of a new session.
func (w *work) fresh() string {
	s := w.o.prompt
	if w.c.Words != "" {
		s += "\n\nA person has looked at an earlier result of this task and sent it back with these words:\n" + w.c.Words
	}
	if w.again {
		s += "\n\nAn earlier attempt at this task " + w.before() + " Look at what it has left before you go on."
	}
	s += failing(w.memory.Failing)
	s += asJSON(w.o)
	return s + contract(w.c.Check)
}

// resumed is the prompt of a session that goes on in another attempt.
func (w *work) resumed() string {
	s := "Your work on this task " + w.before() + " Look at what is done already, then go on to the end."
	if len(w.memory.Failing) > 0 {
		s = "The task is not done yet."
	}
	if w.c.Words != "" {
		s = "A person has looked at your result and sent it back with these words:\n" + w.c.Words + "\n\nGo on with the task."
	}
	return s + failing(w.memory.Failing) + "\n\nThe task was:\n" + begin(w.o.prompt, maxTask) + asJSON(w.o) + contract(w.c.Check)
}

// before is what became of the attempt before: it was broken off, unless it has noted
// its own end.
func (w *work) before() string {
	switch {
	case w.memory.CouldNot != "":
		return "ended with the words that it could not be done: " + w.memory.CouldNot + "\nIt is to be tried again: what was in the way may be gone."
	case w.memory.Ended != "":
		return "ended before it was done: " + w.memory.Ended + "."
	}
	return "was broken off: the program or the machine stopped."
}

// maxTask is how much of the task is said again: the session has it, unless it was
// broken off before it was written down.
const maxTask = 2000

// mend is the prompt that tells an agent what does not hold.
func (w *work) mend(lacks []lack) string {
	return "The task is not done: it was checked, and this does not hold." + failing(said(lacks)) + "\n\nMend it, then end." + contract(w.c.Check)
}

func failing(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return "\n\nThis does not hold:\n- " + strings.Join(lines, "\n- ")
}

func asJSON(o order) string {
	if o.output != "json" {
		return ""
	}
	return "\n\nEnd with a message that is JSON and nothing else."
}

// couldNot is the reason of an agent that says it could not do its task; "" where it
// does not say so.
func couldNot(message string) string {
	lines := strings.Split(strings.TrimSpace(message), "\n")
	last := strings.Trim(lines[len(lines)-1], " \t\r*_`>#")
	if len(last) < len(couldNotMark) || !strings.EqualFold(last[:len(couldNotMark)], couldNotMark) {
		return ""
	}
	reason := strings.Trim(last[len(couldNotMark):], " \t*_`")
	if reason == "" {
		return "it gives no reason"
	}
	return reason
}
