package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/cli"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/screen"
)

func saveCommand(con console) *cobra.Command {
	return cli.Asks(&cobra.Command{
		Use:   "save",
		Short: "Save a state; it is durable when the command returns",
		Long: `Save a state as a checkpoint. It is durable when the command returns.

Without --workflow it goes to the session's current workflow (the last one saved
to), else to a new one. A new name creates a workflow of that name. Secrets are
removed before anything is stored.

The state is read from --state, else from a pipe or a file on standard input. It
must be a JSON object. If there is none, the state is what a hook would capture in
an agent's session, else the head's state again, else {}. A pipe that stays empty is
waited for half a second, and refused after two where another program has it open:
what is slow to write (curl) needs --state -, which waits for its end. In a loop that
reads standard input add </dev/null.

In a pipe, it prints only the id of the new checkpoint.`,
		Example: `  piton save --name before-refactor
  echo '{"done": 3, "next": "parser"}' | piton save --workflow import
  piton save --workflow release --phase Build --phase-number 2 --phase-total 4 --task "ship 1.2"`,
		Args: cli.None("to name the checkpoint: --name %s"),
	}, func(c *cobra.Command, r piton.SaveRequest) error {
		// What is not acceptable is refused before a store is made.
		state, idle, err := con.GivenState(c, string(r.State))
		if err != nil {
			return err
		}
		r.State = state
		con.Options.Strict = idle
		saved, err := con.App().Save(c.Context(), r)
		switch {
		case idle && piton.CodeOf(err) == piton.Invalid:
			return cli.NotRead(err)
		case err != nil:
			return err
		case idle:
			con.SayIdle()
		}
		con.SoFar = "the state is saved: " + saved.ID
		if from := stateFrom(saved); from != "" && !con.JSON && !con.ForPerson() {
			con.Say("State: %s", from)
		}
		return printed(con.printSaved(saved))
	})
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
		if p = screen.Line(p); !slices.Contains(places, p) {
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

func (con console) printSaved(s history.Saved) error {
	switch {
	case con.JSON:
		return con.PrintJSON(s)
	case !con.ForPerson():
		if s.Redacted > 0 {
			con.Say("%s", takenOut(s.Redacted, s.Paths))
		}
		return con.Print(s.ID + "\n")
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Checkpoint saved.\n\nCheckpoint ID: %s\nWorkflow: %s\nStep: %s\n", con.Bold(s.ID), screen.Line(s.Label()), screen.Line(s.Step()))
	if s.Progress != nil {
		fmt.Fprintf(&b, "Progress: %d%%\n", *s.Progress)
	}
	if s.Name != "" {
		fmt.Fprintf(&b, "Name: %s\n", screen.Line(s.Name))
	}
	if s.Redacted > 0 {
		fmt.Fprintln(&b, takenOut(s.Redacted, s.Paths))
	}
	if from := stateFrom(s); from != "" {
		fmt.Fprintf(&b, "State: %s\n", from)
	}
	fmt.Fprintf(&b, "\nResume with: piton resume %s\n", s.ID)
	return con.Print(b.String())
}
