package runs

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/piton-project/piton/internal/run/runner"
	"github.com/piton-project/piton/internal/screen"
	"github.com/piton-project/piton/internal/states"
)

// watcher shows what happens in a run while it happens: JSON events, plain lines,
// or on a terminal a line per running step, drawn again and again below those
// that are finished.
type watcher struct {
	ctx   context.Context // it ends with Ctrl-C
	con   console
	live  bool
	plain bool
	heard func(runner.Event) // is told of each event; nil: nobody asks a person here
	ended func()             // is called at the end, where heard is

	mu      sync.Mutex
	running []*liveStep
	drawn   int // lines on the terminal that are drawn again
	frame   int
	holding bool   // a question is open, and what is printed waits
	held    string // what waits
	stop    chan struct{}
	stopped chan struct{}
}

// liveStep is a step at work.
type liveStep struct {
	id, says string
	attempt  int
	since    time.Time
	event    runner.Event
}

// heard takes what is said of the step. What it has used so far stays until more is
// known.
func (s *liveStep) heard(e runner.Event) {
	if e.Message != "" {
		s.says = e.Message
	}
	if e.CostUSD > 0 || e.Usage.Total() > 0 {
		s.event = e
	}
}

// redraw is how often the lines of running steps are drawn again.
const redraw = 100 * time.Millisecond

// maxLive bounds the lines that are drawn again.
const maxLive = 8

func (con console) watch(ctx context.Context) *watcher {
	w := &watcher{ctx: ctx, con: con, stop: make(chan struct{}), stopped: make(chan struct{})}
	w.live = con.ForPerson() && con.Coloured()
	w.plain = !con.JSON && !w.live
	if !w.live {
		close(w.stopped)
		return w
	}
	go func() {
		defer close(w.stopped)
		tick := time.NewTicker(redraw)
		defer tick.Stop()
		for {
			select {
			case <-w.stop:
				return
			case <-tick.C:
				w.mu.Lock()
				w.frame++
				w.draw("")
				w.mu.Unlock()
			}
		}
	}()
	return w
}

// end wipes what is drawn again and shows nothing more.
func (w *watcher) end() {
	if w.ended != nil {
		w.ended()
	}
	close(w.stop)
	<-w.stopped
	w.clear()
}

// clear wipes the lines of running steps.
func (w *watcher) clear() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.running = nil
	w.draw("")
}

// event shows one event.
func (w *watcher) event(e runner.Event) {
	if w.con.JSON {
		_ = w.con.PrintJSON(e)
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.follow(e)
	w.print(w.line(e))
	if w.heard != nil {
		w.heard(e)
	}
}

// print prints what stays. It is called with the lock held.
func (w *watcher) print(text string) {
	switch {
	case w.holding:
		w.held += text
	case w.live:
		w.draw(text)
	case text != "":
		_ = w.con.Print(text)
	}
}

// hold leaves the terminal to a question.
func (w *watcher) hold() {
	w.mu.Lock()
	defer w.mu.Unlock()
	running := w.running
	w.running = nil
	w.draw("")
	w.running, w.holding = running, true
}

// goOn prints what has waited for a question.
func (w *watcher) goOn() {
	w.mu.Lock()
	defer w.mu.Unlock()
	text := w.held
	w.held, w.holding = "", false
	w.print(text)
}

// follow notes which steps are at work.
func (w *watcher) follow(e runner.Event) {
	at := slices.IndexFunc(w.running, func(s *liveStep) bool { return s.id == e.Step })
	switch e.Kind {
	case runner.StepStarted:
		if at < 0 {
			w.running = append(w.running, &liveStep{id: e.Step, since: time.Now()})
			at = len(w.running) - 1
		}
		w.running[at].attempt = e.Attempt
	case runner.StepSays, runner.StepRetrying:
		if at >= 0 {
			w.running[at].heard(e)
		}
	case runner.StepWaiting:
		if at >= 0 {
			w.running[at].says = "waits for a person"
		}
	case runner.RunEnded:
		w.running = nil
	case runner.RunStarted, runner.RunResumed, runner.RunStopping:
	default:
		if at >= 0 {
			w.running = slices.Delete(w.running, at, at+1)
		}
	}
}

// line is what stays on the screen of an event; "" where nothing does.
func (w *watcher) line(e runner.Event) string {
	status := map[runner.EventKind]runner.Status{
		runner.StepCompleted: runner.Completed, runner.StepFailed: runner.Failed, runner.StepSkipped: runner.Skipped,
		runner.StepInDoubt: runner.InDoubt, runner.StepCouldNot: runner.CouldNot, runner.StepWaiting: runner.Waiting, runner.StepIdle: runner.Waiting,
	}
	message := screen.Short(screen.Clean(e.Message), 300)
	switch e.Kind {
	case runner.RunStarted:
		return fmt.Sprintf("%s started\n", e.Run)
	case runner.RunResumed:
		elsewhere := ""
		if here, _ := os.Getwd(); e.Dir != "" && e.Dir != here {
			elsewhere = ", in " + screen.Line(e.Dir)
		}
		return fmt.Sprintf("%s resumed, %d of %s done%s\n", e.Run, e.Done, screen.Counted(e.Total, "step"), elsewhere)
	case runner.RunStopping:
		if len(w.running) > 0 {
			message += "; " + screen.Counted(len(w.running), "running step") + " to end first"
		}
		if w.live && w.ctx.Err() != nil {
			message += "; Ctrl-C again ends at once"
		}
		return w.con.Yellow("~") + " " + message + "\n"
	case runner.StepStarted:
		if w.live {
			return ""
		}
		text := w.con.sign(runner.Running) + " " + e.Step
		if e.Attempt > 1 {
			text += fmt.Sprintf("  attempt %d", e.Attempt)
		}
		return text + "\n"
	case runner.StepRetrying:
		return fmt.Sprintf("%s %s  attempt %d failed, trying again: %s\n", w.con.Yellow("~"), e.Step, max(e.Attempt, 1), message)
	case runner.StepSays:
		if w.live || message == "" {
			return ""
		}
		return fmt.Sprintf("  %s: %s\n", e.Step, message)
	}
	s, ok := status[e.Kind]
	if !ok {
		return ""
	}
	text := fmt.Sprintf("%s %s", w.con.sign(s), e.Step)
	if s != runner.Completed {
		text += "  " + stepWords(s)
	}
	if e.DurationMS > 0 {
		text += "  " + states.Took(e.DurationMS)
	}
	if c := cost(e.Usage, e.CostUSD); c != "" {
		text += "  " + c
	}
	if message != "" && s != runner.Completed {
		text += ": " + message
	}
	text += "\n"
	if e.Kind == runner.StepWaiting && w.heard == nil {
		text += "  answer from another terminal: piton runs approve " + screen.Quote(e.Run, e.Step) + "\n"
	}
	return text
}

// spinner is what a running step's sign becomes from one frame to the next.
var spinner = []string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"}

// draw writes what stays, and below it the steps at work, in place of those that
// were drawn before. It is called with the lock held.
func (w *watcher) draw(stays string) {
	if !w.live || w.holding {
		return
	}
	var b strings.Builder
	if w.drawn > 0 {
		fmt.Fprintf(&b, "\x1b[%dA\x1b[J", w.drawn)
	}
	b.WriteString(stays)
	width := w.con.Width()
	if width <= 0 {
		width = 80
	}
	w.drawn = 0
	for i, s := range w.running {
		if i == maxLive {
			fmt.Fprintf(&b, "  and %d more\n", len(w.running)-i)
			w.drawn++
			break
		}
		b.WriteString(w.liveLine(s, width) + "\n")
		w.drawn++
	}
	if b.Len() > 0 {
		_ = w.con.Print(b.String())
	}
}

// liveLine is the line of a step at work, no wider than the terminal.
func (w *watcher) liveLine(s *liveStep, width int) string {
	turn := "-"
	if w.con.Unicode() {
		turn = spinner[w.frame%len(spinner)]
	}
	text := fmt.Sprintf("%s %s  %s", turn, s.id, states.Took(time.Since(s.since).Milliseconds()/100*100))
	if s.attempt > 1 {
		text += fmt.Sprintf("  attempt %d", s.attempt)
	}
	if c := cost(s.event.Usage, s.event.CostUSD); c != "" {
		text += "  " + c
	}
	if s.says != "" {
		text += "  " + screen.Line(screen.Clean(s.says))
	}
	return screen.CutEnd(text, width-1)
}
