package setup

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/testkit/need"
)

func TestApplyKeepsModeAndLinks(t *testing.T) {
	folder := t.TempDir()
	dots := filepath.Join(folder, "dots", "real")
	write(t, filepath.Join(dots, "settings.json"), "old", 0o640)
	must(t, os.Symlink(dots, filepath.Join(folder, "claude")))
	must(t, os.Mkdir(filepath.Join(folder, "elsewhere"), 0o755))
	path := filepath.Join(folder, "elsewhere", "settings.json")
	must(t, os.Symlink("../claude/../real/settings.json", path)) // ".." starts at the real folder, not at the link

	must(t, Apply([]Change{{Path: path, Before: []byte("old"), After: []byte("new")}}))

	real := filepath.Join(dots, "settings.json")
	if got := string(load(t, real)); got != "new" {
		t.Errorf("the file behind the link: got %q, want new", got)
	}
	if info, _ := os.Lstat(path); info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link has become %v", info.Mode())
	}
	if info, _ := os.Stat(real); info.Mode().Perm() != 0o640 {
		t.Errorf("mode: got %o, want 640", info.Mode().Perm())
	}
}

func TestApplyWritesThroughADanglingLink(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "settings.json")
	must(t, os.Symlink("later/settings.json", path))
	must(t, Apply([]Change{{Path: path, After: []byte("new")}}))
	if got := string(load(t, filepath.Join(folder, "later", "settings.json"))); got != "new" {
		t.Errorf("got %q, want new", got)
	}
	must(t, Apply([]Change{{Path: path, Before: []byte("new"), Folders: []string{filepath.Join(folder, "later")}}}))
	if to, err := os.Readlink(path); err != nil || to != "later/settings.json" {
		t.Errorf("the link: got %q, %v", to, err)
	}
	if _, err := os.Stat(filepath.Join(folder, "later")); !os.IsNotExist(err) {
		t.Errorf("the folder stayed: %v", err)
	}
}

func TestApplyPrivateFile(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "state", "setup")
	must(t, Apply([]Change{{Path: filepath.Join(folder, "f"), After: []byte("x"), Mode: 0o600}}))
	for path, want := range map[string]os.FileMode{folder: 0o700, filepath.Dir(folder): 0o700, filepath.Join(folder, "f"): 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: got %v, %v, want %o", path, info.Mode(), err, want)
		}
	}
}

func TestApplyAfterAnotherEdit(t *testing.T) {
	for _, c := range []struct {
		name   string
		before []byte
		disk   string // "" for none
	}{
		{"changed", []byte("old"), "theirs"},
		{"removed", []byte("old"), ""},
		{"appeared", nil, "theirs"},
	} {
		t.Run(c.name, func(t *testing.T) {
			folder := t.TempDir()
			first, second := filepath.Join(folder, "made", "first"), filepath.Join(folder, "second")
			if c.disk != "" {
				write(t, second, c.disk, 0o644)
			}
			err := Apply([]Change{{Path: first, After: []byte("1")}, {Path: second, Before: c.before, After: []byte("2")}})
			if piton.CodeOf(err) != piton.Conflict {
				t.Errorf("got %v, want conflict", err)
			}
			if c.disk == "" {
				left(t, folder)
				return
			}
			left(t, folder, "second")
			if got := string(load(t, second)); got != c.disk {
				t.Errorf("their text: got %q, want %q", got, c.disk)
			}
		})
	}
}

func TestApplyLooksAgainBeforeItRenames(t *testing.T) {
	folder := t.TempDir()
	first, second := filepath.Join(folder, "first"), filepath.Join(folder, "second")
	write(t, first, "old", 0o644)
	write(t, second, "old", 0o644)
	err := apply([]Change{{Path: first, Before: []byte("old"), After: []byte("new")}, {Path: second, Before: []byte("old"), After: []byte("new")}},
		func(from, to string) error {
			write(t, second, "theirs", 0o644)
			return os.Rename(from, to)
		})
	if piton.CodeOf(err) != piton.Conflict {
		t.Errorf("got %v, want conflict", err)
	}
	if a, b := string(load(t, first)), string(load(t, second)); a != "old" || b != "theirs" {
		t.Errorf("got %q and %q, want old and theirs", a, b)
	}
	left(t, folder, "first", "second")
}

func TestApplyUndoesWhatItCannotFinish(t *testing.T) {
	folder := t.TempDir()
	path := func(name string) string { return filepath.Join(folder, name) }
	write(t, path("changed"), "old", 0o640)
	write(t, path("removed"), "old", 0o604)
	write(t, path("last"), "old", 0o644)
	boom := errors.New("boom")
	err := apply([]Change{
		{Path: path("changed"), Before: []byte("old"), After: []byte("new")},
		{Path: path("removed"), Before: []byte("old")},
		{Path: path("deep/new"), After: []byte("new")},
		{Path: path("last"), Before: []byte("old"), After: []byte("new")},
	}, func(from, to string) error {
		if filepath.Base(to) == "last" {
			return boom
		}
		return os.Rename(from, to)
	})
	if !errors.Is(err, boom) || piton.CodeOf(err) != piton.Unavailable {
		t.Errorf("got %v (%s), want unavailable: boom", err, piton.CodeOf(err))
	}
	left(t, folder, "changed", "last", "removed")
	for name, mode := range map[string]os.FileMode{"changed": 0o640, "removed": 0o604, "last": 0o644} {
		info, err := os.Stat(path(name))
		if err != nil || info.Mode().Perm() != mode || string(load(t, path(name))) != "old" {
			t.Errorf("%s: got %v, %v, want old with mode %o", name, info, err, mode)
		}
	}
}

func TestApplyRefusesWhatIsNoFile(t *testing.T) {
	folder := t.TempDir()
	if err := Apply([]Change{{Path: folder, After: []byte("x")}}); piton.CodeOf(err) != piton.Invalid {
		t.Errorf("a folder: got %v, want invalid", err)
	}
	write(t, filepath.Join(folder, "f"), "", 0o644)
	if err := Apply([]Change{{Path: filepath.Join(folder, "f", "g"), After: []byte("x")}}); piton.CodeOf(err) != piton.Unavailable {
		t.Errorf("below a file: got %v, want unavailable", err)
	}
}

// left checks that a folder holds the named files and nothing else.
func left(t *testing.T, folder string, names ...string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	must(t, err)
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if !slices.Equal(got, names) {
		t.Errorf("left in the folder: got %v, want %v", got, names)
	}
}

func write(t testing.TB, path, text string, mode os.FileMode) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must(t, os.WriteFile(path, []byte(text), mode))
	must(t, os.Chmod(path, mode)) // whatever the umask
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// A link in a cloned project may lead to a file that a kernel makes up for as long as somebody reads it.
func TestReadRefusesWhatHasNoEnd(t *testing.T) {
	const endless = "/proc/self/pagemap"
	if info, err := os.Stat(endless); err != nil || !info.Mode().IsRegular() {
		need.Missing(t, "no "+endless)
	}
	if text, err := read(endless); piton.CodeOf(err) != piton.Invalid {
		t.Errorf("got %d bytes, %v, want invalid", len(text), err)
	}
}

// A run that was killed leaves copies beside the files, which may hold keys: the next removes them, and nobody else's.
func TestApplySweepsWhatAKilledRunLeft(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "settings.json")
	for name, age := range map[string]time.Duration{
		".settings.json.ABCDEFGH.tmp": time.Hour, ".settings.json.ABCDEFG2.tmp": 0, ".settings.json.mine.tmp": time.Hour, ".other.json.ABCDEFGH.tmp": time.Hour,
	} {
		file := filepath.Join(folder, name)
		if err := os.WriteFile(file, []byte("{}"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(file, time.Time{}, time.Now().Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	if err := Apply([]Change{{Path: path, After: []byte("{}")}}); err != nil {
		t.Fatal(err)
	}
	var got []string
	entries, err := os.ReadDir(folder)
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if want := []string{".other.json.ABCDEFGH.tmp", ".settings.json.ABCDEFG2.tmp", ".settings.json.mine.tmp", "settings.json"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}

// A client's folder may be a link into a folder of dotfiles: it stays, though nothing is left of what Init wrote.
func TestUninstallKeepsALinkedFolder(t *testing.T) {
	for _, agent := range Agents() {
		home, dotfiles := t.TempDir(), t.TempDir()
		link := filepath.Join(home, "."+agent)
		if err := os.Symlink(dotfiles, link); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dotfiles, "other"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		target := Target{Agent: agent, Scope: User, Home: home, Hook: "/opt/piton-hook", State: t.TempDir()}
		for _, plan := range []func(Target) (Plan, error){Init, Uninstall} {
			p, err := plan(target)
			if err == nil {
				err = Apply(p.Changes)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if to, err := os.Readlink(link); err != nil || to != dotfiles {
			t.Errorf("%s: got %q, %v, want the link to %s", agent, to, err, dotfiles)
		}
		if entries, err := os.ReadDir(dotfiles); err != nil || len(entries) != 1 {
			t.Errorf("%s: got %v, %v, want what was there", agent, entries, err)
		}
	}
}
