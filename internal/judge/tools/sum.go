package tools

import (
	"slices"
	"strings"
)

// maxFailures bounds what is named. An output may be written to be long.
const maxFailures = 200

// sum collects a Summary.
type sum struct {
	Summary
	green, none bool
	loose       int    // see asserted
	parents     int    // tests that are counted, and not named: those in them are
	built       bool   // a program says that all went well, and does not count
	rank        rank   // of Line
	rows        rowSet // the lines of formats that may fit the line that is read
	rest        rest
	seen        map[Failure]bool
}

// red notes a failing line of a runner.
func (s *sum) red(line string, r rank) {
	s.Red = true
	s.rest.clear()
	if r > s.rank && line != "" {
		s.rank, s.Line = r, line
	}
}

// passed notes that something passed: n tests, or 0 where they are not counted.
func (s *sum) passed(n int) {
	s.green, s.built = s.green || n > 0, s.built || n == 0
	s.Passed += max(n, 0)
	s.rest.clear()
}

// nothing notes that a runner found nothing to run.
func (s *sum) nothing() {
	s.none = true
	s.rest.clear()
}

// counted notes a runner's own counts; -1 is a count that it does not tell.
func (s *sum) counted(passed, failed int, line string) {
	if failed > 0 {
		s.Failed += failed
		s.red(line, byCount)
	}
	if passed > 0 {
		s.passed(passed)
	}
	if passed <= 0 && failed <= 0 {
		s.nothing()
	}
}

// asserted is counted where what failed is counted otherwise than by tests: by
// assertions, by complaints. The count holds where no test is named.
func (s *sum) asserted(passed, failed int, line string) {
	s.loose = max(s.loose, failed)
	if failed > 0 {
		s.red(line, byCount)
	}
	s.counted(passed, 0, line)
}

// fail notes a failure by name. Runners name the same one more than once.
func (s *sum) fail(f Failure, line string) {
	r := byTest
	if f.Test == "" && !f.Broken {
		r = byUnit
	}
	s.red(line, r)
	switch {
	case s.seen[f], f == Failure{Broken: f.Broken}:
	case len(s.Failures) >= maxFailures, max(len(f.Test), len(f.File), len(f.Package)) > maxName:
		s.More = true
	default:
		s.seen[f] = true
		s.Failures = append(s.Failures, f)
	}
}

// forget takes back a failure: what it was only the parent of is named itself.
func (s *sum) forget(f Failure) {
	if s.seen[f] {
		s.Failures = slices.DeleteFunc(s.Failures, func(o Failure) bool { return o == f })
		delete(s.seen, f)
	}
}

// rename gives the newest failure its file.
func (s *sum) rename(file string) {
	if len(s.Failures) == 0 {
		return
	}
	if last := s.Failures[len(s.Failures)-1]; last.Test != "" && last.File == "" {
		s.forget(last)
		last.File = file
		s.fail(last, "")
	}
}

// end takes over what the rest says, where the formats leave it open.
func (s *sum) end() {
	last := s.rest
	known := s.Red || s.green || s.built
	switch {
	case last.failed != "":
		s.red(last.failed, byExit)
		s.Failed = max(s.Failed, last.counts)
	case last.weak != "" && !known && !last.passed:
		s.red(last.weak, byExit)
	case !known && last.passed:
		s.green = true
		s.Passed = max(s.Passed, last.passes)
	}
	s.none = s.none || last.none
}

// summary is what all lines came to.
func (s *sum) summary() Summary {
	s.end()
	if s.Failed -= s.parents; len(s.Failures) == 0 {
		s.Failed = max(s.Failed, s.loose)
	}
	s.Failed = max(s.Failed, len(s.Failures))
	s.green = s.green || s.built && !s.none
	s.Green = s.green && !s.Red
	s.None = s.none && !s.green && !s.Red
	s.Line = strings.TrimSpace(s.Line)
	return s.Summary
}
