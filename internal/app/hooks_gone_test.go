package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/app/installation"
)

// TestHooksThatAreGone: where init cannot find piton-hook either, status says first how it
// is installed, beside clients with hooks and beside those without; where init can, init
// alone.
func TestHooksThatAreGone(t *testing.T) {
	home, bin := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{
		filepath.Join(home, ".claude", "settings.json"): `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"/gone/piton-hook claude 2>/dev/null || true"}]}]}}`,
		filepath.Join(bin, "codex"):                     "#!/bin/sh\n",
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", bin)
	getenv := func(name string) string { return map[string]string{"HOME": home, "PATH": bin}[name] }
	for _, found := range []bool{false, true} {
		if found {
			if err := os.WriteFile(filepath.Join(bin, "piton-hook"), []byte("#!/bin/sh\n"), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		x, err := newCaller(t, caller.Options{Getenv: getenv}).Status(t.Context())
		if err != nil || len(x.Waiting) != 1 || len(x.Clients) != 2 {
			t.Fatalf("got %+v, %v, want one that waits and two clients", x, err)
		}
		w, codex := x.Waiting[0], x.Clients[1]
		if w.Kind != WaitingHooks || w.Command != "piton init --agent claude" || strings.HasSuffix(w.Text, installation.HowToInstall+"; then") == found {
			t.Errorf("piton-hook found %v: waits: got %+v", found, w)
		}
		if (codex.Prevented == installation.NoHook && codex.Hint == installation.HowToInstall) == found {
			t.Errorf("piton-hook found %v: codex: got %+v", found, codex)
		}
	}
}
