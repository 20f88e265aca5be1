package tools

import (
	"encoding/json"
	"strconv"
	"strings"
)

// reader reads the lines of one format.
type reader struct {
	format      *Format
	state       string
	kept        Failure // names of a line before
	top         string  // the newest test at the margin
	quoted      string
	tally       counts // counts that a later line sums up
	each, skips int    // tests since the last line that closed a package
	from        int    // the failures from here on are of a package, or a test, not named yet
	depth       int    // how far the newest failure of a test in tests is indented
	own         Summary
}

// read reads a line, and reports whether it is one of the format.
func (r *reader) read(line string, s *sum) bool {
	text, rows := r.unwrapped(line), &s.rows
	if text != line {
		inner := mayFit(text)
		rows = &inner
	}
	was, first := r.state, r.format.First
	end := first + len(r.format.Lines)
	for row := rows.next(first, end); row < end; row = rows.next(row+1, end) {
		l := &r.format.Lines[row-first]
		if l.In != "" && !Among(l.In, r.state) {
			continue
		}
		m, fits := l.groups(text)
		if !fits || !r.has(l.Needs, s) || l.Not != "" && expression(l.Not).MatchString(text) {
			continue
		}
		x := l.said(m, text)
		if l.Under && (r.top == "" || !strings.HasPrefix(x.failure.Test, r.top+r.format.Inner)) {
			continue // a passing test's own words
		}
		r.take(l, x, s)
		if l.To == "" && strings.HasSuffix(was, "!") {
			r.state = ""
		}
		return l.Is != "other"
	}
	if strings.HasSuffix(was, "!") {
		r.state = ""
	}
	return false
}

// unwrapped is the line that a line of JSON holds.
func (r *reader) unwrapped(line string) string {
	if r.format.Field == "" || line[0] != '{' {
		return line
	}
	var event map[string]any
	if json.Unmarshal([]byte(line), &event) != nil {
		return line
	}
	if text, ok := event[r.format.Field].(string); ok {
		return strings.TrimRight(text, " \t\r\n")
	}
	return line
}

// has reports whether something was kept that a line needs.
func (r *reader) has(needs string, s *sum) bool {
	switch needs {
	case "failure":
		return len(s.Failures) > 0
	case "test":
		return r.kept.Test != ""
	case "file":
		return r.kept.File != ""
	case "package":
		return r.kept.Package != ""
	case "top":
		return r.top != ""
	case "total":
		return r.tally.n[nTotal] > 0
	case "passed":
		return r.tally.has[nPassed]
	}
	return true
}

// take notes what a line says.
func (r *reader) take(l *Line, x said, s *sum) {
	r.fill(l, &x.failure)
	switch {
	case l.Below:
		x.line = x.failure.Test
	case l.Quiet:
		x.line = ""
	case l.Quotes && r.quoted != "":
		x.line = r.quoted
	}
	if l.Renames {
		r.rename(x.failure.File, s)
	} else {
		r.note(l, x, s)
	}
	if l.says(s.Line, r.top) {
		s.Line = x.line
	}
	if l.Quote {
		r.quoted = x.line
	}
	if l.Keeps {
		r.kept = x.failure
		r.tally.add(x.tally)
	}
	if l.Top {
		r.top = x.failure.Test
	}
	if l.Closes {
		r.close(s)
	}
	if l.To != "" {
		r.state = strings.TrimPrefix(l.To, "-")
	}
}

// rename gives the newest failure its file.
func (r *reader) rename(file string, s *sum) {
	if len(s.Failures) == 0 {
		return
	}
	if last := s.Failures[len(s.Failures)-1]; last.Test != "" && last.File == "" {
		s.forget(last)
		last.File = file
		s.fail(last, "")
	}
}

// says reports whether a line is quoted in place of another one, which is about the
// test at the margin if the line needs one.
func (l *Line) says(quoted, top string) bool {
	return l.Better != "" && !begins(quoted, l.Better) && (l.Needs != "top" || strings.HasPrefix(quoted, "--- FAIL: "+top+" "))
}

// note does what a line says.
func (r *reader) note(l *Line, x said, s *sum) {
	switch l.Is {
	case "pass":
		r.pass(l, x, s)
	case "count", "loose":
		r.count(l, x, s)
	case "keep":
		r.tally.add(x.tally)
	case "total":
		r.tally = x.tally
	case "rest":
		r.rest(x, s)
	case "suites":
		r.suites(x, s)
	case "fail":
		r.fail(l, x, s)
	case "red":
		s.red(x.line, ranks[l.Rank])
	case "none":
		s.nothing()
	case "skip":
		r.skips++
	case "head":
		r.kept = x.failure
	}
}

// fill takes names from what was kept. A package that was named above is not that of a
// file in another folder.
func (r *reader) fill(l *Line, f *Failure) {
	if l.Below && len(r.kept.Test) <= maxName {
		f.Test = r.kept.Test + " > " + f.Test
	}
	for what := range strings.FieldsSeq(l.With) {
		switch what {
		case "test":
			f.Test = r.kept.Test
		case "file":
			f.File = r.kept.File
		case "package":
			f.Package = r.kept.Package
			if dir, ok := cutLast(f.File, "/"); ok && dir != "." && lastOf(dir) != lastOf(f.Package) {
				f.Package = ""
			}
		}
	}
}

// lastOf is the last part of a path.
func lastOf(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

// pass notes that something passed. A package of which all tests were skipped has run none.
func (r *reader) pass(l *Line, x said, s *sum) {
	n := max(x.tally.ran(), 0)
	if n == 0 {
		n = max(r.tally.ran(), 0)
		r.tally = counts{}
	}
	switch {
	case l.Each:
		r.each++
		n = 1
	case n == 0 && r.each == 0 && r.skips > 0:
		s.nothing()
		return
	case l.Closes && r.each == 0:
		n = 1
	}
	s.passed(n)
	r.own.Passed += n
}

// count notes what a line counts, in place of what the format has counted so far where it says so.
func (r *reader) count(l *Line, x said, s *sum) {
	if l.Replaces {
		s.Passed -= r.own.Passed
		s.Failed -= r.own.Failed
		r.own, r.tally = Summary{}, counts{}
	}
	if x.tally.ran() < 0 && r.has("total", s) {
		x.tally.set(nTotal, r.tally.n[nTotal])
	}
	passed, failed := x.tally.ran(), x.tally.n[nFailed]
	if l.Is == "loose" {
		s.asserted(passed, failed, x.line)
	} else {
		s.counted(passed, failed, x.line)
	}
	if !l.Settles {
		r.own.Passed += max(passed, 0)
		r.own.Failed += max(failed, 0)
	}
}

// rest sums up counts that were kept, as far as lines before have not counted them.
func (r *reader) rest(x said, s *sum) {
	t := r.tally
	t.add(x.tally)
	r.tally = counts{}
	passed, total := t.n[nPassed], t.n[nTotal]
	switch {
	case !t.has[nPassed]:
		s.counted(t.ran(), 0, "")
	case !t.has[nFailed]:
		s.counted(passed, max(total-passed-t.n[nSkipped], 0), "Passed: "+strconv.Itoa(passed)+" of "+strconv.Itoa(total))
	case passed+t.n[nFailed] == 0:
		s.nothing()
	}
}

// suites notes how many suites of a total passed: no tests are counted.
func (r *reader) suites(x said, s *sum) {
	if x.tally.n[nPassed] < x.tally.n[nTotal] {
		s.red(x.line, byCount)
		return
	}
	s.passed(0)
}

// fail notes a failure. A test in another one stands for it, in whatever order they are
// named.
func (r *reader) fail(l *Line, x said, s *sum) {
	f, inner := x.failure, r.format.Inner
	switch {
	case l.Closes:
		r.failed(x, s)
		return
	case l.Nested && r.holds(x.indent, s):
		s.parents++
		s.red(x.line, byCount)
		return
	case l.Nested && f.File != "":
		s.forget(Failure{Test: f.Test}) // named before, without its file
	}
	if inner != "" && f.Test != "" {
		below := f.Test + inner
		for i := range s.Failures {
			if s.Failures[i].Package == f.Package && strings.HasPrefix(s.Failures[i].Test, below) {
				s.red(x.line, byTest)
				return
			}
		}
		if above, ok := cutLast(f.Test, inner); ok {
			s.forget(Failure{Test: above, Package: f.Package})
			if strings.HasPrefix(s.Line, "--- FAIL: "+above+" ") {
				s.Line = x.line
			}
		}
	}
	s.fail(f, x.line)
}

// holds reports whether a test that failed is the one that those before it stand in,
// which are indented further.
func (r *reader) holds(indent int, s *sum) bool {
	if indent == r.depth {
		return false
	}
	above := indent < r.depth && len(s.Failures) > r.from
	if r.depth = indent; !above {
		r.from = len(s.Failures)
	}
	return above
}

// failed notes a package that failed, and gives it what was named since the one before.
func (r *reader) failed(x said, s *sum) {
	pkg, broken := x.failure.Package, x.failure.Broken
	named := false
	for i := range s.Failures {
		f := &s.Failures[i]
		if i >= r.from && f.Package == "" && !broken {
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
		s.fail(x.failure, x.line)
	}
	s.red(x.line, byUnit)
}

// close begins a package.
func (r *reader) close(s *sum) {
	r.from, r.each, r.skips, r.top = len(s.Failures), 0, 0, ""
	if r.state == "timeout" {
		r.state = ""
	}
}
