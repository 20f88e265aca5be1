package cli

import (
	"testing"

	"github.com/piton-project/piton"
)

func TestCommandLine(t *testing.T) {
	for hint, want := range map[string]string{
		"":                           "",
		"give two ids":               "give two ids",
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

// TestStatuses: each code has one status, each status one row.
func TestStatuses(t *testing.T) {
	codes, numbers := map[piton.Code]bool{}, map[int]bool{}
	for _, s := range Statuses() {
		if s.Code != "" && codes[s.Code] || numbers[s.Status] {
			t.Errorf("%d %s stands twice", s.Status, s.Code)
		}
		codes[s.Code], numbers[s.Status] = true, true
	}
	for _, c := range []piton.Code{piton.Internal, piton.Invalid, piton.NotFound, piton.Conflict, piton.Corrupt, piton.Unavailable} {
		if !codes[c] {
			t.Errorf("%s has no status", c)
		}
	}
}
