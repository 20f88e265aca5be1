package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/piton-project/piton/internal/testkit/hidden"
)

// Whatever hides how tests went, a run that failed is never called verified, and no
// green run is held for a failure.
func TestHiddenStatus(t *testing.T) {
	forms := hidden.Forms(t, "../internal/judge/debrief/testdata/hidden.jsonl")
	overClients(t, func(t *testing.T, c client) {
		for i, f := range forms {
			for k, color := range []string{"red", "green"} {
				if !today(i+k, c) {
					continue
				}
				t.Run(fmt.Sprintf("%d %s %s", i, color, f.Line), func(t *testing.T) { hiddenRun(t, c, f, color) })
			}
		}
	})
}

func hiddenRun(t *testing.T, c client, f hidden.Form, color string) {
	w := newWorldOf(t, c, always, "npm_config_update_notifier=false", "npm_config_offline=true")
	w.plant(f.File)
	file, to := changedFiles[f.File], map[string]string{"red": "a - b", "green": "b + a"}[color]
	w.model.script(call(readTool(file)), call(editTool(file, "a + b", to)), call(bash(f.Line)))
	w.model.script(reply{Text: "Done.", Repeat: true})
	w.ask("change how it adds")
	t.Logf("LIVE hidden|%s|%s|%s|held=%v|%s", c.name(), color, f.Line, w.decisions()[0].Held, w.said())
	if got := w.verified(); color == "red" && got != "" {
		t.Errorf("a red run is called verified: %s", got)
	}
	if d := w.decisions()[0]; color == "green" && strings.Contains(d.Message, "was not seen to pass") {
		t.Errorf("a green run is held: %s", d.Message)
	}
}
