package sqlite_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/store/sqlite"
	"github.com/piton-project/piton/internal/testkit/draw"
)

// planted are forms of secrets; %s is what must never reach the disk, and is
// another in every draw.
var planted = []string{
	"ghp_" + "%s", "Authorization: Bearer " + "%s", "DB_PASSWORD=" + "%s", `{"password":"` + `%s"}`, "postgres://app:" + "%s@db/app",
	"-----BEGIN RSA " + "PRIVATE KEY-----\n%s\n-----END RSA " + "PRIVATE KEY-----", "curl -u bob:" + "%s https://x", "mysql -p" + "%s app",
	"Cookie: session=" + "%s", "AKIA" + "%s", "the password is " + "%s", "machine x login y password " + "%s",
}

// TestNoPlantedSecretReachesTheDisk saves random states and records with
// secrets in random places and looks for them in the bytes of the files.
func TestNoPlantedSecretReachesTheDisk(t *testing.T) {
	path := filepath.Join(t.TempDir(), "piton.db")
	s, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	k := history.Keeper{Store: s, Local: s.Local()}
	var all []string
	draw.Check(t, func(t *rapid.T) {
		secret := func() string {
			core := rapid.StringMatching(`[A-Z][0-9][A-Z0-9]{22}`).Draw(t, "secret")
			all = append(all, core)
			return fmt.Sprintf(rapid.SampledFrom(planted).Draw(t, "form"), core)
		}
		maybe := func(plain string) string {
			if rapid.IntRange(0, 2).Draw(t, "plant") == 0 {
				return plain + " " + secret()
			}
			return plain
		}
		var value func(depth int) any
		value = func(depth int) any {
			switch n := rapid.IntRange(0, 4).Draw(t, "kind"); {
			case n == 0 && depth > 0:
				return []any{value(depth - 1), value(depth - 1)}
			case n == 1 && depth > 0:
				return map[string]any{maybe("key"): value(depth - 1), "other": value(depth - 1)}
			case n == 2:
				return 12.5
			}
			return maybe("some text")
		}
		state, err := json.Marshal(map[string]any{"todos": value(3), maybe("k"): value(2)})
		if err != nil {
			t.Fatal(err)
		}
		oneLine := func(s string) string { return strings.ReplaceAll(maybe(s), "\n", " ") }
		_, err = k.Save(t.Context(), history.Draft{SaveRequest: piton.SaveRequest{Workflow: "flow", State: state, Name: oneLine("name"), Description: maybe("description"), Task: maybe("task"), StepName: oneLine("step"), Tags: []string{oneLine("tag")}}})
		if err != nil {
			t.Fatal(err)
		}
	})
	for _, file := range []string{path, path + "-wal"} {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, core := range all {
			if bytes.Contains(raw, []byte(core)) {
				t.Errorf("%s holds %s", filepath.Base(file), core)
			}
		}
	}
	if len(all) < 5 {
		t.Errorf("planted %d, want some", len(all))
	}
}
