package tools

import "strings"

// scripts are the endings of JavaScript's and TypeScript's files.
const scripts = ".js .jsx .mjs .cjs .ts .tsx .mts .cts .vue .svelte .astro"

// mochaFormat reads Mocha, and what reports as it does: Cypress, Hardhat.
//
//	1 passing (4ms)
//	2 failing
//
//	1) cart
//	     adds:
func mochaFormat() format {
	listing, depth := false, 0
	var name []string // of the failure that is under way
	return func(line string, s *sum) bool {
		text := strings.TrimLeft(line, " ")
		indent := len(line) - len(text)
		n, rest, _ := strings.Cut(text, " ")
		switch {
		case indent > 0 && number(n) >= 0 && (rest == "passing" || strings.HasPrefix(rest, "passing (")):
			listing = false
			if number(n) == 0 {
				return s.nothing()
			}
			return s.passed(number(n))
		case indent > 0 && number(n) > 0 && rest == "failing":
			listing = true
			return s.counted(0, number(n), line)
		case indent > 0 && number(n) >= 0 && rest == "pending":
			return true
		case listing && indent <= 3 && strings.HasSuffix(n, ")") && number(n[:len(n)-1]) > 0:
			name, depth = []string{strings.TrimSuffix(rest, ":")}, indent
			return strings.HasSuffix(rest, ":") && s.fail(Failure{Test: name[0]}, line) || true
		case len(name) > 0 && indent > depth+3 && len(name) < 20 && !strings.HasPrefix(text, "at "):
			last := strings.HasSuffix(text, ":")
			if name = append(name, strings.TrimSuffix(text, ":")); last {
				s.fail(Failure{Test: strings.Join(name, " > ")}, strings.Join(name, " > "))
				name = nil
			}
			return true
		}
		name = nil
		return cypressTable(text, line, s)
	}
}

// cypressTable reads the table at the end of cypress run.
func cypressTable(text, line string, s *sum) bool {
	switch {
	case strings.HasPrefix(text, "✔  All specs passed!"):
		return s.passed(0)
	case strings.HasPrefix(text, "✖  ") && strings.Contains(text, " failed ("):
		return s.red(line, byCount)
	case strings.HasPrefix(text, "│ ✖  "):
		file := first(text[len("│ ✖  "):])
		if len(s.Failures) > 0 {
			return s.red(line, byUnit) // its tests are named
		}
		return ends(file, scripts) && s.fail(Failure{File: file}, line)
	case strings.HasPrefix(text, "│ ✔  "):
		return true
	}
	return false
}

// tapFormat reads TAP of any producer, and Node's own reporters.
//
//	not ok 1 - adds
//	# fail 1
//	✖ adds (1.2ms)
//	ℹ fail 1
func tapFormat() format {
	depth, from := 0, 0
	file := ""
	plan := -1
	passed, failed, oks := -1, -1, 0
	return func(line string, s *sum) bool {
		text := strings.TrimLeft(line, " ")
		indent := len(line) - len(text)
		switch {
		case strings.HasPrefix(text, "not ok"):
			name, ok := tapName(text[len("not ok"):])
			if !ok {
				return true
			}
			if indent < depth && len(s.Failures) > from { // the parent of those above
				depth = indent
				s.parents++
				return s.red(line, byCount)
			}
			if indent != depth {
				depth, from = indent, len(s.Failures)
			}
			if name == "" {
				return s.red(line, byCount)
			}
			if f := strings.TrimPrefix(name, "file://"); ends(f, scripts+" .t .bats .py .rb .php") && !strings.Contains(f, " ") {
				return s.fail(Failure{File: f, Broken: true}, line)
			}
			return s.fail(Failure{Test: name}, line)
		case strings.HasPrefix(text, "ok ") && len(text) > 3 && isDigit(text[3]):
			if indent == 0 && !tapSkipped(text) {
				oks++
				s.passed(1)
			}
			return true
		case strings.HasPrefix(text, "Bail out!"):
			return s.red(line, byTest)
		case indent == 0 && strings.HasPrefix(text, "1..") && number(first(text[3:])) >= 0:
			if plan = number(first(text[3:])); plan == 0 {
				return s.nothing()
			}
			return true
		case strings.HasPrefix(text, "# Subtest"):
			return true
		case strings.HasPrefix(text, "test at ") && strings.Count(text, ":") >= 2:
			file, _, _ = strings.Cut(text[len("test at "):], ":")
			return true
		case strings.HasPrefix(text, "location: '"), strings.HasPrefix(text, "# (in test file "), strings.HasPrefix(text, "#  in test file "), strings.HasPrefix(text, "(in test file "):
			return tapPlace(text, s)
		case strings.HasPrefix(text, "✖ "):
			if indent < depth && len(s.Failures) > from && text != "✖ failing tests:" {
				depth = indent
				return true
			}
			if indent != depth {
				depth, from = indent, len(s.Failures)
			}
			return nodeFailure(text[len("✖ "):], file, line, s)
		case strings.HasPrefix(text, "✔ "), strings.HasPrefix(text, "▶ "), strings.HasPrefix(text, "﹣ "):
			return strings.HasSuffix(text, "ms)") || text[0] == 0xe2
		case indent > 0 || !strings.HasPrefix(text, "# ") && !strings.HasPrefix(text, "ℹ "):
			return false
		}
		_, text, _ = strings.Cut(text, " ")
		if strings.HasPrefix(text, "{ total: ") { // node-tap
			s.Passed -= oks
			return s.counted(numberAfter(text, "pass: "), numberAfter(text, "fail: "), line)
		}
		word, n, ok := strings.Cut(text, " ")
		count := number(strings.TrimSpace(n))
		if !ok || count < 0 {
			return false
		}
		switch word {
		case "pass":
			s.Passed -= oks // it counts those too
			if passed, oks = count, 0; count > 0 {
				s.passed(count)
			}
		case "fail", "cancelled":
			if failed = max(failed, 0) + count; count > 0 {
				s.counted(0, count, line)
			} else if passed == 0 && failed == 0 {
				s.nothing()
			}
		case "tests", "suites", "skipped", "todo", "duration_ms":
		default:
			return false
		}
		return true
	}
}

// tapName reads ` 1 - adds # time=3ms`; ok is false for a test that may fail.
func tapName(text string) (name string, ok bool) {
	if tapSkipped(text) {
		return "", false
	}
	text, _, _ = strings.Cut(text, " # ")
	text = strings.TrimSpace(text)
	text = strings.TrimLeft(strings.TrimLeft(text, digits), " ")
	return strings.TrimSpace(strings.TrimPrefix(text, "- ")), true
}

func tapSkipped(text string) bool {
	_, directive, ok := strings.Cut(text, "# ")
	directive = strings.ToUpper(directive[:min(len(directive), 4)])
	return ok && (directive == "TODO" || directive == "SKIP")
}

// nodeFailure reads Node's `✖ adds (1.2ms)`.
func nodeFailure(text, file, line string, s *sum) bool {
	if text == "failing tests:" {
		return s.red(line, byExit)
	}
	name, _, ok := cutLast(text, " (")
	if !ok || text[0] == ' ' || !strings.HasSuffix(text, "ms)") {
		return false
	}
	if ends(name, scripts) && !strings.Contains(name, " ") {
		return s.fail(Failure{File: name, Broken: true}, line)
	}
	s.forget(Failure{Test: name})
	return s.fail(Failure{Test: name, File: file}, line)
}

// tapPlace adds the file to the newest failure: of Node's `location:
// '/src/a.test.js:2:26'`, of Bats' `# (in test file a.bats, line 2)`.
func tapPlace(text string, s *sum) bool {
	at, ok := strings.CutPrefix(text, "location: '")
	file, _, _ := strings.Cut(at, ":")
	if !ok {
		file, ok = between(text, " test file ", ",")
	}
	if n := len(s.Failures); ok && n > 0 && s.Failures[n-1].File == "" && s.Failures[n-1].Test != "" {
		f := s.Failures[n-1]
		s.forget(f)
		f.File = file
		return s.fail(f, "")
	}
	return ok
}
