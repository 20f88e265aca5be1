package turn

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client/clients"
	"github.com/piton-project/piton/internal/git"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/judge/debrief"
	"github.com/piton-project/piton/internal/redact"
)

// Bounds of what is told of the time after a save.
const (
	maxSaid       = 1000 // bytes of the agent's last words
	maxSinceFiles = 20   // files that are not known to be the agent's
)

// Since is what the session of a checkpoint did after it was saved, as its log and
// its work tree tell now (docs/spec.md, "Crash recovery"). A save costs the agent
// time, so there are few, and a client that is killed loses what lies between: it
// is read here, where somebody asks. Nothing is written. here is the work tree of
// the one who asks. nil where no agent's session made the checkpoint.
func (t Turns) Since(ctx context.Context, here string, c piton.Checkpoint, state []byte) *history.Since {
	x := t.afterwards(ctx, here, c, state)
	if x == nil {
		return nil
	}
	clean := redact.Value(*x).Get()
	return &clean
}

// ofAgent tells whether an agent's session saved a checkpoint, so that its log can
// tell what came after it.
func ofAgent(c piton.Checkpoint) bool {
	return c.SessionID != "" && (c.Origin.Agent != "" || c.WorkflowType == piton.TypeSession)
}

func (t Turns) afterwards(ctx context.Context, here string, c piton.Checkpoint, state []byte) *history.Since {
	if !ofAgent(c) {
		return nil
	}
	x := &history.Since{Files: []history.FileNow{}, Commands: []history.CommandSince{}, Todos: []agent.Todo{}}
	h := t.handler(agent.Event{})
	err := h.open(ctx)
	var s agent.Session
	if err == nil {
		s, err = h.store.Session(ctx, c.SessionID)
	}
	switch client, known := clients.ByName(s.Agent); {
	case piton.CodeOf(err) == piton.NotFound:
		x.Why = "its session and its log are " + elsewhere(c.Origin.Host, t.Host)
		return x
	case err != nil:
		x.Why = "its session cannot be read: " + history.Cause(err)
		return x
	case s.Agent == "":
		return nil // a program's own session has no log
	case h.Client != nil && h.Client.Name() == s.Agent:
	case !known:
		x.Why = "no client is called " + inline(s.Agent)
		return x
	default:
		h.Client = client
	}
	turn, err := h.store.Turn(ctx, s.ID, s.Turn)
	if err != nil {
		x.Why = "its turn cannot be read: " + history.Cause(err)
		return x
	}
	if c.WorkflowType != piton.TypeSession && turn.StartedAt.After(c.CreatedAt.Time) {
		x.Why = "its session went on with other prompts"
		if s.WorkflowID != "" {
			x.Why += ": 'piton resume --workflow " + s.WorkflowID + "' has its own last save"
		}
		return x
	}
	h.since(ctx, s, turn, here, c, state, x)
	return x
}

// elsewhere says where a session is that is not known here.
func elsewhere(host, here string) string {
	switch {
	case host != "" && host != here:
		return "on the machine " + inline(host)
	case host != "":
		return "no longer known on this machine"
	}
	return "not on this machine"
}

// since fills in what log and work tree tell.
func (h *handler) since(ctx context.Context, s agent.Session, turn agent.Turn, here string, c piton.Checkpoint, state []byte, x *history.Since) {
	var saved sessionState
	if err := json.Unmarshal(state, &saved); err != nil {
		saved = sessionState{} // a caller's own kind
	}
	from := turn
	if from.StartedAt.IsZero() || c.CreatedAt.Before(from.StartedAt.Time) {
		from.StartedAt = c.CreatedAt // prompts may have come after the save
	}
	if s.Took != nil && !s.Took.Asked {
		s.Open = saved.Open // no stop has added what it took over
	}
	status := h.status(ctx, s.Root)
	f := h.gather(ctx, s, from, status)
	r := debrief.Look(h.input(ctx, s, h.inForce(s, f), from, f, h.at))
	x.Why = strings.Join(h.unseen(s, here, f), "; ")
	if x.Known = f.scriptErr == nil; x.Known {
		addCalls(x, saved, f.script, c.CreatedAt)
		addWords(x, s, saved, f.script, c)
		x.Open = openNeeds(r, s, h.at)
		x.Unverified = unverified(r, x.Open)
		if todos := bounded(f.script.CarryTodos(saved.Todos)); !slices.Equal(todos, bounded(saved.Todos)) {
			x.Todos = todos
		}
		if had := saved.Announced; len(saved.Todos)+len(x.Todos) == 0 && (had == nil || !slices.Equal(had.Steps, f.script.Planned)) {
			x.Announced = f.script.Planned
		}
	}
	var own []string
	if x.Known {
		own = owned(r.Files) // else it is not known whose they are
	}
	dirty, _, _ := h.changes(ctx, s.Root, agent.Turn{}, status) // gather has told of an error
	addFiles(x, s.Root, saved, own, f, append(dirty.Files, f.changes.Files...))
	if !wentOn(x) {
		x.Unverified, x.Open = nil, nil // it stands as it was saved
	}
	for _, g := range f.changes.Files {
		listed := slices.ContainsFunc(x.Files, func(f history.FileNow) bool { return f.Path == jsonName(g.Path) })
		later := piton.At(g.ModTime).After(c.CreatedAt.Time) || g.Deleted && !x.Known
		if later && !listed && len(x.Others) < maxSinceFiles {
			x.Others = append(x.Others, cleaned(shownName(g.Path)))
		}
	}
}

// wentOn reports whether anything is known to have come after the save, edits of files
// that it names too.
func wentOn(x *history.Since) bool { return x.Known && (x.Any() || !x.Until.IsZero()) }

// unseen says what could not be looked at.
func (h *handler) unseen(s agent.Session, here string, f found) (why []string) {
	switch {
	case f.scriptErr == nil && !f.script.Complete:
		why = append(why, "its log is longer than what is read of it, or damaged: earlier calls may be missing")
	case s.Transcript == "":
		why = append(why, "its client named no log")
	case errors.Is(f.scriptErr, fs.ErrNotExist) || piton.CodeOf(f.scriptErr) == piton.NotFound:
		why = append(why, "its log is gone: "+inline(s.Transcript))
	case f.scriptErr != nil:
		why = append(why, "its log cannot be read: "+inline(cut(history.Cause(f.scriptErr), maxError)))
	}
	switch {
	case there(s.Root) && f.gitErr != nil && !errors.Is(f.gitErr, git.ErrNoRepo):
		why = append(why, "git cannot be asked: "+inline(cut(history.Cause(f.gitErr), maxError)))
	case s.Root != "" && !there(s.Root):
		why = append(why, "its work tree is gone: "+inline(s.Root))
	case here != "" && s.Root != "" && here != s.Root:
		why = append(why, "its files are those in "+inline(s.Root)+", not here")
	}
	return why
}

// addCalls adds the commands that began or ended after the save, and when the
// last call did.
func addCalls(x *history.Since, saved sessionState, script agent.Transcript, at piton.Time) {
	for _, c := range script.Calls {
		last := c.StartedAt
		if c.EndedAt.After(last) {
			last = c.EndedAt
		}
		if !last.After(at.Time) {
			continue
		}
		if piton.At(last).After(x.Until.Time) {
			x.Until = piton.At(last)
		}
		line := command{Command: cut(c.Command, maxOutput), Failed: c.Failed, At: piton.At(c.StartedAt)}
		same := func(had command) bool { return had.Command == line.Command && had.At.Millis() == line.At.Millis() }
		if c.Kind != agent.CallShell || c.Subagent != "" || slices.ContainsFunc(saved.Commands, same) {
			continue
		}
		x.Commands = append(x.Commands, history.CommandSince{Command: line.Command, Failed: c.Failed, Running: c.EndedAt.IsZero() && !c.Interrupted, At: line.At})
	}
	x.Commands = x.Commands[max(0, len(x.Commands)-maxCommands):]
}

// addWords adds what the person and the agent said after the save.
func addWords(x *history.Since, s agent.Session, saved sessionState, script agent.Transcript, c piton.Checkpoint) {
	asked, at := script.LastPrompt, piton.At(script.LastPromptAt)
	if s.PromptedAt.After(at.Time) {
		asked, at = s.LastMessage, s.PromptedAt // the client may not have written it
	}
	if asked = cut(asked, maxMessage); asked != "" {
		if _, brief := history.QuotedTask(asked); brief {
			asked = ""
		}
	}
	if at.After(c.CreatedAt.Time) && !agent.Injected(asked) && asked != saved.TaskSummary && asked != saved.Asked {
		x.Asked = asked
	}
	if script.LastOutputAt.After(c.CreatedAt.Time) {
		x.Said = cut(script.LastOutput, maxSaid)
	}
	for _, t := range []piton.Time{at, piton.At(script.LastOutputAt)} {
		if t.After(c.CreatedAt.Time) && t.After(x.Until.Time) {
			x.Until = t
		}
	}
}

// addFiles adds every file of the work, as it is now. now is what git says of the
// whole tree, then what it says of the turn: a file of an earlier turn is not
// among the turn's changes, and a committed one not in the tree's status.
func addFiles(x *history.Since, root string, saved sessionState, own []string, f found, now []git.File) {
	paths := union(saved.FilesModified, own)
	paths = union(paths, f.links.edited(root, f.script.Calls))
	for _, path := range paths {
		file := history.FileNow{Path: path, Saved: slices.Contains(saved.FilesModified, path)}
		if there(root) {
			file.Is = isNow(root, path, saved, own, f, now)
		}
		x.Files = append(x.Files, file)
	}
}

// isNow is how a file of the work is now; "" where that is not known.
func isNow(root, path string, saved sessionState, own []string, f found, now []git.File) string {
	name := rawName(path)
	for _, c := range now {
		switch {
		case c.Path != name:
		case c.Deleted && (slices.Contains(own, name) || slices.Contains(saved.FilesDeleted, path)):
			return history.FileDeleted
		case c.Deleted:
			return history.FileMissing
		case c.Committed && len(c.Code) < 2:
			return history.FileCommitted
		case c.Untracked || strings.HasPrefix(c.Code, "A"):
			return history.FileAdded
		case c.Code == "":
			return history.FileUnchanged // taken back
		default:
			return history.FileModified
		}
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(root, filepath.FromSlash(name))
	}
	switch info, err := os.Lstat(name); {
	case err != nil && slices.Contains(saved.FilesDeleted, path):
		return history.FileDeleted
	case errors.Is(err, fs.ErrNotExist):
		return history.FileMissing
	case err != nil || f.gitErr != nil || name == path || piton.At(info.ModTime()).After(f.began().Time):
		return "" // git says nothing of it: ignored, say
	}
	return history.FileUnchanged
}

// began is when the first of the calls began; the zero Time without any.
func (f found) began() piton.Time {
	var at piton.Time
	for _, c := range f.script.Calls {
		if at.IsZero() || c.StartedAt.Before(at.Time) {
			at = piton.At(c.StartedAt)
		}
	}
	return at
}
