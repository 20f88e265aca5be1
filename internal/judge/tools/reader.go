package tools

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path"
	"slices"
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

// notes are what lines of a format can say, by the words of the data, beside those that
// only keep something.
var notes = map[string]func(r *reader, l *Line, x said, s *sum){
	"pass":   (*reader).pass,
	"count":  (*reader).count,
	"loose":  (*reader).count,
	"rest":   (*reader).rest,
	"suites": (*reader).suites,
	"fail":   (*reader).fail,
	"keep":   func(r *reader, _ *Line, x said, _ *sum) { r.tally.add(x.tally) },
	"total":  func(r *reader, _ *Line, x said, _ *sum) { r.tally = x.tally },
	"red":    func(_ *reader, l *Line, x said, s *sum) { s.red(x.line, ranks[l.Rank]) },
	"none":   func(_ *reader, _ *Line, _ said, s *sum) { s.nothing() },
	"skip":   func(r *reader, _ *Line, _ said, _ *sum) { r.skips++ },
	"head":   func(r *reader, _ *Line, x said, _ *sum) { r.kept = x.failure },
	"own":    func(*reader, *Line, said, *sum) {},
	"other":  func(*reader, *Line, said, *sum) {},
}

// read reads a line, and reports whether it is one of the format.
func (r *reader) read(line string, s *sum) bool {
	text, rows := r.unwrapped(line), &s.rows
	if text != line {
		inner := mayFit(text)
		rows = &inner
	}
	was := r.state
	l, x := r.line(text, rows, s)
	if l != nil {
		r.take(l, x, s)
	}
	if strings.HasSuffix(was, "!") && (l == nil || l.To == "") { // it lasted for this line
		r.state = ""
	}
	return l != nil && l.Is != "other"
}

// line is the first line of the format that fits, with what it says.
func (r *reader) line(text string, rows *rowSet, s *sum) (*Line, said) {
	first := r.format.First
	end := first + len(r.format.Lines)
	for row := rows.next(first, end); row < end; row = rows.next(row+1, end) {
		l := &r.format.Lines[row-first]
		if l.In != "" && !Among(l.In, r.state) || l.Needs != "" && !r.has(l.Needs, s) {
			continue
		}
		x, fits := l.reads(text)
		if aside := l.Under && (r.top == "" || !strings.HasPrefix(x.failure.Test, r.top+r.format.Inner)); fits && !aside { // a passing test's own words
			return l, x
		}
	}
	return nil, said{}
}

// unwrapped is the line that a line of JSON holds.
func (r *reader) unwrapped(line string) string {
	if r.format.Field == "" || line[0] != '{' {
		return line
	}
	var event map[string]any
	_ = json.Unmarshal([]byte(line), &event)
	if text, ok := event[r.format.Field].(string); ok {
		return strings.TrimRight(text, " \t\r\n")
	}
	return line
}

// has reports whether something was kept that a line needs.
func (r *reader) has(needs string, s *sum) bool {
	return map[string]bool{
		"failure": len(s.Failures) > 0,
		"test":    r.kept.Test != "",
		"file":    r.kept.File != "",
		"package": r.kept.Package != "",
		"top":     r.top != "",
		"total":   r.tally["total"] > 0,
		"passed":  r.tally.has("passed"),
	}[needs]
}

// take notes what a line says.
func (r *reader) take(l *Line, x said, s *sum) {
	r.fill(l, &x.failure)
	switch {
	case l.Below:
		x.line = x.failure.Test
	case l.Quiet:
		x.line = ""
	case l.Quotes:
		x.line = cmp.Or(r.quoted, x.line)
	}
	if l.Renames {
		s.rename(x.failure.File)
	} else {
		notes[l.Is](r, l, x, s)
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

// says reports whether a line is quoted in place of another one, which is about the
// test at the margin if the line needs one.
func (l *Line) says(quoted, top string) bool {
	about := l.Needs != "top" || strings.HasPrefix(quoted, "--- FAIL: "+top+" ")
	return l.Better != "" && !begins(quoted, l.Better) && about
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
			if dir := path.Dir(f.File); dir != "." && path.Base(dir) != path.Base(f.Package) {
				f.Package = ""
			}
		}
	}
}

// pass notes that something passed. A package of which all tests were skipped has run none.
func (r *reader) pass(l *Line, x said, s *sum) {
	n := x.tally.ran()
	if n <= 0 {
		n = max(r.tally.ran(), 0)
		r.tally = counts{}
	}
	switch {
	case l.Each:
		r.each++
		n = 1
	case r.each > 0:
	case n == 0 && r.skips > 0:
		s.nothing()
		return
	case l.Closes:
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
	if total := r.tally["total"]; x.tally.ran() < 0 && total > 0 {
		x.tally["total"] = total
	}
	passed, failed := x.tally.ran(), x.tally["failed"]
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
func (r *reader) rest(_ *Line, x said, s *sum) {
	t := r.tally
	t.add(x.tally)
	r.tally = counts{}
	passed, total := t["passed"], t["total"]
	switch {
	case !t.has("passed"):
		s.counted(t.ran(), 0, "")
	case !t.has("failed"):
		s.counted(passed, max(total-passed-t["skipped"], 0), fmt.Sprintf("Passed: %d of %d", passed, total))
	case passed+t["failed"] == 0:
		s.nothing()
	}
}

// suites notes how many suites of a total passed: no tests are counted.
func (r *reader) suites(_ *Line, x said, s *sum) {
	if x.tally["passed"] < x.tally["total"] {
		s.red(x.line, byCount)
		return
	}
	s.passed(0)
}

// fail notes a failure. A test in another one stands for it, in whatever order they are
// named.
func (r *reader) fail(l *Line, x said, s *sum) {
	f := x.failure
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
	if r.format.Inner != "" && f.Test != "" {
		below := func(o Failure) bool {
			return o.Package == f.Package && strings.HasPrefix(o.Test, f.Test+r.format.Inner)
		}
		if slices.ContainsFunc(s.Failures, below) {
			s.red(x.line, byTest)
			return
		}
		if above, _ := cutLast(f.Test, r.format.Inner); above != "" {
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
	above := indent < r.depth && len(s.Failures) > r.from
	if indent != r.depth && !above {
		r.from = len(s.Failures)
	}
	r.depth = indent
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
