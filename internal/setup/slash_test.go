package setup

import (
	"os"
	"strings"
	"testing"
)

func TestSlashCommandOfOthers(t *testing.T) {
	for _, agent := range Agents() {
		x, _ := clientOf(agent)
		ours, opening := string(x.slashText()), "---\n"
		if agent == "gemini" {
			opening = ""
		}
		for _, c := range []struct{ name, text, after, note string }{
			{"foreign", "Do it.", "Do it.", "is not Piton's"},
			{"ours, edited", ours + "And smile.\n", ours + "And smile.\n", "has been edited"},
			{"ours, older", string(stamp(opening, []byte(opening+"Older.\n"))), ours, ""},
			{"ours, with other line ends", strings.ReplaceAll(ours, "\n", "\r\n"), strings.ReplaceAll(ours, "\n", "\r\n"), ""},
		} {
			t.Run(agent+", "+c.name, func(t *testing.T) {
				tg := target(t, User)
				tg.Agent = agent
				path := x.slashFile(Target{Scope: User, ConfigDir: folderOf(tg)})
				write(t, path, c.text, 0o644)
				p := plan(t, Init, tg)
				must(t, Apply(p.Changes))
				if got := string(load(t, path)); got != c.after {
					t.Errorf("after init: got %q, want %q", got, c.after)
				}
				notes := strings.ReplaceAll(strings.Join(p.Notes, "\n"), x.Ready, "")
				if (notes == "") != (c.note == "") && notes != "\n" || !strings.Contains(notes, c.note) {
					t.Errorf("notes: got %q, want %q", notes, c.note)
				}
				must(t, Apply(plan(t, Uninstall, tg).Changes))
				if _, err := os.Stat(path); (err == nil) != (c.note != "") {
					t.Errorf("after uninstall: %v", err)
				}
			})
		}
	}
}
