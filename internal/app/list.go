package app

import (
	"cmp"
	"context"
	"os"
	"slices"
	"strconv"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/app/insight"
	"github.com/piton-project/piton/internal/app/planruns"
	"github.com/piton-project/piton/internal/client/clients"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/request"
	"github.com/piton-project/piton/internal/states"
	"github.com/piton-project/piton/internal/store"
)

// Listing is a page of checkpoints, the newest first.
type Listing struct {
	Checkpoints []piton.Checkpoint `json:"checkpoints"`           // newest first; empty if none matches
	Next        string             `json:"next_cursor,omitempty"` // give it to `--cursor` for the next part; its form is not part of the contract; absent: this is the last part
	Needs       []OpenNeed         `json:"needs,omitempty"`       // what the work of the project leaves open; absent: without `--open`, or nothing is open
	Matches     []history.Match    `json:"matches,omitempty"`     // with a search: where the words stand in the first 100 checkpoints, in their order
	Folders     map[string]string  `json:"folders,omitempty"`     // by the ids of the projects of these checkpoints: the folder of each on this machine, or its name where it has moved; absent: none is known here
	// AtWork is the head of a live session, where that is why no unfinished work is
	// listed.
	AtWork *piton.Checkpoint `json:"-"`
	Work   []Work            `json:"work,omitempty"` // all that is unfinished in the project, what waits for a person first; absent: without `--open`, or with a filter besides, or nothing is unfinished
	// Runs are the unfinished runs here, where Work is asked for.
	Runs []planruns.RunRow `json:"-"`
	// NoStore is why nothing is listed, where there is no store yet.
	NoStore error `json:"-"`
}

func listing(p piton.Page) Listing {
	l := Listing{Checkpoints: p.Checkpoints}
	if l.Checkpoints == nil {
		l.Checkpoints = []piton.Checkpoint{}
	}
	if p.Next > 0 {
		l.Next = strconv.FormatInt(p.Next, 10)
	}
	return l
}

// The words of which a field of a request is one.
var _ = request.Enum("triggers", textsOf(piton.Triggers)) &&
	request.Enum("clients", clients.Names()) && request.Enum("statuses", planruns.RunStatusNames()) &&
	request.Enum("costs", insight.CostKinds) &&
	request.Enum("engines", []string{piton.EnginePiton, piton.EngineTemporal}) &&
	request.Enum("overlaps", []string{"skip", "queue", "allow", "cancel"}) && request.Enum("catch_ups", []string{"none", "one", "all"})

func textsOf[S ~string](list []S) (texts []string) {
	for _, x := range list {
		texts = append(texts, string(x))
	}
	return texts
}

// query reads the texts of a request.
func (a Checkpoints) query(f piton.ListRequest) (piton.Query, error) {
	q := piton.Query{
		Workflow: f.Workflow, Session: f.Session, Completed: f.Completed, Open: f.Open, Trigger: f.Trigger, Agent: f.Agent,
		Branch: f.Branch, Name: f.Name, Tag: f.Tag, Limit: f.Limit,
	}
	var err error
	if q.Since, q.Until, err = caller.ParseTimes(f.Since, f.Until, a.Options.Now()); err != nil {
		return q, err
	}
	if f.Cursor != "" {
		n, err := strconv.ParseInt(f.Cursor, 10, 64)
		if err != nil || n <= 0 {
			return q, piton.Errorf(piton.Invalid, "", "give the next_cursor of the list before", "%q is not a cursor", f.Cursor)
		}
		q.Before = n
	}
	return q, nil
}

// ask answers a filter. Where nothing was ever saved, or the project was never
// seen, the page is empty. A workflow's name and unfinished work belong to the
// caller's project where no folder is named.
func (a Checkpoints) ask(ctx context.Context, f piton.ListRequest, answer func(history.Keeper, piton.Query) (piton.Page, error)) (Listing, error) {
	none := Listing{Checkpoints: []piton.Checkpoint{}}
	q, err := a.query(f)
	if err != nil {
		return none, err
	}
	k, err := a.Keeper(ctx, true)
	if caller.Missing(err) {
		none.NoStore = err
		return a.addWork(ctx, none, f, ""), nil
	}
	if err != nil {
		return none, err
	}
	dir := f.Project
	local := q.Workflow != "" || q.Open && q.Session == ""
	if dir == "" && local && a.Placed() {
		dir = "."
	}
	if dir != "" {
		if q.Open && k.Unowned != nil {
			// It may have open work here before anything was saved in it.
			if _, err := a.Project(ctx, dir, true); err != nil {
				return none, err
			}
			k.Unowned = a.Unowned(ctx)
		}
		s, err := a.selector(ctx, newest(q.Workflow, dir))
		if err != nil || s.Project == "" && q.Workflow == "" {
			return a.addWork(ctx, none, f, ""), err
		}
		q.Project = s.Project
	}
	page, err := answer(k, q)
	if err != nil {
		return none, err
	}
	l := listing(page)
	l.Folders = a.folders(ctx, l.Checkpoints...)
	if q.Open && f.Cursor == "" {
		if l.Needs, err = a.needsHere(ctx, f.Project); err != nil {
			return none, err
		}
		l = a.addWork(ctx, l, f, q.Project)
	}
	if q.Open && len(l.Checkpoints) == 0 {
		if x := k.AtWork(ctx, q); x.ID != "" {
			l.AtWork = &x
		}
	}
	return l, nil
}

// folders are where the projects of checkpoints lie on this machine, by their ids; of one that
// lies nowhere where it was seen, its name.
func (a Checkpoints) folders(ctx context.Context, list ...piton.Checkpoint) map[string]string {
	projects, err := a.LocalStore.Projects(ctx)
	folders := map[string]string{}
	for _, p := range projects {
		for _, id := range []string{p.ID, p.SharedID()} {
			if !slices.ContainsFunc(list, func(c piton.Checkpoint) bool { return c.Project == id }) {
				continue
			}
			if _, err := os.Stat(p.Root); err == nil {
				folders[id] = p.Root
			}
			folders[id] = cmp.Or(folders[id], p.Name)
		}
	}
	if err != nil {
		a.Options.Log.WarnContext(ctx, "the folders of projects are not known", "err", err)
	}
	return folders
}

// addWork adds all that is unfinished in a project to a list of its unfinished work; the
// list does not need it.
func (a Checkpoints) addWork(ctx context.Context, l Listing, f piton.ListRequest, project string) Listing {
	if all := (piton.ListRequest{Open: true, Project: f.Project, Limit: f.Limit}); f != all || f.Project == "" && !a.Placed() {
		return l
	}
	if f.Project != "" {
		dir, err := a.Path(f.Project)
		if err != nil {
			return l
		}
		a.Options.Dir = dir // the caller stands there from then on
	}
	open, err := Overview(a).workHere(ctx, project)
	if l.Runs = open.runs; err == nil {
		l.Work = open.list()
	}
	return l
}

// OfNoRun are the checkpoints that are not the heads of unfinished runs, which have
// commands of their own.
func (l Listing) OfNoRun() []piton.Checkpoint { return ofNoRun(slices.Clone(l.Checkpoints), l.Runs) }

// List lists checkpoints. Without a filter it lists those of all projects.
func (a Checkpoints) List(ctx context.Context, f piton.ListRequest) (Listing, error) {
	return a.ask(ctx, f, func(k history.Keeper, q piton.Query) (piton.Page, error) { return k.List(ctx, q) })
}

// Search lists the checkpoints that hold every one of the words.
func (a Checkpoints) Search(ctx context.Context, r piton.SearchRequest) (Listing, error) {
	question, err := states.SearchQuery(r.Words, r.Files, r.By)
	if err != nil {
		return Listing{}, err
	}
	var matches []history.Match
	l, err := a.ask(ctx, r.ListRequest, func(k history.Keeper, q piton.Query) (page piton.Page, err error) {
		k.Indexing = a.Progress("Reading what is new")
		defer k.Indexing(1, 1)
		if page, err = k.Search(ctx, question, q); err == nil {
			matches, err = k.Matches(ctx, question, page.Checkpoints)
		}
		return page, err
	})
	l.Matches = matches
	return l, err
}

// BranchList is the branches of a workflow, in the order they began.
type BranchList struct {
	Branches []store.Branch `json:"branches"` // oldest first; empty for a workflow without checkpoints
}

// Branches lists the branches of a workflow, by id or by its name in the project.
func (a Checkpoints) Branches(ctx context.Context, r piton.BranchesRequest) (BranchList, error) {
	k, s, err := a.open(ctx, newest(r.Workflow, r.Project))
	if err != nil {
		return BranchList{}, err
	}
	list, err := k.Branches(ctx, s.Workflow, s.Project)
	if list == nil {
		list = []store.Branch{}
	}
	return BranchList{list}, err
}
