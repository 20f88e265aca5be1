// Package need lets a test say what it needs of the machine. What is missing
// skips the test; with PITON_TEST_REQUIRE_ALL=1, as in CI, it fails it. Tests
// only.
package need

import (
	"os"
	"os/exec"
	"testing"
	"time"
)

// RequireAll turns every skip into a failure.
const RequireAll = "PITON_TEST_REQUIRE_ALL"

// Program returns where a program lies.
func Program(t testing.TB, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		Missing(t, "the program "+name+" is not in PATH")
	}
	return path
}

// Missing skips the test, or fails it where all is required.
func Missing(t testing.TB, what string) {
	t.Helper()
	if os.Getenv(RequireAll) == "1" {
		t.Fatal(what + ", and " + RequireAll + "=1 allows no skip")
	}
	t.Skip(what)
}

// AllCases has tests try as many cases as they can, for hours: make soak.
const AllCases = "PITON_TEST_ALL_CASES"

// Enough reports whether a harness that began at start has run long enough for
// CI: a minute, however slow the machine. With AllCases it runs to its end.
func Enough(start time.Time) bool {
	return os.Getenv(AllCases) == "" && time.Since(start) > time.Minute
}

// Many is how many cases a test tries: few, or with AllCases many.
func Many(few, many int) int {
	if os.Getenv(AllCases) == "" {
		return few
	}
	return many
}
