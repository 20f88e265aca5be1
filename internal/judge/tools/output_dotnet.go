package tools

import "strings"

// dotnetFormat reads dotnet test and build.
//
//	  Failed Shop.CartTests.Adds [12 ms]
//	Failed!  - Failed:     1, Passed:     3, Skipped:     0, Total:     4, Duration: 5 ms - Shop.Tests.dll (net8.0)
//	/src/Cart.cs(3,5): error CS0103: The name 'x' does not exist [/src/Shop.csproj]
func dotnetFormat() format {
	total, passed := -1, 0
	return func(line string, s *sum) bool {
		text := strings.TrimLeft(line, " ")
		switch {
		case strings.HasPrefix(text, "Failed! "), strings.HasPrefix(text, "Passed! "), strings.HasPrefix(text, "Skipped! "):
			return s.counted(numberAfter(text, "Passed:"), max(numberAfter(text, "Failed:"), 0), line)
		case strings.HasPrefix(text, "Test summary: total: "), strings.HasPrefix(text, "Test run summary: ") && strings.Contains(text, "total:"):
			return s.counted(numberAfter(text, "succeeded: "), max(numberAfter(text, "failed: "), 0), line)
		case strings.HasPrefix(text, "Test run summary: "): // the testing platform's
			if strings.Contains(text, "Passed!") {
				return s.passed(0)
			}
			return s.red(line, byCount)
		case strings.HasPrefix(text, "Failed ") && strings.HasSuffix(text, "s]"), strings.HasPrefix(text, "failed ") && strings.HasSuffix(text, "s)"):
			name := text[len("Failed "):]
			if i := strings.LastIndexAny(name, "[("); i > 0 {
				name = strings.TrimSpace(name[:i])
			}
			return s.fail(dotnetName(name), line)
		case strings.HasPrefix(text, "[xUnit.net ") && strings.HasSuffix(text, " [FAIL]"):
			return true // named again below
		case strings.HasPrefix(text, "Total tests: "):
			total = numberAfter(text, "Total tests: ")
			return total > 0 || s.nothing()
		case total > 0 && strings.HasPrefix(text, "Passed: "):
			passed = numberAfter(text, "Passed: ")
			return s.passed(passed)
		case total > 0 && strings.HasPrefix(text, "Failed: "):
			return s.counted(0, max(numberAfter(text, "Failed: "), 1), line)
		case strings.HasPrefix(text, "Test Run Failed."), strings.HasPrefix(text, "Build FAILED."), strings.HasPrefix(text, "Build failed with "):
			return s.red(line, byExit)
		case strings.HasPrefix(text, "Test Run Successful."), strings.HasPrefix(text, "Build succeeded"):
			return s.passed(0)
		case strings.HasPrefix(text, "No test is available in "), strings.HasPrefix(text, "No test matches the given testcase filter"):
			return s.nothing()
		}
		file, rest, ok := strings.Cut(text, "(")
		if _, message, found := strings.Cut(rest, "): error "); ok && found && ends(file, ".cs .fs .vb .razor .cshtml .csproj .fsproj") {
			return s.fail(Failure{File: file, Broken: !strings.HasPrefix(message, "CA") && !strings.HasPrefix(message, "IDE")}, line)
		}
		return false
	}
}

// dotnetName takes Shop.CartTests.Adds(n: 2) apart.
func dotnetName(name string) Failure {
	bare, _, _ := strings.Cut(name, "(")
	class, test, ok := cutLast(bare, ".")
	if !ok {
		return Failure{Test: name}
	}
	return Failure{Test: test + name[len(bare):], Package: class}
}
