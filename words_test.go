package piton_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"regexp"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/testkit/draw"
)

func TestIDs(t *testing.T) {
	form := regexp.MustCompile(`^chk_[0-9a-hjkmnp-tv-z]{16}$`)
	seen := map[string]bool{}
	for range 1000 {
		id := piton.NewID(piton.CheckpointPrefix)
		if !form.MatchString(id) || seen[id] || !piton.IsID(piton.CheckpointPrefix, id) {
			t.Fatalf("got the id %q, want 16 characters of Crockford's base32, never the same", id)
		}
		seen[id] = true
	}
	for s, want := range map[string]bool{
		"chk_0123456789abcdef": true, "chk_0": true, "chk_zz": true,
		"": false, "chk_": false, "chk": false, "wf_0123": false, "0123456789abcdef": false, "chk_0123456789abcdef0": false,
		"chk_i": false, "chk_l": false, "chk_o": false, "chk_u": false, "chk_A": false, "chk_0 ": false, "chk_%": false, "chk_é": false, " chk_0": false,
	} {
		if got := piton.IsID(piton.CheckpointPrefix, s); got != want {
			t.Errorf("%q: got %v, want %v", s, got, want)
		}
	}
}

func TestErrors(t *testing.T) {
	cause := fs.ErrNotExist
	typed := piton.Errorf(piton.NotFound, "load it", "look again", "no file: %w", cause)
	for _, c := range []struct {
		name string
		err  error
		code piton.Code
		text string
	}{
		{"typed", typed, piton.NotFound, "load it: no file: file does not exist"},
		{"wrapped", fmt.Errorf("outer: %w", typed), piton.NotFound, "outer: load it: no file: file does not exist"},
		{"the outermost decides", &piton.Error{Code: piton.Corrupt, Op: "read", Err: typed}, piton.Corrupt, "read: load it: no file: file does not exist"},
		{"without a cause", &piton.Error{Code: piton.Conflict, Op: "save"}, piton.Conflict, "save: conflict"},
		{"without an operation", &piton.Error{Code: piton.Invalid, Err: errors.New("bad")}, piton.Invalid, "bad"},
		{"any other", errors.New("bad"), piton.Internal, "bad"},
		{"joined", errors.Join(errors.New("bad"), typed), piton.NotFound, "bad\nload it: no file: file does not exist"},
	} {
		if got := piton.CodeOf(c.err); got != c.code || c.err.Error() != c.text {
			t.Errorf("%s: got %s, %q; want %s, %q", c.name, got, c.err.Error(), c.code, c.text)
		}
	}
	if got := piton.CodeOf(nil); got != "" {
		t.Errorf("got %q for no error, want nothing", got)
	}
	if !errors.Is(typed, cause) {
		t.Errorf("got %v, want its cause to be found", typed)
	}
}

func TestTimeJSON(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{`"2026-05-04T09:30:00.000Z"`, `"2026-05-04T09:30:00.000Z"`},
		{`"2026-05-04T09:30:00Z"`, `"2026-05-04T09:30:00.000Z"`},
		{`"2026-05-04T11:30:00.123456789+02:00"`, `"2026-05-04T09:30:00.123Z"`},
		{`"1969-12-31T23:59:59.5Z"`, `"1969-12-31T23:59:59.500Z"`},
		{`null`, `null`}, {`""`, `null`},
	} {
		var got piton.Time
		err := json.Unmarshal([]byte(c.in), &got)
		b, err2 := json.Marshal(got)
		if err != nil || err2 != nil || string(b) != c.want {
			t.Errorf("%s: got %s (%v, %v), want %s", c.in, b, err, err2, c.want)
		}
	}
	for _, in := range []string{`"yesterday"`, `17`, `"2026-05-04"`, `{}`} {
		var got piton.Time
		if err := json.Unmarshal([]byte(in), &got); err == nil {
			t.Errorf("%s: got %s, want an error", in, got)
		}
	}
	draw.Check(t, func(t *rapid.T) {
		want := piton.At(time.UnixMilli(rapid.Int64Range(-1e13, 1e14).Draw(t, "ms")).In(time.FixedZone("x", rapid.IntRange(-40000, 40000).Draw(t, "zone"))))
		b, err := json.Marshal(want)
		var got piton.Time
		if err2 := json.Unmarshal(b, &got); err != nil || err2 != nil || got != want {
			t.Fatalf("%s: got %s (%v, %v), want %s", b, got, err, err2, want)
		}
		if ms := want.Millis(); ms != 0 && piton.FromMillis(ms) != want {
			t.Fatalf("%s: got %s back from %d, want the same", want, piton.FromMillis(ms), ms)
		}
	})
	if z := piton.At(time.Time{}); !z.IsZero() || z.Millis() != 0 || !piton.FromMillis(0).IsZero() {
		t.Errorf("got %v, want the zero time to stay unknown", z)
	}
}

func TestCheckpoint(t *testing.T) {
	for _, c := range []struct {
		name     string
		c        piton.Checkpoint
		step     string
		finishes bool
	}{
		{"nothing but a trigger", piton.Checkpoint{Trigger: piton.TriggerManual}, "manual", false},
		{"a step", piton.Checkpoint{AtStep: piton.AtStep{StepName: "Build"}, Described: piton.Described{Name: "n", TaskSummary: "t", Description: "d"}}, "Build", false},
		{"a name", piton.Checkpoint{Described: piton.Described{Name: "n", TaskSummary: "t", Description: "d"}}, "n", false},
		{"a task", piton.Checkpoint{Described: piton.Described{TaskSummary: "t", Description: "d"}}, "t", false},
		{"a description", piton.Checkpoint{Described: piton.Described{Description: "d"}, Trigger: piton.TriggerAuto}, "d", false},
		{"a plan at its end", piton.Checkpoint{InWorkflow: piton.InWorkflow{WorkflowType: piton.TypePlan}, Completed: true, Described: piton.Described{TaskSummary: "t", Description: "Execution complete"}}, "Execution complete", true},
		{"completed", piton.Checkpoint{Described: piton.Described{Name: "n"}, Completed: true}, "n", true},
		{"the last phase", piton.Checkpoint{Described: piton.Described{Name: "n"}, AtStep: piton.AtStep{PhaseNumber: 7, PhaseTotal: 7}}, "n", true},
		{"the last phase but one", piton.Checkpoint{Described: piton.Described{Name: "n"}, AtStep: piton.AtStep{PhaseNumber: 6, PhaseTotal: 7}}, "n", false},
		{"no phases", piton.Checkpoint{Described: piton.Described{Name: "n"}}, "n", false},
	} {
		if got := c.c.Step(); got != c.step || c.c.Finishes() != c.finishes {
			t.Errorf("%s: got %q, finishes %v; want %q, %v", c.name, got, c.c.Finishes(), c.step, c.finishes)
		}
	}
	failed := piton.Checkpoint{InWorkflow: piton.InWorkflow{WorkflowType: piton.TypePlan}, Trigger: piton.TriggerError, AtStep: piton.AtStep{StepName: "Build"}, Described: piton.Described{Description: "Failed at step 1: Build"}}
	if got := failed.Says(); got != failed.Description || failed.Step() != "Build" {
		t.Errorf("got %q, want how the plan has failed", got)
	}
	if a, b := (piton.Checkpoint{InWorkflow: piton.InWorkflow{WorkflowID: "wf_1"}}).Label(), (piton.Workflow{ID: "wf_1", Name: "import"}).Label(); a != "wf_1" || b != "import" {
		t.Errorf("got the labels %q and %q, want the id where there is no name", a, b)
	}
	sum := piton.TokenUsage{Input: 1, Output: 2, CacheRead: 3, CacheWrite: 4}.Plus(piton.TokenUsage{Input: 10, Output: 20, CacheRead: 30, CacheWrite: 40})
	if want := (piton.TokenUsage{Input: 11, Output: 22, CacheRead: 33, CacheWrite: 44}); sum != want {
		t.Errorf("got %+v, want %+v", sum, want)
	}
}

func TestTokensNeverOverflow(t *testing.T) {
	const most, least = math.MaxInt64, math.MinInt64
	for _, c := range []struct {
		name       string
		a, b, want int64
	}{
		{"two small ones", 1, 2, 3},
		{"up to the largest", most - 1, 1, most},
		{"beyond it", most, 1, most},
		{"twice the largest", most, most, most},
		{"below the least", least, -1, least},
		{"of two signs", most, least, -1},
	} {
		got := piton.TokenUsage{Input: c.a, Output: c.a, CacheRead: c.a, CacheWrite: c.a}.Plus(piton.TokenUsage{Input: c.b, Output: c.b, CacheRead: c.b, CacheWrite: c.b})
		if want := (piton.TokenUsage{Input: c.want, Output: c.want, CacheRead: c.want, CacheWrite: c.want}); got != want {
			t.Errorf("%s: got %+v, want %+v", c.name, got, want)
		}
		if got := (piton.TokenUsage{Input: c.a, CacheWrite: c.b}).Total(); got != c.want {
			t.Errorf("%s in all: got %d, want %d", c.name, got, c.want)
		}
	}
}
