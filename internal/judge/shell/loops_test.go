package shell

import "testing"

// A loop over a list that only the shell knows may have no round.
func TestLoopsOverUnknownLists(t *testing.T) {
	const perhaps = "may never have run"
	for _, c := range []struct{ name, line, status, doubt string }{
		{"a known list", "for p in a b; do go test ./$p; done", "hidden", ""},
		{"a variable", "for p in $packages; do go test ./$p; done", "hidden", perhaps},
		{"a substitution", "for p in $(cat list); do go test ./$p; done", "hidden", perhaps},
		{"a known word beside a variable", "for p in a $more; do go test ./$p; done", "hidden", ""},
		{"the arguments", "for p; do go test ./$p; done", "hidden", perhaps},
		{"an empty list", "for p in; do go test ./$p; done", "none", ""},
		{"a known list under set -e", "set -e; for p in a b; do go test ./$p; done", "decides", ""},
		{"a variable under set -e", "set -e; for p in $packages; do go test ./$p; done", "hidden", perhaps},
		{"a count", "set -e; for ((i = 0; i < n; i++)); do go test ./$i; done", "hidden", perhaps},
		{"a condition", "set -e; while read p; do go test ./$p; done", "hidden", perhaps},
		{"a condition that holds", "while true; do go test ./...; done", "hidden", perhaps},
		{"a condition that never holds", "while false; do go test ./...; done", "none", ""},
		{"until what holds", "until true; do go test ./...; done", "none", ""},
		{"after a loop that was left", "for p in a b; do break; done; go test ./...", "decides", ""},
		{"after break in the same round", "for p in a b; do break; go test ./...; done", "hidden", perhaps},
		{"one of several cases", "set -e; case $x in a) go test ./...;; esac", "hidden", perhaps},
	} {
		found, err := Parse(c.line)
		if err != nil {
			t.Fatal(err)
		}
		status, doubt := "none", ""
		for _, cmd := range found {
			if len(cmd.Words) > 0 && cmd.Words[0] == "go" {
				status, doubt = cmd.Status.String(), cmd.Doubt(false, false)
			}
		}
		if status != c.status || doubt != c.doubt {
			t.Errorf("%s: got %s %q, want %s %q", c.name, status, doubt, c.status, c.doubt)
		}
	}
}

// Of a variable that a line sets twice, the last value counts.
func TestTheLastValueOfAVariableCounts(t *testing.T) {
	for line, dry := range map[string]bool{
		"export GOFLAGS=-n; go test ./...":                           true,
		"export GOFLAGS=-n; GOFLAGS=-v go test ./...":                false,
		"export GOFLAGS=-v; GOFLAGS=-n go test ./...":                true,
		"export PYTEST_ADDOPTS=--co; PYTEST_ADDOPTS=-q pytest":       false,
		"CARGO_TARGET_A_RUNNER=x CARGO_TARGET_B_RUNNER=true cargo t": true,
		"CARGO_TARGET_B_RUNNER=true CARGO_TARGET_A_RUNNER=x cargo t": true,
		"CARGO_TARGET_A_RUNNER=x cargo t":                            false,
	} {
		found, err := Parse(line)
		if err != nil {
			t.Fatal(err)
		}
		if got := found[len(found)-1].DryRun(); got != dry {
			t.Errorf("%s: dry %v, want %v", line, got, dry)
		}
	}
}
