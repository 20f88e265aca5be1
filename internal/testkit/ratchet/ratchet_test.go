package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/piton-project/piton/internal/testkit/need"
)

// files writes files into a folder of the test's own and returns it: name and text by
// turns.
func files(t *testing.T, list ...string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, list...)
	return dir
}

func write(t *testing.T, dir string, list ...string) {
	t.Helper()
	for i := 0; i < len(list); i += 2 {
		path := filepath.Join(dir, list[i])
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(list[i+1]), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

const shop = `package shop

import "errors"

// Price is public, and so is its method. Its field does not count.
type Price struct{ Cents int }

func (p Price) Free() bool { return p.Cents == 0 }

type till struct{}

func (till) Open() error { return errors.New("closed") }

type Seller interface{ Sell(Price) error }

const Most, least = 9, 1

func kind(n int, a, b, c, d bool) string {
	if a && b && c && d || n > 3 {
		return "dense"
	}
	for range n {
		switch {
		case a:
			return "a"
		default:
			return "b"
		}
	}
	return ""
}
`

func TestMeasure(t *testing.T) {
	dir := files(t,
		"shop/shop.go", shop, "shop/shop_test.go", "package shop\n", "shop/testdata/x.go", "package x\n",
		"piton.go", "package piton\n", "internal/testkit/x/x.go", "package x\n", "bench/x.go", "package x\n", ".hidden/x.go", "package x\n")
	t.Chdir(dir)
	got := map[string][]int{}
	for _, l := range measuredRooms() {
		got[l.name] = l.figures
	}
	// 3 functions, if, 3 && and one ||, for and one case; 15 + 1 + 1 lines of functions.
	want := map[string][]int{"shop": {31, 63, 1, 1, 5}, "piton": {1, 0, 1, 0, 0}, "all": {32, 63, 2, 1, 5}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("want (-), got (+):\n%s", diff)
	}
}

const limitsText = `# What each room may be.
# Its columns.

total  all  1000  30  9  2  40

room  internal/app  600  30  5  2  30
room  piton         400  20  4  0  10  # the first reason

walk  save  100  20  30  5  internal/app.Save  # one more store
`

func parsed(t *testing.T, text string) limits {
	t.Helper()
	x, err := parseLimits(text)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func TestLimitsStayAsWritten(t *testing.T) {
	if diff := cmp.Diff(limitsText, parsed(t, limitsText).String()); diff != "" {
		t.Errorf("want (-), got (+):\n%s", diff)
	}
	for _, line := range []string{"rome internal/app 1 2 3 4 5", "room internal/app 1 2 3 4", "room internal/app 1 2 3 four 5", "room"} {
		if _, err := parseLimits(line); err == nil || !strings.Contains(err.Error(), line) {
			t.Errorf("%q: got %v, want an error that quotes it", line, err)
		}
	}
}

func TestCompare(t *testing.T) {
	for _, c := range []struct{ name, measured, want string }{
		{"as it should be", limitsText, ""},
		{"a little below", strings.Replace(limitsText, "400", "385", 1), ""},
		{"one line more", strings.Replace(limitsText, "400", "401", 1), "room piton has 401 lines, and ratchet.txt says 400: make it smaller, or raise the figure with '# why' at the end of its line"},
		{"far below", strings.Replace(limitsText, "600", "560", 1), "room internal/app has 560 lines, and ratchet.txt says 600: 'make ratchet' lowers it"},
		{"the total far below", strings.Replace(limitsText, "1000", "989", 1), "total all has 989 lines, and ratchet.txt says 1000: 'make ratchet' lowers it"},
		{"a new room", limitsText + "room internal/new 1 1 1 1 1\n", "room internal/new is not in ratchet.txt: 'make ratchet' adds it"},
		{"a room that is gone", strings.Replace(limitsText, "room  piton ", "# room  piton ", 1), "room piton is in ratchet.txt and not in the tree: 'make ratchet' takes it out"},
		{"a walk within its margin", strings.Replace(limitsText, "save  100", "save  103", 1), ""},
		{"a walk above it", strings.Replace(limitsText, "save  100", "save  104", 1), "walk save has 104 functions, and ratchet.txt says 100: make it smaller, or raise the figure with '# why' at the end of its line"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := strings.Join(compare(parsed(t, limitsText).list, parsed(t, c.measured).list), "\n"); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestLowerRaisesNothingAndKeepsReasons(t *testing.T) {
	x := parsed(t, limitsText)
	x.list = lower(x.list, parsed(t, `total all 900 31 9 2 40
room piton 390 25 4 0 9
room internal/new 1 1 1 1 1
walk save 90 21 30 5
`).list)
	want := `# What each room may be.
# Its columns.

total  all  900  30  9  2  40

room  internal/new  1    1   1  1  1
room  piton         390  20  4  0  9  # the first reason

walk  save  90  20  30  5  internal/app.Save  # one more store
`
	if diff := cmp.Diff(want, x.String()); diff != "" {
		t.Errorf("want (-), got (+):\n%s", diff)
	}
}

func TestRaisedWithoutAReason(t *testing.T) {
	const sentence = "room piton: the limit of lines was raised from 400 to 410: say why with '# why' at the end of its line, in other words than before"
	for _, c := range []struct{ name, now, want string }{
		{"nothing", limitsText, ""},
		{"lowered", strings.Replace(limitsText, "400", "390", 1), ""},
		{"the reason of before", strings.Replace(limitsText, "400", "410", 1), sentence},
		{"no reason", strings.NewReplacer("400", "410", "# the first reason", "").Replace(limitsText), sentence},
		{"another reason", strings.NewReplacer("400", "410", "the first", "a second").Replace(limitsText), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := strings.Join(raised(parsed(t, c.now).list, parsed(t, limitsText).list), "\n"); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestRaisesOfEachCommit(t *testing.T) {
	need.Program(t, "git")
	dir := files(t, fileName, limitsText)
	commit := func(text string) {
		t.Helper()
		write(t, dir, fileName, text)
		gitOK(t, dir, "add", "-A")
		gitOK(t, dir, "-c", "user.name=Ann", "-c", "user.email=ann@example.org", "commit", "-q", "-m", "change")
	}
	check := func(dir, text, wrong, note string) {
		t.Helper()
		got, said := checkRaises(dir, parsed(t, text))
		if !strings.Contains(strings.Join(got, "\n"), wrong) || (len(got) > 0) != (wrong != "") || !strings.HasPrefix(said, note) || (said != "") != (note != "") {
			t.Errorf("got %q and %q, want %q and %q", got, said, wrong, note)
		}
	}
	more, why := strings.Replace(limitsText, "400", "410", 1), strings.NewReplacer("400", "410", "the first", "a second").Replace(limitsText)
	const notHere = "the commits before this one are not here"
	check(dir, more, "", notHere) // no repository
	gitOK(t, dir, "init", "-q", "-b", "main")
	commit(limitsText)
	check(dir, more, "raised from 400 to 410", notHere) // not committed yet
	commit(why)
	check(dir, why, "", "")
	gitOK(t, dir, "switch", "-q", "-c", "branch")
	commit(strings.Replace(why, "600", "700", 1))
	commit(strings.Replace(why, "600", "700", 1) + "\n")
	check(dir, why, "raised from 600 to 700", "") // two commits ago, on a branch
	shallow := filepath.Join(t.TempDir(), "shallow")
	gitOK(t, dir, "clone", "-q", "--depth=1", "file://"+dir, shallow)
	check(shallow, why, "", notHere)
}

func gitOK(t *testing.T, dir string, args ...string) {
	t.Helper()
	if _, err := git(dir, args...); err != nil {
		t.Fatal(err)
	}
}

func TestEveryWalkIsRecorded(t *testing.T) {
	text, err := os.ReadFile("../../../" + fileName)
	if err != nil {
		t.Fatal(err)
	}
	x := parsed(t, string(text))
	for _, l := range x.of(kindWalk) {
		if calls[l.name] == nil {
			t.Errorf("got no recorded call for the walk %s", l.name)
		}
	}
	for name := range calls {
		if _, ok := find(x.list, kindWalk+" "+name); !ok {
			t.Errorf("got no line for the recorded call %s, want a walk", name)
		}
	}
	if got := x.String(); got != string(text) {
		t.Errorf("got the file in another form, want what 'make ratchet' writes:\n%s", cmp.Diff(got, string(text)))
	}
}
