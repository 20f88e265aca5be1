package history

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/states"
	"github.com/piton-project/piton/internal/store"
)

// Imported is the answer to an import.
type Imported struct {
	Added    int            `json:"added"`             // checkpoints that are new here; with `--dry-run`, would be
	Known    int            `json:"known"`             // checkpoints that existed here already and did not change
	Redacted int            `json:"redacted"`          // how many secrets were removed; 0 if none
	Paths    []RedactedPath `json:"redacted_paths"`    // where the first 1,000 of them were
	IDs      []string       `json:"ids"`               // of the added checkpoints, in their order
	DryRun   bool           `json:"dry_run,omitempty"` // nothing was written, and `aside` and what `retention` does with each are not known
	Aside    []Aside        `json:"aside,omitempty"`   // workflows that have continued here separately; absent: there are none

	workflows map[string]bool // of those added
}

// RedactedPath is where a secret stood that was taken out.
type RedactedPath struct {
	ID   string `json:"id"`   // the checkpoint
	Path string `json:"path"` // a JSON pointer into it, exported
}

// ImportOptions say how to import.
type ImportOptions struct {
	// Project gives the project an entry belongs to here; nil: the one it names.
	Project func(store.Entry) (string, error)
	// Skip is told of an entry that is not acceptable, which is left out unless
	// Skip returns an error; nil: the import ends there.
	Skip func(store.Entry, error) error
	// DryRun: entries are read and checked, and looked for in the store, and nothing
	// is written. A Keeper without a store has none of them.
	DryRun bool
}

// Bounds of an import, of one transaction and of its answer.
const (
	maxImportEntries = 32
	maxImportBytes   = 4 << 20
	maxPaths         = 1000 // of Imported.Paths
)

// Import adds entries of another store or another program. It checks, redacts
// and sums them as a save does. What is there already stays as it is, so that
// importing twice changes nothing. A head moves on only along its own line: where
// the entries hold it too, or name it as a parent. What would move any other
// head, or has a number that is taken, comes to a branch set aside. On an error
// what was imported before stays; the same import again goes on.
func (k Keeper) Import(ctx context.Context, entries store.Entries, o ImportOptions) (Imported, error) {
	m := importer{Keeper: k, seen: map[string]bool{}, Imported: Imported{IDs: []string{}, Paths: []RedactedPath{}, workflows: map[string]bool{}}}
	m.DryRun = o.DryRun
	var err error
	if !o.DryRun {
		err = k.ready("import")
	}
	if err == nil {
		err = m.run(ctx, entries, o)
	}
	return m.Imported, err
}

// importer is one import: what it has done and what waits for the next
// transaction.
type importer struct {
	Keeper
	Imported
	seen  map[string]bool // ids of the entries so far
	batch []acceptedEntry
	size  int
}

func (m *importer) run(ctx context.Context, entries store.Entries, o ImportOptions) error {
	for e, err := range entries {
		if err != nil {
			return cmp.Or(m.write(ctx), err)
		}
		state, taken, err := m.accept(&e)
		if err != nil && o.Skip != nil {
			if err = o.Skip(e, err); err == nil {
				continue
			}
		}
		if err != nil {
			return err
		}
		m.Redacted += len(taken)
		for _, path := range taken[:min(len(taken), maxPaths-len(m.Paths))] {
			m.Paths = append(m.Paths, RedactedPath{e.Checkpoint.ID, path})
		}
		if o.Project != nil {
			if e.Checkpoint.Project, err = o.Project(e); err != nil {
				return err
			}
		}
		e.Workflow.Project = e.Checkpoint.Project
		if e.Foreign {
			// Its numbers are those of this reading.
			e.Checkpoint.Seq, e.Workflow.Seq = 0, 0
		}
		m.batch = append(m.batch, acceptedEntry{e, state})
		if m.size += len(e.State); len(m.batch) == maxImportEntries || m.size > maxImportBytes {
			if err := m.write(ctx); err != nil {
				return err
			}
		}
	}
	return m.write(ctx)
}

// write imports the batch in one transaction.
func (m *importer) write(ctx context.Context) error {
	if len(m.batch) == 0 {
		return nil
	}
	if m.DryRun {
		return m.look(ctx)
	}
	type placed struct {
		branch string
		fresh  bool
	}
	var done []placed
	err := m.Store.Save(ctx, func(tx store.Tx) error {
		done = nil
		seen := func(id string) bool {
			return m.seen[id] || slices.ContainsFunc(m.batch[:len(done)], func(e acceptedEntry) bool { return e.Checkpoint.ID == id })
		}
		for _, e := range m.batch {
			branch, fresh, err := m.place(ctx, tx, e, seen)
			if err != nil {
				return err
			}
			done = append(done, placed{branch, fresh})
		}
		return nil
	})
	if err != nil {
		return err
	}
	for i, e := range m.batch {
		c := e.Checkpoint
		m.seen[c.ID] = true
		if !done[i].fresh {
			m.Known++
			continue
		}
		m.Added++
		m.workflows[c.WorkflowID] = true
		m.IDs = append(m.IDs, c.ID)
		if done[i].branch != c.Branch {
			m.Aside = addAside(m.Aside, asideOne(c, done[i].branch))
		}
	}
	m.batch, m.size = m.batch[:0], 0
	return nil
}

// look counts what a dry run would add of the batch.
func (m *importer) look(ctx context.Context) error {
	for _, e := range m.batch {
		c := e.Checkpoint
		known := m.seen[c.ID]
		if !known && m.Store != nil {
			_, err := m.Store.Checkpoint(ctx, c.ID)
			if err != nil && !notFound(err) {
				return err
			}
			known = err == nil
		}
		m.seen[c.ID] = true
		if known {
			m.Known++
			continue
		}
		m.Added++
		m.IDs = append(m.IDs, c.ID)
	}
	m.batch, m.size = m.batch[:0], 0
	return nil
}

// accept checks an entry as a save checks a draft, and takes secrets out; taken is
// where each stood.
func (k Keeper) accept(e *store.Entry) (state redact.Document, taken []string, err error) {
	c, w := &e.Checkpoint, &e.Workflow
	op := "import " + c.ID
	// A file store may hold another program's checkpoints, whose sessions bear
	// names of its own.
	if c.SessionID != "" && c.SessionName == "" && !piton.IsWholeID(piton.SessionPrefix, c.SessionID) {
		c.SessionName = c.SessionID
	}
	for _, s := range []*string{&c.SessionID, &w.SessionID} {
		if *s != "" && !piton.IsWholeID(piton.SessionPrefix, *s) {
			*s = piton.DeriveID(piton.SessionPrefix, *s)
		}
	}
	if err := checkNumbers(op, *w, *c); err != nil {
		return state, nil, err
	}
	c.Branch = cmp.Or(c.Branch, piton.MainBranch)
	c.WorkflowID = w.ID
	clean, err := (*states.Recent)(nil).Clean(states.Line{}, e.State, k.Redact)
	if err != nil {
		return state, nil, err
	}
	taken = append(inExport(clean.TakenOut), takeOut(k.Redact, append(recordFields(c), field{path: "/workflow_name", text: &w.Name},
		field{path: "/workflow_type", text: &w.Type}, field{path: "/branch", text: &c.Branch, known: true})...)...)
	if strings.HasPrefix(w.Name, piton.WorkflowPrefix) {
		return state, nil, piton.Errorf(piton.Invalid, op, "", "a workflow's own name does not begin with %s: %q", piton.WorkflowPrefix, w.Name)
	}
	if err := checkText("the workflow's name", w.Name, 2*maxName); err != nil { // with a number, or marks of secrets, in it
		return state, nil, err
	}
	if err := checkText("the session's name", c.SessionName, maxName); err != nil {
		return state, nil, err
	}
	d := Draft{SaveRequest: piton.SaveRequest{StepName: c.StepName, Name: c.Name, Branch: c.Branch, Type: w.Type, Description: c.Description, Task: c.TaskSummary, Tags: c.Tags, Trigger: c.Trigger, Progress: c.Progress, Step: c.StepNumber, PhaseNumber: c.PhaseNumber, PhaseTotal: c.PhaseTotal, DurationMS: c.DurationMS}}
	if err := d.check(); err != nil {
		return state, nil, err
	}
	w.Type = cmp.Or(w.Type, piton.TypeCustom)
	c.WorkflowType, c.Trigger = w.Type, d.Trigger
	if c.CreatedAt.IsZero() {
		c.CreatedAt = k.now()
	}
	c.ImportedAt = k.now()
	if e.Foreign && !c.Completed { // other programs do not say so
		said, err := states.Read(clean.JSON.Get())
		c.Completed = err == nil && states.Finished(*c, said)
	}
	if c.Completed && c.CompletedAt.IsZero() {
		c.CompletedAt = c.CreatedAt // some programs say only that it is
	}
	if w.CreatedAt.IsZero() {
		w.CreatedAt = c.CreatedAt
	}
	e.State = clean.JSON.Get()
	c.SHA256, c.SchemaVersion = sumOf(e.State), cmp.Or(c.SchemaVersion, schemaVersion)
	return clean.JSON, taken, nil
}

// maxNumber bounds the numbers that are imported: others come behind them, and
// readers of JSON hold what is below as it is.
const maxNumber = 1 << 53

// checkNumbers refuses ids and numbers that no export has.
func checkNumbers(op string, w piton.Workflow, c piton.Checkpoint) error {
	const hint = "import what 'export' wrote"
	for _, id := range []struct {
		what, prefix, id string
		must             bool
	}{
		{"checkpoint", piton.CheckpointPrefix, c.ID, true}, {"workflow", piton.WorkflowPrefix, w.ID, true}, {"checkpoint", piton.CheckpointPrefix, c.ParentID, false},
		{"session", piton.SessionPrefix, c.SessionID, false}, {"session", piton.SessionPrefix, w.SessionID, false},
	} {
		if (id.id != "" || id.must) && !piton.IsWholeID(id.prefix, id.id) {
			return piton.Errorf(piton.Invalid, op, hint, "%q is not a %s's id", id.id, id.what)
		}
	}
	if c.Seq < 0 || c.Seq > maxNumber || w.Seq < 0 || w.Seq > maxNumber {
		return piton.Errorf(piton.Invalid, op, hint, "number %d of %d in its workflow does not exist", c.Seq, w.Seq)
	}
	if u := c.TokenUsage; u != nil && min(u.Input, u.Output, u.CacheRead, u.CacheWrite) < 0 {
		return piton.Errorf(piton.Invalid, op, hint, "it says that less than no tokens were used")
	}
	return nil
}
