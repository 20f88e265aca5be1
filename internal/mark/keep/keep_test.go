package keep_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ncruces/go-sqlite3"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/mark"
	"github.com/piton-project/piton/internal/mark/keep"
	"github.com/piton-project/piton/internal/testkit/draw"
	"github.com/piton-project/piton/internal/testkit/need"
)

// bench is a store, and a tree that is marked.
type bench struct {
	*testing.T
	keep.Taker
	home, tree string
}

func opened(t *testing.T) *bench {
	t.Helper()
	b := &bench{T: t, home: t.TempDir(), tree: t.TempDir()}
	b.Limits = keep.Limits{File: 1 << 20, Mark: 4 << 20, All: 1 << 30, For: 7 * 24 * time.Hour}
	b.open()
	t.Cleanup(func() { b.Store.Close() })
	return b
}

func (b *bench) open() {
	b.Helper()
	var err error
	if b.Store, err = keep.Open(b.home, time.Second, false); err != nil {
		b.Fatal(err)
	}
}

func (b *bench) ok(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

// take writes files, given as name, text, name, text…, and takes a mark of them.
func (b *bench) take(m mark.Mark, files ...string) mark.Mark {
	b.Helper()
	var paths []mark.File
	for i := 0; i < len(files); i += 2 {
		b.ok(os.WriteFile(filepath.Join(b.tree, files[i]), []byte(files[i+1]), 0o644))
		paths = append(paths, mark.File{Path: files[i], Code: "??"})
	}
	m.Root = b.tree
	m, err := b.Take(b.Context(), m, paths)
	b.ok(err)
	return m
}

// text is what a mark has of a file; its error where it has nothing.
func (b *bench) text(m mark.Mark, name string) string {
	f, _ := m.Find(name)
	text, err := b.Bytes(f)
	if err != nil {
		return "error: " + string(piton.CodeOf(err))
	}
	return string(text)
}

// noise is a content that cannot be packed, and is like no other.
func noise(n, size int) string {
	var b bytes.Buffer
	for i := 0; b.Len() < size; i++ {
		x := uint64(n)<<32 + uint64(i)
		x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
		x = (x ^ x>>27) * 0x94d049bb133111eb
		fmt.Fprintf(&b, "%c%c%c%c%c", rune(x&0x7f), rune(x>>8&0x7f), rune(x>>16&0x7f), rune(x>>24&0x7f), rune(x>>32&0x7f))
	}
	return b.String()[:size]
}

// damage changes a content in the file.
func (b *bench) damage(text string) {
	b.Helper()
	db, err := sqlite3.Open("file:" + filepath.Join(b.home, keep.File))
	b.ok(err)
	defer db.Close()
	sum := sha256.Sum256([]byte(text))
	b.ok(db.Exec(fmt.Sprintf("update blob set data=x'00'||data where sum='%x'", sum)))
	if db.Changes() != 1 {
		b.Fatalf("%d contents were changed", db.Changes())
	}
}

func TestWhatIsKept(t *testing.T) {
	b := opened(t)
	b.ok(os.Symlink("nowhere\xff", filepath.Join(b.tree, "link")))
	b.ok(os.Mkdir(filepath.Join(b.tree, "folder"), 0o755))
	b.Omits = func(text []byte) bool { return bytes.Contains(text, []byte("secret")) }
	for name, text := range map[string]string{"a": "mine\n", "caf\xe9": "\x00\xff", "empty": "", "large": strings.Repeat("x", 1<<20+1), "just": strings.Repeat("x", 1<<20), "secret": "a secret"} {
		b.ok(os.WriteFile(filepath.Join(b.tree, name), []byte(text), 0o640))
	}
	var paths []mark.File
	for _, name := range []string{"secret", "a", "caf\xe9", "empty", "large", "just", "link", "folder", "missing", "a", "a/b"} {
		paths = append(paths, mark.File{Path: name, Code: "??", InHead: "id"})
	}
	m, err := b.Take(t.Context(), mark.Mark{Root: b.tree, Kind: mark.AtCommand, Origin: mark.Origin{Agent: "claude", Client: "c", Call: "1", Line: "rm"}, Head: "h", Branch: "main", Partial: "p"}, paths)
	b.ok(err)
	read, err := b.List(t.Context(), keep.Query{ID: m.ID})
	b.ok(err)
	if len(read) != 1 || !slices.Equal(read[0].Files, m.Files) || read[0].Origin != m.Origin || read[0].Head != "h" || read[0].Branch != "main" || read[0].Partial != "p" || !read[0].At.Equal(m.At) {
		t.Errorf("got %+v, want %+v", read, m)
	}
	if !slices.IsSortedFunc(m.Files, func(a, b mark.File) int { return strings.Compare(a.Path, b.Path) }) || len(m.Files) != 10 {
		t.Errorf("got %d files, want ten by name", len(m.Files))
	}
	for name, want := range map[string]string{"a": "mine\n", "caf\xe9": "\x00\xff", "empty": "", "just": strings.Repeat("x", 1<<20), "link": "nowhere\xff"} {
		if got := b.text(m, name); got != want {
			t.Errorf("%q: got %.40q, want %.40q", name, got, want)
		}
	}
	for name, want := range map[string]string{"large": "it is larger than 1 MB", "folder": mark.LacksKind, "secret": mark.LacksSecret, "missing": "", "a/b": ""} {
		f, _ := m.Find(name)
		if f.Lacks != want || f.Kept() || f.Missing != (want == "") {
			t.Errorf("%q: got %+v, want %q", name, f, want)
		}
	}
}

// TestAMarkIsFull: small files come first, the rest is named, and a content that is there takes no room.
func TestAMarkIsFull(t *testing.T) {
	b := opened(t)
	b.Limits.Mark = 250_000
	one, two, three := noise(1, 100_000), noise(2, 110_000), noise(3, 120_000)
	m := b.take(mark.Mark{Whole: true}, "c", three, "a", one, "b", two)
	if f, _ := m.Find("c"); f.Lacks != mark.LacksRoom || b.text(m, "a") != one || b.text(m, "b") != two {
		t.Errorf("got %+v, want that the largest has no room", m.Lacking())
	}
	if m = b.take(mark.Mark{}, "c", three, "a", one, "b", two); len(m.Lacking()) > 0 || b.text(m, "c") != three {
		t.Errorf("got %+v, want all, because two of them are there", m.Lacking())
	}
}

// TestUnread: what has not changed since an older mark is not read again; what may have is.
func TestUnread(t *testing.T) {
	b := opened(t)
	first := b.take(mark.Mark{Whole: true, At: time.Now().Add(time.Minute)}, "a", "mine\n", "b", "mine too\n") // long after both were written
	b.ok(os.WriteFile(filepath.Join(b.tree, "b"), []byte("MINE TOO\n"), 0o644))
	read := 0
	b.Omits = func([]byte) bool { read++; return false }
	m, err := b.Take(t.Context(), mark.Mark{Root: b.tree, At: time.Now().Add(2 * time.Minute)}, []mark.File{{Path: "a"}, {Path: "b"}})
	b.ok(err)
	if read != 1 || b.text(m, "a") != "mine\n" || b.text(m, "b") != "MINE TOO\n" || b.text(first, "b") != "mine too\n" {
		t.Errorf("%d were read: %q %q", read, b.text(m, "a"), b.text(m, "b"))
	}
	b.damage("mine\n")
	if got := b.text(m, "a"); got != "error: corrupt" {
		t.Errorf("got %q of a damaged copy", got)
	}
}

// ids are those of all marks, oldest first.
func (b *bench) ids() (all []string) {
	marks, err := b.List(b.Context(), keep.Query{Bare: true})
	b.ok(err)
	for _, m := range marks {
		all = append(all, m.ID)
	}
	slices.Reverse(all)
	return all
}

func TestPrune(t *testing.T) {
	now := time.Now()
	days := func(n int) time.Time { return now.Add(-time.Duration(n) * 24 * time.Hour) }
	none := func(string) bool { return false }
	for _, x := range []struct {
		name string
		all  int64
		kept func(string) bool
		want string // the ids that stay
	}{
		{"by age", 1 << 30, none, "named young newest"},
		{"with a checkpoint", 1 << 30, func(id string) bool { return id == "chk_1" }, "joined named young newest"},
		{"too much", 360_000, none, "named young newest"},
		{"much too much", 290_000, none, "named newest"},
		{"far too much", 1, func(string) bool { return true }, "named"},
	} {
		t.Run(x.name, func(t *testing.T) {
			b := opened(t)
			b.Limits.All = x.all
			shared := noise(9, 50_000)
			b.take(mark.Mark{ID: "old", At: days(10)}, "a", noise(1, 100_000), "s", shared)
			b.take(mark.Mark{ID: "joined", At: days(9), Checkpoint: "chk_1"}, "a", noise(2, 100_000), "s", shared)
			named := b.take(mark.Mark{ID: "named", At: days(8), Name: "n"}, "a", noise(3, 100_000), "s", shared)
			b.take(mark.Mark{ID: "young", At: days(6)}, "a", noise(4, 100_000), "s", shared)
			b.take(mark.Mark{ID: "newest", At: days(1)}, "a", noise(5, 100_000), "s", shared)
			all, size := b.ids(), b.Size()
			dry, err := b.Prune(t.Context(), now, x.kept, true)
			b.ok(err)
			if got := b.ids(); !slices.Equal(got, all) || b.Size() != size {
				t.Errorf("a dry run left %q", got)
			}
			p, err := b.Prune(t.Context(), now, x.kept, false)
			b.ok(err)
			if got := strings.Join(b.ids(), " "); got != x.want || p != dry || p.Marks != 5-len(b.ids()) {
				t.Errorf("got %q, %+v (dry: %+v), want %q", got, p, dry, x.want)
			}
			if freed := size - b.Size(); freed < p.Bytes-10_000 || p.Bytes < int64(p.Marks)*90_000 {
				t.Errorf("%d bytes were said, %d freed", p.Bytes, freed)
			}
			if b.text(named, "s") != shared || b.text(named, "a") != noise(3, 100_000) {
				t.Error("a mark that stays has lost a content that it shared")
			}
			if _, damaged, err := b.Verify(t.Context()); err != nil || len(damaged) > 0 {
				t.Errorf("damaged: %v, %v", damaged, err)
			}
			b.ok(b.Forget("named"))
			if _, err := b.Prune(t.Context(), now, none, false); err != nil || slices.Contains(b.ids(), "named") {
				t.Errorf("one without a name any more stays: %q, %v", b.ids(), err)
			}
		})
	}
}

// TestAContentOfAMarkBeingTakenStays: its mark is not there yet, and will be; an hour later it is nobody's.
func TestAContentOfAMarkBeingTakenStays(t *testing.T) {
	b := opened(t)
	b.take(mark.Mark{}, "a", "mine\n")
	db, err := sqlite3.Open("file:" + filepath.Join(b.home, keep.File))
	b.ok(err)
	b.ok(errors.Join(db.Exec("delete from mark"), db.Close()))
	for _, x := range []struct {
		later time.Duration
		want  int
	}{{0, 2}, {2 * time.Hour, 0}} { // the file's content, and the list of files
		if _, err := b.Prune(t.Context(), time.Now().Add(x.later), func(string) bool { return false }, false); err != nil {
			t.Fatal(err)
		}
		if got, err := b.Stats(); err != nil || got.Contents != x.want {
			t.Errorf("%v later: got %+v, %v, want %d contents", x.later, got, err, x.want)
		}
	}
}

// TestDamage: a damaged content costs its own files; a damaged list its marks.
func TestDamage(t *testing.T) {
	b := opened(t)
	one := b.take(mark.Mark{ID: "one"}, "a", "good\n", "b", "bad\n")
	two := b.take(mark.Mark{ID: "two"}, "a", "good\n", "c", "bad\n")
	three := b.take(mark.Mark{ID: "three"}, "d", "alone\n")
	b.damage("bad\n")
	checked, damaged, err := b.Verify(t.Context())
	want := []keep.Damage{{Mark: "two", Path: "c"}, {Mark: "one", Path: "b"}}
	if err != nil || checked != 3 || !slices.Equal(damaged, want) {
		t.Errorf("got %d, %v, %v, want 3, %v", checked, damaged, err, want)
	}
	if b.text(one, "a") != "good\n" || b.text(two, "a") != "good\n" || b.text(one, "b") != "error: corrupt" {
		t.Errorf("got %q %q %q", b.text(one, "a"), b.text(two, "a"), b.text(one, "b"))
	}
	db, err := sqlite3.Open("file:" + filepath.Join(b.home, keep.File))
	b.ok(err)
	b.ok(db.Exec("update blob set data=x'01' where sum=(select manifest from mark where id='three')"))
	b.ok(db.Close())
	_, damaged, err = b.Verify(t.Context())
	if err != nil || len(damaged) != 3 || damaged[0] != (keep.Damage{Mark: "three"}) {
		t.Errorf("got %v, %v, want the whole mark", damaged, err)
	}
	all, err := b.List(t.Context(), keep.Query{ID: three.ID})
	if err != nil || len(all) != 1 || all[0].Files != nil || all[0].Partial != "its list of files is damaged" {
		t.Errorf("got %+v, %v", all, err)
	}
}

// TestDrop: contents that hold a secret go, their files stay as what they were.
func TestDrop(t *testing.T) {
	b := opened(t)
	m := b.take(mark.Mark{Whole: true, At: time.Now().Add(time.Minute)}, "a", "plain\n", "b", "TOKEN=abcdef0123456789\n", "c", strings.Repeat("TOKEN=abcdef0123456789\n", 100))
	secret := func(text []byte) bool { return bytes.Contains(text, []byte("TOKEN")) }
	for _, dry := range []bool{true, false} {
		if n, err := b.Drop(t.Context(), secret, dry); n != 2 || err != nil {
			t.Errorf("dry %t: got %d, %v, want 2", dry, n, err)
		}
		all, err := b.List(t.Context(), keep.Query{ID: m.ID})
		b.ok(err)
		if lacking := all[0].Lacking(); dry != (len(lacking) == 0) || !dry && (len(lacking) != 2 || lacking[0].Lacks != mark.LacksDamaged) || len(all[0].Files) != 3 {
			t.Errorf("dry %t: the mark lacks %+v", dry, lacking)
		}
		if got := b.text(m, "b"); (got == "error: corrupt") == dry || b.text(m, "a") != "plain\n" {
			t.Errorf("dry %t: got %q", dry, got)
		}
	}
	if n, err := b.Drop(t.Context(), secret, false); n != 0 || err != nil {
		t.Errorf("again: got %d, %v, want none", n, err)
	}
	if again := b.take(mark.Mark{}, "b", "TOKEN=abcdef0123456789\n"); b.text(again, "b") == "error: corrupt" {
		t.Error("a later mark says that it has what was dropped")
	}
	if n, err := b.Drop(t.Context(), secret, false); n != 1 || err != nil {
		t.Errorf("after another mark: got %d, %v, want 1", n, err)
	}
	b.Store.Close()
	file, err := os.ReadFile(filepath.Join(b.home, keep.File))
	if err != nil || bytes.Contains(file, []byte("abcdef0123456789")) {
		t.Errorf("the file still holds it (%v)", err)
	}
	b.open()
}

// TestDamagedFiles: one that is no store is put aside, by who writes; who only looks says so.
func TestDamagedFiles(t *testing.T) {
	whole := func(b *bench) []byte {
		for i := range 20 {
			b.take(mark.Mark{}, "a", noise(i, 9000))
		}
		b.Store.Close()
		file, err := os.ReadFile(filepath.Join(b.home, keep.File))
		b.ok(err)
		return file
	}
	for name, spoil := range map[string]func([]byte) []byte{
		"no store":    func([]byte) []byte { return []byte(strings.Repeat("not a store\n", 1000)) },
		"the head":    func(b []byte) []byte { copy(b, bytes.Repeat([]byte{0xff}, 100)); return b },
		"the schema":  func(b []byte) []byte { copy(b[100:], bytes.Repeat([]byte{0xff}, 3900)); return b },
		"cut off":     func(b []byte) []byte { return b[:5000] },
		"a few bytes": func(b []byte) []byte { return b[:50] },
	} {
		t.Run(name, func(t *testing.T) {
			b := opened(t)
			path := filepath.Join(b.home, keep.File)
			b.ok(os.WriteFile(path, spoil(whole(b)), 0o600))
			s, err := keep.Open(b.home, time.Second, true)
			if s.Close(); piton.CodeOf(err) != piton.Corrupt {
				t.Errorf("got %v, want corrupt", err)
			}
			b.open()
			if b.Aside == "" {
				t.Fatal("it was not put aside")
			}
			if _, err := os.Stat(b.Aside); err != nil {
				t.Error(err)
			}
			if m := b.take(mark.Mark{}, "a", "mine\n"); b.text(m, "a") != "mine\n" {
				t.Error("the new store keeps nothing")
			}
		})
	}
}

func TestOpen(t *testing.T) {
	home := t.TempDir()
	if _, err := keep.Open(home, 0, true); piton.CodeOf(err) != piton.NotFound {
		t.Errorf("got %v, want not found", err)
	}
	if left, _ := os.ReadDir(home); len(left) > 0 {
		t.Errorf("who looks has made %v", left)
	}
	b := opened(t)
	b.take(mark.Mark{ID: "kept"}, "a", "mine\n")
	path := filepath.Join(b.home, keep.File)
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got %v, %v, want a file for its user alone", info.Mode(), err)
	}
	b.Store.Close()
	db, err := sqlite3.Open("file:" + path)
	if err := errors.Join(err, db.Exec("pragma user_version=99"), db.Close()); err != nil {
		t.Fatal(err)
	}
	for _, existing := range []bool{true, false} {
		_, err := keep.Open(b.home, 0, existing)
		if piton.CodeOf(err) != piton.Invalid || !strings.Contains(err.Error(), "a newer one") {
			t.Errorf("got %v, want that it is too new", err)
		}
	}
	if left, _ := filepath.Glob(path + "*"); len(left) != 1 {
		t.Errorf("got %q, want the newer store left as it is", left)
	}
	b.ok(os.Rename(path, path+".newer"))
	b.ok(os.Symlink(path+".newer", path))
	if _, err := keep.Open(b.home, 0, false); piton.CodeOf(err) != piton.Invalid || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("got %v, want that a link is not followed", err)
	}
	b.ok(os.Remove(path))
	b.open()
}

func TestStats(t *testing.T) {
	b := opened(t)
	if x, err := b.Stats(); err != nil || x.Marks != 0 || x.Contents != 0 || !x.Oldest.IsZero() {
		t.Errorf("got %+v, %v, want nothing", x, err)
	}
	first := b.take(mark.Mark{Name: "n"}, "a", "one\n", "b", "two\n")
	b.take(mark.Mark{}, "a", "one\n", "b", "two\n")
	b.take(mark.Mark{}, "a", "three\n")
	if x, err := b.Stats(); err != nil || x.Marks != 3 || x.Named != 1 || x.Contents != 3 || !x.Oldest.Equal(first.At) || x.Bytes == 0 {
		t.Errorf("got %+v, %v, want three marks of three contents", x, err)
	}
}

// TestSee: what a command left is kept with the mark, and no more than that.
func TestSee(t *testing.T) {
	b := opened(t)
	m := b.take(mark.Mark{Kind: mark.AtCommand}, "a", "mine\n", "b", "mine\n", "c", "mine\n", "d", "mine\n")
	b.ok(os.Remove(filepath.Join(b.tree, "a")))
	b.ok(os.WriteFile(filepath.Join(b.tree, "b"), []byte("gone\n"), 0o644))
	b.ok(os.Chmod(filepath.Join(b.tree, "c"), 0o755))
	b.ok(os.WriteFile(filepath.Join(b.tree, "d"), []byte("mine\n"), 0o644)) // the same again
	_, err := b.See(t.Context(), m)
	b.ok(err)
	all, err := b.List(t.Context(), keep.Query{ID: m.ID})
	b.ok(err)
	for name, want := range map[string]mark.Loss{"a": mark.Removed, "b": mark.Overwritten, "c": mark.Overwritten, "d": mark.Nothing} {
		f, _ := all[0].Find(name)
		if got := all[0].Lost(f); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	if all[0].LookedAt.IsZero() || len(all[0].Left) != 3 {
		t.Errorf("got %+v", all[0])
	}
}

// TestNoTimeIsLeft: what could not be read is in the mark, with the reason; what is known to be as before is kept.
func TestNoTimeIsLeft(t *testing.T) {
	b := opened(t)
	b.take(mark.Mark{Whole: true, At: time.Now().Add(time.Minute)}, "a", "mine\n")
	b.ok(os.WriteFile(filepath.Join(b.tree, "b"), []byte("mine too\n"), 0o644))
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	m, err := b.Take(ended, mark.Mark{Root: b.tree}, []mark.File{{Path: "a"}, {Path: "b"}, {Path: "c"}})
	b.ok(err)
	if f, _ := m.Find("b"); f.Lacks != mark.LacksTime || b.text(m, "a") != "mine\n" || len(m.Files) != 3 {
		t.Errorf("got %+v, %q", m.Lacking(), b.text(m, "a"))
	}
	if _, err := b.See(ended, m); err == nil {
		t.Error("what was not looked at is said to have been")
	}
	all, err := b.List(t.Context(), keep.Query{ID: m.ID})
	if err != nil || len(all) != 1 || !all[0].LookedAt.IsZero() {
		t.Errorf("got %+v, %v", all, err)
	}
}

// TestFlips changes single bytes of the file: what comes back is what was kept, or an error.
func TestFlips(t *testing.T) {
	b := opened(t)
	texts := map[string]string{}
	for i := range 12 {
		name, text := fmt.Sprint("f", i), strings.Repeat(fmt.Sprint(i, " "), 1+i*i*7)
		texts[name] = text
		m := b.take(mark.Mark{Kind: mark.AtCommand}, name, text)
		b.ok(os.WriteFile(filepath.Join(b.tree, name), []byte("gone\n"), 0o644))
		_, err := b.See(t.Context(), m)
		b.ok(err)
	}
	b.Store.Close()
	path := filepath.Join(b.home, keep.File)
	whole, err := os.ReadFile(path)
	b.ok(err)
	rnd := rand.New(rand.NewPCG(draw.Seed(), 1))
	intact, aside := 0, 0
	for range need.Many(150, 5000) {
		file := bytes.Clone(whole)
		at := rnd.IntN(len(file))
		file[at] ^= byte(1 + rnd.IntN(255))
		b.ok(os.WriteFile(path, file, 0o600))
		s, err := keep.Open(b.home, time.Second, false)
		if err != nil {
			if code := piton.CodeOf(err); code != piton.Invalid && code != piton.Corrupt && code != piton.Unavailable {
				t.Errorf("byte %d: got %v", at, err)
			}
			continue
		}
		if s.Aside != "" {
			aside++
			os.Remove(s.Aside)
		}
		all, _ := s.List(t.Context(), keep.Query{})
		for _, m := range all {
			for _, f := range m.Files {
				text, err := s.Bytes(f)
				if err == nil && string(text) != texts[f.Path] {
					t.Errorf("byte %d: %s is %q", at, f.Path, text)
				}
				if err == nil {
					intact++
				}
			}
		}
		_, _, _ = s.Verify(t.Context())
		s.Close()
	}
	b.ok(os.WriteFile(path, whole, 0o600))
	b.open()
	t.Logf("%d contents came back, %d stores were put aside", intact, aside)
}
