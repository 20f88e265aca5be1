package verbs

import "testing"

func TestCommandLine(t *testing.T) {
	for hint, want := range map[string]string{
		"":                           "",
		"give two ids":               "give two ids",
		"give 'id' or 'session'":     "give ID or --session",
		"'list' shows what there is": "'piton list' shows what there is",
		"an id, 'session' or 'workflow', one of them":              "an id, --session or --workflow, one of them",
		"'fork ID branch NAME' starts a branch":                    "'piton fork ID --branch NAME' starts a branch",
		"number them; give 'phase_total N'":                        "number them; give --phase-total N",
		"save again with 'parent chk_1'":                           "save again with --parent chk_1",
		"run 'repair': it writes; to begin: 'repair accept'":       "run 'piton repair': it writes; to begin: 'piton repair --accept'",
		"'export workflow wf_1' and 'import' (see 'verify')":       "'piton export --workflow wf_1' and 'piton import' (see 'piton verify')",
		"'zstd -dc FILE' shows it; it's 'piton list'":              "'zstd -dc FILE' shows it; it's 'piton list'",
		"'rules test save' wrote it ('uninstall scope project')":   "'piton rules test --save' wrote it ('piton uninstall --scope project')",
		"'store file:DIR', or 'store' in the settings":             "--store file:DIR, or 'store' in the settings",
		"'run resume run_1 took b', 'run PLAN new'":                "'piton run --resume run_1 --took b', 'piton run PLAN --new'",
		"'runs list', 'runs show run_1', 'runs logs run_1 follow'": "'piton runs list', 'piton runs show run_1', 'piton runs logs run_1 --follow'",
		"give 'input lang=VALUE'":                                  "give --input lang=VALUE",
		"another project has it: chk_1 (import, 3d ago)":           "another project has it: chk_1 (import, 3d ago)",
	} {
		if got := CommandLine(hint); got != want {
			t.Errorf("%q: got %q, want %q", hint, got, want)
		}
		if got := CommandLine(want); got != want {
			t.Errorf("%q again: got %q, want it unchanged", want, got)
		}
	}
}

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
		"'runs show run_1' shows it, 'runs list open' all": "run_show with run run_1 shows it, run_list with open true all",
		"'runs logs run_1 follow' watches it":              "run_log with run run_1 watches it",
		"'runs pause run_1' or 'run resume run_1 took b'":  "the command `piton runs pause run_1` in a shell or the command `piton run --resume run_1 --took b` in a shell",
		"'diff chk_1' shows it":                            "checkpoint_diff with from chk_1 shows it",
		"if that session has died: 'resume chk_1'":         "if that session has died: checkpoint_resume with checkpointId chk_1",
		"'piton list' shows all; 'piton resume ID' takes":  "checkpoint_list shows all; checkpoint_resume with checkpointId ID takes",
		"run 'repair': it writes; 'verify repair' mends":   "run the command `piton repair` in a shell: it writes; the command `piton verify --repair` in a shell mends",
		"'zstd -dc FILE' shows it; it's gone":              "'zstd -dc FILE' shows it; it's gone",
		"make it PITON_STORE, or 'store' in the settings":  "make it PITON_STORE, or 'store' in the settings",
	} {
		if got := ForModel(hint); got != want {
			t.Errorf("%q: got %q, want %q", hint, got, want)
		}
	}
}
