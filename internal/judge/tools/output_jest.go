package tools

import "strings"

// scripts are the endings of JavaScript's and TypeScript's files.
const scripts = ".js .jsx .mjs .cjs .ts .tsx .mts .cts .vue .svelte .astro"

// jestFormat reads Jest.
//
//	FAIL src/cart.test.js (5.1 s)
//	  ● cart › adds
//	  ● Test suite failed to run
//	Test Suites: 1 failed, 2 passed, 3 total
//	Tests:       1 failed, 5 passed, 6 total
func jestFormat() format {
	file := "" // that failed, and whose tests follow
	suites := false
	return func(line string, s *sum) bool {
		text := strings.TrimLeft(line, " ")
		kind, rest, _ := strings.Cut(text, " ")
		switch kind {
		case "FAIL", "PASS":
			path, ok := jestFile(rest)
			if !ok || strings.HasPrefix(line, "    ") {
				return false
			}
			if file = ""; kind == "FAIL" {
				file = path
				return s.red(line, byUnit)
			}
			return true
		case "●":
			switch {
			case file == "" || len(line)-len(text) > 2:
				return false
			case rest == "Test suite failed to run":
				return s.fail(Failure{File: file, Broken: true}, line)
			case strings.Contains(rest, " › ") || !strings.HasPrefix(rest, "Console") && !strings.HasPrefix(rest, "Deprecation Warning"):
				return s.fail(Failure{Test: strings.ReplaceAll(rest, " › ", " > "), File: file}, line)
			}
			return true
		case "Test":
			if counts, ok := strings.CutPrefix(rest, "Suites: "); ok {
				file, suites = "", true
				if t := tallied(counts); t.failed > 0 {
					s.red(line, byCount)
				}
				return true
			}
		case "Tests:":
			if t := tallied(rest); strings.HasSuffix(rest, " total") {
				return s.counted(t.passed, t.failed, line)
			}
		case "Snapshots:":
			return suites && (tallied(rest).failed <= 0 || s.red(line, byCount))
		case "Jest:":
			return strings.Contains(rest, "coverage threshold") && s.red(line, byCount)
		case "No":
			return strings.HasPrefix(rest, "tests found") && s.nothing()
		case "Summary":
			if rest == "of all failing tests" {
				return true
			}
		}
		return false
	}
}

// jestFile reads the file behind FAIL or PASS, before which a project may be
// named, and after which the time.
func jestFile(text string) (string, bool) {
	text = strings.TrimSpace(text)
	if i := strings.LastIndex(text, " ("); i > 0 && strings.HasSuffix(text, "s)") {
		text = text[:i]
	}
	if _, path, ok := cutLast(text, " "); ok {
		text = path
	}
	return text, ends(text, scripts)
}

// vitestFormat reads Vitest.
//
//	FAIL  src/cart.test.ts > cart > adds
//	FAIL  src/bad.test.ts [ src/bad.test.ts ]
//	Test Files  1 failed | 2 passed (3)
//	     Tests  1 failed | 5 passed (6)
//	    Errors  1 error
func vitestFormat() format {
	unhandled := false
	return func(line string, s *sum) bool {
		text := strings.TrimLeft(line, " ")
		kind, rest, _ := strings.Cut(text, "  ")
		switch kind {
		case "FAIL":
			return vitestFailure(rest, line, s)
		case "Test Files":
			t := tallied(rest)
			if rest == "no tests" {
				return s.nothing()
			}
			return vitestCounts(rest) && (t.failed <= 0 || s.red(line, byCount))
		case "Tests":
			if rest == "no tests" {
				return s.nothing()
			}
			if t := tallied(rest); vitestCounts(rest) {
				return s.counted(t.passed, t.failed, line)
			}
		case "Type Errors", "Errors":
			if t := tallied(rest); t.failed > 0 && len(text) < len(line) {
				return s.red(line, byCount)
			}
			return rest == "no errors"
		}
		switch {
		case strings.HasPrefix(text, "⎯"):
			unhandled = strings.Contains(text, " Unhandled ")
			return true
		case strings.HasPrefix(text, "Vitest caught ") && strings.Contains(text, "unhandled error"):
			return s.red(line, byUnit)
		case unhandled && strings.Contains(text, "Error: "):
			unhandled = false
			return s.red(line, byTest)
		case strings.HasPrefix(text, "No test files found"):
			return s.nothing()
		case strings.HasPrefix(text, "ERROR: Coverage for "):
			return s.red(line, byCount)
		}
		return false
	}
}

// vitestCounts reports whether a text has the form `1 failed | 5 passed (6)`.
func vitestCounts(text string) bool {
	return strings.HasSuffix(text, ")") && text != "" && isDigit(text[0])
}

// vitestFailure reads what stands behind FAIL.
func vitestFailure(text, line string, s *sum) bool {
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, "|") { // |project| src/a.test.ts
		_, text, _ = strings.Cut(text[1:], "| ")
	}
	file, test, named := strings.Cut(text, " > ")
	if name, _, ok := strings.Cut(file, " [ "); ok {
		file = name
	}
	file = strings.TrimSpace(file)
	if before, path, ok := cutLast(file, " "); ok && !strings.Contains(before, "/") {
		file = path
	}
	return ends(file, scripts) && s.fail(Failure{Test: test, File: file, Broken: !named}, line)
}

// bunFormat reads bun test.
//
//	src/cart.test.ts:
//	(fail) cart > adds [0.12ms]
//	 62 pass
//	 0 fail
//	 2 errors
//	Ran 62 tests across 3 files. [12.00ms]
func bunFormat() format {
	file, began := "", false
	passed, others := -1, 0 // -1: the line was cut off
	return func(line string, s *sum) bool {
		text := strings.TrimLeft(line, " ")
		switch {
		case strings.HasPrefix(line, "bun test v"):
			began = true
			return true
		case strings.HasPrefix(line, "(fail) "), strings.HasPrefix(line, "✗ ") && began:
			_, name, _ := strings.Cut(line, " ")
			return s.fail(Failure{Test: bunName(name), File: file}, line)
		case strings.HasPrefix(line, "(pass) "), strings.HasPrefix(line, "(skip) "), strings.HasPrefix(line, "(todo) "):
			return true
		case strings.HasPrefix(line, "# Unhandled error between tests"):
			return s.fail(Failure{File: file, Broken: true}, line)
		case strings.HasSuffix(line, ":") && ends(line[:len(line)-1], scripts) && !strings.Contains(line, " "):
			file = line[:len(line)-1]
			return true
		case strings.HasPrefix(line, "The following filters did not match any test files"), strings.HasPrefix(line, "No tests found!"),
			strings.HasPrefix(line, "error: regex ") && strings.Contains(line, "matched 0 tests"):
			return s.nothing()
		case strings.HasPrefix(line, "Ran ") && strings.Contains(line, " across "):
			if n := number(first(line[len("Ran "):])) - others; passed < 0 && n > 0 {
				s.passed(n)
			}
			passed, others = -1, 0
			return true
		}
		n, word, ok := strings.Cut(text, " ")
		if !ok || number(n) < 0 || len(text) == len(line) && !began {
			return false
		}
		switch word {
		case "pass":
			passed = number(n)
			return passed == 0 || s.passed(passed)
		case "fail":
			if others += number(n); number(n) > 0 || passed == 0 {
				return s.counted(0, number(n), line)
			}
			return true
		case "error", "errors":
			return number(n) <= 0 || s.red(line, byCount)
		case "skip", "todo", "filtered out":
			others += number(n)
			return true
		}
		return false
	}
}

// bunName is a test's name without the time that it took.
func bunName(text string) string {
	if i := strings.LastIndex(text, " ["); i > 0 && strings.HasSuffix(text, "s]") {
		return text[:i]
	}
	return text
}
