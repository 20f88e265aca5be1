package tools

import "strings"

// forgeFormat reads Foundry's forge.
//
//	[FAIL: assertion failed] testAdds() (gas: 123)
//	Ran 1 test suite in 1ms: 1 tests passed, 1 failed, 0 skipped (2 total tests)
func forgeFormat() format {
	file := ""
	return func(line string, s *sum) bool {
		switch {
		case strings.HasPrefix(line, "[FAIL"):
			_, name, ok := cutLast(cutBefore(line, " (gas: "), "] ")
			if i := strings.Index(name, " (runs: "); i > 0 {
				name = name[:i]
			}
			return ok && s.fail(Failure{Test: name, File: file}, line)
		case strings.HasPrefix(line, "[PASS] "):
			return true
		case strings.HasPrefix(line, "Ran ") && strings.Contains(line, " for ") && strings.Contains(line, ".sol:"):
			_, at, _ := strings.Cut(line, " for ")
			file, _, _ = strings.Cut(at, ":")
			return true
		case strings.HasPrefix(line, "Encountered ") && strings.Contains(line, ".sol:"):
			_, at, _ := strings.Cut(line, " in ")
			file, _, _ = strings.Cut(at, ":")
			return s.red(line, byExit)
		case strings.HasPrefix(line, "Suite result: "):
			return !strings.Contains(line, "FAILED") || s.red(line, byCount)
		case strings.HasPrefix(line, "Ran ") && strings.Contains(line, " tests passed, "):
			t := numberBefore(line, " tests passed")
			return s.counted(t, max(numberBefore(line, " failed"), 0), line)
		case strings.HasPrefix(line, "Error: Compiler run failed"), strings.HasPrefix(line, "Compiler run failed"):
			return s.fail(Failure{Broken: true}, line)
		case strings.HasPrefix(line, "No tests found in project"), strings.HasPrefix(line, "No tests match the provided pattern"):
			return s.nothing()
		}
		return false
	}
}

// proveFormat reads Perl's prove.
//
//	t/cart.t .. Failed 1/2 subtests
//	t/cart.t (Wstat: 256 (exited 1) Tests: 2 Failed: 1)
//	Files=2, Tests=3,  0 wallclock secs ...
//	Result: FAIL
func proveFormat() format {
	all := -1
	return func(line string, s *sum) bool {
		file, rest, ok := strings.Cut(line, " (Wstat: ")
		switch {
		case ok:
			return s.fail(Failure{File: strings.TrimSpace(file)}, line)
		case strings.HasPrefix(line, "Files=") && strings.Contains(line, "Tests="):
			all = numberAfter(line, "Tests=")
		case line == "Result: PASS":
			return s.passed(max(all, 0))
		case line == "Result: FAIL":
			return s.red(line, byExit)
		case line == "Result: NOTESTS":
			return s.nothing()
		case line == "All tests successful.":
			return s.passed(0)
		case strings.HasPrefix(line, "#   Failed test "):
			name := strings.Trim(line[len("#   Failed test "):], "'")
			return s.red("Failed test '"+name+"'", byTest)
		case strings.HasPrefix(line, "# Looks like you failed "):
			return s.red(line, byCount)
		default:
			return rest != "" && false
		}
		return true
	}
}

// clojureFormat reads clojure.test, by lein, the clj tools or kaocha.
//
//	FAIL in (adds) (cart_test.clj:5)
//	Ran 4 tests containing 5 assertions.
//	1 failures, 0 errors.
func clojureFormat() format {
	ran := -1
	return func(line string, s *sum) bool {
		n, rest, _ := strings.Cut(line, " ")
		switch {
		case (n == "FAIL" || n == "ERROR") && strings.HasPrefix(rest, "in ("):
			test, at, _ := strings.Cut(rest[len("in ("):], ") (")
			file, _, _ := strings.Cut(at, ":")
			return s.fail(Failure{Test: strings.TrimSuffix(test, ")"), File: file}, line)
		case n == "Ran" && strings.Contains(rest, " tests containing "):
			ran = leading(rest)
			return ran > 0 || s.nothing()
		case number(n) >= 0 && strings.HasPrefix(rest, "failures, ") && strings.HasSuffix(rest, " errors."):
			failed := number(n) + max(numberBefore(rest, " errors"), 0)
			return s.asserted(max(ran, 0)-min(failed, max(ran, 0)), failed, line)
		case number(n) > 0 && strings.HasPrefix(rest, "tests, ") && strings.Contains(rest, " assertions, ") && strings.HasSuffix(rest, " failures."):
			return s.counted(number(n)-max(numberBefore(rest, " failures"), 0), max(numberBefore(rest, " failures"), 0), line)
		}
		return false
	}
}

// haskellFormat reads hspec and tasty below cabal or stack.
//
//	4 examples, 1 failure
//	1 out of 4 tests failed (0.00s)
//	Test suite spec: FAIL
func haskellFormat() format {
	file := "" // whose failure follows
	return func(line string, s *sum) bool {
		text := strings.TrimLeft(line, " ")
		n, rest, _ := strings.Cut(text, " ")
		if at, ok := place(text+" ", ".hs .lhs"); ok && len(text) < len(line) {
			file = at
			return true
		}
		at := file
		file = ""
		switch {
		case at != "" && strings.HasSuffix(n, ")") && number(n[:len(n)-1]) > 0:
			return s.fail(Failure{Test: rest, File: at}, line)
		case strings.HasPrefix(line, "Test suite ") && strings.HasSuffix(line, ": FAIL"):
			return s.red(line, byUnit)
		case strings.HasPrefix(line, "Test suite ") && strings.HasSuffix(line, ": PASS"):
			return s.passed(0)
		case number(n) > 0 && strings.HasPrefix(rest, "out of ") && strings.Contains(rest, " tests failed"):
			return s.counted(leading(rest[len("out of "):])-number(n), number(n), line)
		case strings.HasPrefix(line, "All ") && strings.Contains(line, " tests passed ("):
			return s.passed(max(leading(line[len("All "):]), 0))
		case number(n) >= 0 && strings.HasPrefix(rest, "of ") && strings.Contains(rest, " test suites ("):
			if number(n) < leading(rest[len("of "):]) {
				return s.red(line, byCount)
			}
			return s.passed(0)
		case strings.HasPrefix(line, "All suites passed"):
			return s.passed(0)
		}
		return false
	}
}

// batsFormat reads Bats as it prints on a terminal; elsewhere it prints TAP.
//
//	 ✗ adds
//	   (in test file cart.bats, line 2)
//	2 tests, 1 failure
func batsFormat() format {
	return func(line string, s *sum) bool {
		n, rest, _ := strings.Cut(line, " ")
		switch {
		case strings.HasPrefix(line, " ✗ "):
			return s.fail(Failure{Test: line[len(" ✗ "):]}, line)
		case number(n) >= 0 && strings.HasPrefix(rest, "test") && strings.Contains(rest, ", ") && strings.Contains(rest, " failure"):
			failed := max(numberBefore(line, " failure"), 0)
			return s.counted(number(n)-failed-max(numberBefore(line, " skipped"), 0), failed, line)
		}
		return false
	}
}
