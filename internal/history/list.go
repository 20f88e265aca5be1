package history

import (
	"cmp"
	"context"
	"slices"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/states"
)

// List returns what fits the query, newest first; it never reads a state. Of
// open heads it leaves out those of sessions that are at work.
func (k Keeper) List(ctx context.Context, q piton.Query) (piton.Page, error) {
	q, err := k.resolve(ctx, q)
	if err != nil {
		return piton.Page{}, err
	}
	page, err := k.Store.List(ctx, q)
	return k.withoutBusy(ctx, q, page), err
}

// Search returns the checkpoints that hold every one of the words and fit the
// query, newest first, as List does. Invalid when there is no word among them.
func (k Keeper) Search(ctx context.Context, words string, q piton.Query) (piton.Page, error) {
	q, err := k.resolve(ctx, q)
	if err != nil {
		return piton.Page{}, err
	}
	page, err := k.Store.Search(ctx, words, q, k.indexed(ctx))
	return k.withoutBusy(ctx, q, page), err
}

// Index brings the search index up to date, so that no search has to.
func (k Keeper) Index(ctx context.Context) error {
	if err := k.ready("bring the search index up to date"); err != nil {
		return err
	}
	_, err := k.Store.Search(ctx, states.Nowhere, piton.Query{Limit: 1}, k.indexed(ctx))
	return err
}

// Match is a place where words of a search stand.
type Match struct {
	Checkpoint string `json:"checkpoint_id"`
	states.Found
}

// Matches are the places where the words of a search stand in what it has found.
func (k Keeper) Matches(ctx context.Context, words string, found []piton.Checkpoint) (matches []Match, err error) {
	if err := k.ready("search"); err != nil {
		return nil, err
	}
	for _, c := range found[:min(len(found), maxShownMatches)] {
		var state []byte
		if c.Archive == "" { // an archive may be far away
			state, _ = k.Store.State(ctx, c.ID)
		}
		for _, f := range states.Matches(c, state, words) {
			matches = append(matches, Match{c.ID, f})
		}
	}
	return matches, nil
}

// maxShownMatches bounds the checkpoints of a search whose matches are looked for.
const maxShownMatches = 100

// indexed is states.SearchText that tells how far it has come: the store asks
// for what is new in its order, or without an index for everything, newest first.
func (k Keeper) indexed(ctx context.Context) func(piton.Checkpoint, []byte) string {
	if k.Indexing == nil {
		return states.SearchText
	}
	var first, newest int64
	return func(c piton.Checkpoint, state []byte) string {
		if first == 0 {
			first, newest = c.Ordinal, c.Ordinal
			if page, err := k.Store.List(ctx, piton.Query{Limit: 1}); err == nil && len(page.Checkpoints) > 0 {
				newest = max(newest, page.Checkpoints[0].Ordinal)
			}
		}
		if c.Ordinal < first {
			k.Indexing(first-c.Ordinal+1, first)
		} else {
			total := newest - first + 1
			k.Indexing(min(c.Ordinal-first+1, total), total)
		}
		return states.SearchText(c, state)
	}
}

// withoutBusy leaves the open heads of sessions and runs at work out of a page.
func (k Keeper) withoutBusy(ctx context.Context, q piton.Query, page piton.Page) piton.Page {
	if q.Open && len(page.Checkpoints) > 0 {
		runs := k.working(ctx, q.Project)
		page.Checkpoints = slices.DeleteFunc(page.Checkpoints, func(c piton.Checkpoint) bool {
			return atWork(runs, c) || c.WorkflowType == piton.TypeSession && (k.alive(ctx, c.SessionID) || k.goesOn(ctx, c))
		})
	}
	return page
}

// AtWork is the newest open head that fits a query and that List and Detect
// leave out because its session counts as alive: for minutes after a crash, too,
// where the client's process is not known. Without one its ID is empty.
func (k Keeper) AtWork(ctx context.Context, q piton.Query) piton.Checkpoint {
	q.Open, q.Limit, q.Before = true, maxOffers, 0
	q, err := k.resolve(ctx, q)
	if err != nil {
		return piton.Checkpoint{}
	}
	page, err := k.Store.List(ctx, q)
	if err != nil {
		return piton.Checkpoint{}
	}
	for _, c := range page.Checkpoints {
		if c.SessionID != "" && k.alive(ctx, c.SessionID) {
			return c
		}
	}
	return piton.Checkpoint{}
}

// maxOffers bounds how many open heads of each kind detection looks at.
const maxOffers = 100

// Detect returns the heads of a project's open workflows that nobody is at
// work on, any type before type session, newest first, at most limit, and how
// many more open ones there are (docs/spec.md, "Crash recovery"). except is a
// session whose own work is left out. A hook waits for it, so it reads no more
// heads than it has to. An offer belongs to the store that the settings name:
// beside another one than the local file, what was saved here by hand is not
// offered, because it is not carried there.
func (k Keeper) Detect(ctx context.Context, project, except string, limit int) (open []piton.Checkpoint, more int, err error) {
	if err := k.ready("detect open work"); err != nil {
		return nil, 0, err
	}
	if k.oneFile() && k.StoreName != "" {
		return k.detectFar(ctx, project, except, limit)
	}
	shared := k.unowned(project)
	bySession, err := k.countOpen(ctx, project, shared)
	if err != nil || len(bySession) == 0 {
		return nil, 0, err
	}
	busy, all := map[string]bool{}, 0
	for session, n := range bySession {
		busy[session] = session != "" && (session == except || k.alive(ctx, session))
		if !busy[session] {
			all += n - k.gone(ctx, session)
		}
	}
	runs := k.working(ctx, project)
	for _, r := range runs {
		if !busy[r.SessionID] {
			all--
		}
	}
	for _, q := range []piton.Query{{NotType: piton.TypeSession}, {Type: piton.TypeSession}} {
		q.Project, q.Shared, q.Open, q.Limit = project, shared, true, min(limit, maxOffers)
		for seen := 0; len(open) < limit && seen < maxOffers; seen += q.Limit {
			page, err := k.Store.List(ctx, q)
			if err != nil {
				return nil, 0, err
			}
			for _, c := range page.Checkpoints {
				if !busy[c.SessionID] && !atWork(runs, c) && !k.goesOn(ctx, c) {
					open = append(open, c)
				}
			}
			if q.Before = page.Next; q.Before == 0 {
				break
			}
		}
	}
	open = open[:min(len(open), limit)]
	return open, max(all-len(open), 0), nil
}

// countOpen counts the open heads of a project by their sessions; shared: those
// of none too.
func (k Keeper) countOpen(ctx context.Context, project string, shared bool) (map[string]int, error) {
	count, err := k.Store.CountOpen(ctx, project)
	if err != nil || !shared {
		return count, err
	}
	also, err := k.Store.CountOpen(ctx, "")
	for session, n := range also {
		count[session] += n
	}
	return count, err
}

// detectFar detects from this machine what is open in another store: the heads
// that were noted of it, and of the sessions of this machine, which are carried
// there, those that lie here.
func (k Keeper) detectFar(ctx context.Context, project, except string, limit int) (open []piton.Checkpoint, more int, err error) {
	far, err := k.Local.Mirrored(ctx, k.StoreName, project)
	if err != nil {
		return nil, 0, err
	}
	page, err := k.Store.List(ctx, piton.Query{Project: project, Type: piton.TypeSession, Open: true, Limit: maxOffers})
	if err != nil {
		return nil, 0, err
	}
	slices.SortFunc(far, func(a, b piton.Checkpoint) int {
		return cmp.Or(b.CreatedAt.Compare(a.CreatedAt.Time), cmp.Compare(b.Seq, a.Seq), cmp.Compare(a.ID, b.ID))
	})
	var ofSessions []piton.Checkpoint
	for _, c := range far {
		if c.WorkflowType == piton.TypeSession {
			ofSessions = append(ofSessions, c)
		} else {
			open = append(open, c)
		}
	}
	for _, c := range page.Checkpoints {
		if c.SessionID == "" || c.SessionID != except && !k.alive(ctx, c.SessionID) && !k.goesOn(ctx, c) {
			open = append(open, c)
		}
	}
	open = append(open, ofSessions...)
	all := len(open)
	open = open[:min(all, limit)]
	return open, all - len(open), nil
}
