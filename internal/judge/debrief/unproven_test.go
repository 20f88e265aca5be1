package debrief_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/piton-project/piton/internal/judge/debrief"
)

// A command that Piton runs for what is unproven takes the folders concerned,
// where its tool allows that and nothing is left to a shell.
func TestNarrowed(t *testing.T) {
	for _, c := range []struct{ run, folders, want string }{
		{"go test ./...", "./a ./b/c", "go test ./a ./b/c"},
		{"go test -race ./... -count=1", "./a", "go test -race ./a -count=1"},
		{"go test ./...", "./", "go test ./"},
		{"go test ./...", "", "go test ./..."},
		{"go test ./...", "./a$(rm -rf x)", "go test ./..."},
		{"go test ./...", strings.Repeat("./a ", 30), "go test ./..."},
		{"cd web && go test ./...", "./a", "cd web && go test ./..."},
		{"go test ./... | tee log", "./a", "go test ./... | tee log"},
		{"go test ./x/...", "./a", "go test ./x/..."},
		{"make test", "./a", "make test"},
		{"go test './...", "./a", "go test './..."},
	} {
		if got := (debrief.Verify{Run: c.run}).Narrowed(strings.Fields(c.folders)); got != c.want {
			t.Errorf("%s for %q: got %s, want %s", c.run, c.folders, got, c.want)
		}
	}
}

// It runs for files of its own ecosystem.
func TestVerifyOnlyFor(t *testing.T) {
	for _, c := range []struct{ run, globs, files, want string }{
		{"go test ./...", "", "a.go web/x.ts Makefile", "a.go Makefile"},
		{"npm test", "web/**", "a.ts web/x.ts", "web/x.ts"},
		{"make check", "", "a.go web/x.ts", "a.go web/x.ts"},
		{"go test ./... && npm test", "", "a.go web/x.ts x.py", "a.go web/x.ts x.py"},
	} {
		v := debrief.Verify{Run: c.run, When: debrief.WhenUnproven}
		if c.globs != "" {
			v.Files = strings.Fields(c.globs)
		}
		if got := v.OnlyFor(strings.Fields(c.files)); !slices.Equal(got, strings.Fields(c.want)) {
			t.Errorf("%s: got %v, want %s", c.run, got, c.want)
		}
	}
}

// What Piton is to run where something is unproven is a test command of the
// ecosystem that it tests, and of no other.
func TestVerifyIsATestCommand(t *testing.T) {
	set := debrief.DefaultSettings()
	set.Verify = []debrief.Verify{{Run: "go test ./...", When: debrief.WhenUnproven}, {Run: "make lint"}}
	got := set.TestCommands(nil)
	if len(got) != 1 || got[0].Run != "go test ./..." || got[0].Ecosystem != "go" || !got[0].Accepted {
		t.Errorf("got %+v, want go test alone, for Go", got)
	}
}
