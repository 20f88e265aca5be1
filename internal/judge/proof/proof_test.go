package proof_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton/internal/judge/proof"
	"github.com/piton-project/piton/internal/judge/tools"
)

// story is a turn written down: each step comes a minute after the one before.
type story struct {
	turn  proof.Turn
	homes map[string]proof.Home
	now   time.Time
}

var begin = time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)

// repo is a story in a Go module at the root: a/ and b/ have tests, c/ has none,
// integration_test/ holds tests only.
func repo() *story {
	only := []string{"integration_test"}
	pkg := func(tests bool) proof.Home {
		return proof.Home{Packaged: true, PackageTests: tests, Tested: true, Entry: true, TestsOnly: only}
	}
	test := pkg(true)
	test.Test = true
	return &story{now: begin, turn: proof.Turn{First: proof.Nowhere}, homes: map[string]proof.Home{
		"a/a.go": pkg(true), "b/b.go": pkg(true), "c/c.go": pkg(false), "a/a_test.go": test, "integration_test/x_test.go": test,
	}}
}

// python is a story in a project with src/pkg/x.py, whose tests lie in
// tests/unit.
func python() *story {
	own := proof.Home{Own: []string{"tests/unit/test_x.py"}, Tested: true, Entry: true, TestsOnly: []string{"tests"}}
	return &story{now: begin, turn: proof.Turn{First: proof.Nowhere}, homes: map[string]proof.Home{"src/pkg/x.py": own, "src/types/t.ts": {Tested: true, Entry: true, Own: []string{"src/types/t.test.ts"}}}}
}

func (s *story) step() proof.Moment {
	s.now = s.now.Add(time.Minute)
	return proof.Moment{At: s.now, Call: len(s.turn.Checks) + len(s.turn.Files), Command: 0}
}

func (s *story) edit(file string) *story {
	at := s.step()
	if s.turn.First.None() {
		s.turn.First = at
	}
	s.turn.Files = slices.DeleteFunc(s.turn.Files, func(n proof.Need) bool { return n.Path == file })
	s.turn.Files = append(s.turn.Files, proof.Need{Path: file, Home: s.homes[file], Since: at})
	return s
}

func (s *story) run(line string, k proof.Check) *story {
	words := strings.Fields(line)
	k.Name, k.At, k.Projects = line, s.step(), []string{""}
	if len(k.Runs) == 0 {
		k.Runs = []tools.Scope{tools.NewCall(words).Scope().From("")}
	}
	k.Stops = slices.ContainsFunc(k.Runs, func(s tools.Scope) bool { return s.Stops })
	s.turn.Checks = append(s.turn.Checks, k)
	return s
}

func (s *story) passes(line string) *story { return s.run(line, proof.Check{Outcome: proof.Passed}) }

// silent is a run whose status is hidden and whose output says nothing.
func (s *story) silent(line string) *story { return s.run(line, proof.Check{Outcome: proof.Presumed}) }

// builds is a build that passes.
func (s *story) builds(line string) *story {
	return s.run(line, proof.Check{Outcome: proof.Passed, Build: true})
}

// fails is a run whose output is complete and names what failed: a package, a
// test in one as "a.TestX", or a package that did not build as "!a".
func (s *story) fails(line string, names ...string) *story {
	return s.run(line, proof.Check{Outcome: proof.Failed, Complete: len(names) > 0, Failures: failures(names)})
}

// failsIn is a run that names test files as failed.
func (s *story) failsIn(line string, files ...string) *story {
	var all []proof.Failure
	for _, f := range files {
		all = append(all, proof.Failure{File: f, As: f})
	}
	return s.run(line, proof.Check{Outcome: proof.Failed, Complete: true, Failures: all})
}

// cut is a failed run of which a part of the output is missing.
func (s *story) cut(line string, names ...string) *story {
	return s.run(line, proof.Check{Outcome: proof.Failed, Failures: failures(names)})
}

func failures(names []string) (all []proof.Failure) {
	for _, name := range names {
		f := proof.Failure{Placed: true, As: name}
		name, f.Broken = strings.CutPrefix(name, "!")
		f.Package, f.Test, _ = strings.Cut(name, ".")
		all = append(all, f)
	}
	return all
}

// judged is what is left: files without a check as they are, failures with ✗
// before them, all of what a check took as ✗ and its command.
func (s *story) judged() string {
	var left []string
	for _, n := range s.turn.Files {
		if !slices.ContainsFunc(indices(s.turn.Checks), func(at int) bool { return s.turn.Meets(at, n) != proof.Not }) {
			left = append(left, n.Path)
		}
	}
	for _, o := range s.turn.Failures() {
		switch {
		case o.Before:
		case o.Unnamed():
			left = append(left, "✗ "+s.turn.Checks[o.By].Name)
		default:
			left = append(left, "✗ "+strings.Trim(o.File+o.Package+"."+o.Test, "."))
		}
	}
	return strings.Join(left, ", ")
}

func indices(checks []proof.Check) (all []int) {
	for i := range checks {
		all = append(all, i)
	}
	return all
}

// The sequences of the model; what is left open is empty where the turn may end.
func TestSequences(t *testing.T) {
	for _, c := range []struct {
		name  string
		story *story
		want  string
	}{
		{"1: tests at the root, of the folder", python().edit("src/pkg/x.py").passes("pytest tests/unit"), ""},
		{"2: tests at the root, of the file", python().edit("src/pkg/x.py").passes("pytest tests/unit/test_x.py"), ""},
		{"3: tests of another file", python().edit("src/pkg/x.py").passes("pytest tests/unit/test_y.py"), "src/pkg/x.py"},
		{"the file's own tests left out by name", python().edit("src/pkg/x.py").passes("pytest --ignore=tests/unit/test_x.py"), "src/pkg/x.py"},
		{"other tests left out by name", python().edit("src/pkg/x.py").passes("pytest --ignore tests/unit/test_y.py"), ""},
		{"a folder of tests left out", python().edit("src/pkg/x.py").passes("pytest --ignore=tests/slow"), ""},
		{"4: an edited test in a folder of tests only", repo().edit("a/a.go").edit("integration_test/x_test.go").passes("go test ./integration_test/..."), ""},
		{"5: a package without tests", repo().edit("c/c.go").passes("go test ./a/"), ""},
		{"6: another package's tests", repo().edit("b/b.go").passes("go test ./a/"), "b/b.go"},
		{"7: a wide failure of one package, then this", repo().edit("a/a.go").fails("go test ./...", "a").edit("a/a.go").passes("go test ./a/"), ""},
		{"8: a wide failure of two packages, then one of them", repo().edit("a/a.go").fails("go test ./...", "a", "b").fails("go test ./a/", "a").edit("a/a.go").passes("go test ./a/"), "✗ b"},
		{"9: a wide failure of one test, then this", repo().edit("a/a.go").fails("go test ./...", "a.TestF").passes("go test ./a/ -run TestF"), ""},
		{"10: a test by name", repo().edit("a/a_test.go").edit("a/a.go").passes("go test ./a/ -run TestX"), ""},
		{"11: a wide failure that names nothing", repo().edit("a/a.go").cut("go test ./...").passes("go test ./a/"), "✗ go test ./..."},
		{"12: a package that did not build", repo().edit("a/a.go").fails("go test ./...", "!a").edit("a/a.go").passes("go test ./a/"), ""},
		{"13: a script that tests a folder", python().edit("src/types/t.ts").passes("bun test src/"), ""},
		{"16: a failure, then a hidden status", repo().edit("a/a.go").fails("go test ./...", "a").silent("go test ./..."), "a/a.go, ✗ a"},
		{"17: what was red before the first edit", repo().fails("go test ./...", "b.TestP").edit("a/a.go").fails("go test ./...", "b.TestP"), ""},
		{"18: and another failure", repo().fails("go test ./...", "b.TestP").edit("a/a.go").fails("go test ./...", "b.TestP", "a.TestA"), "a/a.go, ✗ a.TestA"},
		{"19: another test than the one that failed", repo().edit("a/a.go").fails("go test ./...", "a.TestA").passes("go test ./a/ -run TestOther"), "✗ a.TestA"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := c.story.judged(); got != c.want {
				t.Errorf("got %q left open, want %q", got, c.want)
			}
		})
	}
}

func TestWhatMeetsAndCloses(t *testing.T) {
	docs := &story{now: begin, turn: proof.Turn{First: proof.Nowhere}, homes: map[string]proof.Home{"docs.config.ts": {}, "e2e/login.ts": {Served: true, Tested: true}, "e2e/login.spec.ts": {Served: true, Tested: true, Test: true}}}
	fresh := func() *story { s := *docs; return &s }
	for _, c := range []struct {
		name  string
		story *story
		want  string
	}{
		{"nothing ran", repo().edit("a/a.go"), "a/a.go"},
		{"a pass before the edit", repo().passes("go test ./...").edit("a/a.go"), "a/a.go"},
		{"a hidden status without a failure before", repo().edit("a/a.go").silent("go test ./..."), ""},
		{"a build of what has tests", repo().edit("a/a.go").builds("go build ./..."), "a/a.go"},
		{"a build of a project without tests", fresh().edit("docs.config.ts").builds("npm run build"), ""},
		{"a build of the helper of a suite that needs a server", fresh().edit("e2e/login.ts").builds("npm run build"), ""},
		{"a build of a test of such a suite", fresh().edit("e2e/login.spec.ts").builds("npm run build"), "e2e/login.spec.ts"},
		{"a failed run of another package with complete output", repo().edit("a/a.go").fails("go test ./...", "b.TestP"), "✗ b.TestP"},
		{"the same, cut", repo().edit("a/a.go").cut("go test ./...", "b.TestP"), "a/a.go, ✗ b.TestP, ✗ go test ./..."},
		{"a failure that a later complete run does not list", repo().edit("a/a.go").fails("go test ./...", "a.TestA", "b.TestP").edit("a/a.go").fails("go test ./...", "b.TestP"), "✗ b.TestP"},
		{"a cut failure, then the same command", repo().edit("a/a.go").cut("go test ./...", "b.TestP").passes("go test ./..."), ""},
		{"a cut failure, then a wider one", repo().edit("a/a.go").cut("go test ./a/").passes("go test ./..."), ""},
		{"a failed package, then one of its tests", repo().edit("a/a.go").fails("go test ./a/", "a").passes("go test ./a/ -run TestX"), "✗ a"},
		{"a package that did not build, then one of its tests", repo().edit("a/a.go").fails("go test ./a/", "!a").passes("go test ./a/ -run TestX"), ""},
		{"a failed test, then its test by a wider choice", repo().edit("a/a.go").fails("go test ./a/ -run TestAdd", "a.TestAdd").passes("go test ./a/ -run TestA"), ""},
		{"other build tags", repo().edit("a/a.go").fails("go test -tags slow ./a/", "a.TestA").passes("go test ./a/"), "✗ a.TestA"},
		{"a failure before any edit, never tried again", repo().fails("go test ./...", "b.TestP").edit("a/a.go").passes("go test ./a/"), ""},
		{"a failed run that ends at the first failure, of another file", python().edit("src/pkg/x.py").failsIn("pytest -x", "tests/unit/test_y.py"), "src/pkg/x.py, ✗ tests/unit/test_y.py"},
		{"the same, that runs to its end", python().edit("src/pkg/x.py").failsIn("pytest", "tests/unit/test_y.py"), "✗ tests/unit/test_y.py"},
		{"a failure that a later run that ended before does not list", python().edit("src/pkg/x.py").failsIn("pytest", "tests/unit/test_x.py").failsIn("pytest -x", "tests/unit/test_a.py"), "src/pkg/x.py, ✗ tests/unit/test_x.py, ✗ tests/unit/test_a.py"},
		{"a run that ends at the first failure names it", python().edit("src/pkg/x.py").failsIn("pytest -x", "tests/unit/test_x.py").edit("src/pkg/x.py").passes("pytest tests/unit/test_x.py"), ""},
		{"a failure, then a build", repo().edit("a/a.go").fails("go test ./a/", "a.TestA").builds("go build ./..."), "a/a.go, ✗ a.TestA"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := c.story.judged(); got != c.want {
				t.Errorf("got %q left open, want %q", got, c.want)
			}
		})
	}
}
