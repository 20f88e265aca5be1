package verbtest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/archive"
	"github.com/piton-project/piton/internal/store/sqlstore"
)

// againSeeds are how many sequences of importsAgain are tried; PITON_TEST_AGAIN
// sets another number.
const againSeeds = 3

// importsAgain imports sources that grow and shrink, an export and another
// program's folder, between saves of the store's own, in random order. Nothing
// is lost, no head moves but along its own line, and the second time changes
// nothing.
func importsAgain(d *desk) {
	seeds := againSeeds
	if n, err := strconv.Atoi(os.Getenv("PITON_TEST_AGAIN")); err == nil {
		seeds = n
	}
	from := newDesk(d.T, Fixture{Store: d.sqlite("origin.db")})
	for seed := range uint64(seeds) {
		a := &again{d: d, from: from, rand: rand.New(rand.NewPCG(seed, 7)), flow: fmt.Sprint("flow ", seed), session: fmt.Sprint("sess ", seed), states: map[string]string{}, own: map[string]bool{}}
		for range 30 {
			a.step()
			if d.Failed() {
				d.Fatalf("seed %d, after:\n%s", seed, strings.Join(a.log, "\n"))
			}
		}
	}
}

// again is one sequence: what was done, and what must be there.
type again struct {
	d, from *desk
	rand    *rand.Rand
	flow    string            // the workflow of the export
	session string            // the workflow of the other program
	theirs  []string          // its files, as they are now
	made    int               // files ever
	states  map[string]string // of all that must be there, by id
	own     map[string]bool   // saved in the store itself
	log     []string
}

func (a *again) step() {
	switch n := a.rand.IntN(12); {
	case n < 2:
		c := a.from.save(history.Draft{SaveRequest: piton.SaveRequest{Workflow: a.flow, State: fmt.Appendf(nil, `{"far":%d}`, len(a.log))}})
		a.say("the origin saves %s", c.ID)
	case n == 2:
		a.shrinkOrigin()
	case n < 5:
		a.made++
		a.theirs = append(a.theirs, fmt.Sprintf(`{"id":"%[2]s %[1]d","sessionId":%[2]q,"phase":"P%[1]d","phaseNumber":%[3]d,"createdAt":"2026-02-03T10:%02[1]d:00Z","completed":false,"taskSummary":"t","iscCriteria":[],"metadata":{}}`,
			a.made, a.session, 1+a.made%6))
		a.say("they write %d", a.made)
	case n == 5 && len(a.theirs) > 0:
		i := a.rand.IntN(len(a.theirs))
		a.say("they delete %.18s", a.theirs[i])
		a.theirs = slices.Delete(slices.Clone(a.theirs), i, i+1)
	case n < 8:
		a.saveHere()
	default:
		a.take()
	}
}

func (a *again) say(format string, args ...any) { a.log = append(a.log, fmt.Sprintf(format, args...)) }

// shrinkOrigin deletes one there, or forks, or completes.
func (a *again) shrinkOrigin() {
	list := a.from.list(piton.Query{})
	list = slices.DeleteFunc(list, func(c piton.Checkpoint) bool { return c.Workflow != a.flow })
	if len(list) == 0 {
		return
	}
	c := list[a.rand.IntN(len(list))]
	var err error
	switch a.rand.IntN(3) {
	case 0:
		_, err = a.from.Delete(a.d.ctx, history.Selector{ID: c.ID}, history.DeleteOptions{})
		a.say("the origin deletes %s", c.ID)
	case 1:
		var f history.Forked
		f, err = a.from.Fork(a.d.ctx, history.ForkDraft{ForkRequest: piton.ForkRequest{From: c.ID}})
		a.say("the origin forks %s as %s", c.ID, f.ID)
	default:
		_, err = a.from.Complete(a.d.ctx, history.Selector{Workflow: c.WorkflowID})
		a.say("the origin completes")
	}
	if err != nil {
		a.d.Fatal(err)
	}
}

// saveHere saves to one of the imported workflows, if one is there.
func (a *again) saveHere() {
	name := []string{a.flow, a.session}[a.rand.IntN(2)]
	w, err := a.d.Fixture.Store.Workflow(a.d.ctx, name, project)
	if piton.CodeOf(err) == piton.NotFound {
		return
	}
	if err != nil {
		a.d.Fatal(err)
	}
	x := history.Draft{SaveRequest: piton.SaveRequest{Workflow: w.ID, State: fmt.Appendf(nil, `{"here":%d}`, len(a.log))}}
	if w.Type == piton.TypePhases {
		x.Phase, x.PhaseNumber = "here", 2
	}
	c := a.d.save(x)
	state, err := a.d.Load(a.d.ctx, history.Selector{ID: c.ID}, false)
	if err != nil {
		a.d.Fatal(err)
	}
	a.states[c.ID], a.own[c.ID] = string(state.State), true
	a.say("a save here, %s number %d of %s", c.ID, c.Seq, name)
}

// take imports one of the sources as it is now, twice.
func (a *again) take() {
	d := a.d
	entries := a.theirEntries
	what := "their folder"
	if a.rand.IntN(2) == 0 {
		part := a.part()
		what, entries = fmt.Sprintf("an export of %d", len(part)), func() store.Entries {
			return func(yield func(store.Entry, error) bool) {
				for _, e := range part {
					if !yield(e, nil) {
						return
					}
				}
			}
		}
	}
	shown := map[string]bool{}
	for e, err := range entries() {
		if err != nil {
			d.Fatal(err)
		}
		a.states[e.Checkpoint.ID], shown[e.Checkpoint.ID] = string(e.State), true
	}
	before, heads := a.records(), a.heads()
	first, err := d.Import(d.ctx, entries(), history.ImportOptions{Project: func(store.Entry) (string, error) { return project, nil }})
	if err != nil {
		d.Fatalf("import %s: got %v, want no error\n%s", what, err, strings.Join(a.log, "\n"))
	}
	a.say("%s is imported: %d new, %d known, aside %v", what, first.Added, first.Known, first.Aside)
	after := a.records()
	for id, was := range before {
		is := after[id]
		if was.ParentID == "" {
			is.ParentID = "" // it may have been linked
		}
		if diff := cmp.Diff(was, is, cmpopts.EquateEmpty(), sameTime); diff != "" {
			d.Errorf("%s was here before (want -, got +)\n%s", id, diff)
		}
	}
	for id, state := range a.states {
		if got, err := d.Load(d.ctx, history.Selector{ID: id}, false); (shown[id] || before[id].ID != "") && (err != nil || string(got.State) != state) {
			d.Errorf("%s: got %s, %v, want %s", id, got.State, err, state)
		}
	}
	for at, head := range a.heads() {
		if was := heads[at]; was != "" && was != head && !shown[was] && !a.follows(after, head, was) {
			d.Errorf("the head of %s moved from %s to %s, which the source knows nothing of", at, was, head)
		} else if a.own[was] && was != head {
			d.Errorf("the head of %s moved from %s, which was saved here, to %s", at, was, head)
		}
	}
	second, err := d.Import(d.ctx, entries(), history.ImportOptions{Project: func(store.Entry) (string, error) { return project, nil }})
	if err != nil || second.Added != 0 || second.Known != first.Added+first.Known {
		d.Errorf("%s again: got %+v, %v, want nothing new", what, second, err)
	}
	equal(d, "the records after importing again", a.records(), after)
	if faults, err := d.Fixture.Store.Upkeep().Check(d.ctx); err != nil || len(faults) > 0 {
		d.Errorf("check: got %q, %v, want nothing", faults, err)
	}
}

// part is what the origin's export of the workflow holds, sometimes not all of
// it.
func (a *again) part() (list []store.Entry) {
	less := a.rand.IntN(3) == 0
	for e, err := range archive.Decode(bytes.NewReader(a.from.exported())) {
		if err != nil {
			a.d.Fatal(err)
		}
		if e.Workflow.Name == a.flow && !(less && a.rand.IntN(3) == 0) {
			list = append(list, e)
		}
	}
	return list
}

func (a *again) theirEntries() store.Entries {
	i := &archive.Importer{Project: project, Now: piton.At(a.d.time)}
	return i.Read(strings.NewReader("["+strings.Join(a.theirs, ",")+"]"), "theirs.json")
}

// records are all there is, by id.
func (a *again) records() map[string]piton.Checkpoint {
	m := map[string]piton.Checkpoint{}
	for _, c := range a.d.list(piton.Query{}) {
		m[c.ID] = c
	}
	return m
}

// heads are those of the workflows and their branches.
func (a *again) heads() map[string]string {
	d, m := a.d, map[string]string{}
	for _, name := range []string{a.flow, a.session} {
		w, err := d.Fixture.Store.Workflow(d.ctx, name, project)
		if piton.CodeOf(err) == piton.NotFound {
			continue
		}
		list, err2 := d.Branches(d.ctx, w.ID, "")
		if err != nil || err2 != nil {
			d.Fatal(err, err2)
		}
		m[name] = w.HeadID
		for _, b := range list {
			if !piton.IsAside(b.Name) {
				m[name+", "+b.Name] = b.HeadID
			}
		}
	}
	return m
}

// follows tells whether a checkpoint has another among its ancestors.
func (a *again) follows(all map[string]piton.Checkpoint, id, ancestor string) bool {
	for range all {
		if id = all[id].ParentID; id == ancestor {
			return true
		}
	}
	return false
}

// asideTakesNoPlace looks by a name and by a session for what was saved here,
// after an import has set newer work of both aside.
func asideTakesNoPlace(d *desk) {
	from := newDesk(d.T, Fixture{Store: d.sqlite("origin.db")})
	from.Local = from.Fixture.Store.(*sqlstore.Store).Local()
	d.Local = d.sqlite("here.db").Local()
	const session = "ses_0123456789abcdef"
	if err := from.Local.Update(d.ctx, func(tx store.LocalTx) error {
		return tx.PutSession(d.ctx, redact.Value(agent.Session{Identity: agent.Identity{ID: session, ClientID: "run"}}))
	}); err != nil {
		d.Fatal(err)
	}
	if err := d.Local.Update(d.ctx, func(tx store.LocalTx) error {
		return tx.PutSession(d.ctx, redact.Value(agent.Session{Identity: agent.Identity{ID: session, ClientID: "run"}}))
	}); err != nil {
		d.Fatal(err)
	}
	x := history.Draft{SaveRequest: piton.SaveRequest{Workflow: "flow", Session: session, Name: "mark", State: []byte(`{"n":1}`)}}
	from.save(x)
	d.take(from.exported())
	x.State = []byte(`{"here":1}`)
	own := d.save(x)
	x.State = []byte(`{"far":1}`)
	far := from.save(x)
	if r := d.take(from.exported()); len(r.Aside) != 1 {
		d.Fatalf("got %+v, want something set aside", r)
	}
	for _, s := range []history.Selector{{Session: "run"}, {Name: "mark", Project: project}, {Name: "mark", Session: "run"}, {Workflow: "flow", Project: project}} {
		if c, err := d.Find(d.ctx, s); err != nil || c.ID != own.ID {
			d.Errorf("find %+v: got %s, %v, want what was saved here, %s", s, c.ID, err, own.ID)
		}
	}
	if c, err := d.Find(d.ctx, history.Selector{Session: "run", Branch: "imported/main"}); err != nil || c.ID != far.ID {
		d.Errorf("find on the branch: got %s, %v, want %s", c.ID, err, far.ID)
	}
}
