//go:build linux && amd64

package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestStopCost counts what a stop asks of the system where nothing is out of
// the ordinary: one git, and each file that must be read. Where it would hold, a
// second git and the changed file tell whether anything but a comment changed. The mark
// of the files reads those that are not committed and that no mark before has. A
// rule for rare cases (symbolic links, settings or tests' definitions that this turn
// changed) may add to it only in those.
func TestStopCost(t *testing.T) {
	store := []string{"piton/piton.db", "piton/piton.db-shm", "piton/piton.db-wal", "piton/piton.db.bell", "piton/piton.db.lock"}
	// Each transaction opens the journal of the marks; the root is listed for the ignored files that are kept.
	marks := []string{"piton", "piton/marks.db", "piton/marks.db-journal", "project"}
	store = slices.Concat(store, marks)
	mark := []string{"piton/piton.db.mark"} // an event of the store has landed; a hold is none
	elsewhere := slices.Concat(store, []string{"project/.git/config", "home/s1.jsonl", "home/s1/subagents", "project", "project/tests"})
	changed := slices.Concat(elsewhere, []string{"project", "todos"}) // the work item
	const status, texts = " status --porcelain=v2 ", " cat-file --batch"
	for _, x := range []struct {
		name    string
		turn    func(c *client)
		started []string
		want    []string
	}{
		{"a turn that changed nothing", func(c *client) {}, []string{status}, slices.Concat(store, mark, []string{"project/.git/config"})},
		{"a turn that is held", func(c *client) { c.edits("main.go", "package shop\n\nvar mended = true\n") }, []string{status, texts}, slices.Concat(changed, []string{"project/main.go", "project/main.go"})},
		{"a turn that is let go", func(c *client) { c.edits("README.md", "more\n") }, []string{status}, slices.Concat(changed, mark, []string{"project/README.md"})},
		{"code whose tests passed", func(c *client) {
			c.edits("main.go", "package shop\n\nvar mended = true\n")
			c.runs("go test ./...", "ok  \tshop\t0.1s")
		}, []string{status}, slices.Concat(changed, mark, []string{"project/main.go"})},
		{"a file of another folder", func(c *client) { c.edits(c.home+"/notes.md", "more\n") }, []string{status}, slices.Concat(elsewhere, mark)},
		{"a file named through a link", func(c *client) {
			if err := os.Symlink(c.project, c.tmp+"/link"); err != nil {
				c.Fatal(err)
			}
			c.edits(c.tmp+"/link/main.go", "package shop\n\nvar mended = true\n")
		}, []string{status, texts}, slices.Concat(changed, []string{"project/main.go", "project/main.go"})},
	} {
		t.Run(x.name, func(t *testing.T) {
			var got trace
			c := undisturbed(t, func(c *client) {
				c.repository("go.mod", "module shop\n", "main.go", "package shop\n", "main_test.go", "package shop\n", "README.md", "shop\n")
				c.set("PITON_DEBRIEF_MIN_TURN", "0s")
				c.hook(c.event("UserPromptSubmit", map[string]any{"prompt": "mend it"}))
				x.turn(c)
				got = c.traced(c.event("Stop", nil))
			})
			if !slices.EqualFunc(got.started, x.started, strings.Contains) {
				t.Errorf("got the programs %q, want %q", got.started, x.started)
			}
			slices.Sort(x.want)
			if opened := c.below(got.opened); !slices.Equal(opened, x.want) {
				t.Errorf("got these files opened\n\t%s\nwant\n\t%s", strings.Join(opened, "\n\t"), strings.Join(x.want, "\n\t"))
			}
			if linked := x.name == "a file named through a link"; linked != (got.links > 0) || linked != strings.Contains(got.reply, "go test") && linked {
				t.Errorf("got %d symbolic links read, and the reply %s", got.links, got.reply)
			}
		})
	}
}

// below are the files as seen from the folder of the test, sorted, without
// those of the system; the journal of the marks and its folder once.
func (c *client) below(files []string) []string {
	var list []string
	for _, f := range files {
		system := slices.ContainsFunc([]string{"/sys/", "/proc/", "/dev/"}, func(s string) bool { return strings.HasPrefix(f, s) })
		if rel, err := filepath.Rel(filepath.Dir(c.project), f); err == nil && filepath.IsLocal(rel) {
			f = rel // which may lie in /dev/shm
		} else if system {
			continue
		}
		list = append(list, f)
	}
	slices.Sort(list)
	return slices.CompactFunc(list, func(a, b string) bool { return a == b && (a == "piton" || a == "piton/marks.db-journal") })
}
