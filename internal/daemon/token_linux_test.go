package daemon

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTokenOfAnother: a token that another user has made is refused, by root too, and
// stays as it is. Only root can make such a file.
func TestTokenOfAnother(t *testing.T) {
	path := filepath.Join(t.TempDir(), "token")
	made, err := readToken(path)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := readToken(path); err != nil || again != made {
		t.Fatalf("got %q (%v), want the token that was made, %q", again, err, made)
	}
	if os.Geteuid() != 0 {
		return
	}
	if err := os.Chown(path, 65534, 65534); err != nil {
		t.Fatal(err)
	}
	if got, err := readToken(path); got != "" || err == nil || !strings.Contains(err.Error(), "another user's") {
		t.Errorf("got %q (%v), want it refused", got, err)
	}
	if kept, err := os.ReadFile(path); err != nil || strings.TrimSpace(string(kept)) != made {
		t.Errorf("got %q (%v) in the file, want it as it was", kept, err)
	}
}
