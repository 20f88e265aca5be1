package history

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
)

// MaxState is the largest state, in bytes of its compact form.
const MaxState = 64 << 20

// schemaVersion is the version of the record that this program writes.
const schemaVersion = 1

// Draft is what a caller asks to save.
type Draft struct {
	Workflow    string // id, an id's beginning, or a name; empty: the session's current one, else a new one
	Type        string // empty: the workflow's, else found from what is saved
	Session     string // our id or the client's; empty: none
	Project     string // a project id
	Branch      string // empty: main
	Parent      string // the head the caller expects; empty: whatever it is
	Step        *int
	StepName    string
	Phase       string
	PhaseNumber int
	PhaseTotal  int
	Name        string
	Description string
	Task        string
	Tags        []string
	Trigger     piton.Trigger // empty: manual, with a phase phase_complete
	Progress    *int
	DurationMS  int64
	TokenUsage  *piton.TokenUsage
	Origin      piton.Origin
	State       []byte // JSON; nil: what a hook would capture, else the head's again, else {}
	// Collected: nobody typed these texts; they were found in prompts, file names,
	// logs. What does not fit is made to fit, where a caller's own is refused.
	Collected bool
}

// Prepare does all of a save that needs no store: it validates, compacts,
// takes secrets out, finds the kind and sums. It returns what Append takes and
// how many secrets were taken out. Invalid when the draft is not acceptable;
// the error names the place and the way out (docs/spec.md, "Bad input").
func (k Keeper) Prepare(d Draft) (store.Prepared, int, error) {
	clean, taken, known, err := k.clean(d)
	if err != nil {
		return store.Prepared{}, 0, err
	}
	taken = append(taken, takeOut(k.Redact, append(append(each("/tags", &d.Tags), field{"/step_name", &d.StepName, false}, field{"/phase", &d.Phase, false}, field{"/name", &d.Name, false},
		field{"/description", &d.Description, false}, field{"/task_summary", &d.Task, false}, field{"/branch", &d.Branch, true}, field{"/workflow_type", &d.Type, false}), originFields(&d.Origin)...)...)...)
	if d.Collected {
		d.fit()
	}
	fitOrigin(&d.Origin)
	if err := d.check(); err != nil {
		return store.Prepared{}, 0, err
	}
	c := piton.Checkpoint{
		ID: piton.NewID(piton.CheckpointPrefix), WorkflowType: d.Type, Project: d.Project, Branch: d.Branch,
		StepNumber: d.Step, StepName: d.StepName, PhaseNumber: d.PhaseNumber, PhaseTotal: d.PhaseTotal,
		Name: d.Name, Description: d.Description, TaskSummary: d.Task, Tags: d.Tags, Trigger: d.Trigger,
		CreatedAt: k.now(), Progress: d.Progress, DurationMS: d.DurationMS, TokenUsage: d.TokenUsage,
		SchemaVersion: schemaVersion, Origin: d.Origin,
	}
	if c.Origin.Host == "" {
		c.Origin.Host = k.Host
	}
	if c.StepName == "" {
		c.StepName = d.Phase
	}
	state := []byte(clean.Get())
	said := state
	if known != nil {
		said = known.outline()
	}
	if err := k.describe(&c, d, said, state); err != nil {
		return store.Prepared{}, 0, err
	}
	sum := sha256.Sum256(state)
	c.SHA256 = hex.EncodeToString(sum[:])
	c.StateBytes = int64(len(state))
	return store.Prepared{Record: c, State: clean, Parent: d.Parent, TakenOut: taken}, len(taken), nil
}

// Compact returns a state without its insignificant white space; order of
// keys, numbers and escapes stay as given. Invalid when it is not a JSON
// object in UTF-8 without duplicate keys, or too large.
func Compact(state []byte) ([]byte, error) {
	const op = "read the state"
	if len(state) > MaxState {
		return nil, piton.Errorf(piton.Invalid, op, "keep files and long outputs out of the state; name their paths instead",
			"%d bytes are more than the limit of %d", len(state), MaxState)
	}
	if at := invalidUTF8(state); at >= 0 {
		return nil, piton.Errorf(piton.Invalid, op, "write the state as UTF-8", "invalid UTF-8 at byte %d", at)
	}
	v := jsontext.Value(append([]byte(nil), state...))
	// Escaped lone surrogates are JSON and stay as written; the bytes were
	// checked above.
	err := v.Compact(jsontext.AllowDuplicateNames(false), jsontext.AllowInvalidUTF8(true), jsontext.PreserveRawStrings(true))
	if err != nil {
		return nil, &piton.Error{Code: piton.Invalid, Op: op, Hint: hintFor(err), Err: syntaxError(err)}
	}
	if v.Kind() != '{' {
		return nil, piton.Errorf(piton.Invalid, op, `wrap it: {"value": …}`, "a state is a JSON object, this is %s", kindName(v.Kind()))
	}
	return v, nil
}

func invalidUTF8(b []byte) int {
	if utf8.Valid(b) {
		return -1
	}
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return -1
}

// syntaxError says what is wrong in the words of JSON, with the place.
func syntaxError(err error) error {
	var s *jsontext.SyntacticError
	if !errors.As(err, &s) {
		return err
	}
	where := string(s.JSONPointer)
	if where == "" {
		where = "the top"
	}
	return fmt.Errorf("not acceptable JSON at %s (byte %d): %w", where, s.ByteOffset, s.Err)
}

func hintFor(err error) string {
	if errors.Is(err, jsontext.ErrDuplicateName) {
		return "give every key of an object once"
	}
	return "check it with 'python3 -m json.tool' or jq; NaN, Infinity, comments and trailing commas are no JSON"
}

func kindName(k jsontext.Kind) string {
	switch k {
	case '[':
		return "an array"
	case '"':
		return "a string"
	case '0':
		return "a number"
	case 't', 'f':
		return "a boolean"
	}
	return "null"
}

// check bounds the record's own texts and numbers.
func (d *Draft) check() error {
	const op = "save"
	for _, f := range []struct {
		flag, value string
		most        int
	}{
		{"--name", d.Name, maxName}, {"--step-name", d.StepName, maxName}, {"--phase", d.Phase, maxName}, {"--branch", d.Branch, maxName},
		{"--type", d.Type, maxName}, {"--description", d.Description, maxText}, {"--task", d.Task, maxText},
	} {
		if err := checkText(f.flag, f.value, f.most, f.most == maxText); err != nil {
			return err
		}
	}
	if len(d.Tags) > maxTags {
		return piton.Errorf(piton.Invalid, op, "", "%d tags are more than %d", len(d.Tags), maxTags)
	}
	for _, t := range d.Tags {
		if t == "" {
			return piton.Errorf(piton.Invalid, op, "", "a tag is empty")
		}
		if err := checkText("--tag", t, maxName, false); err != nil {
			return err
		}
	}
	if d.Progress != nil && (*d.Progress < 0 || *d.Progress > 100) {
		return piton.Errorf(piton.Invalid, op, "give a whole number from 0 to 100", "progress %d is out of range", *d.Progress)
	}
	if d.Step != nil && *d.Step < 0 {
		return piton.Errorf(piton.Invalid, op, "", "step %d is negative", *d.Step)
	}
	if d.PhaseNumber < 0 || d.PhaseTotal < 0 {
		return piton.Errorf(piton.Invalid, op, "number the phases from 1", "phase %d of %d does not exist", d.PhaseNumber, d.PhaseTotal)
	}
	if d.DurationMS < 0 {
		return piton.Errorf(piton.Invalid, op, "", "the duration %d is negative", d.DurationMS)
	}
	if d.Trigger == "" {
		d.Trigger = piton.TriggerManual
		if d.Phase != "" || d.PhaseNumber > 0 {
			d.Trigger = piton.TriggerPhaseComplete
		}
	}
	for _, t := range piton.Triggers {
		if t == d.Trigger {
			return nil
		}
	}
	return piton.Errorf(piton.Invalid, op, "one of "+joinTriggers(), "unknown trigger %q", d.Trigger)
}

func joinTriggers() string {
	var names []string
	for _, t := range piton.Triggers {
		names = append(names, string(t))
	}
	return strings.Join(names, ", ")
}
