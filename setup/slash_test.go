package setup

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestSlashCommandOfOthers(t *testing.T) {
	ours := string(claude.slashText())
	for _, c := range []struct{ name, text, after, note string }{
		{"foreign", "Do it.", "Do it.", "is not Piton's"},
		{"ours, edited", ours + "And smile.\n", ours + "And smile.\n", "has been edited"},
		{"ours, older", string(stamp("---\n", []byte("---\nmodel: haiku\n---\nOlder.\n"))), ours, ""},
		{"ours, with other line ends", strings.ReplaceAll(ours, "\n", "\r\n"), strings.ReplaceAll(ours, "\n", "\r\n"), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			tg := target(t, User)
			path := filepath.Join(folderOf(tg), "commands", "checkpoint.md")
			write(t, path, c.text, 0o644)
			p := plan(t, Init, tg)
			must(t, Apply(p.Changes))
			if got := string(load(t, path)); got != c.after {
				t.Errorf("after init: got %q, want %q", got, c.after)
			}
			if notes := strings.Join(p.Notes, "\n"); (notes == "") != (c.note == "") || !strings.Contains(notes, c.note) {
				t.Errorf("notes: got %q, want %q", notes, c.note)
			}
			must(t, Apply(plan(t, Uninstall, tg).Changes))
			if _, err := os.Stat(path); (err == nil) != (c.note != "") {
				t.Errorf("after uninstall: %v", err)
			}
		})
	}
}
