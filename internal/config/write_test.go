package config

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/piton-project/piton"
)

func TestReplaceKeepsWhatOthersWrote(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.yaml")
	for _, c := range []struct {
		name      string
		now       string
		old, want string
		changed   bool
	}{
		{"there was none, and is one", "theirs", "", "theirs", true},
		{"another", "theirs", "before", "theirs", true},
		{"as it was read", "before", "before", "ours", false},
	} {
		if err := os.WriteFile(path, []byte(c.now), 0o600); err != nil {
			t.Fatal(err)
		}
		err := replace(path, []byte(c.old), []byte("ours"))
		if got, _ := os.ReadFile(path); string(got) != c.want || errors.Is(err, errChanged) != c.changed || c.changed && piton.CodeOf(err) != piton.Conflict {
			t.Errorf("%s: got %q, %v, want %q", c.name, got, err, c.want)
		}
	}
	if entries, err := os.ReadDir(filepath.Dir(path)); err != nil || len(entries) != 1 {
		t.Errorf("got %v, %v, want nothing left beside the file", entries, err)
	}
}
