package marks_test

import (
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/marks"
	"github.com/piton-project/piton/internal/mark"
	"github.com/piton-project/piton/internal/mark/keep"
	"github.com/piton-project/piton/internal/testkit/draw"
)

// story is what two agents and a person do in a tree, and who has changed what.
type story struct {
	*world
	rt   *rapid.T
	n    int // of what was done
	acts map[string]*act
	last map[string]int // by path: what has changed it last
	head int            // when HEAD moved last
	now  map[string]file
	said []string
}

// act is a command of an agent.
type act struct {
	n             int
	before, after map[string]file
	told          bool // its end was
	crowded       bool // another ran meanwhile
	within        bool // it ran while another did
	mark          mark.Mark
}

var pool = []string{"a", "b", "c", "d", "e", "sub/f", "sub/g"}

// deeds are what can be done to files; each gives the command line for it.
var deeds = []struct {
	line string
	do   func(h *story, a, b string)
}{
	{"echo $1 > A", func(h *story, a, _ string) { h.put(a) }},
	{"echo $1 > A", func(h *story, a, _ string) { h.put(a) }},
	{"sh edit.sh", func(h *story, a, b string) { h.put(a); h.put(b) }},
	{"rm -f A", func(h *story, a, _ string) { os.Remove(h.path(a)) }},
	{"rm -f A B", func(h *story, a, b string) { os.Remove(h.path(a)); os.Remove(h.path(b)) }},
	{"rm -rf sub", func(h *story, _, _ string) { os.RemoveAll(h.path("sub")) }},
	{"mv A B", func(h *story, a, b string) {
		if _, err := os.Lstat(h.path(a)); err == nil {
			os.MkdirAll(filepath.Dir(h.path(b)), 0o777)
			os.Rename(h.path(a), h.path(b))
		}
	}},
	{": > A", func(h *story, a, _ string) {
		h.ok(os.MkdirAll(filepath.Dir(h.path(a)), 0o777))
		os.WriteFile(h.path(a), nil, 0o644)
	}},
	{"chmod +x A", func(h *story, a, _ string) {
		if info, err := os.Lstat(h.path(a)); err == nil && info.Mode().IsRegular() {
			os.Chmod(h.path(a), info.Mode().Perm()^0o111)
		}
	}},
	{"ln -sf B A", func(h *story, a, b string) {
		os.Remove(h.path(a))
		h.ok(os.MkdirAll(filepath.Dir(h.path(a)), 0o777))
		os.Symlink(b, h.path(a))
	}},
	{"git checkout -q -- .", func(h *story, _, _ string) { h.bash(h.tree, "git checkout -q -- .") }},
	{"git clean -fdq", func(h *story, _, _ string) { h.bash(h.tree, "git clean -fdq") }},
	{"git reset -q --hard", func(h *story, _, _ string) { h.bash(h.tree, "git reset -q --hard") }},
	{"git stash -q -u && git stash drop -q", func(h *story, _, _ string) { h.bash(h.tree, "git stash -q -u && git stash drop -q") }},
	{"git add -A && git commit -qm x", func(h *story, _, _ string) { h.bash(h.tree, "git add -A && git commit -qm x"); h.head = h.n }},
	{"git add -A", func(h *story, _, _ string) { h.bash(h.tree, "git add -A") }},
}

// put writes a content that is like no other.
func (h *story) put(name string) {
	h.ok(os.MkdirAll(filepath.Dir(h.path(name)), 0o777))
	os.Remove(h.path(name)) // it may be a link, and what it links to is not meant
	h.ok(os.WriteFile(h.path(name), fmt.Appendf(nil, "%d of %s\n", h.n, name), 0o644))
}

// does has somebody do something. What it gives is the command line.
func (h *story) deed(who string) (line string, do func()) {
	d := deeds[rapid.IntRange(0, len(deeds)-1).Draw(h.rt, who)]
	a, b := rapid.SampledFrom(pool).Draw(h.rt, "a"), rapid.SampledFrom(pool).Draw(h.rt, "b")
	line = strings.NewReplacer("A ", a+" ", " A", " "+a, " B", " "+b).Replace(d.line)
	return line, func() {
		h.n++
		h.said = append(h.said, fmt.Sprintf("%d %s: %s", h.n, who, line))
		d.do(h, a, b)
		h.look()
	}
}

// look notes what has changed since the last look, as done by the last deed.
func (h *story) look() {
	now := h.files()
	for _, name := range append(slices.Collect(maps.Keys(now)), slices.Collect(maps.Keys(h.now))...) {
		if now[name] != h.now[name] {
			h.last[name] = h.n
		}
	}
	h.now = now
}

// command has an agent do something between its hooks; during is done meanwhile.
func (h *story) command(s *session, who string, during func()) (x *act) {
	line, do := h.deed(who)
	input := map[string]any{"command": line}
	before := h.files()
	s.begins("Bash", input)
	id := fmt.Sprint("toolu_", s.id, s.calls)
	if during != nil {
		during()
	}
	do()
	x = &act{n: h.n, before: before, told: rapid.IntRange(0, 9).Draw(h.rt, "told") > 0, crowded: during != nil}
	if x.after = h.now; x.told {
		s.ends("Bash", input)
	}
	h.acts[id] = x
	return x
}

// TestHistories has two agents and a person work in one tree, and undoes something of it: nothing that
// was written after the command is written over or removed, what comes back is what was there before
// the command, all that it took away comes back, and an undo of the undo gives what was there before.
func TestHistories(t *testing.T) {
	template := newRepository(t)
	for _, name := range pool[:3] {
		template.write(name, "first of "+name+"\n")
	}
	template.write("sub/f", "first of sub/f\n")
	template.bash(template.tree, "git add -A && git commit -qm x && rm -rf .git/hooks .git/info .git/description")
	histories, undos, returned := 0, 0, 0
	draw.Slow(t, 5, func(rt *rapid.T) {
		dir, err := os.MkdirTemp("", "history-")
		if err != nil {
			rt.Fatal(err)
		}
		defer os.RemoveAll(dir)
		if dir, err = filepath.EvalSymlinks(dir); err == nil {
			err = os.CopyFS(dir, os.DirFS(filepath.Dir(template.tree)))
		}
		if err != nil {
			rt.Fatal(err)
		}
		w := &world{TB: t, home: filepath.Join(dir, "home"), tree: filepath.Join(dir, "tree")}
		h := &story{world: w, rt: rt, acts: map[string]*act{}, last: map[string]int{}}
		h.look()
		h.last = map[string]int{}
		for _, name := range []string{"a", "d", "sub/f", "sub/g"} {
			h.n++
			h.put(name)
		}
		h.look()
		a, b := w.joins(), w.joins()
		for range rapid.IntRange(2, 6).Draw(rt, "deeds") {
			switch rapid.IntRange(0, 9).Draw(rt, "who") {
			case 0, 1, 2, 3:
				h.command(a, "A", nil)
			case 4, 5:
				h.command(b, "B", nil)
			case 6:
				h.command(a, "A", func() { h.command(b, "B", nil).within = true })
			case 7:
				a.stop()
				a.prompt()
			default:
				_, do := h.deed("a person")
				do()
			}
		}
		a.stop()
		b.stop()
		if rapid.Bool().Draw(rt, "after") {
			_, do := h.deed("a person")
			do()
		}
		histories++
		for range rapid.IntRange(1, 3).Draw(rt, "undos") {
			if n := h.undoes(); n >= 0 {
				undos++
				returned += n
			}
		}
	})
	t.Logf("%d histories, %d undos, %d files brought back", histories, undos, returned)
}

// joins begins a session with a prompt.
func (w *world) joins() *session {
	w.sessions++
	s := &session{world: w, id: fmt.Sprintf("%08d-1111-1111-1111-111111111111", w.sessions), cwd: w.tree}
	w.write(filepath.Join(w.home, s.id+".jsonl"), "")
	s.prompt()
	return s
}

func (h *story) fail(format string, args ...any) {
	h.Helper()
	h.rt.Fatalf(format+"\n%s\n%s", append(args, strings.Join(h.said, "\n"), h.log())...)
}

// undoes undoes something and looks at what that has done; negative: there was nothing.
func (h *story) undoes() int {
	p, closed := h.person()
	defer closed()
	var shown marks.Restoration
	var err error
	turn, marks := false, h.marksOf(keep.Query{})
	switch rapid.IntRange(0, 4).Draw(h.rt, "which") {
	case 0:
		shown, err = p.PreviewUndo(h.Context(), piton.UndoRequest{})
	case 1, 2:
		shown, err = p.PreviewUndo(h.Context(), piton.UndoRequest{Command: fmt.Sprint(rapid.IntRange(1, 3).Draw(h.rt, "N"))})
	case 3:
		turn = true
		shown, err = p.PreviewUndo(h.Context(), piton.UndoRequest{Turn: true})
	default:
		shown, err = p.PreviewRestore(h.Context(), piton.RestoreRequest{From: rapid.SampledFrom(marks).Draw(h.rt, "mark").ID})
		shown.Kind = "" // whichever it is of
	}
	if piton.CodeOf(err) == piton.NotFound {
		return -1
	}
	if err != nil {
		h.fail("preview: %v", err)
	}
	before, git, last := h.now, h.git(), maps.Clone(h.last)
	done, err := p.Undo(h.Context(), shown)
	if err != nil {
		h.fail("undo: %v", err)
	}
	h.n++
	h.said = append(h.said, fmt.Sprintf("%d undo of %s %s %q: %v", h.n, shown.ID, shown.Kind, shown.Command, done.Files))
	h.look()
	if !slices.Equal(shown.Files, done.Files) {
		h.fail("the preview said %v, and the undo did %v", shown.Files, done.Files)
	}
	h.judge(marks, shown, turn, before, last)
	h.acts[done.Undo] = &act{n: h.n, before: before, after: h.now, told: true}
	if done.Returns > 0 {
		h.undoesThat(p, done.Undo, before)
	}
	if h.git() != git {
		h.fail("git holds something else")
	}
	return done.Returns
}

// undoesThat undoes an undo, and that again.
func (h *story) undoesThat(p marks.Marks, id string, before map[string]file) {
	for _, want := range []map[string]file{before, h.now} {
		x, err := p.PreviewUndo(h.Context(), piton.UndoRequest{Command: id})
		if err == nil {
			x, err = p.Undo(h.Context(), x)
		}
		if err != nil {
			h.fail("undo of the undo: %v", err)
		}
		h.n++
		h.said = append(h.said, fmt.Sprintf("%d undo of %s: %v", h.n, id, x.Files))
		was := h.now
		if h.look(); !maps.Equal(h.now, want) {
			h.fail("undo of the undo %s: %q", id, differences(want, h.now))
		}
		id = x.Undo
		h.acts[id] = &act{n: h.n, before: was, after: h.now, told: true}
	}
}

// judge looks at what an undo has done. last says what had changed each path last before it.
func (h *story) judge(all []mark.Mark, shown marks.Restoration, turn bool, before map[string]file, last map[string]int) {
	acts, from := h.undone(all, shown, turn)
	head := h.committed()
	for name := range allNames(before, h.now) {
		was, there := before[name]
		if h.now[name] == was {
			continue
		}
		i := slices.IndexFunc(acts, func(x *act) bool { // one that has made it, or changed it from HEAD, has no mark of it
			_, known := x.mark.Find(name)
			return known && x.before[name] != x.after[name]
		})
		if i < 0 && shown.Kind != "" && !turn {
			i = 0 // its end was not seen, and it was taken for its deed
		}
		switch {
		case there && was != head[name] && !slices.ContainsFunc(acts, func(x *act) bool { return was == x.after[name] && !(x.crowded && last[name] == x.n-1) }):
			h.fail("%s is %v, was %v, which %d has written", name, h.now[name], was, last[name])
		case i >= 0 && h.now[name] != acts[i].before[name]:
			h.fail("%s is %v, was %v before the command", name, h.now[name], acts[i].before[name])
		case i < 0:
			if !h.has(all, from, name, turn) {
				h.fail("%s is %v, which is not what the mark has", name, h.now[name])
			}
		}
	}
	if len(acts) != 1 || !acts[0].told || acts[0].crowded || acts[0].within || h.head >= acts[0].n || shown.Kind != mark.AtCommand {
		return
	}
	for name, was := range acts[0].before {
		if after := acts[0].after[name]; after != was && before[name] == after && was != head[name] && h.now[name] != was && !h.blocked(name) {
			h.fail("%s is %v, was %v before the command, and did not come back", name, h.now[name], was)
		}
	}
}

// has tells whether a mark has a file as it is now; of a turn, any of the client's since.
func (h *story) has(all []mark.Mark, from mark.Mark, name string, turn bool) bool {
	return slices.ContainsFunc(all, func(m mark.Mark) bool {
		f, known := m.Find(name)
		mine := m.ID == from.ID || turn && m.Client == from.Client && m.At.After(from.At)
		return mine && known && !f.Missing && h.now[name].text == h.bytes(f)
	})
}

// undone are the acts that an undo is of, oldest first, and the mark.
func (h *story) undone(all []mark.Mark, shown marks.Restoration, turn bool) (acts []*act, from mark.Mark) {
	i := slices.IndexFunc(all, func(m mark.Mark) bool { return m.ID == shown.ID })
	from = all[i]
	for _, m := range all {
		x := h.acts[cmp.Or(m.Call, m.ID)]
		if x != nil && shown.Kind != "" && (m.ID == from.ID && (!turn || x.told) || turn && x.told && m.Client == from.Client && m.At.After(from.At)) {
			x.mark = m
			acts = append(acts, x)
		}
	}
	slices.Reverse(acts)
	return acts, from
}

func allNames(a, b map[string]file) map[string]bool {
	all := map[string]bool{}
	for name := range a {
		all[name] = true
	}
	for name := range b {
		all[name] = true
	}
	return all
}

// bytes are a marked file's.
func (h *story) bytes(f mark.File) string {
	s, err := keep.Open(h.state(), 0, true)
	h.ok(err)
	defer s.Close()
	text, err := s.Bytes(f)
	if err != nil {
		h.fail("%s: %v", f.Path, err)
	}
	return string(text)
}

// committed are the files of HEAD.
func (h *story) committed() map[string]file {
	all := map[string]file{}
	for line := range strings.SplitSeq(h.bash(h.tree, "git ls-tree -r HEAD"), "\n") {
		about, name, ok := strings.Cut(line, "\t")
		if !ok {
			continue
		}
		words := strings.Fields(about)
		mode := map[string]fs.FileMode{"100644": 0o644, "100755": 0o755, "120000": 0o777 | fs.ModeSymlink}[words[0]]
		all[name] = file{mode, h.bash(h.tree, "git cat-file blob "+words[2])}
	}
	return all
}

// blocked tells whether something stands in a path's way.
func (h *story) blocked(name string) bool {
	for at := name; at != "."; at = filepath.Dir(at) {
		if info, err := os.Lstat(h.path(at)); err == nil && info.IsDir() == (at == name) {
			return true
		}
	}
	return false
}
