package git

import (
	"strings"
	"testing"
)

// Earlier texts come from one run of git, whatever their names and sizes.
func TestBefore(t *testing.T) {
	w := committed(t)
	w.write("a b.txt", "one\n")
	w.write("empty", "")
	w.write("ünï.txt", "two")
	w.write("big", strings.Repeat("x", 1<<20))
	w.commit()
	w.write("a b.txt", "changed\n")
	was, err := w.repo().Before(t.Context(), "", []string{"a b.txt", "empty", "missing file", "ünï.txt", "big"})
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{"a b.txt": "one\n", "empty": "", "ünï.txt": "two", "big": strings.Repeat("x", 1<<20)} {
		if was[path] == nil || *was[path] != want {
			t.Errorf("%s: got another text, want it as committed", path)
		}
	}
	if text, ok := was["missing file"]; text != nil || !ok {
		t.Errorf("a missing file: got %v %t, want nil", text, ok)
	}
}
