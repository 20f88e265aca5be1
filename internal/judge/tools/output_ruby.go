package tools

import "strings"

// rspecFormat reads RSpec, and ShellSpec, which reports as it does.
//
//	3 examples, 1 failure, 1 pending
//	rspec ./spec/cart_spec.rb:2 # Cart adds
//	An error occurred while loading ./spec/bad_spec.rb.
func rspecFormat() format {
	return func(line string, s *sum) bool {
		word, rest, _ := strings.Cut(line, " ")
		switch {
		case word == "rspec" || word == "shellspec":
			at, name, ok := strings.Cut(rest, " # ")
			file, _, placed := strings.Cut(at, ":")
			if word == "shellspec" {
				_, name, _ = strings.Cut(name, ") ")
				name = strings.TrimSuffix(name, " FAILED")
			}
			if bracket := strings.IndexByte(file, '['); bracket > 0 {
				file, placed = file[:bracket], true
			}
			if !ok || !placed || strings.Contains(file, " ") {
				return false
			}
			return s.fail(Failure{Test: name, File: strings.TrimPrefix(strings.Trim(file, "'"), "./")}, line)
		case strings.HasPrefix(line, "An error occurred while loading "):
			file := strings.TrimSuffix(first(line[len("An error occurred while loading "):]), ".")
			return s.fail(Failure{File: strings.TrimPrefix(file, "./"), Broken: true}, line)
		case number(word) >= 0 && (strings.HasPrefix(rest, "examples, ") || strings.HasPrefix(rest, "example, ")):
			t := tallied(line)
			failed := max(numberBefore(line, " failure"), 0)
			if n := numberBefore(line, " error occurred outside"); n > 0 {
				failed += n
			} else if n := numberBefore(line, " errors occurred outside"); n > 0 {
				failed += n
			}
			skipped := max(numberBefore(line, " pending"), 0) + max(numberBefore(line, " skip"), 0)
			return s.counted(t.total-min(failed, t.total)-skipped, failed, line)
		case strings.HasPrefix(line, "SimpleCov failed with exit "), strings.Contains(line, "coverage (") && strings.Contains(line, "is below the expected minimum coverage"):
			return s.red(line, byCount)
		}
		return false
	}
}

// minitestFormat reads Minitest and test-unit, also as Rails runs them.
//
//  1. Failure:
//     CartTest#test_adds [test/cart_test.rb:3]:
//     4 runs, 2 assertions, 1 failures, 1 errors, 1 skips
func minitestFormat() format {
	next := false // the next line names a test
	return func(line string, s *sum) bool {
		named := next
		next = false
		text := strings.TrimLeft(line, " ")
		n, rest, _ := strings.Cut(text, " ")
		switch {
		case number(n) >= 0 && (strings.HasPrefix(rest, "runs, ") || strings.HasPrefix(rest, "tests, ")) && strings.Contains(rest, "assertions, ") && strings.Contains(rest, "failures"):
			failed := max(numberBefore(line, " failures"), 0) + max(numberBefore(line, " errors"), 0)
			skipped := max(numberBefore(line, " skips"), 0) + max(numberBefore(line, " pendings"), 0) + max(numberBefore(line, " omissions"), 0)
			return s.counted(number(n)-failed-skipped, failed, line)
		case strings.HasSuffix(n, ")") && (rest == "Failure:" || rest == "Error:") || line == "Failure:" || line == "Error:":
			next = true
			return s.red(line, byExit)
		case (n == "Failure:" || n == "Error:") && strings.HasPrefix(rest, "test") && strings.HasSuffix(rest, ")") && strings.Contains(rest, "("):
			test, class, _ := strings.Cut(rest, "(")
			return s.fail(Failure{Test: class[:len(class)-1] + "#" + test}, line)
		case named && strings.Contains(line, "#"):
			name, at, placed := strings.Cut(strings.TrimSuffix(line, ":"), " [")
			f := Failure{Test: name}
			if placed {
				f.File, _, _ = strings.Cut(at, ":")
			}
			return !strings.Contains(name, " ") && s.fail(f, line)
		case (n == "bin/rails" || n == "rails") && strings.HasPrefix(rest, "test ") && strings.Contains(rest, ".rb:"):
			return true
		}
		return false
	}
}

// cucumberFormat reads Cucumber, Behat and behave.
//
//	cucumber features/cart.feature:3 # Scenario: adds
//	3 scenarios (1 failed, 2 passed)
//	1 scenario passed, 1 failed, 0 skipped
func cucumberFormat() format {
	listing := false
	return func(line string, s *sum) bool {
		text := strings.TrimSpace(line)
		n, rest, _ := strings.Cut(text, " ")
		switch {
		case n == "cucumber" && strings.Contains(rest, ".feature:"):
			return cucumberScenario(rest, line, s)
		case text == "Failing Scenarios:" || text == "Failing scenarios:" || strings.HasPrefix(text, "--- Failed scenarios:"):
			listing = true
			return s.red(line, byExit)
		case listing && strings.Contains(text, ".feature:"):
			return cucumberScenario(text, line, s)
		case number(n) >= 0 && (strings.HasPrefix(rest, "scenario")):
			listing = false
			failed := max(numberBefore(text, " failed"), 0) + max(numberBefore(text, " undefined"), 0) + max(numberBefore(text, " ambiguous"), 0)
			passed := numberBefore(text, " passed")
			if strings.HasPrefix(rest, "scenarios passed") || strings.HasPrefix(rest, "scenario passed") {
				passed = number(n)
			}
			return s.counted(passed, failed, line)
		}
		return false
	}
}

func cucumberScenario(text, line string, s *sum) bool {
	file, rest, _ := strings.Cut(text, ":")
	_, name, _ := strings.Cut(rest, " ")
	name = strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(name), "# "), "Scenario: ")
	return s.fail(Failure{Test: name, File: file[strings.LastIndexByte(file, ' ')+1:]}, line)
}
