package tools

import "strings"

// bazelFormat reads Bazel, Buck2 and Pants.
//
//	//cart:cart_test                FAILED in 0.1s
//	Executed 3 out of 3 tests: 2 tests pass and 1 fails locally.
//	Tests finished: Pass 3. Fail 1. Fatal 0. Skip 0. Build failure 0
//	✕ cart/test_cart.py:tests failed in 0.50s.
func bazelFormat() format {
	return func(line string, s *sum) bool {
		word, rest, _ := strings.Cut(line, " ")
		rest = strings.TrimLeft(rest, " ")
		switch {
		case strings.HasPrefix(word, "//") || strings.HasPrefix(word, "@"):
			switch {
			case strings.HasPrefix(rest, "FAILED TO BUILD"), strings.HasPrefix(rest, "NO STATUS"):
				return s.fail(Failure{Package: word, Broken: true}, line)
			case strings.HasPrefix(rest, "FAILED"), strings.HasPrefix(rest, "TIMEOUT"):
				return s.fail(Failure{Package: word}, line)
			case strings.HasPrefix(rest, "PASSED in"), strings.HasPrefix(rest, "(cached) PASSED in"), strings.HasPrefix(rest, "FLAKY"):
				return s.passed(1)
			}
		case strings.HasPrefix(line, "Executed ") && strings.Contains(line, " out of ") && strings.Contains(line, " test"):
			if strings.Contains(line, " fail") {
				return s.red(line, byCount)
			}
			return s.passed(0)
		case strings.HasPrefix(line, "✗ Fail: "):
			target, test, _ := strings.Cut(cutBefore(line[len("✗ Fail: "):], " ("), " - ")
			return s.fail(Failure{Test: test, Package: target}, line)
		case strings.HasPrefix(line, "Tests finished: Pass "):
			bad := max(numberAfter(line, "Fail "), 0) + max(numberAfter(line, "Fatal "), 0) + max(numberAfter(line, "Build failure "), 0)
			return s.counted(numberAfter(line, "Pass "), bad, line)
		case (word == "✕" || word == "𐄂") && strings.Contains(rest, " failed in "):
			return s.fail(Failure{Package: cutBefore(rest, " failed in ")}, line)
		case word == "✓" && strings.Contains(rest, " succeeded in "):
			return s.passed(1)
		case strings.HasPrefix(line, "ERROR: No test targets were found"):
			return s.nothing()
		case strings.HasPrefix(line, "FAILED: Build did NOT complete successfully"):
			return s.red(line, byExit)
		}
		return false
	}
}
