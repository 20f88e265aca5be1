package tools

import "strings"

// cargoFormat reads cargo test, nextest and what cargo compiles.
//
//	test cart::tests::adds ... FAILED
//	test result: FAILED. 2 passed; 1 failed; 0 ignored; ...
//	        FAIL [   0.005s] shop cart::tests::adds
//	     Summary [   0.007s] 3 tests run: 2 passed, 1 failed, 0 skipped
//	error: could not compile `shop` (lib test) due to 1 previous error
func cargoFormat() format {
	c := cargoReader{}
	return c.read
}

type cargoReader struct {
	crate   string // whose tests run
	wrong   string // the newest error of the compiler, whose place follows
	listing bool   // the names of what failed follow
}

func (c *cargoReader) read(line string, s *sum) bool {
	text := strings.TrimLeft(line, " ")
	indent := len(line) - len(text)
	word, rest, _ := strings.Cut(text, " ")
	switch word {
	case "test":
		return c.test(rest, line, s)
	case "failures:":
		c.listing = indent == 0
		return c.listing && s.red(line, byExit)
	case "Running", "Doc-tests":
		c.crate, c.listing = crateOf(rest), false
		return indent > 0
	case "FAIL", "TIMEOUT", "SIGABRT", "SIGSEGV", "ABORT", "LEAK-FAIL", "EXECFAIL":
		if took, name, ok := strings.Cut(rest, "] "); ok && strings.HasPrefix(took, "[") {
			return c.nextest(name, line, s)
		}
	case "PASS", "SLOW", "FLAKY", "SKIP":
		return strings.HasPrefix(rest, "[ ")
	case "Summary":
		if counts, ok := between(rest+"\n", "] ", "\n"); ok && strings.HasPrefix(rest, "[") {
			t := tallied(counts)
			return s.counted(t.passed, max(t.failed, 0)+max(numberBefore(counts, " timed out"), 0), line)
		}
	case "-->":
		return c.at(rest, s)
	case "thread":
		return strings.Contains(rest, "panicked at") && indent == 0
	}
	if strings.HasPrefix(line, "error") {
		return c.complaint(line, s)
	}
	if c.listing && indent == 4 && rest == "" {
		return s.fail(Failure{Test: text, Package: c.crate}, text)
	}
	if indent == 0 {
		c.wrong = ""
	}
	return false
}

// test reads `adds ... FAILED` and `result: ok. 3 passed; ...`.
func (c *cargoReader) test(text, line string, s *sum) bool {
	if counts, ok := strings.CutPrefix(text, "result: "); ok {
		c.listing = false
		t := tallied(counts)
		return s.counted(t.passed, max(t.failed, 0), line)
	}
	name, verdict, ok := cutLast(text, " ... ")
	if !ok {
		return false
	}
	if verdict == "FAILED" {
		return s.fail(Failure{Test: strings.TrimSuffix(name, " - should panic"), Package: c.crate}, line)
	}
	return verdict == "ok" || strings.HasPrefix(verdict, "ignored")
}

// nextest reads `shop cart::tests::adds`, behind which a binary may be named:
// `shop::api adds`.
func (c *cargoReader) nextest(text, line string, s *sum) bool {
	if strings.HasPrefix(text, "(") { // ( 3/12)
		_, text, _ = strings.Cut(text, ") ")
	}
	crate, test, ok := strings.Cut(strings.TrimSpace(text), " ")
	return ok && s.fail(Failure{Test: test, Package: crate}, line)
}

// crateOf is the crate whose tests `unittests src/lib.rs
// (target/debug/deps/shop-0a1b)` announces.
func crateOf(text string) string {
	binary, ok := between(text, "(", ")")
	if !ok {
		return strings.TrimSpace(text)
	}
	binary = binary[strings.LastIndexAny(binary, `/\`)+1:]
	if i := strings.LastIndexByte(binary, '-'); i > 0 {
		binary = binary[:i]
	}
	return binary
}

// complaint reads the lines that begin with error.
func (c *cargoReader) complaint(line string, s *sum) bool {
	c.wrong = ""
	switch {
	case strings.HasPrefix(line, "error: could not compile `"):
		crate, _ := between(line, "`", "`")
		return s.fail(Failure{Package: crate, Broken: true}, line)
	case strings.HasPrefix(line, "error: test failed, to rerun pass"), strings.HasPrefix(line, "error: test run failed"), strings.HasSuffix(line, "targets failed:"), strings.HasSuffix(line, "target failed:"):
		return s.red(line, byExit)
	case strings.HasPrefix(line, "error: no tests to run"):
		return s.nothing()
	case strings.HasPrefix(line, "error["), strings.HasPrefix(line, "error: "):
		c.wrong = line
	}
	return false
}

// at reads ` --> src/lib.rs:3:5` below an error of the compiler.
func (c *cargoReader) at(text string, s *sum) bool {
	file, ok := place(text+" ", ".rs")
	if c.wrong == "" || !ok {
		return false
	}
	wrong := c.wrong
	c.wrong = ""
	return s.fail(Failure{File: file, Broken: true}, wrong)
}
