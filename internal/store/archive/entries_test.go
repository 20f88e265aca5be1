package archive_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

// entry is the nth checkpoint of a workflow, with this state.
func entry(workflow string, n int, state string) store.Entry {
	at := piton.At(time.Date(2026, 1, 2, 3, 4, 5, 678e6, time.UTC).Add(time.Duration(n) * time.Minute))
	id := fmt.Sprintf("%s%s%012d", piton.CheckpointPrefix, workflow[3:7], n)
	w := piton.Workflow{ID: workflow, Name: "import", Type: piton.TypeConductor, CreatedAt: at, Seq: int64(n), HeadID: id}
	return store.Entry{Workflow: w, State: []byte(state), Origin: "https://example.org/a/b", Checkpoint: piton.Checkpoint{
		ID: id, InWorkflow: piton.InWorkflow{WorkflowID: w.ID, Workflow: w.Name, WorkflowType: w.Type, Branch: piton.MainBranch, Seq: int64(n)},
		AtStep: piton.AtStep{StepName: "Build"}, Trigger: piton.TriggerManual, CreatedAt: at, OfState: piton.OfState{StateBytes: int64(len(state)), StoredBytes: 17,
			SHA256: sum(state), SchemaVersion: 1}, InStore: piton.InStore{Ordinal: int64(100 + n)},
	}}
}

func sum(state string) string {
	s := sha256.Sum256([]byte(state))
	return hex.EncodeToString(s[:])
}

const (
	workflowA = "wf_aaaa000000000000"
	workflowB = "wf_bbbb000000000000"
)

// some is a small file's worth of two workflows.
func some() []store.Entry {
	return []store.Entry{
		entry(workflowA, 1, `{}`),
		entry(workflowA, 2, `{"a":[1e400,-0,-0.0e-0,1.0,123456789012345678901234567890],"b":"\ud800 \u0061 \/"}`),
		entry(workflowB, 1, `{"end":{"checkpoints":1},"sum":"0000"}`),
		entry(workflowA, 3, "{\"\u2028 é <&>\":\"\U0001f600 \\u0000\"}"),
	}
}

func sequence(list []store.Entry) store.CleanEntries {
	return func(yield func(redact.Clean[store.Entry], error) bool) {
		for _, e := range list {
			if !yield(redact.Unchecked(e), nil) {
				return
			}
		}
	}
}

// collect reads entries until their end or the first error.
func collect(entries store.Entries) (list []store.Entry, err error) {
	for e, err := range entries {
		if err != nil {
			return list, err
		}
		list = append(list, e)
	}
	return list, nil
}

func same(t interface {
	Helper()
	Fatalf(format string, args ...any)
}, name string, got, want []store.Entry) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(store.Entry{}, "Foreign")); diff != "" {
		t.Fatalf("%s (want -, got +):\n%s", name, diff)
	}
}

// drawState makes states that are hard to keep.
func drawState(t *rapid.T) string {
	value := rapid.OneOf(
		rapid.SampledFrom([]string{`1e400`, `-0`, `"\ud800"`, `"\udfff\\"`, `null`, `[]`, `{}`, `"\u0000"`, `1E+2`, `"\n"`, `"\\\""`, "\"\u2028\"", `[[[[[]]]]]`, `12345678901234567890123`}),
		rapid.StringMatching(`"[a-z \\/"]{0,5}é?"`).Filter(func(s string) bool {
			inner := s[1 : len(s)-1]
			for _, c := range inner {
				if c == '"' || c == '\\' {
					return false
				}
			}
			return true
		}),
	)
	out := "{"
	for i := range rapid.IntRange(0, 6).Draw(t, "members") {
		if i > 0 {
			out += ","
		}
		out += fmt.Sprintf(`"k%d":%s`, i, value.Draw(t, "value"))
	}
	return out + "}"
}

// drawEntries makes entries with every field of the record.
func drawEntries(t *rapid.T) []store.Entry {
	text := func(name string) string { return rapid.StringN(0, 12, 40).Draw(t, name) }
	when := func(name string) piton.Time {
		return rapid.Custom(func(t *rapid.T) piton.Time {
			return piton.FromMillis(rapid.Int64Range(-62e12, 253e12).Draw(t, "ms"))
		}).Draw(t, name)
	}
	number := rapid.Ptr(rapid.Int(), true)
	workflows := []piton.Workflow{}
	for i := range rapid.IntRange(1, 3).Draw(t, "workflows") {
		workflows = append(workflows, piton.Workflow{
			ID: fmt.Sprintf("wf_%016d", i), Name: text("workflow"), Type: text("type"), Project: text("project"), SessionID: text("session"),
			CreatedAt: when("workflow's time"), Seq: rapid.Int64().Draw(t, "last"), HeadID: text("head"), Closed: rapid.Bool().Draw(t, "closed"),
		})
	}
	var list []store.Entry
	for i := range rapid.IntRange(0, 8).Draw(t, "entries") {
		w := rapid.SampledFrom(workflows).Draw(t, "of")
		state := drawState(t)
		e := store.Entry{Workflow: w, State: []byte(state), Origin: text("origin"), Checkpoint: piton.Checkpoint{
			ID: fmt.Sprintf("chk_%016d", i), InWorkflow: piton.InWorkflow{WorkflowID: w.ID, Workflow: w.Name, WorkflowType: w.Type, SessionID: text("session"), Project: text("project"),
				Branch: text("branch"), Seq: rapid.Int64().Draw(t, "seq"), ParentID: text("parent")}, AtStep: piton.AtStep{StepNumber: number.Draw(t, "step"), StepName: text("step"),
				PhaseNumber: rapid.Int().Draw(t, "phase"), PhaseTotal: rapid.Int().Draw(t, "total")}, Described: piton.Described{Name: text("name"), Description: text("description"),
				TaskSummary: text("task")}, Trigger: piton.Trigger(text("trigger")), CreatedAt: when("made"), Completed: rapid.Bool().Draw(t, "completed"),
			CompletedAt: when("completed"), SoFar: piton.SoFar{Progress: number.Draw(t, "progress"), DurationMS: rapid.Int64().Draw(t, "took")}, OfState: piton.OfState{StateBytes: int64(len(state)),
				StoredBytes: rapid.Int64().Draw(t, "stored"), SHA256: sum(state), SchemaVersion: rapid.Int().Draw(t, "version")},
			Origin:  piton.Origin{Agent: text("agent"), ClientVersion: text("client"), Host: text("host"), GitHead: text("head"), GitBranch: text("branch")},
			InStore: piton.InStore{Ordinal: rapid.Int64().Draw(t, "ordinal")},
		}}
		if n := rapid.IntRange(0, 3).Draw(t, "tags"); n > 0 {
			for range n {
				e.Checkpoint.Tags = append(e.Checkpoint.Tags, text("tag"))
			}
		}
		if rapid.Bool().Draw(t, "used") {
			e.Checkpoint.TokenUsage = &piton.TokenUsage{Input: rapid.Int64().Draw(t, "in"), Output: 2, CacheRead: 3, CacheWrite: 4}
		}
		list = append(list, e)
	}
	return list
}
