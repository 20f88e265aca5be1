package history

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/redact"
)

// TestTexts: which texts a record takes, and what becomes of those that nobody typed.
func TestTexts(t *testing.T) {
	t.Parallel()
	name, text := strings.Repeat("n", maxName), strings.Repeat("t", maxText)
	for _, c := range []struct {
		text          string
		most          int
		words, fitted string // "": it is taken as it is
	}{
		{name, maxName, "", name},
		{name + "n", maxName, "it has 201 bytes, more than 200", name[:maxName-3] + "…"},
		{text + "t", maxText, "it has 4001 bytes, more than 4000", text[:maxText-3] + "…"},
		{"a\nb\tc", maxText, "", "a\nb\tc"},
		{"a\nb", maxName, "it contains the control character U+000A", "a b"},
		{"a\tb", maxName, "it contains the control character U+0009", "a b"},
		{"a\x1bb", maxText, "it contains the control character U+001B", `a\x1bb`},
		{"a\xffb", maxName, "it is not UTF-8", `a\xffb`},
	} {
		err := checkText("it", c.text, c.most)
		if (err == nil) != (c.words == "") || !strings.Contains(fmt.Sprint(err), c.words) && err != nil {
			t.Errorf("%.20q: got %v, want %q", c.text, err, c.words)
		}
		if got := fitted(c.text, c.most); got != c.fitted {
			t.Errorf("%.20q: got %.20q of %d bytes, want %.20q of %d", c.text, got, len(got), c.fitted, len(c.fitted))
		}
	}
	token := "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
	for name, want := range map[string]string{"w": "", " \t": "the name is blank", token: "the name looks like a secret: [REDACTED:github-token]", "a\nb": "control character"} {
		if err := newName("the name", name); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("the name %q: got %v, want %q", name, err, want)
		}
	}
	for id, want := range map[string]string{"abc": "abc", token: "", "a\nb": "", name + "n": ""} {
		if got := SessionName(sessionOf(id)); got != want {
			t.Errorf("the session %.9q: got %q, want %q", id, got, want)
		}
	}
	c := piton.Checkpoint{Described: piton.Described{Tags: []string{"a", episodeLabel + token, token}, Description: token + " " + token}, Origin: piton.Origin{GitBranch: token}}
	tags := c.Tags
	paths := takeOut(&redact.Rules{}, recordFields(&c)...)
	const mark = "[REDACTED:github-token]"
	if want := []string{"/tags/1", "/tags/2", "/description", "/description", "/origin/git_branch"}; !slices.Equal(paths, want) {
		t.Errorf("got secrets at %q, want %q", paths, want)
	}
	if !slices.Equal(c.Tags, []string{"a", episodeLabel + mark, mark}) || c.Origin.GitBranch != mark || tags[2] != token {
		t.Errorf("got %q and %q", c.Tags, c.Origin.GitBranch)
	}
	if got := inExport([]string{"/a", ""}); !slices.Equal(got, []string{"/state/a", "/state"}) {
		t.Errorf("got the places %q", got)
	}
}

// TestOffer: the line by which an open checkpoint is offered.
func TestOffer(t *testing.T) {
	t.Parallel()
	for want, c := range map[string]piton.Checkpoint{
		"Checkpoint: Resume from build?":                     {AtStep: piton.AtStep{StepName: "build"}},
		"Checkpoint: Resume from build? (mend it)":           {AtStep: piton.AtStep{StepName: "build"}, Described: piton.Described{TaskSummary: "mend it"}},
		"Checkpoint: Resume from mend it?":                   {Described: piton.Described{TaskSummary: "mend it"}},
		"Checkpoint: Resume from Phase 1? (mend it)":         {AtStep: piton.AtStep{PhaseNumber: 1}, Described: piton.Described{TaskSummary: "mend it"}},
		`Checkpoint: Resume from "why 'not'? Because. Yes"?`: {AtStep: piton.AtStep{StepName: `why "not"? Because. Yes`}},
		`Checkpoint: Resume from "a. b"?`:                    {AtStep: piton.AtStep{StepName: "a. b"}},
		"Checkpoint: Resume from a.b?":                       {AtStep: piton.AtStep{StepName: "a.b"}},
	} {
		if got := Offer(c); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	r := resumed(Resumption{Loaded: Loaded{RecoveredFrom: "chk_1"}, Drift: []Drift{{What: "branch", Was: "main"}, {What: "head", Is: "abc"}}})
	if want := []string{"branch: was main, is none", "head: was none, is abc"}; !slices.Equal(r.Changed, want) || r.RecoveredFrom != "chk_1" {
		t.Errorf("got %q, %+v", r.Changed, r)
	}
	if got := Cause(&piton.Error{Op: "x", Err: errors.New("torn")}); got != "torn" {
		t.Errorf("got the cause %s", got)
	}
	if got := Cause(errors.New("torn")); got != "torn" {
		t.Errorf("got the cause %s", got)
	}
}

// TestFits: a save that names no workflow goes to the session's current one only where it
// belongs there.
func TestFits(t *testing.T) {
	t.Parallel()
	state := []byte("{}")
	for _, c := range []struct {
		draft piton.SaveRequest
		kind  string
		want  bool
	}{
		{piton.SaveRequest{Type: "plan"}, "plan", true}, {piton.SaveRequest{Type: "plan"}, "custom", false},
		{piton.SaveRequest{Phase: "A"}, "phases", true}, {piton.SaveRequest{PhaseNumber: 1}, "session", false},
		{piton.SaveRequest{State: state}, "session", false}, {piton.SaveRequest{State: state}, "custom", true}, {piton.SaveRequest{}, "session", true},
	} {
		if got := fits(Draft{SaveRequest: c.draft}, piton.Workflow{Type: c.kind}); got != c.want {
			t.Errorf("%+v to %s: got %t", c.draft, c.kind, got)
		}
	}
	runs := []piton.Run{{WorkflowID: "w", Branch: "b"}}
	for _, c := range []struct {
		workflow, branch string
		want             bool
	}{{"w", "b", true}, {"w", "c", false}, {"v", "b", false}} {
		if got := atWork(runs, piton.Checkpoint{InWorkflow: piton.InWorkflow{WorkflowID: c.workflow, Branch: c.branch}}); got != c.want {
			t.Errorf("%+v: got %t", c, got)
		}
	}
}

// TestMadeDescribes: a state of a program of ours says where the work stands, after what
// the caller says.
func TestMadeDescribes(t *testing.T) {
	t.Parallel()
	at, other := piton.At(time.Unix(9, 0)), 7
	m := Made{Step: 3, StepName: strings.Repeat("n", maxName+1), Task: "t", Completed: true}
	c := piton.Checkpoint{CreatedAt: at}
	m.describe(&c)
	if *c.StepNumber != 3 || len(c.StepName) != maxName || c.TaskSummary != "t" || !c.Completed || c.CompletedAt != at {
		t.Errorf("got %+v", c)
	}
	m.Completed = false
	c = piton.Checkpoint{AtStep: piton.AtStep{StepNumber: &other, StepName: "own"}, Described: piton.Described{TaskSummary: "own"}}
	m.describe(&c)
	if *c.StepNumber != 7 || c.StepName != "own" || c.TaskSummary != "own" || c.Completed {
		t.Errorf("got %+v, want what the caller says", c)
	}
}

// TestLists: how long works are counted, cut and put in order.
func TestLists(t *testing.T) {
	t.Parallel()
	of := func(workflow string, seq, ordinal, size int64) piton.Checkpoint {
		return piton.Checkpoint{InWorkflow: piton.InWorkflow{WorkflowID: workflow, Seq: seq}, InStore: piton.InStore{Ordinal: ordinal}, OfState: piton.OfState{StateBytes: size}}
	}
	cs := []piton.Checkpoint{of("b", 2, 9, 0), of("c", 1, 3, 0), of("a", 1, 3, 0), of("b", 1, 1, 0)}
	byWorkflow(cs)
	var order []string
	for _, c := range cs {
		order = append(order, fmt.Sprint(c.WorkflowID, c.Seq))
	}
	if want := []string{"a1", "c1", "b1", "b2"}; !slices.Equal(order, want) {
		t.Errorf("got the order %q, want %q", order, want)
	}
	for name, c := range map[string]struct {
		list []piton.Checkpoint
		want int
	}{
		"none": {nil, 0}, "small ones": {[]piton.Checkpoint{of("a", 1, 0, 1), of("a", 2, 0, 1)}, 2}, "two workflows": {[]piton.Checkpoint{of("a", 1, 0, 1), of("a", 2, 0, 1), of("b", 1, 0, 1)}, 2},
		"a large one": {[]piton.Checkpoint{of("a", 1, 0, 2*maxArchiveBytes), of("a", 2, 0, 1)}, 1}, "just as many bytes": {[]piton.Checkpoint{of("a", 1, 0, maxArchiveBytes-1), of("a", 2, 0, 1), of("a", 3, 0, 1)}, 2},
		"many": {make([]piton.Checkpoint, maxArchiveEntries+1), maxArchiveEntries},
	} {
		if got := archiveBatch(c.list); got != c.want {
			t.Errorf("%s: got a file of %d, want %d", name, got, c.want)
		}
	}
	list := addAside(addAside(addAside(nil, asideOne(of("a", 1, 0, 0), "x")), asideOne(of("b", 1, 0, 0), "x")), Aside{WorkflowID: "a", Branches: []string{"x", "y"}, Count: 2})
	want := []Aside{{WorkflowID: "a", Branches: []string{"x", "y"}, Count: 3}, {WorkflowID: "b", Branches: []string{"x"}, Count: 1}}
	if diff := cmp.Diff(want, list); diff != "" {
		t.Errorf("want (-), got (+):\n%s", diff)
	}
	var told []int64
	count := counter(func(done, total int64) { told = append(told, done, total) }, 5)
	count(2)
	count(1)
	counter(nil, 5)(2)
	if !slices.Equal(told, []int64{2, 5, 3, 5}) {
		t.Errorf("got %d", told)
	}
	var sizes []int
	for batch := range (&pace{}).batches(make([]piton.Checkpoint, 2*firstStep+1)) {
		sizes = append(sizes, len(batch))
	}
	if !slices.Equal(sizes, []int{firstStep, firstStep, 1}) {
		t.Errorf("got steps of %d", sizes)
	}
	p := &pace{size: maxStep - 1}
	quick, failed := func() error { return nil }, errors.New("no")
	if err := p.do(quick); err != nil || p.size != maxStep {
		t.Errorf("after a quick step: got the size %d (%v)", p.size, err)
	}
	if err := p.do(func() error { time.Sleep(2 * maxStepTime); return failed }); err != failed || p.size != maxStep/2 {
		t.Errorf("after a slow step: got the size %d (%v)", p.size, err)
	}
	got := fragments([][]byte{[]byte("a"), nil, {}})
	if len(got) != 3 || *got[0] != "a" || got[1] != nil || *got[2] != "" {
		t.Errorf("got %v", got)
	}
}

// TestNumbers: ids and numbers that no export has are refused.
func TestNumbers(t *testing.T) {
	t.Parallel()
	const rest = "7m2k9x4q0v8r3t5w"
	for _, c := range []struct {
		change func(*piton.Workflow, *piton.Checkpoint)
		want   string
	}{
		{func(*piton.Workflow, *piton.Checkpoint) {}, ""},
		{func(w *piton.Workflow, c *piton.Checkpoint) { w.Seq, c.Seq = maxNumber, maxNumber }, ""},
		{func(_ *piton.Workflow, c *piton.Checkpoint) { c.Seq = maxNumber + 1 }, "number 9007199254740993 of 0"},
		{func(_ *piton.Workflow, c *piton.Checkpoint) { c.Seq = -1 }, "number -1 of 0"},
		{func(w *piton.Workflow, _ *piton.Checkpoint) { w.Seq = -1 }, "number 0 of -1"},
		{func(w *piton.Workflow, _ *piton.Checkpoint) { w.Seq = maxNumber + 1 }, "number 0 of"},
		{func(_ *piton.Workflow, c *piton.Checkpoint) { c.ID = "" }, `"" is not a checkpoint's id`},
		{func(w *piton.Workflow, _ *piton.Checkpoint) { w.ID = "wf_x!" }, `"wf_x!" is not a workflow's id`},
		{func(_ *piton.Workflow, c *piton.Checkpoint) { c.ParentID = "x" }, `"x" is not a checkpoint's id`},
		{func(w *piton.Workflow, _ *piton.Checkpoint) { w.SessionID = "x" }, `"x" is not a session's id`},
		{func(_ *piton.Workflow, c *piton.Checkpoint) { c.SessionID = "y" }, `"y" is not a session's id`},
		{func(_ *piton.Workflow, c *piton.Checkpoint) { c.TokenUsage = &piton.TokenUsage{Input: 1} }, ""},
		{func(_ *piton.Workflow, c *piton.Checkpoint) { c.TokenUsage = &piton.TokenUsage{CacheWrite: -1} }, "less than no tokens"},
	} {
		w, x := piton.Workflow{ID: piton.WorkflowPrefix + rest}, piton.Checkpoint{ID: piton.CheckpointPrefix + rest}
		c.change(&w, &x)
		err := checkNumbers("import", w, x)
		if (err == nil) != (c.want == "") || err != nil && (!strings.Contains(err.Error(), c.want) || piton.CodeOf(err) != piton.Invalid) {
			t.Errorf("got %v, want %q", err, c.want)
		}
	}
}

func sessionOf(id string) (s agent.Session) {
	s.ClientID = id
	return s
}

// TestDraftCheck: what a save refuses of a record before it looks at any store.
func TestDraftCheck(t *testing.T) {
	t.Parallel()
	number := func(n int) *int { return &n }
	for _, c := range []struct {
		draft   piton.SaveRequest
		trigger piton.Trigger
		want    string
	}{
		{piton.SaveRequest{}, piton.TriggerManual, ""},
		{piton.SaveRequest{Phase: "A"}, piton.TriggerPhaseComplete, ""},
		{piton.SaveRequest{PhaseNumber: 1, Trigger: piton.TriggerError}, piton.TriggerError, ""},
		{piton.SaveRequest{Progress: number(0), Step: number(0)}, piton.TriggerManual, ""},
		{piton.SaveRequest{Progress: number(100), Tags: slices.Repeat([]string{"t"}, maxTags)}, piton.TriggerManual, ""},
		{piton.SaveRequest{Progress: number(101)}, "", "progress 101 is out of range"},
		{piton.SaveRequest{Progress: number(-1)}, "", "progress -1 is out of range"},
		{piton.SaveRequest{Step: number(-1)}, "", "step -1 is negative"},
		{piton.SaveRequest{PhaseNumber: -1}, "", "phase -1 of 0 does not exist"},
		{piton.SaveRequest{PhaseTotal: -1}, "", "phase 0 of -1 does not exist"},
		{piton.SaveRequest{DurationMS: -1}, "", "the duration -1 is negative"},
		{piton.SaveRequest{Tags: slices.Repeat([]string{"t"}, maxTags+1)}, "", "51 tags are more than 50"},
		{piton.SaveRequest{Tags: []string{"a", ""}}, "", "a tag is empty"},
		{piton.SaveRequest{Trigger: "other"}, "", `unknown trigger "other"`},
		{piton.SaveRequest{Description: "a\x00"}, "", "control character U+0000"},
	} {
		d := Draft{SaveRequest: c.draft}
		err := d.check()
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) || err == nil && d.Trigger != c.trigger {
			t.Errorf("%+v: got %v and the trigger %s, want %q", c.draft, err, d.Trigger, c.want)
		}
	}
}
