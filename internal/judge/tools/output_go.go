package tools

import (
	"encoding/json"
	"strings"
)

// goFormat reads go test, also with -v and -json, go build, go vet and what
// prints as they do.
//
//	--- FAIL: TestX (0.00s)
//	    --- FAIL: TestX/case (0.00s)
//	FAIL	example.com/a	0.01s
//	FAIL	example.com/a [build failed]
//	ok  	example.com/b	(cached)
//	# example.com/a [example.com/a.test]
//	a/a.go:3:2: undefined: x
func goFormat() format {
	g := goReader{}
	return g.read
}

type goReader struct {
	pkg     string // whose complaints follow, by its "# pkg" line
	vet     bool   // they are vet's
	from    int    // the failures from here on are of a package not named yet
	ran     int    // tests that passed, by -v, in the package that is under way
	skipped bool   // a test of it was skipped
	top     string // the newest test that failed at the margin
	timeout bool   // the tests that ran out of time are listed
}

func (g *goReader) read(line string, s *sum) bool {
	switch line[0] {
	case '{':
		return g.event(line, s)
	case '#':
		return g.header(line)
	case ' ', '-', '\t':
		if name, ok := strings.CutPrefix(strings.TrimLeft(line, " \t"), "--- "); ok {
			return g.result(name, line, s)
		}
		if test := strings.TrimSpace(line); g.timeout && strings.HasPrefix(line, "\t\t") && isGoTest(test) {
			return s.fail(Failure{Test: first(test)}, "")
		}
		return false
	case '=':
		if text, ok := strings.CutPrefix(line, "=== FAIL: "); ok {
			return g.listed(text, line, s)
		}
		return strings.HasPrefix(line, "=== RUN") || strings.HasPrefix(line, "=== PAUSE") || strings.HasPrefix(line, "=== CONT") || strings.HasPrefix(line, "=== NAME")
	case 'F', 'o', '?', 'P', 'p', 't', 'n', 'D', 'E':
		return g.word(line, s)
	}
	return g.complaint(line, s)
}

// listed reads gotestsum's `=== FAIL: cart TestAdd/case (0.00s)`, which stands
// before that of the test around it.
func (g *goReader) listed(text, line string, s *sum) bool {
	pkg, test, ok := strings.Cut(text, " ")
	test = first(test)
	for _, f := range s.Failures {
		if f.Package == pkg && strings.HasPrefix(f.Test, test+"/") {
			return s.red(line, byTest)
		}
	}
	if !isGoTest(test) {
		test = ""
	}
	return ok && s.fail(Failure{Test: test, Package: pkg}, line)
}

// header notes the package that a compiler's or vet's complaints are about.
func (g *goReader) header(line string) bool {
	name, ok := strings.CutPrefix(line, "# ")
	if !ok || strings.ContainsAny(name, " =:") && !strings.Contains(name, " [") || name == "" || strings.HasPrefix(name, "Subtest") {
		return false
	}
	if strings.HasPrefix(name, "[") {
		g.vet = true
		return true
	}
	g.pkg, g.vet = first(name), false
	return strings.ContainsAny(g.pkg, "./")
}

// result reads `--- FAIL: TestX (0.00s)` after its dashes. A test within another
// replaces it: it failed because of it.
func (g *goReader) result(text, line string, s *sum) bool {
	kind, name, ok := strings.Cut(text, ": ")
	if !ok {
		return false
	}
	name = first(name)
	switch kind {
	case "PASS":
		g.ran++
		return s.passed(1)
	case "SKIP":
		g.skipped = true
	case "FAIL":
		if !isGoTest(name) {
			return false
		}
		if line[0] == '-' {
			g.top = name
		} else if parent := g.top; parent == "" || !strings.HasPrefix(name, parent+"/") && name != parent {
			return false // a passing test's own words
		} else if above := name[:max(strings.LastIndexByte(name, '/'), 0)]; above != "" {
			s.forget(Failure{Test: above})
			if strings.HasPrefix(s.Line, "--- FAIL: "+above+" ") {
				s.Line = line
			}
		}
		return s.fail(Failure{Test: name}, line)
	default:
		return kind == "BENCH"
	}
	return true
}

func isGoTest(name string) bool {
	for _, kind := range [...]string{"Test", "Example", "Fuzz", "Benchmark"} {
		if strings.HasPrefix(name, kind) {
			return true
		}
	}
	return false
}

// word reads the lines that sum up a package, and those of a program that broke.
func (g *goReader) word(line string, s *sum) bool {
	switch {
	case line == "FAIL":
		return s.red(line, byCount)
	case line == "PASS":
		return g.passed("", s)
	case strings.HasPrefix(line, "FAIL\t"):
		return g.failed(line[len("FAIL\t"):], line, s)
	case strings.HasPrefix(line, "FAIL ") && strings.HasSuffix(line, " failed]") && strings.Contains(line, "["):
		return g.failed(strings.TrimSpace(line[len("FAIL "):]), line, s)
	case strings.HasPrefix(line, "ok  \t") || strings.HasPrefix(line, "ok \t"):
		return g.passed(line, s)
	case strings.HasPrefix(line, "?   \t"):
		return s.nothing()
	case strings.HasPrefix(line, "testing: warning: no tests to run"), strings.HasPrefix(line, "no test files"):
		return s.nothing()
	case strings.HasPrefix(line, "panic: test timed out after "):
		g.timeout = true
		return s.red(line, byTest)
	case strings.HasPrefix(line, "panic: ") && g.top != "":
		if strings.HasPrefix(s.Line, "--- FAIL: "+g.top+" ") {
			s.Line = line // says more than the test's name
		}
		return s.red(line, byTest)
	case strings.HasPrefix(line, "no required module provides package "), strings.HasPrefix(line, "no Go files in "):
		return s.red(line, byUnit)
	case strings.HasPrefix(line, "DONE "):
		return g.done(line, s)
	case strings.HasPrefix(line, "EMPTY "):
		return s.nothing()
	}
	return g.complaint(line, s)
}

// failed reads a package that failed, and gives it the tests that failed in it.
func (g *goReader) failed(text, line string, s *sum) bool {
	pkg, broken := first(text), strings.HasSuffix(text, "[build failed]") || strings.HasSuffix(text, "[setup failed]")
	named := false
	for i := range s.Failures {
		f := &s.Failures[i]
		if i >= g.from && f.Package == "" && !broken {
			delete(s.seen, *f)
			f.Package = pkg
			s.seen[*f] = true
		}
		if f.Package == pkg {
			f.Broken = f.Broken || broken
			named = true
		}
	}
	if !named {
		s.fail(Failure{Package: pkg, Broken: broken}, line)
	}
	g.next(s)
	return s.red(line, byUnit)
}

// passed reads a package that passed: as one test where -v does not tell them.
func (g *goReader) passed(line string, s *sum) bool {
	switch {
	case strings.HasSuffix(line, "[no tests to run]"), strings.HasSuffix(line, "[no test files]"), g.ran == 0 && g.skipped:
		s.nothing()
	case g.ran > 0:
		s.passed(0)
	case line != "":
		s.passed(1)
	default:
		return s.passed(0) // PASS: ok follows
	}
	if line != "" {
		g.next(s)
	}
	return true
}

// next begins a package.
func (g *goReader) next(s *sum) {
	g.from, g.ran, g.skipped, g.top, g.timeout = len(s.Failures), 0, false, "", false
}

// complaint reads `a/a.go:3:2: undefined: x`, a compiler's or a linter's.
func (g *goReader) complaint(line string, s *sum) bool {
	text := strings.TrimPrefix(line, "vet: ")
	file, ok := place(text, ".go")
	if !ok {
		return false
	}
	if g.pkg == "" && strings.HasSuffix(file, "_test.go") && !hasColumn(text[len(file):]) {
		return false // what a test says, without its indentation
	}
	if g.pkg == "" && ofLinter(text) {
		return false
	}
	pkg := g.pkg
	if dir, _, ok := cutLast(file, "/"); ok && dir != "." && dir[strings.LastIndexByte(dir, '/')+1:] != pkg[strings.LastIndexByte(pkg, '/')+1:] {
		pkg = "" // the heading is another's
	}
	return s.fail(Failure{File: file, Package: pkg, Broken: g.pkg != "" && (!g.vet || text != line)}, line)
}

// ofLinter tells golangci-lint's `a.go:3:2: exported: … (revive)`, which stands
// below go test's lines where one command ran both.
func ofLinter(text string) bool {
	rest, ok := strings.CutSuffix(text, ")")
	at := strings.LastIndexByte(rest, '(')
	return ok && at > 0 && rest[at-1] == ' ' && at+1 < len(rest) && strings.Trim(rest[at+1:], "abcdefghijklmnopqrstuvwxyz0123456789") == ""
}

// done reads gotestsum's `DONE 5 tests, 1 skipped, 1 failure, 1 error in 0.2s`.
func (g *goReader) done(line string, s *sum) bool {
	all, failed, skipped := 0, 0, 0
	eachCount(line, func(word string, n int) {
		switch word {
		case "tests", "test":
			all = max(n, 0)
		case "failures", "failure", "errors", "error":
			failed += max(n, 0)
		case "skipped":
			skipped = max(n, 0)
		}
	})
	s.Passed, s.Failed = 0, 0
	return s.asserted(all-failed-skipped, failed, line)
}

// event reads a line of go test -json.
func (g *goReader) event(line string, s *sum) bool {
	if !strings.Contains(line, `"Action":"`) {
		return false
	}
	var e struct{ Action, Package, Test, Output, ImportPath, FailedBuild string }
	if json.Unmarshal([]byte(line), &e) != nil {
		return strings.Contains(line, `"Action":"fail"`) && s.red(line, byExit) // cut
	}
	switch e.Action {
	case "build-output", "build-fail":
		text := strings.TrimRight(e.Output, "\n")
		switch {
		case text == "":
		case text[0] == '#':
			g.header(text)
		default:
			return g.complaint(text, s) || s.red(text, byCount)
		}
		return s.red(text, byExit)
	case "fail":
		if e.FailedBuild != "" {
			return g.failed(e.Package+" [build failed]", "", s)
		}
		f := Failure{Test: e.Test, Package: e.Package}
		if i := strings.IndexByte(e.Test, '/'); i > 0 {
			g.top = e.Test[:i]
		}
		if e.Test != "" && e.Test == g.top || e.Test == "" && g.from < len(s.Failures) {
			return s.red("", byCount) // its parts are named
		}
		if e.Test == "" {
			defer g.next(s)
		}
		return s.fail(f, "")
	case "output":
		if said := strings.TrimSpace(e.Output); e.Test != "" && strings.HasPrefix(said, "--- FAIL: "+e.Test+" ") {
			return s.red(said, byTest)
		}
	case "pass":
		if e.Test != "" {
			g.ran++
			return s.passed(1)
		}
		g.next(s)
	}
	return true
}
