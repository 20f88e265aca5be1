package tools

import "strings"

// ctestFormat reads CTest and Meson.
//
//	50% tests passed, 1 tests failed out of 2
//	The following tests FAILED:
//		  1 - adds (Failed)
func ctestFormat() format {
	listing, meson := false, false
	return func(line string, s *sum) bool {
		text := strings.TrimLeft(line, " \t")
		n, rest, _ := strings.Cut(text, " ")
		switch {
		case strings.Contains(line, "% tests passed"):
			failed, all := max(numberAfter(line, "passed, "), 0), max(numberAfter(line, " out of "), 0)
			return s.counted(all-failed, failed, line)
		case line == "The following tests FAILED:":
			listing = true
			return s.red(line, byExit)
		case listing && number(n) > 0 && strings.HasPrefix(rest, "- "):
			name, _, _ := cutLast(rest[2:], " (")
			return s.fail(Failure{Test: name}, line)
		case strings.HasPrefix(line, "No tests were found!!!"), strings.HasPrefix(line, "No tests defined."):
			return s.nothing()
		case strings.Contains(line, " Test ") && strings.Contains(line, "***") && strings.Contains(line, " #"):
			return s.red(line, byUnit)
		case line == "Summary of Failures:":
			meson = true
			return s.red(line, byExit)
		case meson && strings.Contains(n, "/") && (strings.Contains(rest, " FAIL ") || strings.Contains(rest, " TIMEOUT ") || strings.Contains(rest, " ERROR ")):
			return s.fail(Failure{Test: cutBefore(strings.TrimSpace(rest), "  ")}, line)
		case n == "Ok:" && number(strings.TrimSpace(rest)) >= 0:
			meson = true
			return number(strings.TrimSpace(rest)) == 0 || s.passed(number(strings.TrimSpace(rest)))
		case meson && (n == "Fail:" || n == "Timeout:" || n == "Unexpected") && trailing(rest) > 0:
			return s.counted(0, trailing(rest), line)
		}
		listing = listing && text == ""
		return false
	}
}

// gtestFormat reads GoogleTest, Catch2 and doctest.
//
//	[  FAILED  ] Cart.Adds (0 ms)
//	[  PASSED  ] 3 tests.
//	test cases: 3 | 2 passed | 1 failed
func gtestFormat() format {
	return func(line string, s *sum) bool {
		switch {
		case strings.HasPrefix(line, "[  FAILED  ] "):
			name := first(strings.TrimSuffix(line[len("[  FAILED  ] "):], ","))
			if number(name) >= 0 { // 1 test, listed below:
				return s.red(line, byCount)
			}
			return s.fail(Failure{Test: strings.TrimSuffix(name, ",")}, line)
		case strings.HasPrefix(line, "[  PASSED  ] "):
			if n := leading(line[len("[  PASSED  ] "):]); n > 0 {
				return s.passed(n)
			}
			return s.nothing()
		case strings.HasPrefix(line, "[       OK ] "), strings.HasPrefix(line, "[ RUN      ] "), strings.HasPrefix(line, "[----------]"), strings.HasPrefix(line, "[==========]"):
			return true
		case strings.HasPrefix(line, "test cases: ") || strings.HasPrefix(line, "[doctest] test cases: "):
			t := tallied(line)
			return s.counted(t.passed, t.failed, line)
		case strings.HasPrefix(line, "All tests passed (") && strings.Contains(line, "assertion"):
			return s.passed(max(numberBefore(line, " test case"), 1))
		case strings.HasPrefix(line, "No test cases matched"):
			return s.nothing()
		}
		return false
	}
}

// nativeFiles are the endings of files that compilers complain about by place.
const nativeFiles = ".c .h .cc .cpp .cxx .hpp .hh .m .mm .swift .zig .java .kt .hs .nim .v .d"

// compilerFormat reads compilers.
//
//	a.c:1:20: error: ‘nope’ undeclared
func compilerFormat() format {
	return func(line string, s *sum) bool {
		before, _, ok := strings.Cut(line, " error: ")
		if !ok {
			before, _, ok = strings.Cut(line, " fatal error: ")
		}
		if !ok || !strings.HasSuffix(before, ":") {
			return strings.Contains(line, "undefined reference to `") && s.red(line, byUnit)
		}
		file, ok := place(line, nativeFiles)
		return ok && s.fail(Failure{File: file, Broken: true}, line)
	}
}

// swiftFormat reads swift test and xcodebuild: XCTest and Swift Testing.
//
//	Test Case 'CartTests.testAdds' failed (0.1 seconds).
//	Executed 5 tests, with 1 failure (0 unexpected) in 0.1 seconds
//	✘ Test adds() failed after 0.001 seconds with 1 issue.
func swiftFormat() format {
	running := false
	counted := Summary{} // the innermost suites come first: the last counts all
	return func(line string, s *sum) bool {
		text := strings.TrimLeft(line, " \t")
		if mark, rest, ok := strings.Cut(text, " "); ok && !strings.HasPrefix(text, "Test ") && len(mark) <= 4 && mark[0] >= 0x80 {
			return swiftTesting(rest, line, s)
		}
		switch {
		case running && strings.Contains(text, ".swift:") && strings.Contains(text, ": error: "):
			return s.red(line, byTest)
		case strings.HasPrefix(text, "Test Case '"), strings.HasPrefix(text, "Test case '"):
			running = true
			name, ok := between(text, "'", "'")
			name = strings.TrimSuffix(strings.TrimPrefix(name, "-["), "]")
			if !ok || !strings.Contains(text, "' failed") {
				return ok
			}
			class, test, _ := strings.Cut(strings.Replace(name, " ", ".", 1), ".")
			if i := strings.LastIndexByte(test, '.'); i >= 0 { // Mod.CartTests.testAdds
				class, test = class+"."+test[:i], test[i+1:]
			}
			return s.fail(Failure{Test: test, Package: class}, line)
		case strings.HasPrefix(text, "Executed ") && strings.Contains(text, " test"):
			all, failed := leading(text[len("Executed "):]), max(numberBefore(text, " failure"), 0)
			s.Passed -= counted.Passed
			counted = Summary{Passed: max(all-failed-max(numberBefore(text, " test skipped"), numberBefore(text, " tests skipped"), 0), 0)}
			return s.asserted(counted.Passed, failed, line)
		case strings.HasPrefix(text, "** TEST FAILED **"), strings.HasPrefix(text, "** BUILD FAILED **"):
			return s.red(line, byExit)
		case strings.HasPrefix(text, "** TEST SUCCEEDED **"), strings.HasPrefix(text, "** BUILD SUCCEEDED **"), strings.HasPrefix(text, "Build complete!"):
			return s.passed(0)
		case strings.HasPrefix(text, "error: fatalError"), strings.HasPrefix(text, "error: Exited with "), strings.HasPrefix(text, "error: no such module"):
			return s.red(line, byUnit)
		}
		return false
	}
}

func swiftTesting(text, line string, s *sum) bool {
	switch {
	case strings.HasPrefix(text, "Test run with "):
		all := leading(text[len("Test run with "):])
		switch {
		case strings.Contains(text, " failed after "):
			return s.asserted(0, max(numberBefore(text, " issue"), 1), line)
		case strings.Contains(text, " passed after ") && all > 0:
			return s.passed(all)
		}
		return all == 0 && (s.none || s.nothing())
	case strings.HasPrefix(text, "Test ") && strings.Contains(text, " failed after "):
		name := cutBefore(text[len("Test "):], " failed after ")
		return s.fail(Failure{Test: strings.Trim(name, `"`)}, line)
	case strings.HasPrefix(text, "Test ") && strings.Contains(text, " recorded an issue"):
		return s.red(line, byUnit)
	}
	return strings.HasPrefix(text, "Test ") || strings.HasPrefix(text, "Suite ")
}

// zigFormat reads zig test and zig build test.
//
//	1/3 cart.test.adds... FAIL (TestUnexpectedResult)
//	2 passed; 0 skipped; 1 failed.
//	Build Summary: 2/4 steps succeeded; 1 failed; 2/3 tests passed; 1 failed
func zigFormat() format {
	test := "" // that runs, and has printed something
	return func(line string, s *sum) bool {
		n, rest, _ := strings.Cut(line, " ")
		if name, said, ok := strings.Cut(rest, "... "); ok && strings.Contains(n, "/") && !strings.HasPrefix(said, "FAIL") {
			test = name
			return strings.HasPrefix(said, "OK")
		}
		switch {
		case strings.HasPrefix(line, "FAIL (") && test != "":
			return s.fail(Failure{Test: test}, line)
		case strings.Contains(line, "... FAIL (") || strings.HasSuffix(line, "... FAIL"):
			name := cutBefore(line, "... FAIL")
			if n, rest, ok := strings.Cut(name, " "); ok && strings.Contains(n, "/") {
				name = rest
			}
			return s.fail(Failure{Test: name}, line)
		case strings.HasPrefix(line, "error: '") && strings.Contains(line, "' failed: "), strings.HasPrefix(line, "error: '") && strings.HasSuffix(line, "' failed"):
			name, _ := between(line, "'", "'")
			return s.fail(Failure{Test: name}, line)
		case strings.HasSuffix(line, " failed.") && strings.Contains(line, " passed; "):
			t := tallied(line)
			return s.counted(t.passed, max(t.failed, 0), line)
		case strings.HasPrefix(line, "All ") && strings.HasSuffix(line, " tests passed."):
			if n := leading(line[len("All "):]); n > 0 {
				return s.passed(n)
			}
			return s.nothing()
		case strings.HasPrefix(line, "Build Summary: "):
			if strings.Contains(line, " failed") {
				return s.red(line, byCount)
			}
			_, tests, _ := cutLast(cutBefore(line, " tests passed"), "; ")
			return s.passed(max(leading(tests), 0))
		case strings.HasPrefix(line, "error: the following "), strings.HasPrefix(line, "error: the following test command"):
			return s.red(line, byExit)
		}
		return false
	}
}
