package states

import (
	"strings"

	"github.com/piton-project/piton"
)

// maxSearchBytes bounds what of a checkpoint can be found, its record first.
const maxSearchBytes = 64 << 10

// searched are the lists of a state whose items can be found: texts, or these
// members of objects.
var searched = []struct {
	lists   []string // other names of one list
	members []string
}{
	{[]string{"decisions"}, []string{"phase", "decision", "rationale"}},
	{[]string{"todos"}, []string{"content", "subject", "activeForm"}},
	{[]string{"files_modified", "filesModified"}, []string{"path", "file"}},
	{[]string{"plan"}, []string{"id", "description"}},
	{[]string{"isc_criteria", "iscCriteria"}, []string{"subject"}},
	{[]string{"completed_phases"}, []string{"name"}},
	{[]string{"pending_phases"}, []string{"name"}},
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
	s, err := Read(state)
	if err != nil {
		return t.String()
	}
	t.add(str(s, "task_summary", "taskSummary"), str(s, "query"), str(s, "phase"), scalar(s["current_phase"]))
	for _, x := range searched {
		t.items(list(s, x.lists...), x.members...)
	}
	work := object(s["context"])
	t.add(str(work, "project_name"), str(work, "project_path"), str(work, "brd_file"))
	t.items(list(work, "spec_files"), "path")
	t.items(list(s, "unverified"), "path")
	t.add(str(object(get(s, "last_error", "lastError")), "message"))
	return t.String()
}

// searchText gathers texts, a line each, until there are enough of them.
type searchText struct{ strings.Builder }

func (t *searchText) add(texts ...string) {
	for _, s := range texts {
		if room := maxSearchBytes - t.Len() - 1; s != "" && room > 0 {
			t.WriteString(strings.ToValidUTF8(s[:min(len(s), room)], "") + "\n")
		}
	}
}

// items adds what is text in a list: its items, or these members of them.
func (t *searchText) items(items []any, members ...string) {
	for _, x := range items {
		t.add(scalar(x))
		for _, m := range members {
			t.add(scalar(object(x)[m]))
		}
	}
}
