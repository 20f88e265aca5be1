package action

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/proc"
	"github.com/piton-project/piton/internal/run/plan"
)

// Approve waits for a person's word.
type Approve struct{ Tools }

// Doc says what the action takes.
func (Approve) Doc() Doc {
	return Doc{
		Name:    plan.Approve,
		Summary: "Waits until a person approves what is shown.",
		Parameters: []Parameter{
			{Name: "message", Kinds: []Kind{Text}, Others: []string{"prompt", "question", "title", "text"}, Meaning: "the question; the step's description where it is left out"},
			{Name: "show", Kinds: []Kind{Text, List, Map}, Others: []string{"files", "content", "preview"},
				Meaning: "a text, `{file: GLOB}`, `{run: COMMAND}`, or a list of these"},
		},
		Output: "who approved it, when, and the words",
	}
}

// Check reports what is wrong with the parameters.
func (a Approve) Check(s plan.Step) error {
	if err := a.Doc().Check(s); err != nil {
		return err
	}
	if show := s.Parameters["show"]; !open(show) {
		if _, err := exhibits(show); err != nil {
			return wrong(`the parameter "show" of the action approve: %s`, err)
		}
	}
	if t, _ := s.Parameters["message"].(string); t == "" && s.Description == "" {
		return wrong(`the action approve needs the parameter "message", or the step a description: what the person is asked`)
	}
	return nil
}

// Effect is pure: to look again changes nothing.
func (Approve) Effect(plan.Step) plan.Effect { return plan.Pure }

// Do collects what is shown and returns it as a Wait. The runner asks the person,
// and calls it again to see that the same is shown still. So what is shown must not
// change by itself, as a time of day does.
func (a Approve) Do(ctx context.Context, c Call) (Result, error) {
	message, err := text(c.Parameters["message"])
	if err != nil {
		return Result{}, err
	}
	message = cmp.Or(message, c.Description)
	list, err := exhibits(c.Parameters["show"])
	if err != nil {
		return Result{}, final(`the parameter "show": %w`, err)
	}
	b := board{left: maxShown}
	b.add(visible(message), 0)
	for _, x := range list {
		switch {
		case x.run != nil:
			err = a.ran(ctx, c, x.run, &b)
		case x.file != "":
			err = found(c.Dir, x.file, &b)
		default:
			b.add(visible(x.text), len(x.text))
		}
		if err != nil {
			return Result{}, err
		}
	}
	return Result{}, &Wait{Message: visible(message), Shown: b.text.String()}
}

// ran shows a command and what it prints. It is for looking: what it is given is in
// its arguments, and nothing is run after it.
func (a Approve) ran(ctx context.Context, c Call, command any, b *board) error {
	argv, err := argv(command, nil)
	if err != nil {
		return err
	}
	env, err := a.Environ(c, nil)
	if err != nil {
		return err
	}
	sum := sha256.New()
	r, err := c.start(ctx, proc.Command{Argv: argv, Dir: c.Dir, Env: env, Joined: true}, sum)
	if err != nil {
		return fmt.Errorf("run %s to show it: %w", commandLine(command), err)
	}
	title := "$ " + commandLine(command)
	if r.Code != 0 {
		title += fmt.Sprintf(" (exit status %d)", r.Code)
	}
	b.show(title, r.Stdout, r.Cut, sum)
	return nil
}

func commandLine(command any) string {
	if list, ok := command.([]any); ok {
		t, _ := compact(list)
		return piton.FenceLine(t)
	}
	t, _ := command.(string)
	return visible(t)
}
