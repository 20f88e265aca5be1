package states

import (
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
)

// Since is what a session did after a checkpoint of it was saved, as its log and
// its work tree tell when the checkpoint is resumed (docs/spec.md, "Crash
// recovery"). The checkpoint itself stays as it was. Its JSON is a contract
// (docs/json.md).
type Since struct {
	Known      bool           `json:"known"`                // the session's log was read
	Why        string         `json:"why,omitempty"`        // what could not be looked at, and why; absent: all was
	Until      piton.Time     `json:"until,omitzero"`       // the last thing that the log tells; absent: nothing came after the save
	Asked      string         `json:"asked,omitempty"`      // the person's newest prompt after the save; absent: there is none
	Files      []FileNow      `json:"files"`                // all files of the work, those of the checkpoint too, as they are now
	Commands   []CommandSince `json:"commands"`             // shell commands that the checkpoint does not hold, oldest first
	Todos      []agent.Todo   `json:"todos"`                // the whole list, if it has changed; else empty
	Announced  []string       `json:"announced,omitempty"`  // the plan that the agent told in words, where it keeps no todos; absent: none, or it was saved
	Unverified []string       `json:"unverified,omitempty"` // what a debrief would ask for now; absent: nothing, or nothing came after the save
	Open       []agent.Need   `json:"open,omitempty"`       // the same, as what the work leaves open; absent: as `unverified`
	Said       string         `json:"said,omitempty"`       // the agent's last words, cut; absent: it said nothing after the save
	Others     []string       `json:"others,omitempty"`     // other files changed after the save, by whom is not known; absent: there are none
}

// FileNow is a file of the work and how it is now.
type FileNow struct {
	Path  string `json:"path"`
	Is    string `json:"is,omitempty"`    // `modified`, `added`, `deleted`, `committed`, `unchanged` (as in HEAD) or `missing`, if it is known
	Saved bool   `json:"saved,omitempty"` // the checkpoint names it too
}

// How a file of the work is now.
const (
	FileModified  = "modified"
	FileAdded     = "added"
	FileDeleted   = "deleted"   // the agent, or its command, removed it
	FileCommitted = "committed" // changed since the turn began, and committed
	FileUnchanged = "unchanged" // as in the commit that is checked out
	FileMissing   = "missing"   // not there, and not known to be deleted by the agent
)

// CommandSince is a shell command that began or ended after the save.
type CommandSince struct {
	Command string     `json:"command"`
	Failed  bool       `json:"failed,omitempty"`
	Running bool       `json:"running,omitempty"` // the log holds no end of it
	At      piton.Time `json:"at,omitzero"`
}

// Any reports whether anything is known to have been done after the save.
func (s Since) Any() bool {
	return s.Asked != "" || len(s.New())+len(s.Commands)+len(s.Todos) > 0 || s.Said != ""
}

// New are the files that the checkpoint does not name.
func (s Since) New() (paths []string) {
	for _, f := range s.Files {
		if !f.Saved {
			paths = append(paths, f.Path)
		}
	}
	return paths
}

// line is what the head of a brief says of the time after the save.
func (s *Since) line(saved piton.Time) string {
	if s == nil {
		return ""
	}
	text := ""
	switch {
	case s.Known && s.Any():
		text = "the session went on"
		if d := s.Until.Sub(saved.Time); d > 0 {
			text += " for " + Age(d)
		}
		text += "; what it did then is included below, marked \"after the save\""
	case s.Known:
		text = "nothing; the save is the last that the session did"
	default:
		text = "not known, so work may be missing below"
	}
	if s.Why != "" {
		text += " (" + s.Why + ")"
	}
	return text
}

const afterSave = "after the save"

// notes say in brackets what is to be known of a file beside its name.
func (f FileNow) notes() string {
	var notes []string
	switch f.Is {
	case FileAdded:
		notes = append(notes, "new")
	case FileDeleted, FileMissing, FileCommitted:
		notes = append(notes, f.Is)
	case FileUnchanged:
		notes = append(notes, "no change left in it")
	}
	if !f.Saved {
		notes = append(notes, afterSave)
	}
	if len(notes) == 0 {
		return ""
	}
	return " (" + strings.Join(notes, ", ") + ")"
}

// merged is the state with what is known to have changed after the save, where
// a later value stands in the place of an earlier one.
func merged(s map[string]any, since *Since) map[string]any {
	if since == nil || !since.Known {
		return s
	}
	out := make(map[string]any, len(s)+2)
	for key, v := range s {
		out[key] = v
	}
	if len(since.Todos) > 0 {
		var todos []any
		for _, t := range since.Todos {
			todos = append(todos, map[string]any{"content": t.Content, "status": t.Status})
		}
		out["todos"] = todos
	}
	if len(since.Announced) > 0 {
		out["announced"] = map[string]any{"steps": anys(since.Announced)}
	}
	if since.Unverified != nil {
		out["unverified"] = anys(since.Unverified)
	}
	return out
}

// anys are texts as a decoded state has them.
func anys(list []string) (out []any) {
	for _, x := range list {
		out = append(out, x)
	}
	return out
}
