package client

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/piton-project/piton/internal/agent"
)

// TestSaid: what a call has said counts as cut where some of it is missing.
func TestSaid(t *testing.T) {
	t.Parallel()
	full := strings.Repeat("x", agent.OutputKept)
	for output, want := range map[string]bool{
		"ok": false, full: false, full + "x": true,
		"3 lines omitted": false, "truncated": false,
		"a\n... [1,234 lines omitted] ...\nb": true, "a…12 tokens truncated…b": true,
	} {
		var c agent.Call
		if Said(&c, output); c.Cut != want || c.Output != Cut(output) {
			t.Errorf("%.40q: got cut %t, want %t", output, c.Cut, want)
		}
	}
	got := Cut(strings.Repeat("x", agent.OutputKept+1))
	if want := strings.Repeat("x", agent.OutputKept/2-24); got != want+"\n[... 49 bytes left out ...]\n"+want {
		t.Errorf("got %d bytes, want the two ends with the count between them", len(got))
	}
}

// TestStored: outputs that a client keeps in files of its own are read from its folder
// only, and not many of them.
func TestStored(t *testing.T) {
	t.Parallel()
	const half = agent.OutputKept/2 - 64
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a": "ok\xff", "full": strings.Repeat("x", agent.OutputKept), "long": strings.Repeat("x", agent.OutputKept) + "yz",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ends := strings.Repeat("x", half) + "\n[... 130 bytes left out ...]\n" + strings.Repeat("x", half-2) + "yz"
	var s Stored
	for _, c := range []struct {
		folder, path, want string
		whole, ok          bool
	}{
		{dir, "/elsewhere/a", "ok\uFFFD", true, true},
		{dir, `C:\elsewhere\a`, "ok\uFFFD", true, true},
		{dir, "full", strings.Repeat("x", agent.OutputKept), true, true},
		{dir, "long", ends, false, true},
		{dir, "none", "", false, false},
		{dir, "..", "", false, false},
		{dir, "a/", "", false, false},
		{dir, "a:b", "", false, false},
		{"", "stored_test.go", "", false, false},
	} {
		if got, whole, ok := s.Output(c.folder, c.path); got != c.want || whole != c.whole || ok != c.ok {
			t.Errorf("%s: got %d bytes, whole %t, ok %t, want %d, %t, %t", c.path, len(got), whole, ok, len(c.want), c.whole, c.ok)
		}
	}
	last := 0
	for last < 2*maxStored {
		if _, _, ok := s.Output(dir, "a"); !ok {
			break
		}
		last++
	}
	if last != maxStored-5 {
		t.Errorf("got %d more files read, want %d together", last, maxStored)
	}
	f, err := os.Open(filepath.Join(dir, "long"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, size := range []int64{agent.OutputKept + 3, 4 * agent.OutputKept} {
		if _, whole, ok := readEnds(f, size); whole || ok {
			t.Errorf("a file that has become shorter: got whole %t, ok %t", whole, ok)
		}
	}
}
