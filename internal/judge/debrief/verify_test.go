package debrief

import (
	"testing"
	"time"
)

func TestVerifyApplies(t *testing.T) {
	for _, tc := range []struct {
		name  string
		globs []string
		files []string
		want  bool
	}{
		{"no globs, a file", nil, []string{"a"}, true},
		{"no globs, no file", nil, nil, false},
		{"one of the globs fits one of the files", []string{"**/*.py", "*.go"}, []string{"README.md", "main.go"}, true},
		{"none fits", []string{"**/*.py"}, []string{"main.go"}, false},
		{"the root as well", []string{"**/*.go"}, []string{"main.go"}, true},
		{"a glob that is none", []string{"[", "{a"}, []string{"main.go"}, false},
	} {
		if got := (Verify{Files: tc.globs}).Applies(tc.files); got != tc.want {
			t.Errorf("%s: got %v, want %v", tc.name, got, tc.want)
		}
	}
}

func TestVerifyBound(t *testing.T) {
	for _, tc := range []struct {
		name string
		list []Verify
		want time.Duration
	}{
		{"none", nil, 0},
		{"the default", []Verify{{}, {Timeout: -1}}, 2 * time.Minute},
		{"their own", []Verify{{Timeout: 10 * time.Second}, {Timeout: time.Second}}, 11 * time.Second},
		{"all together", []Verify{{Timeout: 6 * time.Minute}, {Timeout: 6 * time.Minute}}, VerifyLimit},
		{"one alone", []Verify{{Timeout: 1 << 62}, {Timeout: 1 << 62}}, VerifyLimit},
	} {
		if got := (Settings{Verify: tc.list}).VerifyBound(); got != tc.want {
			t.Errorf("%s: got %v, want %v", tc.name, got, tc.want)
		}
	}
}
