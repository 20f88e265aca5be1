package tools

import "strings"

// mavenFormat reads Maven with Surefire or Failsafe.
//
//	[ERROR] Tests run: 5, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.1 s <<< FAILURE! - in com.x.CartTest
//	[ERROR] com.x.CartTest.adds -- Time elapsed: 0.01 s <<< FAILURE!
//	[ERROR] /src/Cart.java:[12,5] cannot find symbol
//	[INFO] BUILD FAILURE
func mavenFormat() format {
	ofClass := map[string]bool{}
	sums := false // the counts below Results: are of all classes
	passed, failed := 0, 0
	return func(line string, s *sum) bool {
		text := line
		if mark, rest, ok := strings.Cut(line, "] "); ok && (mark == "[INFO" || mark == "[ERROR" || mark == "[WARNING") {
			text = rest
		} else if mark != line && strings.HasPrefix(line, "[INFO") {
			return true
		}
		text = strings.TrimSpace(text)
		switch {
		case text == "Results:" || text == "Results :":
			sums = true
			return true
		case strings.HasPrefix(text, "Tests run: "):
			t := [4]int{numberAfter(text, "Tests run: "), max(numberAfter(text, "Failures: "), 0), max(numberAfter(text, "Errors: "), 0), max(numberAfter(text, "Skipped: "), 0)}
			bad := t[1] + t[2]
			switch {
			case strings.Contains(text, "Time elapsed"):
				sums = false
				passed, failed = passed+t[0]-bad-t[3], failed+bad
				if bad > 0 {
					s.red(line, byCount)
				}
				return true
			case sums: // instead of those of its classes
				sums, passed, failed = false, 0, 0
			}
			return s.counted(t[0]-bad-t[3], bad, line)
		case strings.HasSuffix(text, "<<< FAILURE!") || strings.HasSuffix(text, "<<< ERROR!"):
			name := first(text)
			class, test, ok := cutLast(name, ".")
			if t, in, old := strings.Cut(name, "("); old { // adds(com.x.CartTest)
				class, test, ok = strings.TrimSuffix(in, ")"), t, true
			}
			if !ok || ofClass[name] {
				return true
			}
			return s.fail(Failure{Test: test, Package: class}, line)
		case text == "BUILD FAILURE":
			return s.red(line, byExit)
		case text == "BUILD SUCCESS":
			if s.passed(passed); failed > 0 {
				return s.red(line, byExit)
			}
			passed = 0
			return true
		case text == "COMPILATION ERROR :":
			return s.red(line, byExit)
		case strings.HasPrefix(text, "No tests to run") || strings.HasPrefix(text, "No tests were executed"):
			return s.nothing()
		}
		if file, at, ok := strings.Cut(text, ":["); ok && ends(file, ".java .kt .scala .groovy") && len(at) > 0 && isDigit(at[0]) && strings.HasPrefix(line, "[ERROR]") {
			return s.fail(Failure{File: file, Broken: true}, line)
		}
		return false
	}
}

// gradleFormat reads Gradle.
//
//	CartTest > adds() FAILED
//	5 tests completed, 1 failed, 1 skipped
//	> Task :compileJava FAILED
//	BUILD SUCCESSFUL in 1s
func gradleFormat() format {
	passed, done, tested := 0, false, false
	return func(line string, s *sum) bool {
		switch {
		case strings.HasPrefix(line, "> Task "):
			if task, state, _ := strings.Cut(line[len("> Task "):], " "); strings.HasPrefix(task[strings.LastIndexByte(task, ':')+1:], "test") && state == "NO-SOURCE" {
				s.none = true
			} else if strings.HasSuffix(task, ":test") && state != "SKIPPED" {
				tested = true
			}
			return !strings.HasSuffix(line, " FAILED") || s.red(line, byUnit)
		case strings.HasSuffix(line, " FAILED") && strings.Contains(line, " > ") && !strings.HasPrefix(line, " "):
			class, test, _ := strings.Cut(strings.TrimSuffix(line, " FAILED"), " > ")
			return s.fail(Failure{Test: test, Package: class}, line)
		case strings.HasSuffix(line, " PASSED") && strings.Contains(line, " > ") && !strings.HasPrefix(line, " "):
			passed++
			return true
		case strings.Contains(line, " completed, ") && strings.Contains(line, " failed") && isDigit(line[0]):
			failed := max(numberBefore(line, " failed"), 0)
			done = true
			return s.counted(leading(line)-failed-max(numberBefore(line, " skipped"), 0), failed, line)
		case strings.HasPrefix(line, "BUILD FAILED"):
			return s.red(line, byExit)
		case strings.HasPrefix(line, "BUILD SUCCESSFUL"):
			if done {
				passed = 0
			} else if tested {
				passed = max(passed, 1)
			}
			return s.passed(passed)
		case strings.HasPrefix(line, "e: "):
			file, ok := place(strings.TrimPrefix(line[3:], "file://"), ".kt .kts")
			return ok && s.fail(Failure{File: file, Broken: true}, line)
		case strings.HasPrefix(line, "> No tests found for given includes"), strings.HasPrefix(line, "No tests found for given includes"):
			return s.nothing()
		case strings.Contains(line, ": error: "):
			file, ok := place(line, ".java .groovy .scala")
			return ok && s.fail(Failure{File: file, Broken: true}, line)
		}
		return false
	}
}

// sbtFormat reads sbt, and ScalaTest in it.
//
//	[info] - adds *** FAILED ***
//	[error] Failed: Total 5, Failed 1, Errors 0, Passed 4
//	[error] 	com.x.CartSpec
func sbtFormat() format {
	listing := false
	return func(line string, s *sum) bool {
		mark, text, ok := strings.Cut(line, "] ")
		if !ok || mark != "[error" && mark != "[info" && mark != "[success" && mark != "[warn" {
			return false
		}
		bare := strings.TrimSpace(text)
		switch {
		case strings.HasPrefix(bare, "Failed: Total "), strings.HasPrefix(bare, "Passed: Total "), strings.HasPrefix(bare, "Error: Total "):
			bad := max(numberAfter(bare, "Failed "), 0) + max(numberAfter(bare, "Errors "), 0)
			return s.counted(numberAfter(bare, "Passed "), bad, line)
		case mark == "[error" && (bare == "Failed tests:" || bare == "Error during tests:"):
			listing = true
			return s.red(line, byExit)
		case listing && mark == "[error" && text[0] == '\t':
			return s.fail(Failure{Package: bare}, line)
		case strings.HasSuffix(bare, " *** FAILED ***") || strings.HasPrefix(bare, "==> X "):
			name := strings.TrimPrefix(strings.TrimSuffix(strings.TrimPrefix(bare, "- "), " *** FAILED ***"), "==> X ")
			return s.fail(Failure{Test: name}, line)
		case bare == "No tests were executed.":
			return s.nothing()
		case mark == "[error":
			listing = false
			if file, ok := place(bare, ".scala .java"); ok {
				return s.fail(Failure{File: file, Broken: true}, line)
			}
			return s.red(line, byExit)
		case mark == "[success":
			return s.passed(0)
		}
		return false
	}
}
