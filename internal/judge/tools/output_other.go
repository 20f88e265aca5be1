package tools

import "strings"

// exunitFormat reads mix test.
//
//  1. test adds (ShopTest)
//     test/shop_test.exs:3
//     2 tests, 1 failure, 1 excluded
func exunitFormat() format {
	name := Failure{} // whose place follows
	heading := ""
	return func(line string, s *sum) bool {
		text := strings.TrimLeft(line, " ")
		n, rest, _ := strings.Cut(text, " ")
		if heading != "" {
			file, ok := place(text+" ", ".exs .ex")
			if ok {
				name.File = file
			}
			f, said := name, heading
			heading = ""
			s.fail(f, said)
			if ok {
				return true
			}
		}
		switch {
		case strings.HasSuffix(n, ")") && number(n[:len(n)-1]) > 0 && len(text) < len(line) && (strings.HasPrefix(rest, "test ") || strings.HasPrefix(rest, "doctest ") || strings.HasPrefix(rest, "property ")):
			test, module, ok := cutLast(rest, " (")
			if !ok || !strings.HasSuffix(module, ")") {
				return false
			}
			heading, name = line, Failure{Test: test, Package: strings.TrimSuffix(module, ")")}
			return s.red(line, byTest)
		case number(n) >= 0 && (strings.HasPrefix(rest, "test") || strings.HasPrefix(rest, "doctest") || strings.HasPrefix(rest, "propert")) && strings.Contains(rest, " failure"):
			all := 0
			eachCount(line, func(word string, n int) {
				if word == "test" || word == "tests" || word == "doctest" || word == "doctests" || word == "property" || word == "properties" {
					all += max(n, 0)
				}
			})
			failed := max(numberBefore(line, " failure"), 0) + max(numberBefore(line, " invalid"), 0)
			return s.counted(all-failed-max(numberBefore(line, " excluded"), 0)-max(numberBefore(line, " skipped"), 0), failed, line)
		case strings.HasPrefix(line, "== Compilation error in file "):
			file := strings.TrimSuffix(line[len("== Compilation error in file "):], " ==")
			return s.fail(Failure{File: file, Broken: true}, line)
		case strings.HasPrefix(line, "** ("):
			s.red(line, byTest)
			s.Line, s.rank = line, byTest
			return true
		case strings.HasPrefix(line, "There are no tests to run"), strings.HasPrefix(line, "The --only option was given"):
			return s.nothing()
		}
		return false
	}
}

// dartFormat reads dart test and flutter test.
//
//	00:01 +3 -1: test/cart_test.dart: adds [E]
//	00:01 +3 -1: Some tests failed.
//	00:01 +3: All tests passed!
func dartFormat() format {
	return func(line string, s *sum) bool {
		at, text, ok := strings.Cut(line, ": ")
		if !ok || len(at) < 8 || at[2] != ':' || !isDigit(at[0]) || !strings.Contains(at, " +") {
			return strings.HasPrefix(line, "No tests match") && s.nothing() ||
				strings.HasPrefix(line, "No tests ran.") && s.nothing()
		}
		passed, failed := numberAfter(at, " +"), max(numberAfter(at, " -"), 0)
		switch {
		case text == "Some tests failed.":
			return s.counted(passed, max(failed, 1), line)
		case text == "All tests passed!" || text == "All other tests passed!":
			return s.counted(passed, failed, line)
		case text == "No tests ran.":
			return s.nothing()
		case text == "All tests skipped.":
			return s.nothing()
		case strings.HasPrefix(text, "loading ") && strings.HasSuffix(text, " [E]"):
			return s.fail(Failure{File: strings.TrimSuffix(text[len("loading "):], " [E]"), Broken: true}, line)
		case strings.HasSuffix(text, " [E]"):
			file, test, ok := strings.Cut(strings.TrimSuffix(text, " [E]"), ": ")
			if !ok || !strings.HasSuffix(file, ".dart") {
				file, test = "", strings.TrimSuffix(text, " [E]")
			}
			return s.fail(Failure{Test: test, File: file}, line)
		}
		return true
	}
}

// bustedFormat reads busted.
//
//	1 success / 1 failure / 1 error / 0 pending : 0.000634 seconds
//	Failure -> spec/cart_spec.lua @ 1
//	cart adds
func bustedFormat() format {
	file, broken := "", false
	return func(line string, s *sum) bool {
		if file != "" {
			f := Failure{Test: line, File: file}
			file = ""
			return s.fail(f, line)
		}
		word, rest, _ := strings.Cut(line, " ")
		switch {
		case (word == "Failure" || word == "Error") && (strings.HasPrefix(rest, "-> ") || strings.HasPrefix(rest, "→ ")):
			_, at, _ := strings.Cut(rest, " ")
			name, _, placed := strings.Cut(at, " @ ")
			if broken = !placed; broken {
				return s.fail(Failure{File: name, Broken: true}, line)
			}
			file = name
			return s.red(line, byUnit)
		case number(word) >= 0 && strings.HasPrefix(rest, "success") && strings.Contains(rest, " / "):
			return s.counted(number(word), max(numberBefore(line, " failure"), 0)+max(numberBefore(line, " error"), 0), line)
		}
		return false
	}
}

// testthatFormat reads R's testthat and tinytest, and R CMD check.
//
//	[ FAIL 1 | WARN 0 | SKIP 0 | PASS 5 ]
//	── Failure (test-cart.R:3:3): adds ──────
func testthatFormat() format {
	return func(line string, s *sum) bool {
		switch {
		case strings.HasPrefix(line, "[ FAIL "):
			return s.asserted(numberAfter(line, "PASS "), numberAfter(line, "FAIL "), line)
		case strings.HasPrefix(strings.TrimPrefix(line, "── "), "Failure (") && strings.Contains(line, ".R:"), strings.HasPrefix(strings.TrimPrefix(line, "── "), "Error (") && strings.Contains(line, ".R:"):
			_, at, _ := strings.Cut(line, "(")
			file, _, _ := strings.Cut(at, ":")
			_, name, _ := strings.Cut(at, "): ")
			return s.fail(Failure{Test: strings.TrimRight(name, "─ "), File: strings.TrimSuffix(file, ")")}, line)
		case strings.HasPrefix(line, "All ok, ") && strings.Contains(line, " results"): // tinytest
			return s.counted(leading(line[len("All ok, "):]), 0, line)
		case strings.HasPrefix(line, "Showing ") && strings.Contains(line, " results: "):
			return s.asserted(numberBefore(line, " passes"), numberBefore(line, " fails"), line)
		case strings.HasPrefix(line, "----- FAILED"):
			_, at, _ := strings.Cut(line, ": ")
			if file, _, ok := strings.Cut(at, "<"); ok {
				return s.fail(Failure{File: file}, line)
			}
			return s.red(line, byCount)
		case strings.HasPrefix(line, "Error: Test failures"), strings.HasPrefix(line, "Execution halted"):
			return s.red(line, byExit)
		case strings.HasPrefix(line, "Status: "):
			if strings.Contains(line, "ERROR") {
				return s.red(line, byCount)
			}
			return strings.HasPrefix(line, "Status: OK") && s.passed(0)
		}
		return false
	}
}

// juliaFormat reads Julia's Test.
//
//	adds: Test Failed at /src/test/runtests.jl:5
//	ERROR: Some tests did not pass: 2 passed, 1 failed, 0 errored, 0 broken.
//	     Testing Shop tests passed
func juliaFormat() format {
	table, pass := false, -1
	return func(line string, s *sum) bool {
		name, rest, ok := strings.Cut(line, ": ")
		switch {
		case strings.HasPrefix(line, "Test Summary:"):
			table, pass = true, -1
			if !strings.Contains(line, "Pass") {
				return !strings.Contains(line, "Fail") && !strings.Contains(line, "Error") && s.nothing()
			}
			return true
		case table && strings.Contains(line, " | "):
			table = false
			_, counts, _ := strings.Cut(line, " | ")
			if pass = leading(strings.TrimSpace(counts)); pass > 0 {
				s.green = true
				s.Passed = max(s.Passed, pass)
			}
			return true
		case strings.HasPrefix(line, "ERROR: Some tests did not pass: "):
			t := tallied(line)
			s.Passed = 0
			return s.asserted(t.passed, max(t.failed, 1), line)
		case ok && (strings.HasPrefix(rest, "Test Failed at ") || strings.HasPrefix(rest, "Error During Test at ")):
			file, _, _ := strings.Cut(rest[strings.Index(rest, " at ")+4:], ":")
			return s.fail(Failure{Test: name, File: file}, line)
		case strings.HasPrefix(line, "ERROR: Package ") && strings.Contains(line, " errored during testing"):
			return s.red(line, byExit)
		case strings.HasSuffix(line, " tests passed") && strings.HasPrefix(strings.TrimSpace(line), "Testing "):
			return s.passed(0)
		}
		return false
	}
}
