package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
)

func saveCommand(con *console) *cobra.Command {
	var d history.Draft
	var dir, file, trigger, usage, episode string
	var step, progress int
	c := &cobra.Command{
		Use:   "save",
		Short: "Save a state; it is durable when the command returns",
		Long: `Save a state as a checkpoint. It is durable when the command returns.

Without --workflow it goes to the session's current workflow (the last one saved
to), else to a new one. A new name creates a workflow of that name. Secrets are
removed before anything is stored.

The state is read from --state, else from a pipe or a file on standard input. It
must be a JSON object. If there is none, the state is what a hook would capture in
an agent's session, else the head's state again, else {}. Save does not wait for a
pipe that stays open and empty for half a second; --state - waits for its end. In a
loop that reads standard input add </dev/null.

In a pipe, it prints only the id of the new checkpoint.`,
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
			state, idle, err := con.givenState(c, file)
			if err != nil {
				return err
			}
			if idle {
				if err := con.stateless(describes(c) || con.app().Captures(ctx, d.Session)); err != nil {
					return err
				}
			}
			d.State = state
			saved, err := con.app().Save(ctx, d, dir, episode)
			if err != nil {
				return err
			}
			con.soFar = "the state is saved: " + saved.ID
			if from := stateFrom(saved); from != "" && !con.json && !con.forPerson() {
				con.say("State: %s", from)
			}
			return printed(con.printSaved(saved))
		},
	}
	f := c.Flags()
	f.StringVar(&d.Workflow, "workflow", "", "id or name of the `WORKFLOW`; a new name makes one")
	f.StringVar(&d.Type, "type", "", "its `TYPE`: phases, conductor, plan, session, or a name of your own")
	f.StringVar(&d.Session, "session", "", "`SESSION`, by Piton's id or the client's (default: the agent's own)")
	f.StringVar(&dir, "project", ".", "a folder (`DIR`) of the project")
	f.StringVar(&d.Branch, "branch", "", "branch (default main)")
	f.StringVar(&d.Parent, "parent", "", "the head (`ID`) you expect; if it has moved, nothing is written (exit 4)")
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

// describes tells whether a save's flags say something worth keeping by itself.
func describes(c *cobra.Command) bool {
	return slices.ContainsFunc([]string{"name", "description", "task", "tag", "step", "step-name", "phase", "phase-number", "progress"}, c.Flags().Changed)
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

// maxPlaces bounds how many places of secrets are told to people.
const maxPlaces = 8

// takenOut says how many secrets were taken out, and from where.
func takenOut(n int, paths []string) string {
	var places []string
	for _, p := range paths {
		if p = line(p); !slices.Contains(places, p) {
			places = append(places, p)
		}
	}
	text := fmt.Sprintf("Secrets removed: %d", n)
	if len(places) == 0 {
		return text
	}
	rest := ""
	if more := len(places) - maxPlaces; more > 0 {
		rest = fmt.Sprintf(" and %d more places", more)
		places = places[:maxPlaces]
	}
	return text + ", at " + strings.Join(places, ", ") + rest
}

// printed is the error of an answer that could not be printed.
func printed(err error) error {
	if err == nil {
		return nil
	}
	return &piton.Error{Code: piton.Internal, Op: "print the answer", Err: err}
}

func (con *console) printSaved(s history.Saved) error {
	switch {
	case con.json:
		return con.printJSON(s)
	case !con.forPerson():
		if s.Redacted > 0 {
			con.say("%s", takenOut(s.Redacted, s.Paths))
		}
		return con.print(s.ID + "\n")
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Checkpoint saved.\n\nCheckpoint ID: %s\nWorkflow: %s\nStep: %s\n", con.bold(s.ID), line(s.Label()), line(s.Step()))
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
	return con.print(b.String())
}

// tokenUsage reads --token-usage: counts by kind, or one number, which counts as
// input, as in checkpoints of other programs that are imported.
func tokenUsage(s string) (piton.TokenUsage, error) {
	const op, hint = "piton save", "--token-usage input=1200,output=300, with cache_read and cache_write where they are known, or one number"
	var u piton.TokenUsage
	fields := map[string]*int64{"input": &u.Input, "output": &u.Output, "cache_read": &u.CacheRead, "cache_write": &u.CacheWrite, "cacheRead": &u.CacheRead, "cacheWrite": &u.CacheWrite}
	counts := map[string]string{}
	s = strings.TrimSpace(s)
	switch {
	case strings.HasPrefix(s, "{"):
		var object map[string]json.Number
		if err := json.Unmarshal([]byte(s), &object); err != nil {
			return u, &piton.Error{Code: piton.Invalid, Op: op, Hint: hint, Err: err}
		}
		for kind, n := range object {
			counts[kind] = n.String()
		}
	case strings.Contains(s, "="):
		for pair := range strings.SplitSeq(s, ",") {
			kind, n, ok := strings.Cut(pair, "=")
			if kind = strings.TrimSpace(kind); !ok || counts[kind] != "" {
				return u, piton.Errorf(piton.Invalid, op, hint, "--token-usage: cannot read %q", pair)
			}
			counts[kind] = strings.TrimSpace(n)
		}
	default:
		counts["input"] = s
	}
	for kind, text := range counts {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n < 0 {
			return u, piton.Errorf(piton.Invalid, op, hint, "--token-usage: %q is not a number of tokens", text)
		}
		if fields[kind] == nil {
			return u, piton.Errorf(piton.Invalid, op, hint, "--token-usage: there is no kind of tokens %q", kind)
		}
		*fields[kind] = n
	}
	return u, nil
}
