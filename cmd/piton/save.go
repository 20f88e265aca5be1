package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/states"
)

func saveCommand(a *app) *cobra.Command {
	var d history.Draft
	var dir, file, trigger, usage, episode string
	var step, progress int
	c := &cobra.Command{
		Use:   "save",
		Short: "Save a state; it is durable when the command returns",
		Long: `Save a state as a checkpoint. It is durable when the command returns.

Without --workflow it goes to the session's current workflow (the last saved
to), else to a new one; a new name makes a workflow of that name. Secrets are
taken out before anything is stored.

The state is what --state names, else what stands in a pipe or a file on standard
input: a JSON object. What is none is refused. Where nothing stands there it is
what a hook would capture in an agent's session, else the head's state again,
else {}. A pipe that stays open and empty is left alone after half a second; --state -
waits for its end. In a loop that reads standard input add </dev/null.

Piped, it prints the new checkpoint's id only.`,
		Example: `  piton save --name before-refactor
  echo '{"done": 3, "next": "parser"}' | piton save --workflow import
  piton save --workflow release --phase Build --phase-number 2 --phase-total 4 --task "ship 1.2"`,
		Args: none("to name the checkpoint: --name %s"),
		RunE: func(c *cobra.Command, _ []string) error {
			ctx := c.Context()
			d.Trigger = piton.Trigger(trigger)
			if c.Flags().Changed("step") {
				d.Step = &step
			}
			if c.Flags().Changed("progress") {
				d.Progress = &progress
			}
			if c.Flags().Changed("token-usage") {
				u, err := tokenUsage(usage)
				if err != nil {
					return err
				}
				d.TokenUsage = &u
			}
			// What is not acceptable is refused before a store is made.
			state, idle, err := a.givenState(c, file)
			if err != nil {
				return err
			}
			if episode = firstOf(episode, a.getenv("PITON_EPISODE")); episode != "" {
				d.Tags = append(d.Tags, "episode:"+episode)
			}
			if idle {
				if err := a.stateless(describes(c) || a.inSession(ctx, d.Session)); err != nil {
					return err
				}
			}
			d.State = state
			// git is asked while the store is opened.
			from := make(chan piton.Origin, 1)
			go func() { from <- origin(ctx, dir) }()
			k, err := a.keeper(ctx, false)
			if err != nil {
				return err
			}
			p, err := a.project(ctx, dir, true)
			if err != nil {
				return err
			}
			d.Project = p.ID
			if d.Session == "" {
				d.Session = a.currentSession(ctx)
			}
			d.Origin = <-from
			saved, err := k.Save(ctx, d)
			if err != nil {
				return err
			}
			a.soFar = "the state is saved: " + saved.ID
			a.bound(ctx, k, saved)
			if from := stateFrom(saved); from != "" && !a.json && !a.outTerminal() {
				fmt.Fprintf(a.err, "State: %s\n", from)
			}
			if err := a.printSaved(saved); err != nil {
				return &piton.Error{Code: piton.Internal, Op: "print the answer", Err: err}
			}
			return nil
		},
	}
	f := c.Flags()
	f.StringVar(&d.Workflow, "workflow", "", "id or name of the `WORKFLOW`; a new name makes one")
	f.StringVar(&d.Type, "type", "", "its `TYPE`: phases, conductor, plan, session, or a name of your own")
	f.StringVar(&d.Session, "session", "", "`SESSION`, by our id or the client's (default: the agent's own)")
	f.StringVar(&dir, "project", ".", "a folder (`DIR`) of the project")
	f.StringVar(&d.Branch, "branch", "", "branch (default main)")
	f.StringVar(&d.Parent, "parent", "", "the head (`ID`) you expect; if it has moved on, nothing is written (exit 4)")
	f.IntVar(&step, "step", 0, "number of the step")
	f.StringVar(&d.StepName, "step-name", "", "name of the step")
	f.StringVar(&d.Phase, "phase", "", "name of the phase")
	f.IntVar(&d.PhaseNumber, "phase-number", 0, "its number, from 1")
	f.IntVar(&d.PhaseTotal, "phase-total", 0, "how many there are (default 7)")
	f.StringVar(&d.Name, "name", "", "a name for this checkpoint")
	f.StringVar(&d.Description, "description", "", "what it is")
	f.StringVar(&d.Task, "task", "", "what is being worked on")
	f.StringArrayVar(&d.Tags, "tag", nil, "a `TAG`; may be given again")
	f.StringVar(&episode, "episode", "", "the `EPISODE` it belongs to, kept as the tag episode:EPISODE (default $PITON_EPISODE)")
	f.StringVar(&trigger, "trigger", "", "why it is made (default manual, with a phase phase_complete)")
	f.IntVar(&progress, "progress", 0, "percent done, 0 to 100")
	f.Int64Var(&d.DurationMS, "duration-ms", 0, "`MILLISECONDS` spent so far")
	f.StringVar(&usage, "token-usage", "", "`TOKENS` used: input=N,output=N,cache_read=N,cache_write=N, the same as a JSON object, or one number")
	f.StringVar(&file, "state", "", "`FILE` with the state, a JSON object; - for stdin, to its end")
	return c
}

// bound keeps a session's checkpoints within checkpoints.max_per_session, where
// that is set.
func (a *app) bound(ctx context.Context, k history.Keeper, saved history.Saved) {
	set, err := a.settings("")
	if err != nil || set.Checkpoints.Retention.PerSession == 0 || saved.SessionID == "" {
		return
	}
	policy := piton.Retention{PerSession: set.Checkpoints.Retention.PerSession, NamedCap: set.Checkpoints.Retention.NamedCap}
	if _, err := k.Prune(ctx, history.PruneOptions{Policy: policy, Project: saved.Project, Session: saved.SessionID}); err != nil {
		a.log().WarnContext(ctx, "the session's oldest checkpoints were not deleted", "session", saved.SessionID, "err", err)
	}
}

// givenState is the state that --state names, else what stands on stdin; nil
// where there is neither. idle: stdin stayed open and empty.
func (a *app) givenState(c *cobra.Command, file string) (state []byte, idle bool, err error) {
	if !c.Flags().Changed("state") {
		return a.stdinState(c.Context())
	}
	if state, err = a.readState(c.Context(), file); err == nil {
		_, err = states.Compact(state)
	}
	return state, false, err
}

// describes tells whether a save's flags say something worth keeping by itself.
func describes(c *cobra.Command) bool {
	return slices.ContainsFunc([]string{"name", "description", "task", "tag", "step", "step-name", "phase", "phase-number", "progress"}, c.Flags().Changed)
}

// inSession tells whether a save takes what a hook would capture.
func (a *app) inSession(ctx context.Context, session string) bool {
	st, err := a.open(ctx, true)
	if err != nil {
		return false
	}
	s, err := st.Session(ctx, firstOf(session, a.currentSession(ctx)))
	return err == nil && s.Agent != ""
}

// readState reads a state from a file or stdin, no more than fits.
func (a *app) readState(ctx context.Context, file string) ([]byte, error) {
	in, name := a.in, "stdin"
	if file != "-" {
		name = file
	}
	op := "read the state from " + name
	if file != "-" {
		f, err := openInput(ctx, file)
		if err != nil {
			hint := "give a file that can be read, or - for stdin"
			if strings.HasPrefix(strings.TrimSpace(file), "{") {
				op, err = "read the state", errors.New("this is a state and no file")
				hint = "give it on stdin: echo '{…}' | piton save --state -"
			}
			return nil, &piton.Error{Code: piton.Invalid, Op: op, Hint: hint, Err: err}
		}
		defer f.Close()
		in = f
	} else if isTerminal(in) {
		fmt.Fprintln(a.err, "Type the state, a JSON object, and end with Ctrl-D.")
	}
	type result struct {
		b   []byte
		err error
	}
	// A read from a terminal or a pipe cannot be interrupted, only left alone.
	done := make(chan result, 1)
	go func() {
		b, err := io.ReadAll(io.LimitReader(in, states.MaxBytes+1))
		done <- result{b, err}
	}()
	select {
	case <-ctx.Done():
		return nil, &piton.Error{Code: piton.Unavailable, Op: op, Err: ctx.Err()}
	case r := <-done:
		if r.err != nil {
			return nil, &piton.Error{Code: piton.Invalid, Op: op, Hint: "give a file that can be read, or - for stdin", Err: r.err}
		}
		if len(bytes.TrimSpace(r.b)) == 0 {
			return nil, piton.Errorf(piton.Invalid, op, "give a JSON object, {} at least; without --state Piton finds a state itself", "it is empty")
		}
		return r.b, nil
	}
}

// stateFrom says what was saved where the caller gave no state; "" where it
// was given or captured.
func stateFrom(s history.Saved) string {
	switch {
	case s.StateFrom == history.FromCaller || s.StateFrom == history.FromSession:
		return ""
	case s.StateBytes == int64(len("{}")):
		return "empty, because none was given; give a JSON object with --state FILE or on standard input"
	}
	return "the same as in " + s.ParentID + ", because none was given"
}

// shownPaths bounds how many places of secrets are told to people.
const shownPaths = 8

// takenOut says how many secrets were taken out, and from where.
func takenOut(n int, paths []string) string {
	var places []string
	for _, p := range paths {
		if p = line(p); !slices.Contains(places, p) {
			places = append(places, p)
		}
	}
	text := fmt.Sprintf("Secrets taken out: %d", n)
	if len(places) == 0 {
		return text
	}
	rest := ""
	if len(places) > shownPaths {
		rest = fmt.Sprintf(" and %d more places", len(places)-shownPaths)
		places = places[:shownPaths]
	}
	return text + ", at " + strings.Join(places, ", ") + rest
}

func (a *app) printSaved(s history.Saved) error {
	switch {
	case a.json:
		return a.printJSON(s)
	case !a.outTerminal():
		if s.Redacted > 0 {
			fmt.Fprintln(a.err, takenOut(s.Redacted, s.Paths))
		}
		_, err := fmt.Fprintln(a.out, s.ID)
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Checkpoint saved.\n\nCheckpoint ID: %s\nWorkflow: %s\nStep: %s\n", a.bold(s.ID), line(s.Label()), line(s.Step()))
	if s.Progress != nil {
		fmt.Fprintf(&b, "Progress: %d%%\n", *s.Progress)
	}
	if s.Name != "" {
		fmt.Fprintf(&b, "Name: %s\n", line(s.Name))
	}
	if s.Redacted > 0 {
		fmt.Fprintln(&b, takenOut(s.Redacted, s.Paths))
	}
	if from := stateFrom(s); from != "" {
		fmt.Fprintf(&b, "State: %s\n", from)
	}
	fmt.Fprintf(&b, "\nResume with: piton resume %s\n", s.ID)
	_, err := io.WriteString(a.out, b.String())
	return err
}
