// Package marks brings back what agents took away: it lists what their commands did to files that
// were not committed, shows what can be undone, and does it for a person.
package marks

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/app/place"
	"github.com/piton-project/piton/internal/config"
	"github.com/piton-project/piton/internal/git"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/mark"
	"github.com/piton-project/piton/internal/mark/keep"
	"github.com/piton-project/piton/internal/mark/reach"
	"github.com/piton-project/piton/internal/mark/restore"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/turn"
)

// Marks are the verbs of marks for a caller.
type Marks struct{ *caller.Caller }

// wait is how long a person's program waits for a hook that takes a mark.
const wait = 10 * time.Second

// here is the tree that a caller works in, with the store of marks.
type here struct {
	keep.Taker
	root string
}

// open opens the marks for a folder's tree. NotFound where none were ever taken, and existing is true.
func (a Marks) open(dir string, existing bool) (here, error) {
	dir, err := a.Path(cmp.Or(dir, "."))
	if err != nil {
		return here{}, err
	}
	root := rootOf(dir)
	c := a.Config(root) // a mistake in a project's settings keeps nobody from an undo
	s, err := keep.Open(a.Home(), wait, existing)
	switch {
	case caller.Missing(err) && c.Restore.Mode == config.RestoreOff:
		return here{}, piton.Errorf(piton.NotFound, "look for marks", "'config set restore.mode on' turns them on", "no marks of files are taken: restore.mode is off")
	case caller.Missing(err):
		return here{}, piton.Errorf(piton.NotFound, "look for marks", "the first one is taken when an agent works; 'doctor' says whether its hooks run", "no mark of files has been taken yet")
	case err != nil:
		return here{}, err
	}
	if existing {
		root = asMarked(s, keep.Folder(dir), root)
	}
	return here{place.Taker(s, c.Restore), root}, nil
}

// asMarked is the tree that a folder lay in when it was marked, where its git, or all of it, is gone since; else root.
func asMarked(s *keep.Store, dir, root string) string {
	_, _, tracked := git.Find(root)
	for ; !(tracked && dir == root) && dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if m, err := s.Last(context.Background(), dir); err == nil && m.ID != "" {
			return dir
		}
	}
	return root
}

// in does something with the marks of a folder's tree. NotFound where none were ever taken.
func in[T any](a Marks, dir string, do func(here) (T, error)) (x T, err error) {
	h, err := a.open(dir, true)
	if err != nil {
		return x, err
	}
	defer h.Store.Close()
	return do(h)
}

// rootOf is that of a folder's work tree; of a folder without git, the folder.
func rootOf(dir string) string { return keep.Folder(place.Root(dir)) }

// MarkView is a mark as it is shown: never a file's content.
type MarkView struct {
	ID         string     `json:"id"`                   // `mrk_` and 16 characters
	At         piton.Time `json:"at"`                   // when it was taken
	Kind       mark.Kind  `json:"kind"`                 // before or after what
	Name       string     `json:"name,omitempty"`       // a person's; such a mark is not pruned
	Agent      string     `json:"agent,omitempty"`      // `claude`, `codex` or `gemini`; absent: no agent's hook took it
	SessionID  string     `json:"session_id,omitempty"` // the agent's session; absent: no agent's hook took it
	Turn       int        `json:"turn,omitempty"`       // its number in the session; absent: not known
	Subagent   string     `json:"subagent,omitempty"`   // the client's id of it; absent: the agent itself, or none
	Tool       string     `json:"tool,omitempty"`       // the tool that was about to run; absent: none was
	Command    string     `json:"command,omitempty"`    // the command line of a shell tool, with secrets removed; absent: another tool, or none
	Root       string     `json:"root"`                 // the work tree, or the folder without git
	Head       string     `json:"head,omitempty"`       // commit id; absent: without git, or before the first commit
	Checkpoint string     `json:"checkpoint,omitempty"` // the checkpoint that was saved with it
	Files      int        `json:"files"`                // how many files it has: those that are not committed, or were named
	Lacks      []Lack     `json:"lacks"`                // those whose bytes are not kept, and why
	Partial    string     `json:"partial,omitempty"`    // why files may be missing from it; absent: none are
}

// Lack is a file whose bytes are not kept, and why.
type Lack struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

func view(m mark.Mark) MarkView {
	v := MarkView{ID: m.ID, At: piton.At(m.At), Kind: m.Kind, Name: m.Name, Agent: m.Agent, Subagent: m.Subagent, Tool: m.Tool, Command: m.Line, Root: m.Root, Turn: m.Turn,
		Head: m.Head, Checkpoint: m.Checkpoint, Files: len(m.Files), Lacks: []Lack{}, Partial: m.Partial}
	if m.Client != "" {
		v.SessionID = piton.SessionID(m.Agent, m.Client)
	}
	for _, f := range m.Lacking() {
		v.Lacks = append(v.Lacks, Lack{shown(f.Path), f.Lacks})
	}
	return v
}

// occasion says why a mark was taken, where no tool was about to run.
var occasion = map[mark.Kind]string{
	mark.AtPrompt: "The beginning of a turn", mark.AtCommand: "A tool", mark.AtStop: "The end of a turn", mark.AtRestore: "Taking back an undo", mark.AtRequest: "A mark",
}

// Says is what was about to run, or why the mark was taken, in a few words.
func (v MarkView) Says() string {
	switch {
	case v.Command != "":
		return "`" + mark.Short(v.Command, 80) + "`"
	case v.Name != "":
		return "The mark " + v.Name
	}
	return cmp.Or(v.Tool, occasion[v.Kind])
}

// shown is a path as people see it: bytes that are no text are written as \xff.
func shown(path string) string {
	if utf8.ValidString(path) {
		return path
	}
	q := strconv.QuoteToASCII(path)
	return q[1 : len(q)-1]
}

// MarkFiles takes a mark of the files that are not committed.
func (a Marks) MarkFiles(ctx context.Context, r piton.MarkRequest) (MarkView, error) {
	h, err := a.open(r.Project, false)
	if err != nil {
		return MarkView{}, err
	}
	defer h.Store.Close()
	m := mark.Mark{Root: h.root, Kind: mark.AtRequest, Name: strings.TrimSpace(r.Name)}
	if m.Name != "" {
		if err := a.ByPerson(ctx, "name a mark", "what has a name is never pruned"); err != nil {
			return MarkView{}, err
		}
		if _, err := h.named(ctx, m.Name); !caller.Missing(err) {
			return MarkView{}, cmp.Or(err, error(piton.Errorf(piton.Conflict, "mark the files", "take another name, or take it away first with 'mark --forget --name "+m.Name+"'", "a mark has the name %q", m.Name)))
		}
	}
	paths := reach.Target{Root: h.root, Whole: true}.Paths(ctx, git.Repo{Dir: h.root}, h.Patterns, &m)
	if !m.Whole {
		m.Partial = cmp.Or(m.Partial, "git does not tell here which files are changed, so only those that an agent's tool names are kept, each time one runs")
	}
	if m, err = h.Take(ctx, m, paths); err != nil {
		return MarkView{}, err
	}
	return view(m), nil
}

// ForgetMark takes a mark's name away, so that it is pruned as the others are.
func (a Marks) ForgetMark(ctx context.Context, r piton.MarkRequest) (MarkView, error) {
	if err := a.ByPerson(ctx, "forget a mark", "it is a person's"); err != nil {
		return MarkView{}, err
	}
	return in(a, r.Project, func(h here) (MarkView, error) {
		if r.Name == "" {
			return MarkView{}, piton.Errorf(piton.Invalid, "forget the mark", "name it with --name", "it is not said which mark")
		}
		m, err := h.named(ctx, r.Name)
		if err != nil {
			return MarkView{}, err
		}
		m.Name = ""
		return view(m), h.Store.Forget(m.ID)
	})
}

// named is the mark of a name in this tree.
func (h here) named(ctx context.Context, name string) (mark.Mark, error) {
	all, err := h.List(ctx, keep.Query{Root: h.root, Name: name, Limit: 1})
	if err != nil || len(all) == 0 {
		return mark.Mark{}, cmp.Or(err, error(piton.Errorf(piton.NotFound, "find the mark", "the name is the one that it was given with 'mark --name NAME'", "no mark here has the name %q", name)))
	}
	return all[0], nil
}

// find is the mark that an id, a name or a checkpoint stands for. Of a checkpoint that a mark was taken
// before, it is that one.
func (a Marks) find(ctx context.Context, h here, ref string) (mark.Mark, error) {
	named, err := h.List(ctx, keep.Query{Root: h.root, Bare: true})
	byID := strings.HasPrefix(ref, mark.Prefix)
	named = slices.DeleteFunc(named, func(m mark.Mark) bool { return m.Name != ref && !(byID && strings.HasPrefix(m.ID, ref)) })
	switch {
	case err != nil:
		return mark.Mark{}, err
	case len(named) == 1:
		return h.Filled(ctx, named[0])
	case byID:
		return mark.Mark{}, piton.Errorf(piton.NotFound, "find the mark", "'undo --list' shows what can be undone here", "%d marks of %s have an id that begins with %s", len(named), h.root, ref)
	}
	q := keep.Query{Checkpoint: ref, Limit: 1}
	if k, err := a.Keeper(ctx, true); err == nil {
		if c, err := k.Find(ctx, history.Selector{ID: ref}); err == nil {
			q.Checkpoint = c.ID
		}
	}
	all, err := h.List(ctx, q)
	if err == nil && len(all) == 1 {
		return all[0], nil
	}
	return mark.Mark{}, cmp.Or(err, error(piton.Errorf(piton.NotFound, "find the files of "+ref, "'undo --list' shows what can be undone here", "no mark was taken with it, or it is no longer kept")))
}

// busy is the error of a tree in which an agent is at work; id is the mark whose files were to come back.
func (a Marks) busy(ctx context.Context, h here, id string) error {
	st, err := a.Local(ctx, true)
	if caller.Missing(err) {
		return nil
	}
	if err != nil {
		return err
	}
	sessions, err := st.Sessions(ctx, store.SessionQuery{Limit: caller.MaxSessions})
	if err != nil {
		return err
	}
	for _, s := range sessions {
		stands := s.Stands(turn.Alive(s, a.Now()), a.Now())
		if !s.TurnOpen || !s.EndedAt.IsZero() || stands.State == agent.StateBrokenOff {
			continue
		}
		rests := stands.Wait == agent.WaitPrompt || stands.Wait == agent.WaitLimit // unless a mark has come since: not each tool is told to the store
		since := s.PromptedAt
		if rests {
			since = s.Broke.At
		}
		here, err := h.List(ctx, keep.Query{Root: h.root, Client: s.ClientID, Since: since.Time, Limit: 1, Bare: true}) // it may work in another tree than its own
		if err != nil {
			return err
		}
		if s.Root == h.root && !rests || len(here) > 0 {
			return piton.Errorf(piton.Conflict, "restore files", "wait until its turn has ended, or end it; one that has died may count as at work for 10 minutes, and 'restore "+id+" --to DIR' writes into another folder meanwhile", "%s is at work here (session %s)", cmp.Or(s.Agent, "an agent"), s.ID)
		}
	}
	return nil
}

// mayWrite is nil where files of a tree may be written, which are those of a mark.
func (a Marks) mayWrite(ctx context.Context, h here, id string) error {
	if err := a.ByPerson(ctx, "restore files", "to write over files is a person's decision"); err != nil {
		return err
	}
	if err := restore.Refused(h.root, a.Home()); err != nil {
		return err
	}
	return a.busy(ctx, h, id)
}
