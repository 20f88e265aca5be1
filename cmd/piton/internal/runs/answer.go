package runs

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/app/planruns"
	"github.com/piton-project/piton/internal/run/runner"
	"github.com/piton-project/piton/internal/screen"
)

// asker asks the person at this terminal what the steps of a run ask, one question at a
// time. Meanwhile nothing else is printed.
type asker struct {
	con  console
	show *watcher
	ctx  context.Context
	done sync.WaitGroup
	turn sync.Mutex // of the terminal

	mu   sync.Mutex
	open map[string]context.CancelFunc // by step
	over bool                          // the run has ended
}

// heard takes up what a step asks, and drops the question when it was answered elsewhere.
func (a *asker) heard(e runner.Event) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if cancel := a.open[e.Step]; cancel != nil {
		cancel()
		delete(a.open, e.Step)
	}
	if e.Kind != runner.StepWaiting {
		return
	}
	ctx, cancel := context.WithCancel(a.ctx)
	a.open[e.Step] = cancel
	a.done.Go(func() {
		defer cancel()
		a.turn.Lock()
		defer a.turn.Unlock()
		if ctx.Err() != nil {
			return
		}
		if !a.con.Foreground() {
			a.later(e.Run, e.Step)
			return
		}
		a.show.hold()
		defer a.show.goOn()
		if err := a.ask(ctx, e.Run, e.Step); err != nil && ctx.Err() == nil {
			a.con.Tell("%s", screen.Clean(err.Error()))
		}
	})
}

// end drops all questions.
func (a *asker) end() {
	a.mu.Lock()
	a.over = true
	for _, cancel := range a.open {
		cancel()
	}
	a.mu.Unlock()
	a.done.Wait()
}

// later says how a question is answered that is not answered here.
func (a *asker) later(run, step string) {
	a.con.Say("Answer it from any terminal: piton runs approve %s", screen.Quote(run, step))
}

func (a *asker) ended() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.over
}

// ask shows one question, and records the answer as 'piton runs approve' does.
func (a *asker) ask(ctx context.Context, run, step string) error {
	caller := app.New(a.con.AppOptions()) // the run has the console's own
	defer caller.Close()
	x, err := caller.Approve(ctx, planruns.ApproveRequest{Ref: run, Step: step, Confirm: a.con.confirm(ctx)})
	switch {
	case err == nil && x.Given:
		x.Hint = "" // the run goes on here
		return a.con.printApproval(x)
	case ctx.Err() != nil && a.ctx.Err() == nil && !a.ended():
		a.con.Say("Step %s was answered elsewhere, or its question has changed.", screen.Line(step))
		return nil
	case err == nil || a.ended():
		a.later(run, step)
		return nil
	}
	return err
}

// confirm shows a person a question, and reads a yes, or a no with words; neither leaves it
// open.
func (con console) confirm(ctx context.Context) func(planruns.Question, *planruns.ApproveRequest) (bool, error) {
	return func(q planruns.Question, r *planruns.ApproveRequest) (bool, error) {
		if err := con.Print(fmt.Sprintf("Step %s of %s asks:\n\n%s\n\n", screen.Line(q.StepID), q.RunID, indent(screen.Clean(q.Text)))); err != nil {
			return false, err
		}
		ask := con.Asking(ctx)
		question := "Approve? [y: yes, n WORDS: no, the steps before it run again with these words, Enter: later] "
		for {
			text, ok := ask(question)
			word, rest, _ := strings.Cut(text, " ")
			switch rest = strings.TrimSpace(rest); {
			case !ok || text == "":
				return false, ctx.Err()
			case isWord(word, "yes") && rest == "":
				return true, ctx.Err()
			case isWord(word, "no") && rest != "":
				r.Reject, r.Words = true, rest
				return true, ctx.Err()
			case isWord(word, "no"):
				question = "A no needs words for the steps before it, which run again: n WORDS, or Enter to answer later: "
			default:
				question = "Give y, n WORDS, or Enter to answer later: "
			}
		}
	}
}

func (con console) printApproval(x planruns.Approval) error {
	text := fmt.Sprintf("Rejected step %s of %s.\n", screen.Line(x.StepID), x.RunID)
	switch {
	case x.Already:
		text = fmt.Sprintf("Step %s of %s has this answer already: %s.\n", screen.Line(x.StepID), x.RunID, con.answerWords(x.Answer))
	case !x.Given:
		text = "Not answered; nothing has changed.\n"
	case x.Approved:
		text = fmt.Sprintf("Approved step %s of %s (sha256 %.12s).\n", screen.Line(x.StepID), x.RunID, x.Shown)
	}
	return con.printed(text, x.Hint)
}

// isWord reports whether a person has typed a word or its first letter.
func isWord(typed, word string) bool {
	typed = strings.ToLower(typed)
	return typed == word || typed == word[:1]
}

// asksHere has the person at this terminal asked about a run's questions, if anybody is.
func (con console) asksHere(ctx context.Context, show *watcher) {
	if con.MayAsk(ctx) {
		a := &asker{con: con, show: show, ctx: ctx, open: map[string]context.CancelFunc{}}
		show.heard, show.ended = a.heard, a.end
	}
}
