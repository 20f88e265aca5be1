package mcp

import "testing"

func TestForModel(t *testing.T) {
	for hint, want := range map[string]string{
		"":                           "",
		"give two ids":               "give two ids",
		"'list' shows what there is": "checkpoint_list shows what there is",
		"give an id, 'session' or 'workflow', one of them": "give an id, sessionId or workflow, one of them",
		"'fork ID branch NAME' starts a branch":            "the command `piton fork ID --branch NAME` in a shell starts a branch",
		"number them; give 'phase_total N'":                "number them; give phaseTotal N",
		"save again with 'parent chk_1'":                   "save again with parent chk_1",
		"'load nearest' takes the nearest intact ancestor": "checkpoint_load with nearest true takes the nearest intact ancestor",
		"'list workflow NAME' shows them":                  "checkpoint_list with workflow NAME shows them",
		"if that session has died: 'resume chk_1'":         "if that session has died: checkpoint_resume with checkpointId chk_1",
		"'piton list' shows all; 'piton resume ID' takes":  "checkpoint_list shows all; checkpoint_resume with checkpointId ID takes",
		"run 'repair': it writes; 'verify repair' mends":   "run the command `piton repair` in a shell: it writes; the command `piton verify --repair` in a shell mends",
		"'zstd -dc FILE' shows it; it's gone":              "'zstd -dc FILE' shows it; it's gone",
		"make it PITON_STORE, or 'store' in the settings":  "make it PITON_STORE, or 'store' in the settings",
	} {
		if got := forModel(hint); got != want {
			t.Errorf("%q: got %q, want %q", hint, got, want)
		}
	}
}
