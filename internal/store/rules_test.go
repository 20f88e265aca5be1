package store_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/testkit/draw"
)

const flow = "wf_0000000000000001"

func id(n int) string { return fmt.Sprintf("chk_%016d", n) }

func TestNewRecord(t *testing.T) {
	at := piton.FromMillis(1000)
	c := store.Prepared{Record: piton.Checkpoint{CreatedAt: at, Completed: true}}.NewRecord()
	if !piton.IsWholeID(piton.CheckpointPrefix, c.ID) || c.Branch != piton.MainBranch || c.CompletedAt != at {
		t.Errorf("got %+v, want an id, the main branch and the time of completion", c)
	}
	if c := (store.Prepared{Record: piton.Checkpoint{CreatedAt: at}}).NewRecord(); c.Completed || !c.CompletedAt.IsZero() {
		t.Errorf("got %+v, want it not completed", c)
	}
	given := piton.Checkpoint{ID: id(1), InWorkflow: piton.InWorkflow{Branch: "try"}, CompletedAt: at}
	want := given
	want.Completed = true
	if got := (store.Prepared{Record: given}).NewRecord(); !cmp.Equal(got, want) {
		t.Errorf("got %+v, want what was given", got)
	}
}

func TestPlanAppend(t *testing.T) {
	there := store.Branched{Exists: true, Head: "h"}
	for _, c := range []struct {
		name   string
		p      store.Prepared
		b      store.Branched
		needs  string
		found  bool
		parent string
		code   piton.Code
		says   string
	}{
		{"the head is the parent", store.Prepared{}, there, "", true, "h", "", ""},
		{"of a new branch", store.Prepared{}, store.Branched{}, "", true, "", "", ""},
		{"the expected parent is the head", store.Prepared{Parent: "h"}, there, "", true, "h", "", ""},
		{"the head has moved", store.Prepared{Parent: "p"}, there, "p", true, "", piton.Conflict, "the head of branch b is h, not the expected p"},
		{"the expected parent is not there", store.Prepared{Parent: "p"}, there, "p", false, "", piton.NotFound, "no such checkpoint as the parent p"},
		{"the branch is empty", store.Prepared{Parent: "p"}, store.Branched{Exists: true}, "p", true, "", piton.Conflict, "the branch b is empty"},
		{"the branch is empty and the expected parent is not there", store.Prepared{Parent: "p"}, store.Branched{Exists: true}, "p", false, "", piton.NotFound, "the parent p"},
		{"a fork to a branch that exists whose expected parent is not there", store.Prepared{Fork: true, Parent: "p"}, there, "p", false, "", piton.NotFound, "the parent p"},
		{"a fork", store.Prepared{Fork: true, Record: piton.Checkpoint{InWorkflow: piton.InWorkflow{ParentID: "p"}}}, store.Branched{}, "p", true, "p", "", ""},
		{"a fork from nothing", store.Prepared{Fork: true}, store.Branched{}, "", true, "", "", ""},
		{"a fork to a branch that exists", store.Prepared{Fork: true, Record: piton.Checkpoint{InWorkflow: piton.InWorkflow{ParentID: "p"}}}, there, "p", true, "", piton.Conflict, "the branch b exists"},
		{"a fork from what is not there", store.Prepared{Fork: true, Record: piton.Checkpoint{InWorkflow: piton.InWorkflow{ParentID: "p"}}}, store.Branched{}, "p", false, "", piton.NotFound, "no such checkpoint as the parent p"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := c.p.Needs(c.b.Head); got != c.needs {
				t.Errorf("needs: got %q, want %q", got, c.needs)
			}
			record := c.p.Record
			record.Branch = "b"
			got, err := store.PlanAppend("save", c.p, record, c.b, c.found)
			if piton.CodeOf(err) != c.code || err != nil && !strings.Contains(err.Error(), c.says) || err == nil && got.ParentID != c.parent {
				t.Errorf("got the parent %q and %v, want %q and %s %q", got.ParentID, err, c.parent, c.code, c.says)
			}
		})
	}
}

func TestCloses(t *testing.T) {
	last := piton.Checkpoint{AtStep: piton.AtStep{PhaseNumber: 2, PhaseTotal: 2}}
	for _, c := range []struct {
		p                 store.Prepared
		c                 piton.Checkpoint
		fromOpen, fromEnd bool
	}{
		{store.Prepared{}, piton.Checkpoint{}, false, false},
		{store.Prepared{}, last, true, true},
		{store.Prepared{Close: true}, piton.Checkpoint{}, true, true},
		{store.Prepared{Keep: true}, last, false, true},
		{store.Prepared{Keep: true, Close: true}, piton.Checkpoint{}, false, true},
	} {
		if a, b := c.p.Closes(c.c, false), c.p.Closes(c.c, true); a != c.fromOpen || b != c.fromEnd {
			t.Errorf("%+v: got %t and %t, want %t and %t", c.p, a, b, c.fromOpen, c.fromEnd)
		}
	}
}

func TestEntryCloses(t *testing.T) {
	c := piton.Checkpoint{ID: id(1)}
	done := piton.Checkpoint{ID: id(1), CompletedAt: piton.FromMillis(1)}
	for _, x := range []struct {
		c    piton.Checkpoint
		w    piton.Workflow
		want bool
	}{
		{c, piton.Workflow{}, false}, {done, piton.Workflow{}, true},
		{c, piton.Workflow{HeadID: id(1), Closed: true}, true}, {done, piton.Workflow{HeadID: id(1)}, false}, {c, piton.Workflow{HeadID: id(2), Closed: true}, false},
	} {
		if got := (store.Entry{Workflow: x.w, Checkpoint: x.c}).Closes(); got != x.want {
			t.Errorf("%+v in %+v: got %t", x.c, x.w, got)
		}
	}
}

func TestFreeNames(t *testing.T) {
	var got []string
	for name := range store.FreeNames("far") {
		if got = append(got, name); len(got) == 3 {
			break
		}
	}
	if !slices.Equal(got, []string{"far", "far-2", "far-3"}) {
		t.Errorf("got %q", got)
	}
}

func TestRehead(t *testing.T) {
	done := piton.Checkpoint{ID: id(2), Completed: true}
	for _, x := range []struct {
		name string
		w    piton.Workflow
		head piton.Checkpoint
		want piton.Workflow
	}{
		{"the same head", piton.Workflow{HeadID: id(2)}, done, piton.Workflow{HeadID: id(2)}},
		{"another head", piton.Workflow{HeadID: id(1)}, done, piton.Workflow{HeadID: id(2), Closed: true}},
		{"none is left", piton.Workflow{HeadID: id(1), Closed: true}, piton.Checkpoint{}, piton.Workflow{}},
		{"a session", piton.Workflow{HeadID: id(1), Type: piton.TypeSession}, done, piton.Workflow{HeadID: id(2), Type: piton.TypeSession}},
	} {
		if got := store.Rehead(x.w, x.head); got != x.want {
			t.Errorf("%s: got %+v, want %+v", x.name, got, x.want)
		}
	}
}

func TestResolveID(t *testing.T) {
	many := []string{"chk_1", "chk_2", "chk_3", "chk_4", "chk_5", "chk_6"}
	for _, x := range []struct {
		ref  string
		ids  []string
		want string
		code piton.Code
		says string
	}{
		{"chk_", nil, "", piton.NotFound, "nothing has this id"},
		{"chk_1", many[:1], "chk_1", "", ""}, {"chk_1", []string{"chk_1", "chk_12"}, "chk_1", "", ""},
		{"chk_", many[:2], "", piton.Invalid, "ambiguous: chk_1, chk_2"},
		{"chk_", many, "", piton.Invalid, "chk_5 and more"}, {"chk_", many[:5], "", piton.Invalid, "chk_4, chk_5"},
	} {
		got, err := store.ResolveID("find", piton.CheckpointPrefix, x.ref, x.ids)
		if got != x.want || piton.CodeOf(err) != x.code || err != nil && (!strings.Contains(err.Error(), x.says) || strings.Contains(err.Error(), "more") && len(x.ids) <= store.MaxCandidates) {
			t.Errorf("%s of %q: got %q and %v", x.ref, x.ids, got, err)
		}
	}
	if err := store.CheckID("find", piton.CheckpointPrefix, "x"); piton.CodeOf(err) != piton.Invalid || store.CheckID("find", piton.CheckpointPrefix, "chk_01") != nil {
		t.Errorf("got %v, want only the first invalid", err)
	}
}

func TestHintOfWhatIsNotFound(t *testing.T) {
	for prefix, want := range map[string]string{piton.CheckpointPrefix: "'list'", piton.WorkflowPrefix: "'list'", piton.SessionPrefix: "'sessions'"} {
		var e *piton.Error
		if _, err := store.ResolveID("find", prefix, prefix+"0", nil); !errors.As(err, &e) || !strings.Contains(e.Hint, want) {
			t.Errorf("%s: got %+v, want the hint %s", prefix, e, want)
		}
	}
}

func TestPlanImport(t *testing.T) {
	e := store.Entry{Checkpoint: piton.Checkpoint{ID: id(2), InWorkflow: piton.InWorkflow{ParentID: id(1), WorkflowID: "wf_there"}, CompletedAt: piton.FromMillis(1)}}
	record := e.Checkpoint
	record.WorkflowID, record.Branch, record.Completed = flow, piton.MainBranch, true
	orphan := record
	orphan.ParentID = ""
	for _, x := range []struct {
		name   string
		parent *piton.Checkpoint
		want   store.Imported
	}{
		{"the parent is not there", nil, store.Imported{Record: orphan, WaitsFor: id(1)}},
		{"the parent is on the branch", &piton.Checkpoint{ID: id(1), InWorkflow: piton.InWorkflow{Branch: piton.MainBranch}}, store.Imported{Record: record}},
		{"the parent is on another branch", &piton.Checkpoint{ID: id(1), InWorkflow: piton.InWorkflow{Branch: "try"}}, store.Imported{Record: record, From: id(1)}},
	} {
		if diff := cmp.Diff(x.want, store.PlanImport(e, flow, x.parent)); diff != "" {
			t.Errorf("%s: %s", x.name, diff)
		}
	}
}

func TestLastNumber(t *testing.T) {
	for _, x := range [][4]int64{{3, 1, 2, 3}, {1, 3, 2, 3}, {1, 2, 3, 3}} {
		if got := (store.Entry{Workflow: piton.Workflow{Seq: x[2]}}).LastNumber(x[0], x[1]); got != x[3] {
			t.Errorf("%v: got %d", x, got)
		}
	}
}

func TestAdopts(t *testing.T) {
	trouble := errors.New("the disk is busy")
	line := map[string]piton.Checkpoint{id(1): {ID: id(1)}, id(2): {ID: id(2), InWorkflow: piton.InWorkflow{ParentID: id(1)}}, id(3): {ID: id(3), InWorkflow: piton.InWorkflow{ParentID: id(2)}}}
	get := func(ref string) (piton.Checkpoint, error) {
		if c, ok := line[ref]; ok {
			return c, nil
		}
		if ref == id(8) {
			return piton.Checkpoint{}, trouble
		}
		return piton.Checkpoint{}, store.NoCheckpoint("find")
	}
	for _, x := range []struct {
		name          string
		parent, child piton.Checkpoint
		want          bool
		err           error
	}{
		{"a child without a parent", line[id(3)], piton.Checkpoint{ID: id(4)}, true, nil},
		{"it has a parent by now", line[id(3)], piton.Checkpoint{ID: id(4), InWorkflow: piton.InWorkflow{ParentID: id(2)}}, false, nil},
		{"it is an ancestor", line[id(3)], piton.Checkpoint{ID: id(1)}, false, nil},
		{"an ancestor is not there", piton.Checkpoint{ID: id(5), InWorkflow: piton.InWorkflow{ParentID: id(9)}}, piton.Checkpoint{ID: id(4)}, true, nil},
		{"an ancestor cannot be read", piton.Checkpoint{ID: id(5), InWorkflow: piton.InWorkflow{ParentID: id(8)}}, piton.Checkpoint{ID: id(4)}, false, trouble},
	} {
		if got, err := store.Adopts(x.parent, x.child, get); got != x.want || !errors.Is(err, x.err) {
			t.Errorf("%s: got %t (%v), want %t (%v)", x.name, got, err, x.want, x.err)
		}
	}
}

func TestLeads(t *testing.T) {
	two, three := piton.Checkpoint{InWorkflow: piton.InWorkflow{Seq: 2, Branch: "main"}}, piton.Checkpoint{InWorkflow: piton.InWorkflow{Seq: 3, Branch: "try"}}
	aside := piton.Checkpoint{InWorkflow: piton.InWorkflow{Seq: 9, Branch: piton.AsideOf("main")}}
	for _, x := range []struct {
		c, head piton.Checkpoint
		want    bool
	}{{three, two, true}, {two, three, false}, {two, two, false}, {aside, two, false}, {two, aside, true}} {
		if got := store.Leads(x.c, x.head); got != x.want {
			t.Errorf("%d on %s beside %d on %s: got %t", x.c.Seq, x.c.Branch, x.head.Seq, x.head.Branch, got)
		}
	}
}

func TestPlanArchive(t *testing.T) {
	cs := []piton.Checkpoint{{ID: id(1)}, {ID: id(2), InStore: piton.InStore{Archive: "a"}}, {ID: id(3), InStore: piton.InStore{Archive: "b"}}}
	if got, err := store.PlanArchive(cs, "a"); err != nil || len(got) != 2 || got[0].ID != id(1) || got[1].ID != id(3) {
		t.Errorf("got %+v (%v), want what does not lie there yet", got, err)
	}
	if _, err := store.PlanArchive(cs, ""); piton.CodeOf(err) != piton.Invalid {
		t.Errorf("got %v, want invalid", err)
	}
}

func TestPlanRewrite(t *testing.T) {
	c := piton.Checkpoint{ID: id(1), InWorkflow: piton.InWorkflow{Seq: 7}, AtStep: piton.AtStep{StepName: "old"}, OfState: piton.OfState{StateBytes: 9, SHA256: "a"}}
	p := store.Prepared{Record: piton.Checkpoint{AtStep: piton.AtStep{StepName: "new"}, Described: piton.Described{Name: "n", Description: "d", TaskSummary: "t", Tags: []string{"x"}}, Origin: piton.Origin{Host: "h"}, OfState: piton.OfState{SHA256: "b"}}, State: redact.Unchecked(json.RawMessage("{}"))}
	want := p.Record
	want.ID, want.Seq, want.StateBytes = id(1), 7, 2
	if got, err := store.PlanRewrite("rewrite", c, p); err != nil || !cmp.Equal(got, want) {
		t.Errorf("got %+v (%v)", got, err)
	}
	c.Archive = "file"
	if _, err := store.PlanRewrite("rewrite", c, p); piton.CodeOf(err) != piton.Conflict {
		t.Errorf("got %v, want a conflict: the state has been moved", err)
	}
	p.Record.Archive = "file"
	if got, err := store.PlanRewrite("rewrite", c, p); err != nil || got.StateBytes != 9 {
		t.Errorf("got %+v (%v), want the size of the archived state", got, err)
	}
}

func TestMarkEvent(t *testing.T) {
	c := piton.Checkpoint{ID: id(1), InWorkflow: piton.InWorkflow{WorkflowID: flow, Project: "p", SessionID: "s"}}
	want := store.LogEvent{At: piton.FromMillis(1), Kind: store.CheckpointDamaged, Session: "s", Project: "p", Workflow: flow, Checkpoint: id(1), Data: map[string]any{"why": "torn"}}
	if diff := cmp.Diff(want, store.MarkEvent(want.At, c, "torn")); diff != "" {
		t.Error(diff)
	}
	if got := store.MarkEvent(want.At, c, ""); got.Kind != store.CheckpointRepaired {
		t.Errorf("got %+v, want it repaired", got)
	}
}

// entries draws checkpoints of one workflow: each has a parent before it, and
// its branch begins with a fork. Some branches are set aside.
func entries(t *rapid.T) []store.Entry {
	branches := []string{piton.MainBranch}
	last := map[string]string{}
	var list []store.Entry
	n := rapid.IntRange(1, 9).Draw(t, "checkpoints")
	for i := 1; i <= n; i++ {
		c := piton.Checkpoint{ID: id(i), InWorkflow: piton.InWorkflow{Seq: int64(i), Branch: rapid.SampledFrom(branches).Draw(t, "branch")}}
		c.ParentID = last[c.Branch]
		if i > 1 && rapid.IntRange(0, 3).Draw(t, "fork") == 0 {
			c.Branch = fmt.Sprintf("%sb%d", rapid.SampledFrom([]string{"", piton.AsidePrefix}).Draw(t, "prefix"), i)
			c.ParentID = id(rapid.IntRange(1, i-1).Draw(t, "parent"))
			branches = append(branches, c.Branch)
		}
		if rapid.Bool().Draw(t, "completed") {
			c.CompletedAt = piton.FromMillis(int64(i))
		}
		last[c.Branch] = c.ID
		list = append(list, store.Entry{Checkpoint: c})
	}
	w := piton.Workflow{ID: flow, Seq: int64(n) + rapid.Int64Range(0, 3).Draw(t, "deleted"), HeadID: id(rapid.IntRange(1, n).Draw(t, "head")), Closed: rapid.Bool().Draw(t, "closed")}
	for i := range list {
		list[i].Workflow = w
	}
	return list
}

func imported(list []store.Entry) *book {
	b := newBook(piton.Workflow{ID: flow})
	for _, e := range list {
		b.imports(e)
	}
	return b
}

func same(t *rapid.T, what string, got, want *book) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(book{})); diff != "" {
		t.Errorf("%s: %s", what, diff)
	}
}

func TestOrderOfImportsDoesNotMatter(t *testing.T) {
	draw.Check(t, func(t *rapid.T) {
		list := entries(t)
		want := imported(list)
		for _, e := range list {
			if want.all[e.Checkpoint.ID].ParentID != e.Checkpoint.ParentID {
				t.Errorf("%s: got the parent %q, want %q", e.Checkpoint.ID, want.all[e.Checkpoint.ID].ParentID, e.Checkpoint.ParentID)
			}
		}
		if want.w.Seq != list[0].Workflow.Seq {
			t.Errorf("got the last number %d, want %d", want.w.Seq, list[0].Workflow.Seq)
		}
		same(t, "in another order", imported(rapid.Permutation(list).Draw(t, "order")), want)
	})
}

func TestImportOfACircle(t *testing.T) {
	one := store.Entry{Checkpoint: piton.Checkpoint{ID: id(1), InWorkflow: piton.InWorkflow{Seq: 1, ParentID: id(2)}}}
	two := store.Entry{Checkpoint: piton.Checkpoint{ID: id(2), InWorkflow: piton.InWorkflow{Seq: 2, ParentID: id(1)}}}
	b := imported([]store.Entry{one, two})
	if b.all[id(1)].ParentID != "" || b.all[id(2)].ParentID != id(1) || b.all[id(1)].Branch != piton.MainBranch {
		t.Errorf("got %+v, want the first without a parent, on the main branch", b.all)
	}
}

func TestDeleteKeepsLineage(t *testing.T) {
	draw.Check(t, func(t *rapid.T) {
		list := entries(t)
		want := imported(list)
		var gone, kept []string
		for _, e := range list {
			if rapid.Bool().Draw(t, "gone") {
				gone = append(gone, e.Checkpoint.ID)
			} else {
				kept = append(kept, e.Checkpoint.ID)
			}
		}
		// ancestors of what stays, without those that go.
		above := func(b *book, id string) (list []string) {
			for at := b.all[id].ParentID; at != ""; at = b.all[at].ParentID {
				if !slices.Contains(gone, at) {
					list = append(list, at)
				}
			}
			return list
		}
		together, oneByOne := imported(list), imported(list)
		together.delete(gone...)
		for _, id := range rapid.Permutation(gone).Draw(t, "order") {
			oneByOne.delete(id)
		}
		if got := slices.Sorted(maps.Keys(together.all)); !slices.Equal(got, kept) {
			t.Fatalf("got %q left, want %q", got, kept)
		}
		for _, id := range kept {
			if got, want := above(together, id), above(want, id); !slices.Equal(got, want) {
				t.Errorf("%s: got the ancestors %q, want %q", id, got, want)
			}
		}
		for name := range together.begun {
			if head := together.branch(name).Head; head != "" && together.all[head].ID == "" {
				t.Errorf("the branch %s: got the head %s, which is deleted", name, head)
			}
		}
		if diff := cmp.Diff(together.all, oneByOne.all); diff != "" {
			t.Errorf("one by one: %s", diff)
		}
	})
}

func TestPlanDeleteOfACircle(t *testing.T) {
	h := store.PlanDelete([]piton.Checkpoint{{ID: "a", InWorkflow: piton.InWorkflow{ParentID: "b"}}, {ID: "b", InWorkflow: piton.InWorkflow{ParentID: "a"}}, {ID: "c", InWorkflow: piton.InWorkflow{ParentID: "d"}}})
	if diff := cmp.Diff(store.Heirs{"a": "", "b": "", "c": "d"}, h); diff != "" || h.Of("x") != "x" {
		t.Errorf("%s", diff)
	}
}

func TestAppendGoesOnBehindAnImport(t *testing.T) {
	draw.Check(t, func(t *rapid.T) {
		list := entries(t)
		b := imported(list)
		head := b.branch(piton.MainBranch).Head
		c, err := b.append(store.Prepared{Record: piton.Checkpoint{ID: id(100)}})
		if err != nil || c.Seq <= list[0].Workflow.Seq || c.ParentID != head || b.head().ID != c.ID || b.w.Closed {
			t.Errorf("got %+v (%v), want the head of an open workflow behind all numbers", c, err)
		}
		b.delete(c.ID)
		if got := b.branch(piton.MainBranch).Head; got != head || b.w.HeadID != b.head().ID {
			t.Errorf("deleted again: got the head %q of the branch and %q of the workflow, want %q and %q", got, b.w.HeadID, head, b.head().ID)
		}
	})
}
