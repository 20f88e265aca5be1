package e2e

import (
	"os"
	"strings"
	"testing"
)

// Of turns that nobody would hold none is held.
func TestHarmless(t *testing.T) {
	table, err := os.ReadFile("testdata/harmless.txt")
	check(t, err)
	rows := strings.Split(strings.TrimSpace(string(table)), "\n")[1:]
	overClients(t, func(t *testing.T, c client) {
		for i, row := range rows {
			if today(i, c) {
				t.Run(row, func(t *testing.T) { harmlessTurn(t, c, row) })
			}
		}
	})
}

func harmlessTurn(t *testing.T, c client, row string) {
	project, steps, _ := strings.Cut(row, " | ")
	w := newWorldOf(t, c, always, "npm_config_update_notifier=false", "npm_config_offline=true")
	w.plant(project)
	for step := range strings.SplitSeq(steps, " ; ") {
		verb, rest, _ := strings.Cut(step, " ")
		if parts := strings.Split(rest, " > "); verb == "edit" {
			w.model.script(call(readTool(parts[0])), call(editTool(parts[0], parts[1], parts[2])))
		} else {
			w.model.script(call(bash(rest)))
		}
	}
	w.model.script(reply{Text: "Done.", Repeat: true})
	w.ask("do it")
	d := w.decisions()[0]
	t.Logf("LIVE harmless|%s|%s|held=%v|%s", c.name(), row, d.Held, w.said())
	if d.Held {
		t.Errorf("held: %s", d.Message)
	}
}
