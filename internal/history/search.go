package history

import (
	"context"
	"strings"

	"github.com/piton-project/piton"
)

// searchBytes bounds what of a checkpoint can be found, its record first.
const searchBytes = 64 << 10

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

// indexed is SearchText that tells how far it has come: the store asks for what
// is new in its order, or without an index for everything, newest first.
func (k Keeper) indexed(ctx context.Context) func(piton.Checkpoint, []byte) string {
	if k.Indexing == nil {
		return SearchText
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
		return SearchText(c, state)
	}
}

// SearchText is what a checkpoint is found by (docs/spec.md, "search"). state
// is nil where there is none to read: then the record alone is.
func SearchText(c piton.Checkpoint, state []byte) string {
	t := &searchText{}
	t.add(c.Name, c.StepName, c.Workflow, c.TaskSummary, c.Description)
	t.add(c.Tags...)
	if c.Origin.Agent == "" { // a client's are random
		t.add(c.SessionName)
	}
	s, err := decode(state)
	if err != nil {
		return t.String()
	}
	t.add(str(s, "task_summary", "taskSummary"), str(s, "query"), str(s, "phase"), scalar(s["current_phase"]))
	t.keys(list(s, "decisions"), "phase", "decision", "rationale")
	t.keys(list(s, "todos"), "content", "subject", "activeForm")
	t.keys(list(s, "files_modified", "filesModified"), "path", "file")
	t.keys(list(s, "plan"), "id", "description")
	t.keys(list(s, "isc_criteria", "iscCriteria"), "subject")
	t.keys(list(s, "completed_phases"), "name")
	t.keys(list(s, "pending_phases"), "name")
	work := object(s["context"])
	t.add(str(work, "project_name"), str(work, "project_path"), str(work, "brd_file"))
	t.keys(list(work, "spec_files"), "path")
	t.keys(list(s, "unverified"), "path")
	t.add(str(object(firstOfAny(s["last_error"], s["lastError"])), "message"))
	return t.String()
}

// searchText gathers texts, a line each, until there are enough of them.
type searchText struct{ strings.Builder }

func (t *searchText) add(texts ...string) {
	for _, s := range texts {
		if room := searchBytes - t.Len() - 1; s != "" && room > 0 {
			t.WriteString(strings.ToValidUTF8(s[:min(len(s), room)], "") + "\n")
		}
	}
}

// keys adds what is text in a list: its items, or these keys of them.
func (t *searchText) keys(items []any, keys ...string) {
	for _, x := range items {
		t.add(scalar(x))
		o := object(x)
		for _, k := range keys {
			t.add(scalar(o[k]))
		}
	}
}
