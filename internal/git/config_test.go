package git

import (
	"archive/tar"
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestSettingsSyntax: git's configuration syntax, as far as it is understood.
func TestSettingsSyntax(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text string
		want       []setting
	}{
		{"nothing", " \n\t\ufeff", nil},
		{"a comment alone", "# x\n; y", nil},
		{"comments before a section", "# [no]\n; a = b\n[core]\nbare = true", []setting{{"core", "", "bare", "true"}}},
		{"names in any case", "[CORE]\n Bare=x", []setting{{"core", "", "bare", "x"}}},
		{"a subsection", "[remote \"Or\\\"ig\\\\in\"] URL = x\n", []setting{{"remote", `Or"ig\in`, "url", "x"}}},
		{"an older one", "[a.B]\nc=d", []setting{{"a", "b", "c", "d"}}},
		{"blanks before its bracket", "[a \t]\nc=d", []setting{{"a", "", "c", "d"}}},
		{"a key alone", "[a]\nc\nd", []setting{{"a", "", "c", "true"}, {"a", "", "d", "true"}}},
		{"a comment behind a value", "[a]\nc = d ; x\ne = f # y\ng = \"h # i\"  \n", []setting{{"a", "", "c", "d"}, {"a", "", "e", "f"}, {"a", "", "g", "h # i"}}},
		{"quotes within", "[a]\nc = x\" y \"z \t\r\n", []setting{{"a", "", "c", "x y z"}}},
		{"an empty quote", "[a]\nc = \"\"\nd=e", []setting{{"a", "", "c", ""}, {"a", "", "d", "e"}}},
		{"escapes", `[a]` + "\n" + `c = \n\t\b\"\\` + "\nd=e", []setting{{"a", "", "c", "\n\t\b\"\\"}, {"a", "", "d", "e"}}},
		{"a line that goes on", "[a]\nc = x\\\n  y\nd = x\\\r\n y\n", []setting{{"a", "", "c", "x  y"}, {"a", "", "d", "x y"}}},
		{"a backslash at the end", "[a]\nc = x\\", []setting{{"a", "", "c", `x\`}}},
		{"a return behind a backslash", "[a]\nc = x\\\ry", []setting{{"a", "", "c", "x\ry"}}},
		{"a return behind it at the end", "[a]\nc = x\\\r", []setting{{"a", "", "c", "x\r"}}},
		{"a section without end", "[a", nil},
		{"a name without end", "[a \"b", nil},
		{"a name that ends with a backslash", "[a \"b\\", nil},
		{"a name that ends with its line", "[a \"b\nc=d", []setting{{"a", "b", "c", "d"}}},
	} {
		if diff := cmp.Diff(c.want, settings(c.text)); diff != "" {
			t.Errorf("%s: want (-), got (+):\n%s", c.name, diff)
		}
	}
}

// TestUntar: an archive is written below the folder, and nothing outside of it.
func TestUntar(t *testing.T) {
	t.Parallel()
	archive := func(entries ...*tar.Header) *bytes.Buffer {
		var b bytes.Buffer
		w := tar.NewWriter(&b)
		for _, h := range entries {
			text := h.Uname
			h.Uname, h.Size = "", int64(len(text))
			if err := w.WriteHeader(h); err != nil {
				t.Fatal(err)
			}
			if _, err := w.Write([]byte(text)); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return &b
	}
	file := func(name string) *tar.Header {
		return &tar.Header{Typeflag: tar.TypeReg, Name: name, Uname: "x", Mode: 0o644}
	}
	dir := t.TempDir()
	all := archive(&tar.Header{Typeflag: tar.TypeXGlobalHeader, PAXRecords: map[string]string{"comment": "abc"}},
		&tar.Header{Typeflag: tar.TypeDir, Name: "empty/"}, &tar.Header{Typeflag: tar.TypeSymlink, Name: "link", Linkname: "../x"}, file("a/b"))
	if err := untar(all, dir); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "a/b")); err != nil || string(text) != "x" {
		t.Errorf("got %q (%v)", text, err)
	}
	if info, err := os.Stat(filepath.Join(dir, "empty")); err != nil || !info.IsDir() {
		t.Errorf("got %v (%v), want an empty folder", info, err)
	}
	if to, err := os.Readlink(filepath.Join(dir, "link")); err != nil || to != "../x" {
		t.Errorf("got a link to %q (%v)", to, err)
	}
	for name, b := range map[string]*bytes.Buffer{
		"outside": archive(file("../x")), "through a link": archive(&tar.Header{Typeflag: tar.TypeSymlink, Name: "up", Linkname: ".."}, file("up/x")),
		"twice": archive(file("c"), file("c")), "a file that is a folder": archive(file("d"), file("d/e")), "torn": bytes.NewBuffer(archive(file("f")).Bytes()[:512]), "none": bytes.NewBufferString(strings.Repeat("x", 1024)),
	} {
		if err := untar(b, dir); err == nil {
			t.Errorf("%s: got no error", name)
		}
	}
	if _, err := os.Stat(filepath.Join(filepath.Dir(dir), "x")); err == nil {
		t.Error("got a file outside of the folder")
	}
}

// TestTrees: the other work trees of a repository, from each of them; and what was
// committed elsewhere, and when.
func TestTrees(t *testing.T) {
	w := committed(t)
	first, err := w.repo().Baseline(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got := w.repo().Trees(); got != nil {
		t.Errorf("one alone: got %q", got)
	}
	other := filepath.Join(t.TempDir(), "other")
	w.git("worktree", "add", "-q", "-b", "side", other)
	root, at, ok := Find(w.dir)
	elsewhere, _, ok2 := Find(other)
	if !ok || !ok2 || at == "" {
		t.Fatal("the work trees are not found")
	}
	if got := w.repo().Trees(); !slices.Equal(got, []string{elsewhere}) {
		t.Errorf("from the first: got %q, want %q", got, elsewhere)
	}
	if got := (Repo{Dir: other}).Trees(); !slices.Equal(got, []string{root}) {
		t.Errorf("from the other: got %q, want %q", got, root)
	}
	if got := (Repo{Dir: t.TempDir()}).Trees(); got != nil {
		t.Errorf("without a repository: got %q", got)
	}
	w.git("-C", other, "commit", "-q", "--allow-empty", "-m", "empty")
	if err := os.WriteFile(filepath.Join(other, "new"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	w.git("-C", other, "add", "new")
	w.git("-C", other, "commit", "-q", "-m", "new")
	for _, c := range []struct {
		since      time.Time
		base, want string
	}{{time.Unix(1, 0), first.Head, "new"}, {time.Unix(1, 0), "", "all"}, {time.Time{}, first.Head, ""}, {time.Now().Add(time.Hour), first.Head, ""}} {
		files, err := w.repo().Left(t.Context(), c.since, c.base, "HEAD")
		var got []string
		for _, f := range files {
			got = append(got, f.Path)
		}
		fits := strings.Join(got, " ") == c.want || c.want == "all" && len(got) > 1
		if err != nil || !fits {
			t.Errorf("left since %s behind %q: got %q (%v), want %q", c.since, c.base, got, err, c.want)
		}
	}
	for at, want := range map[time.Time]string{time.Unix(1, 0): "", time.Now().Add(time.Hour): first.Head} {
		if got, err := w.repo().HeadAt(t.Context(), at); got != want || err != nil {
			t.Errorf("the head at %s: got %q (%v), want %q", at, got, err, want)
		}
	}
	outside := Repo{Dir: t.TempDir()}
	if _, err := outside.HeadAt(t.Context(), time.Now()); err == nil {
		t.Error("got the head of no repository")
	}
	if _, err := outside.Left(t.Context(), time.Now(), "", ""); err == nil {
		t.Error("got what is left in no repository")
	}
}

// TestPrintsComeBack: a print is read as it was written, and what is none is refused.
func TestPrintsComeBack(t *testing.T) {
	t.Parallel()
	for _, p := range []Print{{Code: ".D", Missing: true}, {Code: ".M", Size: 40, ModNano: 1e18, CtimeNano: 1e18 - 5, Inode: 1<<64 - 1, Mode: 0o644}, {Code: "??", Size: 1, Hash: "ab"}} {
		if got, err := decode(p.encode()); err != nil || got != p {
			t.Errorf("%q: got %+v (%v), want %+v", p.encode(), got, err, p)
		}
	}
	for _, s := range []string{"a b", ".M 1 2 3 4", ".M 1 2 3 4 5 6 7", ".M 1 2 3 4 -5", ".M ! 2 3 4 5"} {
		if got, err := decode(s); err == nil {
			t.Errorf("%q: got %+v, want an error", s, got)
		}
	}
	taken := time.Unix(1_000, 0)
	edge := Print{CtimeNano: taken.Add(-coarse).UnixNano()}
	if edge.untouched(edge, taken) || !edge.untouched(edge, taken.Add(1)) {
		t.Error("got a file that changed within the coarsest tick for untouched, or an older one not")
	}
	for _, s := range []string{"? ", "?x", "1 .M N... 100644 100644 100644 abc def ", "1 .MX N... 1 1 1 a b p", "1 .M N... 1 1 1 a"} {
		if got, err := parse([]byte(s + "\x00")); err == nil {
			t.Errorf("%q: got %+v, want an error", s, got)
		}
	}
}
