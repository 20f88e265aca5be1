package setup

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/piton-project/piton/internal/testkit/draw"
	"github.com/piton-project/piton/internal/testkit/need"
)

func TestDiff(t *testing.T) {
	text := func(s string) []byte { return []byte(strings.ReplaceAll(s, " ", "\n")) }
	for _, c := range []struct {
		name string
		c    Change
		want string
	}{
		{"the same", Change{Path: "/f", Before: text("a "), After: text("a ")}, ""},
		{"new file", Change{Path: "/f", After: text("a b ")}, "--- /dev/null\n+++ /f\n@@ -0,0 +1,2 @@\n+a\n+b\n"},
		{"removed file", Change{Path: "/f", Before: text("a ")}, "--- /f\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n"},
		{"a line in the middle", Change{Path: "/f", Before: text("1 2 3 4 5 6 7 8 9 "), After: text("1 2 3 4 x 6 7 8 9 ")},
			"--- /f\n+++ /f\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+x\n 6\n 7\n 8\n"},
		{"two hunks", Change{Path: "/f", Before: text("1 2 3 4 5 6 7 8 9 "), After: text("a 1 2 3 4 5 6 7 8 9 b ")},
			"--- /f\n+++ /f\n@@ -1,3 +1,4 @@\n+a\n 1\n 2\n 3\n@@ -7,3 +8,4 @@\n 7\n 8\n 9\n+b\n"},
		{"near together", Change{Path: "/f", Before: text("1 2 3 4 5 6 "), After: text("a 1 2 3 4 5 6 b ")},
			"--- /f\n+++ /f\n@@ -1,6 +1,8 @@\n+a\n 1\n 2\n 3\n 4\n 5\n 6\n+b\n"},
		{"no final newline", Change{Path: "/f", Before: text("a b"), After: text("a b ")},
			"--- /f\n+++ /f\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, Diff([]Change{c.c})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// What Diff prints leads from before to after: patch says so too.
func TestPropertyDiffApplies(t *testing.T) {
	patch, err := exec.LookPath("patch")
	if err != nil {
		need.Missing(t, "no patch here")
	}
	folder := t.TempDir()
	draw.Check(t, func(t *rapid.T) {
		file := filepath.Join(folder, "file")
		some := rapid.Map(rapid.SliceOfN(rapid.SampledFrom([]string{"a\n", "b\n", "c\n", "\n"}), 1, 30), func(l []string) []byte { return []byte(strings.Join(l, "")) })
		c := Change{Path: file, Before: some.Draw(t, "before"), After: some.Draw(t, "after")}
		if err := os.WriteFile(file, c.Before, 0o600); err != nil {
			t.Fatal(err)
		}
		diff := Diff([]Change{c})
		if diff == "" {
			return
		}
		cmd := exec.Command(patch, "-s", "--no-backup-if-mismatch", file)
		cmd.Stdin = strings.NewReader(diff)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("patch: %v\n%s\n%s", err, out, diff)
		}
		if got, _ := os.ReadFile(file); string(got) != string(c.After) {
			t.Fatalf("got %q, want %q by\n%s", got, c.After, diff)
		}
	})
}
