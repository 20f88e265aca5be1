package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
)

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
	text := fmt.Sprintf("Secrets taken out: %d", n)
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
