package tools

import "strings"

// checkFormat reads type checkers and linters that name a file and a place.
//
//	src/a.ts(1,2): error TS2304: Cannot find name 'x'.
//	src/a.ts:1:2 - error TS2304: Cannot find name 'x'.
//	a.py:3: error: Incompatible types  [assignment]
//	Found 1 error in 1 file (checked 3 source files)
//	✖ 3 problems (1 error, 2 warnings)
func checkFormat() format {
	file, rule := "", "" // whose complaints, or whose place, follow
	return func(line string, s *sum) bool {
		text := strings.TrimLeft(line, " \t")
		switch {
		case strings.Contains(line, "error TS"):
			before, _, _ := strings.Cut(line, "error TS")
			name, ok := place(before, scripts)
			if paren := strings.LastIndexByte(before, '('); !ok && paren > 0 {
				name, ok = before[:paren], ends(before[:paren], scripts)
			}
			if ok {
				return s.fail(Failure{File: name}, line)
			}
			return strings.HasPrefix(before, "error") || before == "" && s.red(line, byUnit)
		case len(text) == len(line) && ends(line, scripts) && !strings.Contains(line, " ") && strings.Contains(line, "/"):
			file = line // eslint's heading
			return false
		case file != "" && len(text) < len(line) && isDigit(text[0]) && eslintError(text):
			return s.fail(Failure{File: file}, text)
		case strings.HasPrefix(text, "✖ ") && strings.Contains(text, " problem") && strings.Contains(text, "error"):
			if n := numberBefore(text, " error"); n > 0 {
				return s.asserted(0, n, line)
			}
			return s.passed(0)
		case strings.HasPrefix(line, "Found ") && (strings.Contains(line, " error") || strings.Contains(line, " diagnostic")):
			n := leading(line[len("Found "):])
			return n == 0 && s.passed(0) || n > 0 && s.asserted(0, n, line)
		case strings.HasPrefix(line, "Success: no issues found"), strings.HasPrefix(line, "All checks passed!"), strings.HasPrefix(line, "0 issues."), strings.HasPrefix(line, "All matched files use Prettier code style"):
			return s.passed(0)
		case strings.HasSuffix(line, " informations") || strings.HasSuffix(line, " informations "):
			n := leading(line)
			return n == 0 && s.passed(0) || n > 0 && s.asserted(0, n, line)
		case strings.HasSuffix(line, " issues:") && leading(line) > 0:
			return s.asserted(0, leading(line), line)
		case strings.HasPrefix(line, "Would reformat: "), strings.HasPrefix(line, "would reformat "):
			_, name, _ := cutLast(line, " ")
			return s.fail(Failure{File: name}, line)
		case strings.HasPrefix(line, "Code style issues found in "), strings.HasPrefix(line, "[warn] Code style issues found"):
			return s.red(line, byCount)
		case strings.Contains(line, "files inspected, ") || strings.Contains(line, "file inspected, "):
			if n := numberBefore(line, " offense"); n > 0 {
				return s.asserted(0, n, line)
			}
			return s.passed(0)
		case strings.HasPrefix(text, "--> ") && rule != "":
			said := rule
			rule = ""
			if name, ok := place(text[len("--> "):]+" ", ".py .pyi"); ok {
				return s.fail(Failure{File: name}, said)
			}
			return false
		}
		rule = ""
		if isRule(first(line)) {
			rule = line
			return false
		}
		return lintPlace(line, text, s)
	}
}

// lintPlace reads `a.py:1:8: F401 ...`, `a.py:3: error: ...`, `a.py:3:5 -
// error: ...` and `a.go:3:2: ... (revive)`.
func lintPlace(line, text string, s *sum) bool {
	name, ok := place(text, ".py .pyi .rb .go .sh .css .scss")
	if !ok || len(text) < len(line) {
		return false
	}
	rest := strings.TrimLeft(text[len(name):], ":0123456789")
	rest = strings.TrimPrefix(strings.TrimPrefix(rest, " "), "- ")
	rest = strings.TrimLeft(rest, " ")
	if strings.HasPrefix(rest, "error: ") || strings.HasPrefix(rest, "E: ") || strings.HasPrefix(rest, "C: ") || strings.HasPrefix(rest, "W: ") || strings.HasSuffix(name, ".go") && ofLinter(rest) || isRule(first(rest)) && strings.Count(text[len(name):], ":") >= 2 {
		return s.fail(Failure{File: name}, line)
	}
	return false
}

// isRule reports whether a word is a linter's rule: F401, E501, PLR0913:.
func isRule(word string) bool {
	word = strings.TrimSuffix(word, ":")
	letters := strings.TrimRight(word, digits)
	return len(word)-len(letters) >= 3 && len(letters) >= 1 && len(letters) <= 4 && strings.ToUpper(letters) == letters && inWord(letters[0])
}

// eslintError reads `1:2  error  Message  rule`.
func eslintError(text string) bool {
	at, rest, ok := strings.Cut(text, " ")
	return ok && strings.Contains(at, ":") && strings.HasPrefix(strings.TrimLeft(rest, " "), "error ")
}

// wrappers reads what make, npm and others say when what they ran failed, and
// what a shell says.
//
//	make: *** [Makefile:2: test] Error 1
//	npm error Lifecycle script `test` failed with error:
//	sh: 1: jest: not found
func wrappers() format {
	listing := false
	return func(line string, s *sum) bool {
		text := strings.TrimLeft(line, " ")
		low := ""
		switch text[0] {
		case 'm', 'g', 'n', 'e', 'E', 'r', 't', 'C', 'F', 'f', 'b', 's', 'z', '/', '-', 'l', 'T', 'N':
			low = lower(text)
		default:
			if i := strings.Index(text, "ELIFECYCLE"); i >= 0 && i < 8 || strings.HasPrefix(text, "ERR_PNPM_") {
				return s.red(line, byExit)
			}
			return Absent(lower(text)) && s.red(line, byUnit)
		}
		switch {
		case strings.HasPrefix(low, "make") || strings.HasPrefix(low, "gmake"):
			if _, rest, ok := strings.Cut(text, ": "); ok {
				if strings.HasPrefix(rest, "*** ") {
					return s.red(line, byExit)
				}
				if strings.HasSuffix(rest, " is up to date.") || strings.HasPrefix(rest, "Nothing to be done for ") {
					return s.nothing()
				}
			}
		case strings.HasPrefix(low, "npm err!"), strings.HasPrefix(low, "npm error"), strings.HasPrefix(low, "elifecycle"), strings.HasPrefix(low, "lerna err!"),
			strings.HasPrefix(low, "error command failed with exit code"), strings.HasPrefix(low, "error: script ") && strings.Contains(low, " exited with code "),
			strings.HasPrefix(low, "error: recipe `") && strings.Contains(low, " failed"), strings.HasPrefix(low, "task: failed to run task"),
			strings.HasPrefix(low, "rake aborted!"), strings.HasPrefix(low, "command failed with status ("), strings.HasPrefix(low, "error: sequence aborted"),
			strings.HasPrefix(low, "err_pnpm_"), strings.HasPrefix(low, "ninja: build stopped"), strings.HasPrefix(low, "script ") && strings.Contains(low, "returned with error code"):
			return s.red(line, byExit)
		case strings.HasPrefix(low, "failed tasks:"), strings.HasPrefix(low, "- failed tasks:"):
			listing = true
			return s.red(line, byExit)
		case listing && strings.HasPrefix(text, "- "):
			return s.red(line, byCount)
		case strings.HasPrefix(text, "Failed:    ") && strings.Contains(text, "#"): // turbo
			return s.red(line, byCount)
		}
		return Absent(low) && s.red(line, byUnit)
	}
}
