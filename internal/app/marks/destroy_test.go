package marks_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/mark"
	"github.com/piton-project/piton/internal/mark/keep"
	"github.com/piton-project/piton/internal/testkit/need"
)

// odd are names that a program may take for something else.
var odd = []string{"with blank", "it's \"quoted\"", "-dash", "new\nline", "[x]*", "caf\xe9", "$HOME", "~", "*"}

// large is a file's content of 10 MB that cannot be packed.
var large = func() string {
	b := make([]byte, 10<<20)
	r := rand.NewChaCha8([32]byte{1})
	r.Read(b)
	return string(b)
}()

// kinds makes a tree with a file of each kind, none of which git keeps as it is, and gives their names.
func (w *world) kinds() []string {
	w.Helper()
	commit := func(what string) { w.bash(w.tree, "git add -A && git commit -qm "+what) }
	committed := []string{"modified", "staged", "staged-again", "mode.sh", "moved-from", "sub/deep", "to", "clean", "crlf-tracked", "emptied"}
	for _, name := range append(committed, "other") {
		w.write(name, "first of "+name+"\n")
	}
	w.write(".gitignore", ".env\nnode_modules/\n*.log\n")
	w.write("Makefile", ".PHONY: clean\nclean:\n\trm -rf sub odd modified untracked added link tracked-link large empty mode.sh\n")
	w.write("package.json", `{"name":"x","version":"1.0.0","scripts":{"clean":"rm -rf sub odd modified untracked added link tracked-link large empty mode.sh"}}`)
	w.ok(os.Symlink("to", w.path("tracked-link")))
	for _, name := range odd {
		w.write("tracked/"+name, "first\n")
	}
	commit("one")
	w.write("clean", "second of clean\n")
	w.write("committed-late", "of the second commit\n")
	commit("two")

	w.write("modified", "mine\n")
	w.write("staged", "mine, staged\n")
	w.write("added", "mine, new and staged\n")
	w.write("added-again", "mine, new and staged\n")
	w.write("staged-again", "mine, staged\n")
	w.bash(w.tree, "git add staged added added-again staged-again && git mv moved-from moved-to")
	w.write("staged-again", "mine, staged, and changed\n")
	w.write("added-again", "mine, new, staged, and changed\n")
	w.ok(os.Chmod(w.path("mode.sh"), 0o755))
	w.ok(os.Symlink("nowhere\xff", w.path("link")))
	w.ok(os.Remove(w.path("tracked-link")))
	w.ok(os.Symlink("other", w.path("tracked-link")))
	w.write("crlf-tracked", "mine\r\nof two lines\r\n")
	w.write("crlf", "mine\r\nnew\r\n")
	w.write("mixed", "a\r\nb\nc\rd")
	w.write("untracked", "mine\n")
	w.write("private", "mine alone\n")
	w.ok(os.Chmod(w.path("private"), 0o600))
	w.write("read-only", "mine, not to be written\n")
	w.ok(os.Chmod(w.path("read-only"), 0o444))
	w.write("shared.sh", "mine, for a group\n")
	w.ok(os.Chmod(w.path("shared.sh"), 0o750|os.ModeSetgid))
	w.write("empty", "")
	w.write("emptied", "")
	w.write("large", large)
	w.write("sub/deep", "mine\n")
	w.write("sub/new/deeper", "mine\n")
	w.write("sub/binary", "\x00\x01\xff\xfe")
	names := []string{"modified", "staged", "staged-again", "added", "added-again", "moved-to", "mode.sh", "link", "tracked-link", "crlf-tracked", "crlf", "mixed",
		"untracked", "private", "read-only", "shared.sh", "empty", "emptied", "large", "sub/deep", "sub/new/deeper", "sub/binary"}
	for _, name := range odd {
		w.write("odd/"+name, "mine\n")
		w.write("tracked/"+name, "mine\n")
		names = append(names, "odd/"+name, "tracked/"+name)
	}
	w.write(".env", "TOKEN=mine\n")
	w.write("debug.log", "mine, ignored\n")
	w.write("node_modules/a/index.js", "not mine\n")
	return names
}

// plain are the names of files, without the links.
func plainFiles(names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(n string) bool { return strings.HasSuffix(n, "link") })
}

// way is one of destroying.
type way struct {
	name string
	line func(names []string) string
	// least is how many files it destroys at least: one that destroys nothing shows nothing.
	least int
	needs string
}

func fixed(line string) func([]string) string { return func([]string) string { return line } }

// each is a command line with a command for each name.
func each(format string) func([]string) string {
	return func(names []string) string {
		var lines []string
		for _, n := range plainFiles(names) {
			lines = append(lines, strings.ReplaceAll(format, "%", quoted("./"+n)))
		}
		return strings.Join(lines, "\n")
	}
}

var ways = []way{
	{"git checkout -- .", fixed("git checkout -- ."), 8, ""},
	{"git checkout .", fixed("git checkout ."), 8, ""},
	{"git checkout HEAD -- .", fixed("git checkout HEAD -- ."), 10, ""},
	{"git checkout -f", fixed("git checkout -qf HEAD~1"), 10, ""},
	{"git switch", fixed("git switch -q --discard-changes -c other HEAD~1"), 10, ""},
	{"git restore .", fixed("git restore ."), 8, ""},
	{"git restore --staged --worktree", fixed("git restore --staged --worktree :/"), 10, ""},
	{"git clean -fd", fixed("git clean -fd"), 18, ""},
	{"git clean -fdx", fixed("git clean -fdx"), 18, ""},
	{"git -C clean", fixed("cd sub && git -C .. clean -qfdx"), 18, ""},
	{"git reset --hard", fixed("git reset --hard"), 14, ""},
	{"git reset --hard HEAD~1", fixed("git reset --hard HEAD~1"), 14, ""},
	{"git stash drop", fixed("git stash && git stash drop"), 14, ""},
	{"git stash -u", fixed("git stash -u -q && git checkout -q -b other HEAD~1"), 24, ""},
	{"git rm", fixed("git rm -rqf tracked sub modified staged"), 10, ""},
	{"both", fixed("git checkout -- . && git clean -fd"), 30, ""},
	{"rm", func(names []string) string { return "rm -f -- " + allQuoted(names) }, 30, ""},
	{"rm one by one", each("rm -f -- %"), 30, ""},
	{"rm -rf of folders", fixed("rm -rf sub odd tracked"), 20, ""},
	{"rm -rf *", fixed("rm -rf *"), 30, ""},
	{"rm -rf in a folder", fixed("cd sub && rm -rf ./* && cd ../odd && rm -rf -- *"), 11, ""},
	{"a loop of rm", fixed(`for f in odd/* sub/*; do rm -rf -- "$f"; done`), 11, ""},
	{"a variable", fixed(`d=odd; rm -rf "$d" "${d}x" ./sub`), 11, ""},
	{"xargs", fixed("git ls-files -z -o -m --exclude-standard | xargs -0 rm -f --"), 30, ""},
	{"mv over", each("cp other tmp-of-mv; mv -f tmp-of-mv %"), 30, ""},
	{"cp over", each("cp --remove-destination other %"), 30, ""},
	{"mv away", fixed("mv untracked sub odd /dev/shm/$$-gone 2>/dev/null || { mkdir ../gone && mv untracked sub odd ../gone; }"), 12, ""},
	{"truncation", each(": > %"), 30, ""},
	{"truncate", func(names []string) string {
		return "chmod -f u+w read-only; truncate -s 0 -- " + allQuoted(plainFiles(names))
	}, 28, ""},
	{"sed -i", func(names []string) string { return "sed -i s/m/X/ -- " + allQuoted(plainFiles(names)) }, 20, ""},
	{"perl -i", fixed("perl -pi -e 's/m/X/' modified untracked sub/deep"), 3, "perl"},
	{"tee", fixed("echo gone | tee modified untracked sub/deep added >/dev/null"), 4, ""},
	{"dd", fixed("dd if=/dev/null of=untracked status=none; dd if=/dev/zero of=large bs=1k count=1 conv=notrunc status=none"), 2, ""},
	{"python -c", fixed(`python3 -c "import os
for d, _, fs in os.walk('.'):
    if '.git' in d: continue
    for f in fs:
        p = os.path.join(d, f)
        if not os.path.islink(p) and f not in ('.gitignore', '.env', 'debug.log') and 'node_modules' not in d: open(p, 'w').write('gone')"`), 30, "python3"},
	{"python heredoc", fixed("python3 - <<'EOF'\nimport shutil, os\nshutil.rmtree('sub'); shutil.rmtree('odd')\nopen('modified','w').write('gone')\nos.unlink('link')\nos.rename('untracked', 'added')\nEOF"), 14, "python3"},
	{"bash heredoc", fixed("cat > modified <<'EOF'\ngone\nEOF\ncat > 'odd/with blank' <<EOF\ngone\nEOF\ncat <<EOF > untracked\ngone\nEOF"), 3, ""},
	{"find -delete", fixed("find . -type f -not -path './.git/*' -not -path './node_modules/*' -not -name '*.log' -delete"), 30, ""},
	{"find -exec", fixed(`find odd sub -type f -exec rm -f {} +`), 11, ""},
	{"make clean", fixed("make clean"), 18, "make"},
	{"npm run", fixed("npm run clean"), 18, "npm"},
	{"git alias", fixed("git nuke"), 30, ""},
	{"a script", fixed("sh ./wipe.sh"), 11, ""},
	{"an unparsable line", fixed("rm -rf sub odd untracked\n)"), 12, ""},
	{"eval", fixed(`eval "rm -rf sub odd"`), 11, ""},
	{"base64", fixed("echo cm0gLXJmIHN1YiBvZGQK | base64 -d | sh"), 11, ""},
	{"chmod", fixed("chmod -R a+x modified untracked sub"), 3, ""},
	{"ln -sf", fixed("ln -sf other untracked; ln -sfn elsewhere link"), 2, ""},
}

// TestDestroy destroys, in each way, a tree with a file of each kind that git does not keep. Everything
// comes back or was named beforehand as not kept; nothing else is touched, and an undo of the undo
// gives what was there after the command.
func TestDestroy(t *testing.T) {
	for _, settings := range [][]string{{"core.autocrlf false"}, {"core.autocrlf true"}} {
		for _, x := range ways {
			if settings[0] == "core.autocrlf true" && !strings.HasPrefix(x.name, "git ") {
				continue // git's own commands alone read it
			}
			t.Run(settings[0]+"/"+x.name, func(t *testing.T) {
				t.Parallel()
				if x.needs != "" {
					need.Program(t, x.needs)
				}
				w := newRepository(t, append(settings, "alias.nuke '!git checkout -- . && git clean -fdq'")...)
				names := w.kinds()
				w.write("wipe.sh", "rm -rf sub odd\n")
				s := w.opens()
				line := x.line(names)
				told := w.destroyed(x.least, func() { s.runs(line) }, s)
				if x.removes() && !strings.Contains(told, "'piton undo' brings") {
					t.Errorf("the person is told %q, want what was removed", told)
				}
			})
		}
	}
}

// removes tells whether the way removes files, and does not only write over them.
func (x way) removes() bool {
	return strings.HasPrefix(x.name, "git ") || strings.HasPrefix(x.name, "rm") || strings.HasPrefix(x.name, "find")
}

// destroyed has an agent destroy something, undoes that, and undoes the undo. It gives what the
// person is told at the stop.
func (w *world) destroyed(least int, do func(), s *session) (told string) {
	w.Helper()
	before := w.files()
	do()
	told = s.stop()
	after, git := w.files(), w.git()
	gone := differencesOf(before, after)
	if len(gone) < least {
		w.Fatalf("only %d files were destroyed, want at least %d: %q", len(gone), least, gone)
	}
	acts := w.marksOf(keep.Query{Kind: mark.AtCommand})
	if len(acts) == 0 {
		w.Fatalf("no mark was taken\n%s", w.log())
	}
	x := w.undone(piton.UndoRequest{})
	now := w.files()
	for _, name := range differencesOf(before, now) {
		if f := before[name]; !named(acts, name) && !kept(w, name, f) {
			w.Errorf("%q is %v, was %v, and was not named before; the undo says %v", name, now[name], f, x.Files)
		}
	}
	for name, f := range now {
		if was, there := before[name]; f != after[name] && !(there && f == was) {
			w.Errorf("the undo has made %q %v", name, f)
		}
	}
	if got := w.git(); got != git {
		w.Errorf("the undo has changed what git holds:\n%s\nwant\n%s", got, git)
	}
	w.undone(piton.UndoRequest{Command: x.Undo})
	if diff := differences(after, w.files()); len(diff) > 0 {
		w.Errorf("the undo of the undo: %q", diff)
	}
	if got := w.git(); got != git {
		w.Errorf("the undo of the undo has changed what git holds:\n%s\nwant\n%s", got, git)
	}
	return told
}

// differencesOf are the names of files that were there and are not the same.
func differencesOf(was, now map[string]file) (names []string) {
	for _, name := range slices.Sorted(maps.Keys(was)) {
		if f, there := now[name]; !there || f != was[name] {
			names = append(names, name)
		}
	}
	return names
}

// named tells whether a mark has said of a file that it does not keep it.
func named(acts []mark.Mark, name string) bool {
	return slices.ContainsFunc(acts, func(m mark.Mark) bool {
		return slices.ContainsFunc(m.Lacking(), func(f mark.File) bool {
			return f.Path == name || strings.HasSuffix(f.Path, "/") && strings.HasPrefix(name, f.Path)
		})
	})
}

// kept tells whether git keeps a file as it was, but for the ends of its lines: then nobody has lost it.
func kept(w *world, name string, f file) bool {
	mode := fmt.Sprint(f.mode.Perm()&0o100 != 0)
	for _, commit := range []string{"main@{0}", "main@{1}"} {
		out := w.bash(w.tree, "git ls-tree --format='%(objectmode)' "+commit+" -- "+quoted(":(literal)"+name)+"; git cat-file --filters "+commit+":"+quoted(name))
		if is, text, _ := strings.Cut(out, "\n"); strings.ReplaceAll(text, "\r\n", "\n") == strings.ReplaceAll(f.text, "\r\n", "\n") && mode == fmt.Sprint(strings.HasSuffix(is, "755")) {
			return true
		}
	}
	return false
}

// TestAnAgentsOwn: what an agent writes by heredocs alone, in one turn, and then destroys, is all there again.
func TestAnAgentsOwn(t *testing.T) {
	for _, line := range []string{"rm -rf made", "git clean -fdq", "rm -f made/*", "rm -rf *"} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			w := newRepository(t)
			w.write("a", "a\n")
			w.bash(w.tree, "git add a && git commit -qm x")
			s := w.opens()
			for i := range 14 {
				name := fmt.Sprintf("made/%d.go", i)
				s.runs("mkdir -p " + path.Dir(name) + "\ncat > " + name + " <<'EOF'\npackage made // " + fmt.Sprint(i) + "\nEOF")
			}
			w.destroyed(14, func() { s.runs(line) }, s)
		})
	}
}

// TestAServersTool: what a tool of a server writes over, nobody knows before.
func TestAServersTool(t *testing.T) {
	w := newRepository(t)
	w.kinds()
	s := w.opens()
	input := map[string]any{"path": w.path("modified"), "content": "gone"}
	w.destroyed(3, func() {
		s.call("mcp__filesystem__write_file", input, func() {
			w.write("modified", "gone")
			w.write("sub/deep", "gone")
			w.ok(os.Remove(w.path("untracked")))
		})
	}, s)
}

// TestInTheWay: what stands now where a file was is not removed for it; the file can be had in a folder.
func TestInTheWay(t *testing.T) {
	for _, x := range []struct{ name, line, reason string }{
		{"a file for a folder", "rm -rf sub && echo gone > sub", "a file is where its folder was"},
		{"a folder for a file", "rm untracked && mkdir -p untracked/in && echo gone > untracked/in/it", "a folder is there now"},
		{"a link for a folder", "rm -rf sub && mkdir ../elsewhere && ln -s ../elsewhere sub", "it lies behind a symbolic link"},
		{"a pipe for a file", "rm untracked && mkfifo untracked", "something that is no file is there now"},
		{"a link with a second name", "echo gone > untracked && ln untracked ../second", "it has other names (hard links)"},
	} {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			w := newRepository(t)
			w.write("sub/deep", "mine\n")
			w.write("untracked", "mine\n")
			before, s := w.files(), w.opens()
			s.runs(x.line)
			s.stop()
			w.write("later", "of a person\n")
			after := w.bash(w.tree, "ls -lR . ../elsewhere ../second")
			p, closed := w.person()
			defer closed()
			list, err := p.Undos(t.Context(), piton.UndosRequest{})
			if err != nil || len(list.Undos) != 1 || list.Undos[0].CanReturn != 0 {
				t.Fatalf("got %+v, %v, want one command of which nothing can return", list, err)
			}
			shown, err := p.PreviewUndo(t.Context(), piton.UndoRequest{Command: "1"})
			if err != nil || shown.Returns > 0 || shown.Files[0].Reason != x.reason {
				t.Fatalf("got %+v, %v, want the first left: %s", shown.Files, err, x.reason)
			}
			if _, err := p.Undo(t.Context(), shown); err != nil {
				t.Error(err)
			}
			if got := w.bash(w.tree, "ls -lR . ../elsewhere ../second"); got != after {
				t.Errorf("got\n%s\nwant\n%s", got, after)
			}
			to := filepath.Join(w.home, "out")
			copies, err := p.PreviewRestore(t.Context(), piton.RestoreRequest{From: shown.ID, To: to})
			w.ok(err)
			_, err = p.RestoreFiles(t.Context(), copies)
			w.ok(err)
			for name, f := range w.filesIn(to) {
				if f != before[name] {
					t.Errorf("%s is %v, was %v", name, f, before[name])
				}
			}
			if got := len(w.filesIn(to)); got != len(before) {
				t.Errorf("got %d files, want %d", got, len(before))
			}
		})
	}
}

// TestWhereMarksTakeLong: git is not asked before a command that nobody knows to be one that destroys;
// what was dirty at the mark before is kept all the same, and the mark says what it is without.
func TestWhereMarksTakeLong(t *testing.T) {
	w := newRepository(t)
	w.kinds()
	w.write("wipe.sh", "rm -rf sub odd modified later\n")
	s := w.opens()
	w.slow()
	w.write("later", "after the last mark\n")
	before := w.files()
	s.runs("sh ./wipe.sh")
	s.stop()
	act := w.marksOf(keep.Query{Kind: mark.AtCommand})[0]
	if !strings.Contains(act.Partial, "have come since") {
		t.Errorf("got %q, want said what is missing", act.Partial)
	}
	w.undone(piton.UndoRequest{})
	if got := differences(before, w.files()); len(got) != 1 || got[0] != `"later" is missing` {
		t.Errorf("got %q, want back all but the one that came later", got)
	}
}

// slow makes the newest mark of the tree one that took long.
func (w *world) slow() {
	w.Helper()
	s, err := keep.Open(w.state(), time.Second, true)
	w.ok(err)
	defer s.Close()
	last, err := s.Last(w.Context(), w.tree)
	w.ok(err)
	var paths []mark.File
	for _, f := range last.Files {
		paths = append(paths, mark.File{Path: f.Path, Code: f.Code, InHead: f.InHead})
	}
	_, err = keep.Taker{Store: s, Limits: keep.Limits{File: 20 << 20, Mark: 100 << 20}}.Take(w.Context(), mark.Mark{Root: w.tree, Head: last.Head, Kind: mark.AtPrompt, Whole: true, Origin: last.Origin, Took: time.Minute}, paths)
	w.ok(err)
}

// TestASecretInAName: a file whose name may hold one is not in a mark, which says so.
func TestASecretInAName(t *testing.T) {
	w := newRepository(t)
	w.write("ghp_"+strings.Repeat("a1B2", 9), "mine\n")
	w.write("untracked", "mine\n")
	s := w.opens()
	s.runs("git clean -fdq")
	if act := w.marksOf(keep.Query{Kind: mark.AtCommand})[0]; len(act.Files) != 1 || !strings.Contains(act.Partial, "names may hold a secret") {
		t.Errorf("got %v, %q, want one file and what is missing", act.Files, act.Partial)
	}
}

// TestBeforeTheFirstCommit: there is no HEAD to go back to.
func TestBeforeTheFirstCommit(t *testing.T) {
	for _, line := range []string{"rm -rf *", "git clean -fdqx", "git rm -rqf . && git clean -fdq", "git reset -q --hard", "git read-tree --empty && git clean -fdq"} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			w := newRepository(t)
			for _, name := range []string{"staged", "staged-again", "untracked", "d/e"} {
				w.write(name, "mine\n")
			}
			w.bash(w.tree, "git add staged staged-again")
			w.write("staged-again", "mine, and changed\n")
			s := w.opens()
			w.destroyed(2, func() { s.runs(line) }, s)
		})
	}
}

// TestOddIndex: what is in the index in another way than as a change, or is in HEAD and not in the index.
func TestOddIndex(t *testing.T) {
	for _, line := range []string{"rm -rf *", "git clean -fdq; git reset -q --hard", "git reset -q --hard", "git checkout -qf HEAD", "git restore --staged --worktree .", "git add -A && git stash -q && git stash drop -q"} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			w := newRepository(t)
			for _, name := range []string{"uncached", "skipped", "was-a-link", "was-a-file"} {
				w.write(name, "first\n")
			}
			w.bash(w.tree, "ln -sf nowhere was-a-link && git add -A && git commit -qm x")
			for _, name := range []string{"uncached", "intended", "skipped"} {
				w.write(name, "mine\n")
			}
			w.bash(w.tree, `git rm -q --cached uncached; git add -N intended; git update-index --skip-worktree skipped
rm was-a-link was-a-file; echo mine > was-a-link; ln -s mine was-a-file`)
			s := w.opens()
			w.destroyed(2, func() { s.runs(line) }, s)
		})
	}
}

// TestAsked: of what a command took away only what is asked for comes back, and then the rest.
func TestAsked(t *testing.T) {
	w := newRepository(t)
	names := append([]string{"d/e", "d/f/g", "de"}, odd...)
	for _, name := range names {
		w.write(name, "mine\n")
	}
	before, s := w.files(), w.opens()
	s.runs("git clean -fdq")
	s.stop()
	back := map[string]file{}
	for _, ask := range [][]string{{"d"}, {w.path("de")}, {odd[3], "./" + odd[4]}, {odd[5]}, {"no such file"}} {
		x, err := w.undo(piton.UndoRequest{Command: w.marksOf(keep.Query{Kind: mark.AtCommand})[0].ID, Paths: ask})
		w.ok(err)
		for name, f := range before {
			if (mark.Wish{Paths: []string{strings.TrimPrefix(ask[0], w.tree+"/"), strings.TrimPrefix(ask[len(ask)-1], "./")}}).Takes(name) {
				back[name] = f
			}
		}
		if got := w.files(); !maps.Equal(got, back) {
			t.Fatalf("asked for %q: %q; %+v", ask, differences(back, got), x.Files)
		}
	}
	w.undone(piton.UndoRequest{})
	w.same(before)
	if _, err := w.undo(piton.UndoRequest{Paths: []string{"../home"}}); piton.CodeOf(err) != piton.Invalid {
		t.Errorf("got %v for a file elsewhere, want invalid", err)
	}
	if _, err := w.undo(piton.UndoRequest{TheirsToo: true}); piton.CodeOf(err) != piton.Invalid {
		t.Errorf("got %v for theirs without a name, want invalid", err)
	}
}

// TestManyAtOnce: agents in trees of their own take marks in one store at the same time.
func TestManyAtOnce(t *testing.T) {
	w := newRepository(t)
	w.write("x", "x")
	var all []*session
	for i := range 6 {
		other := w.at(fmt.Sprint("../tree", i))
		w.ok(os.CopyFS(other.tree, os.DirFS(w.tree)))
		for n := range 20 {
			other.write(fmt.Sprint("mine", n), fmt.Sprintf("%d of %d\n", n, i))
		}
		all = append(all, &session{world: other, id: fmt.Sprintf("%08d-2222-1111-1111-111111111111", i), cwd: other.tree})
		w.write(filepath.Join(w.home, all[i].id+".jsonl"), "")
	}
	var group sync.WaitGroup
	for _, s := range all {
		group.Go(func() {
			s.prompt()
			for n := range 5 {
				s.runs(fmt.Sprintf("rm -rf mine%d mine1%d", n, n))
			}
			s.runs("git clean -fdq")
			s.stop()
		})
	}
	group.Wait()
	for i, s := range all {
		s.undone(piton.UndoRequest{Turn: true})
		for n := range 20 {
			if got := s.read(fmt.Sprint("mine", n)); got != fmt.Sprintf("%d of %d\n", n, i) {
				t.Errorf("tree %d: mine%d is %q\n%s", i, n, got, s.log())
			}
		}
	}
}

// TestWhatSettingsLeaveOut is named before it is lost; without marks nothing is written.
func TestWhatSettingsLeaveOut(t *testing.T) {
	for _, x := range []struct{ name, settings, lacks string }{
		{"as they are", "", ""},
		{"secrets", "  secrets: omit\n", mark.LacksSecret},
		{"large files", "  max_file_mb: 1\n", "it is larger than 1 MB"},
		{"large marks", "  max_mark_mb: 1\n", mark.LacksRoom},
		{"off", "  mode: off\n", ""},
	} {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			w := newRepository(t)
			w.write(filepath.Join(w.home, ".config", "piton", "config.yaml"), "debrief:\n  mode: off\nrestore:\n"+x.settings+"  keep_for: 7d\n")
			w.write("small", "mine\n")
			w.write("secret", "AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMIK7MDENGbPxRfiCYzzzzzzzzKEYX\n")
			w.write("large", large[:3<<20])
			before, s := w.files(), w.opens()
			s.runs("git clean -fdq")
			told := s.stop()
			if x.name == "off" {
				if left, _ := filepath.Glob(filepath.Join(w.state(), "marks.db*")); len(left) > 0 || told != "" {
					t.Errorf("got %q, told %q, want no marks", left, told)
				}
				return
			}
			act := w.marksOf(keep.Query{Kind: mark.AtCommand})[0]
			if lacking := act.Lacking(); len(lacking) > 1 || (len(lacking) == 1) != (x.lacks != "") || len(lacking) == 1 && lacking[0].Lacks != x.lacks {
				t.Errorf("the mark lacks %+v, want %q", lacking, x.lacks)
			}
			w.undone(piton.UndoRequest{})
			for _, name := range differencesOf(before, w.files()) {
				if !named([]mark.Mark{act}, name) {
					t.Errorf("%s did not come back", name)
				}
			}
			if strings.Contains(told, "brings them back") != (x.lacks == "") || !strings.Contains(told, "removed 3") {
				t.Errorf("the person is told %q", told)
			}
		})
	}
}
