package setup

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const foreignStatus = `{"type":"command","command":"~/.claude/mine.sh","padding":0}`

func TestStatusLineLeavesNoTrace(t *testing.T) {
	for _, c := range []struct {
		name, text string // of the settings; "" for none
	}{
		{"nothing there", ""},
		{"an empty object", "{ }\n"},
		{"white space", "\r\n"},
		{"other settings", "{\n  \"model\": \"opus\"\n}"},
		{"other settings in one line", `{"model":"opus","env":{}}`},
		{"null", "{\n\t\"statusLine\": null,\n\t\"model\": \"opus\"\n}\n"},
		{"null and nothing else", `{"statusLine":null}`},
		{"the user's own", `{"statusLine":` + foreignStatus + `}`},
		{"Piton's by hand", `{"statusLine":{"type":"command","command":"piton-hook statusline"}, "a": 1}`},
		{"Piton's with more", `{"statusLine":{"type":"command","command":"'/bin/piton-hook' statusline 2>/dev/null || :","padding":1}}`},
		{"no object", `{"statusLine":"x"}`},
		{"one that a later one hides", `{"statusLine":` + foreignStatus + `,"statusLine":null}`},
	} {
		for _, agent := range Agents() {
			t.Run(agent+", "+c.name, func(t *testing.T) {
				t.Parallel() // it waits for the disk
				tg := target(t, User)
				tg.Agent, tg.StatusLine = agent, true
				if settings, _ := filesOf(agent); c.text != "" {
					write(t, filepath.Join(folderOf(tg), settings), c.text, 0o644)
				}
				leaveNoTrace(t, tg)
			})
		}
	}
}

// statusOf is the status line as it stands on the disk.
func statusOf(t *testing.T, tg Target) statusLine {
	t.Helper()
	c, tg, err := tg.complete()
	must(t, err)
	text, err := read(c.settingsFile(tg))
	must(t, err)
	return c.statusIn(c.form(tg), text)
}

func TestStatusLine(t *testing.T) {
	const ours = "/piton-hook' statusline 2>/dev/null || :"
	for _, c := range []struct {
		name  string
		text  string // of the settings
		set   func(*Target)
		wants string // in the command
		note  string
	}{
		{"as asked for", `{}`, func(*Target) {}, "/bin" + ours, ""},
		{"not asked for", `{}`, func(t *Target) { t.StatusLine = false }, "", ""},
		{"kept where it is not asked for again", `{"statusLine":{"type":"command","command":"'/old` + ours + `"}}`, func(t *Target) { t.StatusLine = false }, "/bin" + ours, ""},
		{"the user's own", `{"statusLine":` + foreignStatus + `}`, func(*Target) {}, "~/.claude/mine.sh", "left alone"},
		{"the user's own, not asked for", `{"statusLine":` + foreignStatus + `}`, func(t *Target) { t.StatusLine = false }, "~/.claude/mine.sh", ""},
		{"a project's settings", `{}`, func(t *Target) { t.Scope = Project }, "", "everybody's own"},
		{"a client that has none", `{}`, func(t *Target) { t.Agent = "gemini" }, "", "no status line that runs a program"},
	} {
		t.Run(c.name, func(t *testing.T) {
			tg := target(t, User)
			tg.StatusLine = true
			c.set(&tg)
			settings, _ := filesOf(tg.Agent)
			write(t, filepath.Join(folderOf(tg), settings), c.text, 0o644)
			p := plan(t, Init, tg)
			must(t, Apply(p.Changes))
			if got := statusOf(t, tg); !strings.Contains(got.command, c.wants) || got.there != (c.wants != "") {
				t.Errorf("got %+v, want %q", got, c.wants)
			}
			if notes := strings.Join(p.Notes, "\n"); !strings.Contains(notes, c.note) || c.note == "" && strings.Contains(notes, "status line") {
				t.Errorf("got the notes %q, want one with %q", notes, c.note)
			}
			if again := plan(t, Init, tg); len(again.Changes) > 0 {
				t.Errorf("a second Init changes:\n%s", Diff(again.Changes))
			}
		})
	}
}

func TestUninstallNamesAStatusLineThatWasChanged(t *testing.T) {
	tg := target(t, User)
	tg.StatusLine = true
	must(t, Apply(plan(t, Init, tg).Changes))
	file := filepath.Join(folderOf(tg), "settings.json")
	write(t, file, strings.Replace(string(load(t, file)), `"statusLine": {`, `"statusLine": {"padding": 0,`, 1), 0o644)
	p := plan(t, Uninstall, tg)
	must(t, Apply(p.Changes))
	if notes := strings.Join(p.Notes, "\n"); !statusOf(t, tg).there || !strings.Contains(notes, "remove it yourself") {
		t.Errorf("got %+v and the notes %q, want it left alone and said so", statusOf(t, tg), notes)
	}
}

func TestDoctorLooksAtTheStatusLine(t *testing.T) {
	const by = `{"statusLine":{"type":"command","command":"`
	local := func(t *testing.T, c *chain, text string) {
		write(t, filepath.Join(filepath.Dir(c.settings(Project)), "settings.local.json"), text, 0o644)
	}
	for _, c := range []struct {
		name    string
		prepare func(t *testing.T, c *chain)
		state   string
		says    string
	}{
		{"none", func(*testing.T, *chain) {}, "ok", "none; 'piton init --statusline --agent claude'"},
		{"Piton's", func(t *testing.T, c *chain) { c.withStatus(t) }, "ok", "/bin/piton-hook"},
		{"the user's own", func(t *testing.T, c *chain) { local(t, c, by+`mine.sh"}}`) }, "ok", "one of its own"},
		{"another before Piton's", func(t *testing.T, c *chain) { c.withStatus(t); local(t, c, by+`mine.sh"}}`) }, "ok", "in the place of Piton's"},
		{"by hand", func(t *testing.T, c *chain) { local(t, c, by+`piton-hook statusline"}}`) }, "ok", "/bin/piton-hook"},
		{"by hand and not in PATH", func(t *testing.T, c *chain) {
			local(t, c, by+`piton-hook statusline"}}`)
			delete(c.programs, "piton-hook")
		}, "fail", "not in PATH"},
		{"a program that is gone", func(t *testing.T, c *chain) {
			c.withStatus(t)
			file := c.settings(User)
			write(t, file, strings.Replace(string(load(t, file)), "piton-hook' statusline", "gone/piton-hook' statusline", 1), 0o644)
		}, "fail", "no such file"},
		{"another program", func(t *testing.T, c *chain) {
			c.withStatus(t)
			c.Hook = filepath.Join(filepath.Dir(c.Home), "new", "piton-hook")
			must(t, os.MkdirAll(filepath.Dir(c.Hook), 0o755))
			script(t, c.Hook, "")
		}, "warn", "/new/piton-hook"},
	} {
		t.Run(c.name, func(t *testing.T) {
			chain := sound(t)
			c.prepare(t, chain)
			for _, x := range chain.doctor() {
				if x.Name != "status line" {
					continue
				}
				state := "ok"
				if x.Warn {
					state = "warn"
				} else if !x.OK {
					state = "fail"
				}
				if state != c.state || !strings.Contains(x.Detail, c.says) || (x.Hint == "") != (state == "ok") {
					t.Errorf("got %+v, want %s: %s", x, c.state, c.says)
				}
				return
			}
			t.Error("there is no such check")
		})
	}
}

// withStatus sets the status line up.
func (c *chain) withStatus(t *testing.T) {
	c.StatusLine = true
	must(t, Apply(plan(t, Init, c.Target).Changes))
}
