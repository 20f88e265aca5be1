package tools

import "strings"

// phpunitFormat reads PHPUnit, Pest, Codeception and what runs them.
//
//  1. Tests\CartTest::testAdds
//     Tests: 4, Assertions: 2, Errors: 1, Failures: 1, Skipped: 1.
//     OK (4 tests, 4 assertions)
//     FAILED  Tests\CartTest > it adds
//     Tests:    1 failed, 2 passed (3 assertions)
func phpunitFormat() format {
	listing := false
	return func(line string, s *sum) bool {
		text := strings.TrimLeft(line, " ")
		word, rest, _ := strings.Cut(text, " ")
		switch {
		case strings.HasPrefix(line, "There was 1 ") || strings.HasPrefix(line, "There were "):
			listing = strings.Contains(line, "failure") || strings.Contains(line, "error")
			return listing
		case listing && strings.HasSuffix(word, ")") && number(word[:len(word)-1]) > 0:
			class, test, ok := strings.Cut(rest, "::")
			if !ok {
				class, test = "", rest
			}
			return s.fail(Failure{Test: test, Package: class}, line)
		case line == "FAILURES!" || line == "ERRORS!":
			listing = false
			return s.red(line, byExit)
		case strings.HasPrefix(line, "OK (") && strings.Contains(line, " test"):
			return s.counted(leading(line[len("OK ("):]), 0, line)
		case strings.HasPrefix(line, "OK, but "):
			return s.passed(0)
		case strings.HasPrefix(line, "FAILURES! Tests: ") || word == "Tests:" && strings.Contains(rest, "Assertions: "):
			failed := max(numberAfter(line, "Errors: "), 0) + max(numberAfter(line, "Failures: "), 0)
			skipped := max(numberAfter(line, "Skipped: "), 0) + max(numberAfter(line, "Incomplete: "), 0)
			return s.counted(numberAfter(line, "Tests: ")-failed-skipped, failed, line)
		case word == "Tests:" && strings.HasSuffix(rest, " assertions)") || word == "Tests:" && strings.HasSuffix(rest, " assertion)"):
			t := tallied(cutBefore(rest, " ("))
			return s.counted(t.passed, t.failed, line)
		case word == "FAILED" && strings.Contains(rest, " > ") && len(text) < len(line):
			class, test, _ := strings.Cut(strings.TrimSpace(rest), " > ")
			return s.fail(Failure{Test: strings.TrimSpace(cutBefore(test, "  ")), Package: class}, line)
		case strings.HasPrefix(line, "No tests executed!"), strings.HasSuffix(line, "No tests found."):
			return s.nothing()
		case word == "FAIL" && strings.Contains(rest, `\`) && !strings.Contains(strings.TrimSpace(rest), " "):
			return s.red(line, byUnit)
		}
		return false
	}
}
