package proof_test

import (
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/piton-project/piton/internal/judge/proof"
)

var (
	narrow = []string{"go test ./a/", "go test ./b/", "go test ./a/ -run TestA", "go test ./b/ -run TestP", "go test ./a/ ./b/"}
	wider  = map[string]string{"go test ./a/ -run TestA": "go test ./a/", "go test ./b/ -run TestP": "go test ./b/", "go test ./a/": "go test ./...", "go test ./b/": "go test ./...", "go test ./a/ ./b/": "go test ./..."}
	named  = []string{"a.TestA", "b.TestP", "a", "b", "!a"}
)

// drawn makes up a turn of edits and runs.
func drawn(t *rapid.T) *story {
	s := repo()
	lines := append([]string{"go test ./..."}, narrow...)
	for range rapid.IntRange(1, 8).Draw(t, "steps") {
		line := rapid.SampledFrom(lines).Draw(t, "line")
		switch rapid.IntRange(0, 4).Draw(t, "step") {
		case 0:
			s.edit(rapid.SampledFrom([]string{"a/a.go", "b/b.go", "c/c.go", "a/a_test.go"}).Draw(t, "file"))
		case 1:
			s.fails("go test ./...", rapid.SliceOfNDistinct(rapid.SampledFrom(named), 1, 2, rapid.ID).Draw(t, "names")...)
		case 2:
			s.cut(line)
		case 3:
			s.silent(line)
		default:
			s.passes(line)
		}
	}
	return s
}

// A wider pass at the end leaves nothing open that a narrower one closes, and no
// file without a check that the narrower one meets.
func TestAWiderPassNeverClosesLess(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawn(t)
		line := rapid.SampledFrom(narrow).Draw(t, "narrow")
		less, more := *s, *s
		less.turn.Checks, more.turn.Checks = slices.Clip(s.turn.Checks), slices.Clip(s.turn.Checks)
		if a, b := len(less.passes(line).turn.Failures()), len(more.passes(wider[line]).turn.Failures()); b > a {
			t.Errorf("%s leaves %d open, %s leaves %d", line, a, wider[line], b)
		}
	})
}

// taken says of each run which of the named failures it takes, and whose runs are
// not wider than it.
var taken = map[string]struct{ named, runs []string }{
	"go test ./...":            {named, append([]string{"go test ./..."}, narrow...)},
	"go test ./a/ ./b/":        {named, narrow},
	"go test ./a/":             {[]string{"a.TestA", "a", "!a"}, []string{"go test ./a/", "go test ./a/ -run TestA"}},
	"go test ./b/":             {[]string{"b.TestP", "b"}, []string{"go test ./b/", "go test ./b/ -run TestP"}},
	"go test ./a/ -run TestA":  {[]string{"a.TestA", "!a"}, []string{"go test ./a/ -run TestA"}},
	"go test ./b/ -run TestP":  {[]string{"b.TestP"}, []string{"go test ./b/ -run TestP"}},
	"go test ./c/":             {},
	"go test ./a/ -run TestNo": {[]string{"!a"}, nil},
}

// A pass closes what it takes, and nothing else.
func TestAPassClosesExactlyWhatItTakes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawn(t)
		line := rapid.SampledFrom(slices.Sorted(maps.Keys(taken))).Draw(t, "last")
		before := s.turn.Failures()
		after := s.passes(line).turn.Failures()
		for _, o := range before {
			open := slices.ContainsFunc(after, func(x proof.Open) bool { return x.Failure == o.Failure && x.By == o.By })
			takes := slices.Contains(taken[line].named, o.As)
			if o.Unnamed() {
				takes = slices.Contains(taken[line].runs, s.turn.Checks[o.By].Name)
			}
			if open == takes {
				t.Errorf("%s passed: %q of %s is open: %v", line, o.As, s.turn.Checks[o.By].Name, open)
			}
		}
	})
}

// A pass opens nothing, and what is closed stays closed.
func TestALaterPassOpensNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawn(t)
		before := s.turn.Failures()
		after := s.passes(rapid.SampledFrom(narrow).Draw(t, "line")).turn.Failures()
		for _, o := range after {
			if !slices.ContainsFunc(before, func(was proof.Open) bool { return was.Failure == o.Failure }) {
				t.Errorf("%+v is open, and was not", o)
			}
		}
	})
}

// In what order the calls of one time stand in the log changes nothing.
func TestTheOrderOfTheLogDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawn(t)
		want := summed(s.turn)
		s.turn.Checks = rapid.Permutation(s.turn.Checks).Draw(t, "order")
		if got := summed(s.turn); !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	})
}

// summed is what is open of a turn and which files are met, in one order.
func summed(x proof.Turn) (all []string) {
	for _, o := range x.Failures() {
		all = append(all, x.Checks[o.By].Name+" "+o.Package+" "+o.Test)
	}
	for _, n := range x.Files {
		if slices.ContainsFunc(indices(x.Checks), func(at int) bool { return x.Meets(at, n) != proof.Not }) {
			all = append(all, n.Path)
		}
	}
	slices.Sort(all)
	return all
}
