package setup

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestUninstallWithoutMemory(t *testing.T) {
	for _, c := range []struct {
		name   string
		memory string
	}{
		{"lost", ""},
		{"not JSON", `{`},
		{"of another file", `{"path":"/x","empty":{"/hooks/Stop":"[]"}}`},
		{"full of other things", `{"path":"PATH","empty":{"":"[]","/hooks":"{\"a\":1}","/hooks/Stop":"x","-":"{}"}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			tg := target(t, User)
			settings := filepath.Join(folderOf(tg), "settings.json")
			write(t, settings, `{"a": 1, "hooks": {"Stop": []}}`, 0o644)
			must(t, Apply(plan(t, Init, tg).Changes))
			kept, err := filepath.Glob(filepath.Join(tg.State, "setup", "*"))
			if err != nil || len(kept) != 1 {
				t.Fatalf("no memory: %v, %v", kept, err)
			}
			must(t, os.Remove(kept[0]))
			if c.memory != "" {
				write(t, kept[0], strings.Replace(c.memory, "PATH", settings, 1), 0o600)
			}
			must(t, Apply(plan(t, Uninstall, tg).Changes))
			if got, want := string(load(t, settings)), `{"a": 1}`; got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
}

// A memory says what was empty before the installation that is there, not before one that somebody has taken out by hand.
func TestOutdatedMemory(t *testing.T) {
	for _, c := range []struct{ name, first, second string }{
		{"no hooks any more", `{"a":1,"hooks":{}}`, `{"a":1}`},
		{"no event any more", `{"a":1,"hooks":{"Stop":[],"X":1}}`, `{"a":1,"hooks":{"X":1}}`},
		{"no event and no hooks any more", `{"a":1,"hooks":{"SessionStart":[]}}`, `{"a":1}`},
		{"no file any more", `{}`, ``},
	} {
		t.Run(c.name, func(t *testing.T) {
			tg := target(t, Project)
			settings := filepath.Join(folderOf(tg), "settings.json")
			must(t, os.MkdirAll(filepath.Join(folderOf(tg), "commands"), 0o755)) // empty, so remembered
			write(t, settings, c.first, 0o644)
			must(t, Apply(plan(t, Init, tg).Changes))

			must(t, os.RemoveAll(folderOf(tg)))
			must(t, os.Remove(filepath.Join(tg.Project, ".mcp.json")))
			if c.second != "" {
				write(t, settings, c.second, 0o644)
			}
			before := tree(t, tg.Project)
			must(t, Apply(plan(t, Init, tg).Changes))
			must(t, Apply(plan(t, Uninstall, tg).Changes))
			if diff := cmp.Diff(before, tree(t, tg.Project)); diff != "" {
				t.Errorf("(-before +after):\n%s", diff)
			}
		})
	}
}

// What is remembered holds nothing of the user's but paths, brackets and white space.
func TestMemoryIsSmall(t *testing.T) {
	tg := target(t, User)
	write(t, filepath.Join(folderOf(tg), "settings.json"), `{"env":{"TOKEN":"secret"},"hooks":{"Stop":[ ]}}`, 0o600)
	must(t, os.Mkdir(filepath.Join(folderOf(tg), "commands"), 0o755))
	must(t, Apply(plan(t, Init, tg).Changes))
	kept, err := filepath.Glob(filepath.Join(tg.State, "setup", "claude-user-*.json"))
	if err != nil || len(kept) != 1 {
		t.Fatalf("got %v, %v, want one memory", kept, err)
	}
	text := strings.ReplaceAll(string(load(t, kept[0])), filepath.Dir(tg.Home), "")
	golden(t, "testdata/memory.json", []byte(text))
}
