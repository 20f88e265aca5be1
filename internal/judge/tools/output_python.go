package tools

import "strings"

// pytestFormat reads pytest, with its short summary or without.
//
//	FAILED tests/test_a.py::TestX::test_y[1] - assert 1 == 2
//	ERROR tests/test_b.py - ModuleNotFoundError: No module named 'b'
//	==== 1 failed, 2 passed, 1 error in 0.12s ====
func pytestFormat() format {
	collecting, failing := "", false
	return func(line string, s *sum) bool {
		switch line[0] {
		case '=':
			text := strings.Trim(line, "= ")
			if text == "FAILURES" || text == "ERRORS" {
				failing = true
				return s.red(line, byExit)
			}
			return pytestSummary(text, line, s)
		case '_':
			return pytestHeading(line, &collecting, s)
		case 'E':
			if collecting != "" && strings.HasPrefix(line, "E   ") {
				return s.fail(Failure{File: collecting, Broken: true}, line[1:])
			}
			if failing && strings.HasPrefix(line, "E   ") {
				return s.red(line[1:], byCount)
			}
			if text, ok := strings.CutPrefix(line, "ERROR: "); ok {
				return pytestRefused(text, line, s)
			}
		case 'I':
			if path, ok := between(line, "ImportError while loading conftest '", "'"); ok {
				return s.fail(Failure{File: path, Broken: true}, line)
			}
			if strings.HasPrefix(line, "INTERNALERROR> ") {
				return s.red(line, byCount)
			}
		case 'n', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
			if pytestSummary(line, line, s) {
				return true
			}
		case '[':
			if _, rest, ok := strings.Cut(line, "%] "); ok && rest != "" { // xdist
				return pytestTest(rest, rest, s)
			}
		case ' ', '\t':
			return false
		}
		return pytestTest(line, line, s) || pytestProgress(line, s)
	}
}

// pytestProgress reads `tests/test_a.py ..F.E    [ 50%]`, of which a later part
// may have been cut off.
func pytestProgress(line string, s *sum) bool {
	if !strings.HasSuffix(line, "%]") {
		return false
	}
	marks := strings.TrimRight(cutBefore(line, "["), " ")
	if file, rest, ok := strings.Cut(marks, ".py "); ok && !strings.Contains(file, " ") {
		marks = rest
	}
	return marks != "" && strings.Trim(marks, ".FEsxXRr") == "" && strings.ContainsAny(marks, "FE") && s.red(line, byExit)
}

// pytestSummary reads `3 failed, 2 passed, 1 error in 0.12s`.
func pytestSummary(text, line string, s *sum) bool {
	counts, took, ok := cutLast(text, " in ")
	if !ok || !isDuration(took) {
		if strings.HasPrefix(text, "no tests collected") || strings.HasPrefix(text, "no tests ran") {
			return s.nothing()
		}
		return false
	}
	if strings.HasPrefix(counts, "no tests ran") || strings.HasPrefix(counts, "no tests collected") {
		return s.nothing()
	}
	passed, failed, known := 0, 0, false
	eachCount(counts, func(word string, n int) {
		switch word {
		case "passed", "xfailed", "xpassed":
			passed, known = passed+max(n, 0), true
		case "failed", "error", "errors":
			failed, known = failed+max(n, 0), true
		case "skipped", "deselected":
			known = known || n >= 0
		}
	})
	return known && s.counted(passed, failed, line)
}

// isDuration reports whether a text is a time taken: 0.12s, 61.20s (0:01:01).
func isDuration(text string) bool {
	text, _, _ = strings.Cut(text, " ")
	number, ok := strings.CutSuffix(text, "s")
	return ok && number != "" && strings.Trim(number, "0123456789.") == ""
}

// pytestHeading notes the file of which a collection failed, from `_ ERROR
// collecting tests/test_b.py _`.
func pytestHeading(line string, collecting *string, s *sum) bool {
	text := strings.Trim(line, "_ ")
	*collecting = ""
	if text == "" || !strings.HasPrefix(line, "__") && !strings.HasSuffix(line, " _") {
		return false
	}
	if file, ok := strings.CutPrefix(text, "ERROR collecting "); ok {
		*collecting = file
		return s.fail(Failure{File: file, Broken: true}, "")
	}
	return false
}

// pytestRefused reads `ERROR: ...`: what pytest was told makes no sense.
func pytestRefused(text, line string, s *sum) bool {
	switch {
	case strings.HasPrefix(text, "file or directory not found: "), strings.HasPrefix(text, "not found: "), strings.HasPrefix(text, "found no collectors for "):
		return s.nothing()
	case strings.HasPrefix(text, "Coverage failure"):
		return s.red(line, byCount)
	}
	return false
}

// pytestTest reads a test's own line: of the short summary, of -v, of xdist.
func pytestTest(text, line string, s *sum) bool {
	mark, rest, _ := strings.Cut(text, " ")
	switch mark {
	case "FAILED", "ERROR", "SUBFAIL", "SUBFAILED":
		name, reason, _ := strings.Cut(rest, " - ")
		f, ok := pytestName(name)
		if f.Broken = mark == "ERROR" && f.Test == ""; !ok {
			return false
		}
		if s.fail(f, line); reason != "" && !strings.HasPrefix(s.Line, "FAILED ") && !strings.HasPrefix(s.Line, "ERROR ") {
			s.Line = line // says why
		}
		return true
	case "FAIL":
		return strings.HasPrefix(rest, "Required test coverage") && s.red(line, byCount)
	case "PASSED":
		_, ok := pytestName(rest)
		return ok
	}
	if name, verdict, ok := cutLast(strings.TrimSpace(cutBefore(text, " [")), " "); ok && strings.Contains(name, ".py::") {
		f, named := pytestName(name)
		switch {
		case !named:
		case verdict == "FAILED" || verdict == "ERROR":
			return s.fail(f, line)
		case verdict == "PASSED":
			return true
		}
	}
	return false
}

// pytestName reads tests/test_a.py::TestX::test_y.
func pytestName(text string) (Failure, bool) {
	text = strings.TrimSpace(text)
	file, test, _ := strings.Cut(text, "::")
	if !strings.Contains(file, ".") && test == "" || strings.ContainsAny(file, ":()") || strings.Contains(file, " ") && test == "" && !strings.HasSuffix(file, ".py") {
		return Failure{}, false
	}
	return Failure{File: file, Test: test}, true
}

// unittestFormat reads unittest, and what reports as it does: manage.py test,
// nose2, trial.
//
//	FAIL: test_x (pkg.test_a.TestA.test_x)
//	Ran 3 tests in 0.001s
//	FAILED (failures=1)
func unittestFormat() format {
	ran := -1
	trial := false
	return func(line string, s *sum) bool {
		kind, rest, _ := strings.Cut(line, " ")
		switch kind {
		case "FAIL:", "ERROR:":
			return unittestName(rest, line, s)
		case "Ran":
			if strings.Contains(rest, " tests in ") || strings.Contains(rest, " test in ") {
				ran = leading(rest)
				return ran != 0 || s.nothing()
			}
			return false
		case "OK":
			if (rest == "" || rest[0] == '(') && ran > 0 {
				skipped := max(numberAfter(rest, "skipped="), 0)
				return s.counted(ran-skipped, 0, line)
			}
			return ran == 0
		case "FAILED", "PASSED":
			if !strings.HasPrefix(rest, "(") || !strings.Contains(rest, "=") {
				return false
			}
			failed := max(numberAfter(rest, "failures="), 0) + max(numberAfter(rest, "errors="), 0) + max(numberAfter(rest, "unexpected successes="), 0)
			return s.counted(max(ran, failed, max(numberAfter(rest, "successes="), 0))-failed, failed, line)
		case "NO":
			return line == "NO TESTS RAN" && s.nothing()
		case "[FAIL]", "[ERROR]":
			trial = rest == ""
			return trial && s.red(line, byExit)
		}
		if trial && line[0] != ' ' && !strings.Contains(line, " ") && strings.Count(line, ".") >= 2 {
			trial = false
			class, test, _ := cutLast(line, ".")
			return s.fail(Failure{Test: test, Package: class}, line)
		}
		return false
	}
}

// unittestName reads `test_x (pkg.test_a.TestA.test_x)`, `test_x
// (pkg.test_a.TestA)` and a module that could not be imported.
func unittestName(text, line string, s *sum) bool {
	test, class, ok := strings.Cut(text, " (")
	class, _, closed := strings.Cut(class, ")")
	if !ok || !closed || strings.Contains(test, " ") || strings.ContainsAny(class, " /") {
		return false
	}
	if strings.Contains(class, "_FailedTest") {
		return s.fail(Failure{Package: test, Broken: true}, line)
	}
	return s.fail(Failure{Test: test, Package: strings.TrimSuffix(class, "."+test)}, line)
}

// environmentsFormat reads tox and nox, whose environments run runners.
//
//	  py311: FAIL code 1 (0.10 seconds)
//	nox > * tests-3.11: failed
func environmentsFormat() format {
	return func(line string, s *sum) bool {
		text := strings.TrimSpace(line)
		name, rest, ok := strings.Cut(text, ": ")
		switch {
		case strings.HasPrefix(text, "nox > "):
			text = strings.TrimPrefix(text, "nox > ")
			return (strings.HasPrefix(text, "Session ") || strings.HasPrefix(text, "* ")) && strings.Contains(text, "fail") && s.red(line, byExit)
		case strings.HasPrefix(text, "evaluation failed :("):
			return s.red(line, byExit)
		case strings.HasPrefix(text, "congratulations :)"):
			return s.passed(0)
		case !ok || strings.Contains(name, " ") && !strings.HasPrefix(name, "ERROR"):
		case strings.HasPrefix(rest, "FAIL code "), strings.HasPrefix(strings.TrimSpace(rest), "commands failed"), strings.Contains(rest, ": commands failed"):
			return s.red(line, byExit)
		case strings.HasPrefix(rest, "OK (") || rest == "commands succeeded":
			return true
		}
		return false
	}
}
