package history

import (
	"context"
	"slices"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/redact"
)

// checkpoint finds a checkpoint by id, by an id's beginning, or by the id that
// another program gave it. A whole id goes first, then another program's: the
// beginning of one of ours must not stand for it by chance.
func (k Keeper) checkpoint(ctx context.Context, ref string) (piton.Checkpoint, error) {
	c, err := refer(ref, piton.CheckpointPrefix, func(id string) (piton.Checkpoint, error) { return k.Store.Checkpoint(ctx, id) })
	if code := piton.CodeOf(err); ref == "" || piton.IsWholeID(piton.CheckpointPrefix, ref) || code != piton.NotFound && code != piton.Invalid {
		return c, err
	}
	page, err2 := k.Store.List(ctx, piton.Query{Tag: "id:" + ref, Limit: 2})
	if err2 == nil && len(page.Checkpoints) == 1 {
		return page.Checkpoints[0], nil
	}
	return c, err
}

// Workflow finds a workflow by id, by an id's beginning, by name, or by the id
// that another program gave it, which is a name too where it does not look like
// an id.
func (k Keeper) Workflow(ctx context.Context, ref, project string) (piton.Workflow, error) {
	w, err := refer(ref, piton.WorkflowPrefix, func(id string) (piton.Workflow, error) { return k.Store.Workflow(ctx, id, project) })
	if err == nil && project != "" && w.Project != project && !strings.HasPrefix(ref, piton.WorkflowPrefix) {
		return k.Store.Workflow(ctx, ref, project) // names are those of a project
	}
	return w, err
}

// refer asks find for what a reference names: as it stands, and as the ids that
// an import derives from another program's.
func refer[T any](ref, prefix string, find func(string) (T, error)) (T, error) {
	short := piton.IsID(prefix, ref) && !piton.IsWholeID(prefix, ref)
	v, err := find(ref)
	if ref == "" || !short && piton.CodeOf(err) != piton.NotFound && piton.CodeOf(err) != piton.Invalid {
		return v, err
	}
	for _, id := range piton.ImportedIDs(prefix, ref) {
		if imported, err2 := find(id); piton.CodeOf(err2) != piton.NotFound {
			return imported, err2
		}
	}
	return v, err
}

// sessions are the ids under which checkpoints of a session may lie: the one
// this machine knows, the one another machine gives a client's or a caller's
// session of that name, and the one of an import.
func (k Keeper) sessions(ctx context.Context, ref string) ([]string, error) {
	var ids []string
	var known error = piton.Errorf(piton.NotFound, "find session "+ref, "'piton sessions' shows those of this machine", "no such session")
	if k.Local != nil {
		s, err := k.Local.Session(ctx, cleanName(ref))
		switch piton.CodeOf(err) {
		case "":
			ids, known = append(ids, s.ID), nil
		case piton.NotFound:
			known = err
		default:
			return nil, err
		}
	}
	if ref == "" {
		return ids, known
	}
	ids = append(ids, ref, piton.SessionID("", ref), piton.DeriveID(piton.SessionPrefix, ref))
	for _, agent := range k.Agents {
		ids = append(ids, piton.SessionID(agent, ref))
	}
	ids = append(ids, piton.ImportedIDs(piton.SessionPrefix, ref)...)
	slices.Sort(ids)
	ids = slices.Compact(ids)
	if known == nil {
		return ids, nil
	}
	page, err := k.Store.List(ctx, piton.Query{Sessions: ids, Limit: 1})
	if err == nil && len(page.Checkpoints) == 0 {
		err = known
	}
	return ids, err
}

// SessionName is what a checkpoint's record says of its session's own name;
// nothing where that may be a secret.
func SessionName(s agent.Session) string {
	if clean, n := redact.Text(s.ClientID); n > 0 || len(clean) > maxName || checkText("", clean, maxName, false) != nil {
		return ""
	}
	return s.ClientID
}
