package tools

import "strings"

// ginkgoFormat reads Ginkgo, alone or below go test.
//
//	[FAIL] Cart [It] adds
//	FAIL! -- 2 Passed | 1 Failed | 0 Pending | 0 Skipped
func ginkgoFormat() format {
	return func(line string, s *sum) bool {
		switch {
		case strings.Contains(line, "! -- ") && strings.Contains(line, " Passed | "):
			return s.counted(numberBefore(line, " Passed"), max(numberBefore(line, " Failed"), 0), line)
		case strings.HasPrefix(line, "[FAIL] ") || strings.HasPrefix(line, "  [FAIL] "):
			name := strings.TrimSpace(line)[len("[FAIL] "):]
			return s.fail(Failure{Test: strings.ReplaceAll(strings.ReplaceAll(name, "[It] ", ""), "[BeforeEach] ", "")}, line)
		case strings.HasPrefix(line, "Test Suite Failed"):
			return s.red(line, byExit)
		case strings.HasPrefix(line, "Test Suite Passed"):
			return s.passed(0)
		}
		return false
	}
}
