package headless

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/run/action"
)

// work is one attempt at a step.
type work struct {
	a      *Agent
	c      action.Call
	o      order
	memory memory
	note   action.Note
	again  bool // an earlier attempt has begun

	resume    bool             // the next process resumes note.Session
	used      piton.TokenUsage // by this attempt's processes that have ended
	cost      float64          // likewise
	unpriced  string           // why the cost is not known; "": it is
	turns     int
	denied    []string
	known     action.Knowledge
	unchanged bool      // the check "verified" holds because nothing was changed
	noted     time.Time // when usage was last noted
}

// mark is what everything has in its environment that this step starts.
func (w *work) mark() string { return "PITON_RUN_STEP=" + w.c.Run + "/" + w.c.Step }

// outcome is what an attempt leaves, however it ends.
func (w *work) outcome() action.Result {
	n := w.note
	n.Usage, n.CostUSD, n.Data = w.used, w.cost, w.memory.data()
	return action.Result{Usage: w.used, CostUSD: w.cost, Note: n}
}

// failed is an attempt that failed, with what it used. final says that another try
// cannot help.
func (w *work) failed(err error) error {
	var f final
	w.memory.Ended = begin(err.Error(), maxWhy)
	final := errors.As(err, &f)
	return &action.Failed{Err: err, Final: final, Known: w.known, OverBudget: f.overBudget, Result: w.outcome()}
}

// final is an error that another try cannot mend.
type final struct {
	error
	overBudget bool
}

func (f final) Unwrap() error { return f.error }

// finally formats a final error.
func finally(format string, args ...any) error { return final{error: fmt.Errorf(format, args...)} }

// overBudget formats the final error of a budget that is used up.
func overBudget(format string, args ...any) error {
	return final{fmt.Errorf(format, args...), true}
}

// maxTail bounds what is told of an output, maxWhy the reason for an attempt's end.
const (
	maxTail = 2000
	maxWhy  = 500
)

// refusedTools says which tools the agent asked for and was refused.
func (w *work) refusedTools() string {
	slices.Sort(w.denied)
	if list := slices.Compact(slices.Clone(w.denied)); len(list) > 0 {
		return " (it was refused these tools: " + strings.Join(list, ", ") + ")"
	}
	return ""
}

func (w *work) say(text string) {
	if w.c.Say != nil {
		w.c.Say(begin(text, 300))
	}
	if w.c.Log != nil {
		fmt.Fprintln(w.c.Log, text)
	}
}

// lack is a check that does not hold.
type lack struct {
	check string // which, the same each time
	why   string // in a line, with what was seen
}

func said(lacks []lack) (list []string) {
	for _, l := range lacks {
		list = append(list, l.why)
	}
	return list
}

// begin is the beginning of a text.
func begin(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + " …"
}

// end is the end of a text, its last lines.
func end(s string, most int) string {
	s = strings.TrimSpace(s)
	if len(s) <= most {
		return s
	}
	return "… " + strings.ToValidUTF8(s[len(s)-most:], "")
}
