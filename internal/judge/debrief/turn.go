package debrief

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/judge/shell"
	"github.com/piton-project/piton/internal/judge/tools"
)

func newTurn(in Input) *turn {
	t := &turn{Input: in, lines: map[string][]*command{}, patterns: map[string]shell.Pattern{}}
	t.Tests = in.sole()
	if !in.CallsSeen {
		return t
	}
	for i, given := range in.Calls {
		c := &call{Call: given, turn: t, at: i}
		switch given.Kind {
		case agent.CallShell:
			c.commands = t.commandsOf(given)
			contained(func() { t.shellEdits(c) })
			t.commits = t.commits || c.does(tools.Commits)
			t.pulls = t.pulls || c.does(tools.Joins) // what others made then lies in commits of this turn too
		case agent.CallEdit:
			t.toolEdits(c)
		case agent.CallOther:
			c.mayEdit = !given.NeverRan && !saysLooking.said(given.Tool) // a tool that Piton does not know
		}
		t.calls = append(t.calls, c)
	}
	return t
}

// copy is a turn that has only been read, with other evidence beside its calls.
func (t *turn) copy(in Input) *turn {
	u := &turn{Input: in, lines: map[string][]*command{}, patterns: maps.Clone(t.patterns), commits: t.commits, pulls: t.pulls, outsiders: t.outsiders}
	u.Tests = in.sole()
	for line, commands := range t.lines {
		for _, cmd := range commands {
			c := *cmd
			c.turn, c.whole = u, once[nature]{}
			u.lines[line] = append(u.lines[line], &c)
		}
	}
	for _, was := range t.calls {
		c := &call{Call: was.Call, turn: u, at: was.at, edits: slices.Clip(was.edits), mayEdit: was.mayEdit, tidies: was.tidies, installs: was.installs}
		if was.commands != nil {
			c.commands = u.lines[was.Command]
		}
		u.calls = append(u.calls, c)
	}
	return u
}

// does tells whether a command of the line does one of these things.
func (c *call) does(what tools.Does) bool {
	return slices.ContainsFunc(c.commands, func(cmd *command) bool { return cmd.does(what) })
}

// toolEdits notes what an edit tool changed.
func (t *turn) toolEdits(c *call) {
	if c.Failed || c.Interrupted {
		return
	}
	for _, p := range c.Paths {
		if rel, ok := t.relative(c.Dir, p); ok {
			c.edits = append(c.edits, edit{path: rel, command: -1, tidies: c.Comments})
		} else {
			t.editedOutside(c.Dir, p)
		}
	}
	c.mayEdit = len(c.Paths) == 0
}

// shellEdits notes what a shell call changes, by name or perhaps.
func (t *turn) shellEdits(c *call) {
	c.tidies, c.installs = true, true
	if c.NeverRan {
		return
	}
	for _, cmd := range c.commands {
		if !cmd.unreadable && !cmd.MayEdit() {
			continue
		}
		c.mayEdit = c.mayEdit || cmd.mayEdit()
		tidies := cmd.does(tools.Formats)
		c.tidies = c.tidies && tidies
		c.installs = c.installs && cmd.does(tools.Installs)
		moves := cmd.does(tools.Moves)
		for _, p := range cmd.Edits() {
			if rel, ok := t.relative(c.Dir, p); ok && rel != "." {
				c.edits = append(c.edits, edit{path: rel, command: cmd.at, moves: moves, tidies: tidies})
			} else if !ok && c.ok() {
				t.editedOutside(c.Dir, p)
			}
		}
	}
}

// maxOutside bounds the files outside of the work tree that are noted.
const maxOutside = 100

// editedOutside notes a file outside of the work tree that a call names as written.
func (t *turn) editedOutside(dir, p string) {
	at := t.absolute(dir, p)
	_, onDrive := drive(at)
	whole := path.IsAbs(at) || onDrive
	if whole && !strings.ContainsAny(at, "*?[{$`~") && len(t.outsiders) < maxOutside && !slices.Contains(t.outsiders, at) {
		t.outsiders = append(t.outsiders, at)
	}
}

// relative is a path of a call as seen from the root; not ok outside of it.
func (t *turn) relative(dir, p string) (string, bool) {
	if p = t.atHome(slashed(p)); p == "" || p[0] == '~' || p[0] == '$' {
		return "", false
	}
	p = t.absolute(dir, p)
	rel, ok := t.below(p)
	if !ok && t.Resolve != nil && path.IsAbs(p) {
		return t.below(t.Resolve(p))
	}
	return rel, ok
}

// below is a path as seen from the root; not ok outside of it.
func (t *turn) below(p string) (string, bool) {
	// macOS shows /private/tmp and /tmp for one folder.
	root := strings.TrimPrefix(path.Clean(slashed(t.Root)), "/private")
	p = strings.TrimPrefix(p, "/private")
	root, p = onDrive(root, root), onDrive(root, p)
	if p == root {
		return ".", true
	}
	return strings.CutPrefix(p, strings.TrimSuffix(root, "/")+"/")
}

// unnamed tells whether a file was changed that no call names as it is. A link
// inside the tree may lead from the one to the other.
func (t *turn) unnamed() bool {
	named := map[string]bool{}
	for _, c := range t.calls {
		for _, e := range c.edits {
			named[e.path] = true
		}
	}
	return slices.ContainsFunc(t.Files, func(f File) bool { return !named[f.Path] })
}

// follow adds to the edits those of the files that they lead to through links
// inside the tree: git names files without any.
func (t *turn) follow() {
	if t.followed {
		return
	}
	t.followed = true
	for _, c := range t.calls {
		for _, e := range c.edits {
			if real, ok := t.real(e.path); ok {
				e.path = real
				c.edits = append(c.edits, e)
			}
		}
	}
}

// real is where a path below the root leads to, once links are followed; not ok
// where that is the same, or lies outside.
func (t *turn) real(rel string) (string, bool) {
	if !t.followed {
		return "", false
	}
	real, ok := t.resolved(rel)
	return real, ok && real != rel
}

// resolved is where a path below the root leads to through links inside the tree; not ok
// where that is outside.
func (t *turn) resolved(rel string) (string, bool) {
	if t.Resolve == nil || rel == "." || rel == "" {
		return rel, true
	}
	return t.below(t.Resolve(path.Join(t.Root, rel)))
}

// names tells whether the edit is one of this file.
func (e edit) names(f File) bool {
	logged := !utf8.ValidString(f.Path) && e.path == string([]rune(f.Path)) // so far a client's log can name it
	below := (e.moves || f.Deleted && e.command >= 0) && strings.HasPrefix(f.Path, e.path+"/")
	if e.path == f.Path || logged || below {
		return true
	}
	return e.command >= 0 && strings.ContainsAny(e.path, "*?[{") && match(e.path, f.Path)
}

// spans tells whether a moment lies inside the call, or that near to it.
func (c *call) spans(at time.Time, near time.Duration) bool {
	known := !at.IsZero() && !c.StartedAt.IsZero()
	return known && !at.Before(c.StartedAt.Add(-near)) && !at.After(c.moment(-1).At.Add(near))
}

// moment is the end of the call, at one of its commands.
func (c *call) moment(command int) moment {
	m := moment{At: c.EndedAt, Call: c.at, Command: command}
	if m.At.IsZero() {
		m.At = c.StartedAt
	}
	return m
}

// shows is the moment whose tree a command of the call says something of: its end;
// or its start, where it went on behind other calls that may have edited what it
// had read already.
func (c *call) shows(command int) moment {
	at := c.moment(command)
	behind := func(x *call) bool {
		return !x.tidies && len(x.edits) > 0 && x.StartedAt.After(c.StartedAt) && x.StartedAt.Before(c.EndedAt)
	}
	if c.Task != "" && !c.StartedAt.IsZero() && slices.ContainsFunc(c.turn.calls, behind) {
		at.At = c.StartedAt
	}
	return at
}

// suspects are the commands that may have failed the line.
func (c *call) suspects() []*command { return keep(c.commands, (*command).suspect) }

// newest is the last edit of the files. An edit by a call says more than a
// file's time, which the user may have changed since.
func newest(files []file) moment {
	var all []moment
	for _, f := range files {
		all = append(all, f.last)
	}
	return slices.MaxFunc(known(all), moment.compare)
}

// absolute is a path of a call as a whole path, as far as it can be told.
func (t *turn) absolute(dir, p string) string {
	p = t.atHome(slashed(p))
	if path.IsAbs(p) || strings.Contains(p, ":/") {
		return path.Clean(p)
	}
	return path.Join(slashed(cmp.Or(dir, t.Root)), p)
}
