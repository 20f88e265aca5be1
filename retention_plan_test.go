package piton_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/testkit/draw"
)

var today = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

const days = 24 * time.Hour

// kept is a checkpoint of the workflow wf in the session s, so many days old.
func kept(id string, seq int64, age float64, set ...func(*piton.Kept)) piton.Kept {
	k := piton.Kept{Checkpoint: piton.Checkpoint{ID: id, InWorkflow: piton.InWorkflow{WorkflowID: "wf", SessionID: "s", Project: "p",
		Seq: seq}, Trigger: piton.TriggerManual, InStore: piton.InStore{Ordinal: seq}, CreatedAt: piton.At(today.Add(-time.Duration(age * float64(days))))}}
	for _, f := range set {
		f(&k)
	}
	return k
}

func head(k *piton.Kept)      { k.Head, k.Open = true, true }
func open(k *piton.Kept)      { k.Open = true }
func done(k *piton.Kept)      { k.Checkpoint.Completed = true }
func damaged(k *piton.Kept)   { k.Checkpoint.Damaged = "a sum does not match" }
func named(k *piton.Kept)     { k.Checkpoint.Name = "before-refactor" }
func undated(k *piton.Kept)   { k.Checkpoint.CreatedAt = piton.Time{} }
func needed(k *piton.Kept)    { k.Run = "run_1" }
func noSession(k *piton.Kept) { k.Checkpoint.SessionID = "" }
func lastPhase(k *piton.Kept) { k.Checkpoint.PhaseNumber, k.Checkpoint.PhaseTotal = 7, 7 }
func archived(k *piton.Kept)  { k.Checkpoint.Archive = "a1.pit" }

func by(t piton.Trigger) func(*piton.Kept) {
	return func(k *piton.Kept) { k.Checkpoint.Trigger = t }
}

func ordinal(n int64) func(*piton.Kept) {
	return func(k *piton.Kept) { k.Checkpoint.Ordinal = n }
}

func of(workflow string) func(*piton.Kept) {
	return func(k *piton.Kept) { k.Checkpoint.WorkflowID = workflow }
}

func phases(k *piton.Kept) {
	k.Checkpoint.WorkflowType, k.Checkpoint.Trigger = piton.TypePhases, piton.TriggerPhaseComplete
}

// imported is what came here so many days ago, however old it is.
func imported(age float64) func(*piton.Kept) {
	return func(k *piton.Kept) {
		k.Checkpoint.ImportedAt = piton.At(today.Add(-time.Duration(age * float64(days))))
	}
}

func in(session string) func(*piton.Kept) {
	return func(k *piton.Kept) { k.Checkpoint.SessionID = session }
}

func after(parent string) func(*piton.Kept) {
	return func(k *piton.Kept) { k.Checkpoint.ParentID = parent }
}

func TestPlan(t *testing.T) {
	const turnEnd, interval, phase, risky = piton.TriggerTurnEnd, piton.TriggerInterval, piton.TriggerPhaseComplete, piton.TriggerPreRisky
	defaults := piton.DefaultRetention
	for _, c := range []struct {
		name string
		r    piton.Retention
		all  []piton.Kept
		want []string // newest first
	}{
		{"nothing", defaults, nil, nil},
		{"no bounds", piton.Retention{}, []piton.Kept{kept("b", 2, 400, done), kept("a", 1, 900)}, []string{"b keep: recent", "a keep: recent"}},
		{"young, old, too old", defaults, []piton.Kept{kept("c", 3, 1), kept("b", 2, 8), kept("a", 1, 31)},
			[]string{"c keep: recent", "b archive: older than 7 days", "a delete: older than 30 days"}},
		{"at the bounds", defaults, []piton.Kept{kept("d", 4, 6.99), kept("c", 3, 7), kept("b", 2, 29.99), kept("a", 1, 30)},
			[]string{"d keep: recent", "c archive: older than 7 days", "b archive: older than 7 days", "a delete: older than 30 days"}},
		{"in hours", piton.Retention{WarmFor: 12 * time.Hour, DeleteAt: 90 * time.Minute}, []piton.Kept{kept("a", 1, 0.5)}, []string{"a delete: older than 1h30m"}},
		{"in the archive", defaults, []piton.Kept{kept("b", 2, 8, archived), kept("a", 1, 31, archived)},
			[]string{"b keep: in the archive: a1.pit", "a delete: older than 30 days"}},

		{"the warm ones", piton.Retention{Warm: 2}, []piton.Kept{kept("c", 3, 0), kept("b", 2, 0), kept("a", 1, 0)},
			[]string{"c keep: recent", "b keep: recent", "a archive: beyond 2 of its workflow"}},
		{"completed ones first", piton.Retention{Warm: 2}, []piton.Kept{kept("d", 4, 0, done), kept("c", 3, 0, lastPhase), kept("b", 2, 0), kept("a", 1, 0)},
			[]string{"d archive: beyond 2 of its workflow", "c archive: beyond 2 of its workflow", "b keep: recent", "a keep: recent"}},
		{"what is cold takes no warm place", piton.Retention{Warm: 1, WarmFor: 7 * days}, []piton.Kept{kept("d", 4, 8), kept("c", 3, 0, archived), kept("b", 2, 0, done), kept("a", 1, 0, done)},
			[]string{"d archive: older than 7 days", "c keep: in the archive: a1.pit", "b keep: recent", "a archive: beyond 1 of its workflow"}},
		{"each workflow has its own", piton.Retention{Warm: 1}, []piton.Kept{kept("b", 2, 0), kept("a", 1, 0, of("other"))}, []string{"b keep: recent", "a keep: recent"}},

		{"the newest after a younger one", piton.Retention{DeleteAt: 30 * days, PerSession: 1}, []piton.Kept{kept("d", 4, 365), kept("c", 3, 365), kept("b", 2, 1), kept("a", 1, 2)},
			[]string{"d keep: the newest, saved while the clock was behind", "c delete: older than 30 days", "b keep: the newest of its workflow has an older date", "a delete: beyond 1 of its session"}},
		{"the newest after a younger one of another workflow", piton.Retention{DeleteAt: 30 * days}, []piton.Kept{kept("b", 2, 365), kept("a", 1, 1, of("other"))},
			[]string{"b delete: older than 30 days", "a keep: recent"}},
		{"the newest after one from the future", piton.Retention{DeleteAt: 30 * days}, []piton.Kept{kept("b", 2, 365), kept("a", 1, -1)},
			[]string{"b delete: older than 30 days", "a keep: dated in the future"}},

		{"an open head", defaults, []piton.Kept{kept("b", 2, 29, head), kept("a", 1, 28, open)},
			[]string{"b keep: head of an open workflow", "a archive: older than 7 days"}},
		{"an open head that is too old", defaults, []piton.Kept{kept("b", 2, 30, head), kept("a", 1, 30, open)},
			[]string{"b delete: older than 30 days", "a delete: older than 30 days"}},
		{"an open head for longer than others", piton.Retention{DeleteAt: days, OpenFor: 2 * days}, []piton.Kept{kept("b", 2, 1.5, head), kept("a", 1, 1.5)},
			[]string{"b keep: head of an open workflow", "a delete: older than a day"}},
		{"a closed head", defaults, []piton.Kept{kept("a", 1, 8, func(k *piton.Kept) { k.Head = true })}, []string{"a archive: older than 7 days"}},
		{"more open heads than the cap", piton.Retention{OpenCap: 1, WarmFor: days}, []piton.Kept{
			kept("d", 4, 2, head), kept("c", 3, 2, open), kept("b", 2, 2, head, of("w2")), kept("a", 1, 2, open, of("w2"))},
			[]string{"d keep: head of an open workflow", "c archive: older than a day", "b archive: older than a day", "a archive: older than a day"}},
		{"a cap for each project", piton.Retention{OpenCap: 1, WarmFor: days}, []piton.Kept{
			kept("c", 3, 2, head), kept("b", 2, 2, open), kept("a", 1, 2, head, of("w2"), func(k *piton.Kept) { k.Checkpoint.Project = "q" })},
			[]string{"c keep: head of an open workflow", "b archive: older than a day", "a keep: all there is of an open workflow"}},
		{"all there is of an open workflow", piton.Retention{OpenCap: 1, OpenFor: 30 * days, DeleteAt: days}, []piton.Kept{
			kept("c", 3, 2, head), kept("b", 2, 2, head, of("w2")), kept("a", 1, 31, head, of("w3"))},
			[]string{"c keep: all there is of an open workflow", "b keep: all there is of an open workflow", "a delete: older than a day"}},
		{"the head is damaged", defaults, []piton.Kept{kept("d", 4, 9, head, damaged, after("b")), kept("c", 3, 9), kept("b", 2, 9, damaged, after("a")), kept("a", 1, 9)},
			[]string{"d keep: damaged, set aside", "c archive: older than 7 days", "b keep: damaged, set aside", "a keep: stands for the damaged head of an open workflow"}},
		{"an unfinished run continues from it", defaults, []piton.Kept{kept("c", 3, 99), kept("b", 2, 99, needed), kept("a", 1, 99, needed, damaged)},
			[]string{"c delete: older than 30 days", "b keep: the unfinished run run_1 continues from it", "a keep: damaged, set aside"}},
		{"nothing but damage, in a cycle", defaults, []piton.Kept{kept("b", 2, 99, head, damaged, after("a")), kept("a", 1, 99, damaged, after("b"))},
			[]string{"b keep: damaged, set aside", "a keep: damaged, set aside"}},

		{"a workflow of phases: each thirty days, the head too", defaults, []piton.Kept{kept("e", 5, 31, phases, head), kept("d", 4, 31, phases, named), kept("c", 3, 31, phases), kept("b", 2, 29, phases, of("w2")), kept("a", 1, 9, phases, of("w2"))},
			[]string{"e delete: older than 30 days", "d keep: named", "c delete: older than 30 days", "b keep: a phase, younger than 30 days", "a keep: a phase, younger than 30 days"}},
		{"a workflow of phases whose heads stay longer", piton.Retention{DeleteAt: 30 * days, OpenFor: 90 * days}, []piton.Kept{kept("a", 1, 31, phases, head)},
			[]string{"a delete: older than 30 days"}},
		{"what was imported is as old as it has been here", defaults, []piton.Kept{kept("d", 4, 99, imported(31), of("w2")), kept("c", 3, 99, imported(8)), kept("b", 2, 99, imported(1)), kept("a", 1, 1, imported(40))},
			[]string{"d delete: older than 30 days", "c archive: older than 7 days", "b keep: recent", "a keep: recent"}},
		{"an imported head", defaults, []piton.Kept{kept("b", 2, 99, head, imported(29)), kept("a", 1, 99, of("w2"), head, imported(30))},
			[]string{"b keep: all there is of an open workflow", "a delete: older than 30 days"}},
		{"named ones and phases", defaults, []piton.Kept{kept("c", 3, 99, named), kept("b", 2, 99, by(phase)), kept("a", 1, 99)},
			[]string{"c keep: named", "b keep: a completed phase", "a delete: older than 30 days"}},
		{"more of them than the cap", piton.Retention{NamedCap: 2, DeleteAt: days}, []piton.Kept{
			kept("e", 5, 9, named), kept("d", 4, 9, named, damaged), kept("c", 3, 9, by(phase)), kept("b", 2, 9, named), kept("a", 1, 9, named, of("w2"))},
			[]string{"e keep: named", "d keep: damaged, set aside", "c keep: a completed phase", "b delete: older than a day", "a keep: named"}},

		{"inside a turn that has ended", defaults, []piton.Kept{
			kept("f", 6, 0, by(interval)), kept("e", 5, 0, by(turnEnd)), kept("d", 4, 0, by(piton.TriggerPreCompact)), kept("c", 3, 0, by(piton.TriggerError)),
			kept("b", 2, 0, by(interval), in("s2")), kept("a", 1, 0, by(piton.TriggerFileChange), named)},
			[]string{"f keep: recent", "e keep: recent", "d delete: its turn has ended", "c keep: recent", "b keep: recent", "a keep: named"}},
		{"before a dangerous command", defaults, []piton.Kept{
			kept("g", 7, 0, by(turnEnd)), kept("f", 6, 40, by(risky)), kept("e", 5, 8, by(risky)), kept("d", 4, 7, by(risky)), kept("c", 3, 6.9, by(risky)),
			kept("b", 2, 0, by(risky), damaged), kept("a", 1, 0, by(risky), named)},
			[]string{"g keep: recent", "f delete: older than 30 days", "e archive: older than 7 days", "d archive: older than 7 days",
				"c keep: before a dangerous command, younger than 7 days", "b keep: damaged, set aside", "a keep: named"}},
		{"before a dangerous command, many in a session", piton.Retention{PerSession: 1, Warm: 1}, []piton.Kept{
			kept("d", 4, 0), kept("c", 3, 1, by(risky)), kept("b", 2, 6, by(risky)), kept("a", 1, 8, by(risky))},
			[]string{"d delete: beyond 1 of its session", "c keep: before a dangerous command, younger than 7 days", "b keep: before a dangerous command, younger than 7 days", "a delete: beyond 1 of its session"}},
		{"before a dangerous command, everything goes after a day", piton.Retention{DeleteAt: days}, []piton.Kept{kept("b", 2, 0.5, by(risky)), kept("a", 1, 2, by(risky))},
			[]string{"b keep: before a dangerous command, younger than 7 days", "a delete: older than a day"}},
		{"the turn's own is damaged", piton.Retention{}, []piton.Kept{kept("b", 2, 0, by(turnEnd), damaged), kept("a", 1, 0, by(interval))},
			[]string{"b keep: damaged, set aside", "a keep: recent"}},
		{"the turn's own is in another workflow", piton.Retention{}, []piton.Kept{kept("b", 2, 0, by(turnEnd), of("w2")), kept("a", 1, 0, by(interval))},
			[]string{"b keep: recent", "a keep: recent"}},

		{"a bound for a session", piton.Retention{PerSession: 2}, []piton.Kept{kept("d", 4, 0, done), kept("c", 3, 0), kept("b", 2, 0, of("w2")), kept("a", 1, 0)},
			[]string{"d delete: beyond 2 of its session", "c keep: recent", "b keep: recent", "a delete: beyond 2 of its session"}},
		{"protected ones count in a session", piton.Retention{PerSession: 2}, []piton.Kept{kept("d", 4, 0), kept("c", 3, 0), kept("b", 2, 0, damaged), kept("a", 1, 0, named)},
			[]string{"d keep: recent", "c delete: beyond 2 of its session", "b keep: damaged, set aside", "a keep: named"}},
		{"more protected ones than the session's bound", piton.Retention{PerSession: 1}, []piton.Kept{kept("c", 3, 0), kept("b", 2, 0, named), kept("a", 1, 0, named)},
			[]string{"c delete: beyond 1 of its session", "b keep: named", "a keep: named"}},
		{"without a session", piton.Retention{PerSession: 1}, []piton.Kept{kept("b", 2, 0, noSession), kept("a", 1, 0, noSession)}, []string{"b keep: recent", "a keep: recent"}},

		{"dated in the future", piton.Retention{Warm: 1, PerSession: 1}, []piton.Kept{kept("c", 3, 0, by(turnEnd)), kept("b", 2, -1, by(interval)), kept("a", 1, -400)},
			[]string{"c delete: beyond 1 of its session", "b keep: dated in the future", "a keep: dated in the future"}},
		{"without a date", defaults, []piton.Kept{kept("a", 1, 0, undated)}, []string{"a keep: recent"}},
		{"dated in the future by less than an hour", piton.Retention{Warm: 1}, []piton.Kept{kept("b", 2, 0), kept("a", 1, -0.02)},
			[]string{"b keep: recent", "a keep: dated in the future"}},
		{"protected ones take no warm place", piton.Retention{Warm: 1}, []piton.Kept{kept("c", 3, 0, named), kept("b", 2, 0), kept("a", 1, 0)},
			[]string{"c keep: named", "b keep: recent", "a archive: beyond 1 of its workflow"}},
		{"a damaged one beside all there is of an open workflow", piton.Retention{OpenCap: 1, WarmFor: days}, []piton.Kept{
			kept("c", 3, 2, of("w2"), head), kept("b", 2, 2, head), kept("a", 1, 2, open, damaged)},
			[]string{"c keep: all there is of an open workflow", "b keep: all there is of an open workflow", "a keep: damaged, set aside"}},
		{"the head is damaged and its parent is gone", defaults, []piton.Kept{kept("b", 2, 99, head, damaged, after("x")), kept("a", 1, 99)},
			[]string{"b keep: damaged, set aside", "a delete: older than 30 days"}},
		{"phases that are not deleted", piton.Retention{Warm: 1}, []piton.Kept{kept("b", 2, 9, phases), kept("a", 1, 9, phases)},
			[]string{"b keep: recent", "a archive: beyond 1 of its workflow"}},
		{"a session's turn ends no other's, and nobody's", piton.Retention{}, []piton.Kept{kept("c", 3, 0, by(turnEnd)), kept("b", 2, 0, by(interval), noSession), kept("a", 1, 0, by(interval))},
			[]string{"c keep: recent", "b keep: recent", "a delete: its turn has ended"}},
		{"the number in the workflow before that in the store", piton.Retention{Warm: 1}, []piton.Kept{kept("b", 1, 0, ordinal(2)), kept("a", 2, 0, ordinal(1))},
			[]string{"b archive: beyond 1 of its workflow", "a keep: recent"}},
		{"without a number in the store", piton.Retention{PerSession: 1}, []piton.Kept{kept("c", 1, 0, ordinal(0), of("w2")), kept("b", 3, 0, ordinal(0)), kept("a", 1, 0, ordinal(0))},
			[]string{"b keep: recent", "a delete: beyond 1 of its session", "c delete: beyond 1 of its session"}},
		{"numbers, not the clock", piton.Retention{Warm: 1}, []piton.Kept{kept("b", 2, 6), kept("a", 1, 1)}, []string{"b keep: recent", "a archive: beyond 1 of its workflow"}},
	} {
		var got []string
		for _, v := range c.r.Plan(today, c.all) {
			got = append(got, fmt.Sprintf("%s %s: %s", v.ID, v.Action, v.Reason))
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (want -, got +):\n%s", c.name, diff)
		}
	}
}

// TestPlanInsideATurn: of all triggers, these alone go when their turn has ended.
func TestPlanInsideATurn(t *testing.T) {
	inside := []piton.Trigger{piton.TriggerFileChange, piton.TriggerInterval, piton.TriggerAgentHandoff, piton.TriggerPreCompact}
	for _, trigger := range piton.Triggers {
		verdicts := piton.Retention{}.Plan(today, []piton.Kept{kept("b", 2, 0, by(piton.TriggerTurnEnd)), kept("a", 1, 0, by(trigger))})
		want := piton.Keep
		if slices.Contains(inside, trigger) {
			want = piton.DeleteForever
		}
		if got := verdicts[1].Action; got != want {
			t.Errorf("%s: got %s, want %s", trigger, got, want)
		}
	}
}

func TestSpan(t *testing.T) {
	for d, want := range map[time.Duration]string{
		days: "a day", 2 * days: "2 days", 36 * time.Hour: "36h", time.Hour: "1h", 90 * time.Minute: "1h30m", 30 * time.Minute: "30m",
		90 * time.Second: "1m30s", 10 * time.Second: "10s", time.Hour + 10*time.Second: "1h0m10s", 600 * time.Minute: "10h",
	} {
		if got := piton.Span(d); got != want {
			t.Errorf("%v: got %q, want %q", d, got, want)
		}
	}
}

// drawStore makes up a store: a few workflows with branches, sessions and
// projects, clocks that jump, damage.
func drawStore(t *rapid.T) []piton.Kept {
	triggers := append([]piton.Trigger{piton.TriggerTurnEnd, piton.TriggerInterval, piton.TriggerFileChange}, piton.Triggers...)
	opens := map[string]bool{}
	seqs := map[string]int64{}
	ids := map[string][]string{}
	var all []piton.Kept
	for i := range rapid.IntRange(0, 30).Draw(t, "checkpoints") {
		flow := fmt.Sprintf("wf_%d", rapid.IntRange(0, 3).Draw(t, "workflow"))
		if _, ok := opens[flow]; !ok {
			opens[flow] = rapid.Bool().Draw(t, "open")
		}
		seqs[flow] += int64(rapid.IntRange(1, 2).Draw(t, "step"))
		c := piton.Checkpoint{
			ID: fmt.Sprintf("chk_%02d", i), InWorkflow: piton.InWorkflow{WorkflowID: flow, SessionID: rapid.SampledFrom([]string{"", "s1", "s1", "s2"}).Draw(t, "session"),
				Project: map[string]string{"wf_0": "p", "wf_1": "p", "wf_2": "p"}[flow], Seq: seqs[flow],
				WorkflowType: map[string]string{"wf_1": piton.TypePhases}[flow]}, InStore: piton.InStore{Ordinal: int64(i + 1)},
			Trigger:    rapid.SampledFrom(triggers).Draw(t, "trigger"),
			CreatedAt:  piton.At(today.Add(-time.Duration(rapid.IntRange(-2, 40).Draw(t, "days")) * days)),
			ImportedAt: rapid.SampledFrom([]piton.Time{{}, {}, piton.At(today.Add(-9 * days))}).Draw(t, "imported"),
			Completed:  rapid.IntRange(0, 3).Draw(t, "completed") == 0,
		}
		if before := ids[flow]; len(before) > 0 {
			c.ParentID = rapid.SampledFrom(before).Draw(t, "parent")
		}
		ids[flow] = append(ids[flow], c.ID)
		if rapid.IntRange(0, 5).Draw(t, "named") == 0 {
			c.Name = "n"
		}
		if rapid.IntRange(0, 7).Draw(t, "damaged") == 0 {
			c.Damaged = "d"
		}
		if rapid.IntRange(0, 5).Draw(t, "archived") == 0 {
			c.Archive = "f"
		}
		all = append(all, piton.Kept{Checkpoint: c, Open: opens[flow]})
	}
	return crowned(all)
}

// crowned gives each workflow its head: the highest number.
func crowned(all []piton.Kept) []piton.Kept {
	heads := map[string]int{}
	for i, k := range all {
		all[i].Head = false
		if h, ok := heads[k.Checkpoint.WorkflowID]; !ok || all[h].Checkpoint.Seq < k.Checkpoint.Seq {
			heads[k.Checkpoint.WorkflowID] = i
		}
	}
	for _, i := range heads {
		all[i].Head = true
	}
	return all
}

// carriedOut is the store after a plan: children of what was deleted have the
// nearest ancestor that is left, workflows the head that is left.
func carriedOut(all []piton.Kept, plan []piton.Verdict) []piton.Kept {
	said, parent := map[string]piton.Action{}, map[string]string{}
	for _, v := range plan {
		said[v.ID] = v.Action
	}
	for _, k := range all {
		parent[k.Checkpoint.ID] = k.Checkpoint.ParentID
	}
	var left []piton.Kept
	for _, k := range all {
		for said[k.Checkpoint.ParentID] == piton.DeleteForever {
			k.Checkpoint.ParentID = parent[k.Checkpoint.ParentID]
		}
		switch said[k.Checkpoint.ID] {
		case piton.DeleteForever:
			continue
		case piton.MoveToCold:
			k.Checkpoint.Archive = "new"
		}
		left = append(left, k)
	}
	return crowned(left)
}

func drawRetention(t *rapid.T) piton.Retention {
	age := func(name string) time.Duration {
		return time.Duration(rapid.SampledFrom([]int{0, 1, 7, 14, 30}).Draw(t, name)) * days
	}
	count := func(name string) int { return rapid.IntRange(0, 4).Draw(t, name) }
	return piton.Retention{Warm: count("warm"), WarmFor: age("warm for"), DeleteAt: age("delete at"), NamedCap: count("named cap"),
		OpenFor: age("open for"), OpenCap: count("open cap"), PerSession: count("per session")}
}

func TestPlanProperties(t *testing.T) {
	draw.Check(t, func(t *rapid.T) {
		r, all := drawRetention(t), drawStore(t)
		plan := r.Plan(today, all)

		// Another order of the input, and the input itself, change nothing.
		mixed := slices.Clone(all)
		rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0)).Shuffle(len(mixed), func(i, j int) { mixed[i], mixed[j] = mixed[j], mixed[i] })
		before := slices.Clone(mixed)
		if diff := cmp.Diff(plan, r.Plan(today, mixed)); diff != "" {
			t.Fatalf("in another order (want -, got +):\n%s", diff)
		}
		if diff := cmp.Diff(before, mixed); diff != "" {
			t.Fatalf("the input was changed:\n%s", diff)
		}

		// One verdict each, newest first, with a reason.
		said := map[string]piton.Action{}
		for i, v := range plan {
			if want := all[len(all)-1-i].Checkpoint.ID; v.ID != want || v.Reason == "" || v.Action == "" {
				t.Fatalf("verdict %d: got %+v, want one of %s with a reason", i, v, want)
			}
			said[v.ID] = v.Action
		}
		if len(said) != len(all) {
			t.Fatalf("got %d verdicts, want %d", len(said), len(all))
		}
		holdsProtected(t, r, all, said)
		holdsCaps(t, r, all, said)

		// Once carried out there is nothing left to do.
		left := carriedOut(all, plan)
		for _, v := range r.Plan(today, left) {
			if v.Action != piton.Keep {
				t.Fatalf("again: got %+v, want it kept", v)
			}
		}
	})
}

// holdsProtected fails when what is protected does not stay.
func holdsProtected(t *rapid.T, r piton.Retention, all []piton.Kept, said map[string]piton.Action) {
	for _, k := range all {
		c := k.Checkpoint
		age := today.Sub(c.CreatedAt.Time)
		here := age // for as long it has been here
		if c.ImportedAt.After(c.CreatedAt.Time) {
			here = today.Sub(c.ImportedAt.Time)
		}
		phases := c.WorkflowType == piton.TypePhases
		newer, newerHeads, intact := 0, 0, 0
		for _, o := range all {
			x := o.Checkpoint
			same := x.WorkflowID == c.WorkflowID
			if same && x.Seq > c.Seq && x.Damaged == "" && (x.Name != "" || x.Trigger == piton.TriggerPhaseComplete && !phases) {
				newer++
			}
			if o.Head && o.Open && x.Project == c.Project && x.Ordinal > c.Ordinal {
				newerHeads++
			}
			if same && x.Damaged == "" {
				intact++
			}
		}
		why := ""
		switch {
		case c.Damaged != "":
			why = "damaged"
		case age < 0:
			why = "dated in the future"
		case (c.Name != "" || c.Trigger == piton.TriggerPhaseComplete && !phases) && (r.NamedCap == 0 || newer < r.NamedCap):
			why = "named"
		case k.Head && k.Open && (r.OpenFor == 0 || here < r.OpenFor) && !(phases && r.DeleteAt > 0 && here >= r.DeleteAt) && (r.OpenCap == 0 || newerHeads < r.OpenCap || intact == 1):
			why = "an open head"
		}
		if why != "" && said[c.ID] != piton.Keep {
			t.Fatalf("%s is %s: got %s, want it kept", c.ID, why, said[c.ID])
		}
		if why == "" && r.DeleteAt > 0 && here >= r.DeleteAt && said[c.ID] != piton.DeleteForever && !standsIn(all, c.ID) && !behind(r, all, said, c.WorkflowID) {
			t.Fatalf("%s has been here for %s: got %s, want it deleted", c.ID, here, said[c.ID])
		}
	}
}

// behind tells whether the newest of a workflow that is kept is older than what is
// deleted, and one before it is not.
func behind(r piton.Retention, all []piton.Kept, said map[string]piton.Action, workflow string) bool {
	var newest piton.Checkpoint
	younger := false
	for _, k := range all {
		c := k.Checkpoint
		if c.WorkflowID != workflow || c.Damaged != "" || c.CreatedAt.After(today) || said[c.ID] == piton.DeleteForever {
			continue
		}
		if c.Seq > newest.Seq {
			newest = c
		}
		younger = younger || here(c) < r.DeleteAt
	}
	return younger && newest.ID != "" && here(newest) >= r.DeleteAt
}

// here is for how long a checkpoint has been here.
func here(c piton.Checkpoint) time.Duration {
	if c.ImportedAt.After(c.CreatedAt.Time) {
		return today.Sub(c.ImportedAt.Time)
	}
	return today.Sub(c.CreatedAt.Time)
}

// standsIn tells whether a checkpoint is what a damaged open head falls back
// to.
func standsIn(all []piton.Kept, id string) bool {
	find := func(id string) (piton.Kept, bool) {
		i := slices.IndexFunc(all, func(k piton.Kept) bool { return k.Checkpoint.ID == id })
		if i < 0 {
			return piton.Kept{}, false
		}
		return all[i], true
	}
	for _, k := range all {
		if !k.Head || !k.Open {
			continue
		}
		at, ok := k, true
		for ok && at.Checkpoint.Damaged != "" {
			at, ok = find(at.Checkpoint.ParentID)
		}
		if ok && at.Checkpoint.ID == id && at.Checkpoint.ID != k.Checkpoint.ID {
			return true
		}
	}
	return false
}

// holdsCaps fails when more stays than may: of a workflow in the database, of
// a session at all.
func holdsCaps(t *rapid.T, r piton.Retention, all []piton.Kept, said map[string]piton.Action) {
	warm, sessions := map[string]int{}, map[string]int{}
	for _, k := range all {
		c := k.Checkpoint
		since := c.CreatedAt
		if c.ImportedAt.After(since.Time) {
			since = c.ImportedAt
		}
		risky := c.Trigger == piton.TriggerPreRisky && said[c.ID] == piton.Keep && today.Sub(since.Time) < 7*24*time.Hour // it stays, whatever the cap
		readable := c.Damaged == "" && !c.CreatedAt.After(today)
		marked := c.Name != "" || c.Trigger == piton.TriggerPhaseComplete
		needed := k.Head && k.Open || standsIn(all, c.ID) || behind(r, all, said, c.WorkflowID)
		free := readable && !risky && !marked && !needed
		switch {
		case !free:
			continue
		case said[c.ID] == piton.Keep && c.Archive == "" && (c.WorkflowType != piton.TypePhases || r.DeleteAt == 0):
			warm[c.WorkflowID]++
		}
		if said[c.ID] != piton.DeleteForever && c.SessionID != "" {
			sessions[c.SessionID]++
		}
		if said[c.ID] == piton.MoveToCold && c.Archive != "" {
			t.Fatalf("%s lies in the archive, and is archived again", c.ID)
		}
	}
	for w, n := range warm {
		if r.Warm > 0 && n > r.Warm {
			t.Fatalf("%s: got %d warm ones, want at most %d", w, n, r.Warm)
		}
	}
	for s, n := range sessions {
		if r.PerSession > 0 && n > r.PerSession {
			t.Fatalf("%s: got %d, want at most %d", s, n, r.PerSession)
		}
	}
}
