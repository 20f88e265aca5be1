package setup

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/piton-project/piton"
)

var update = flag.Bool("update", false, "write the golden files anew")

const hookLine = "'/usr/local/bin/piton-hook' claude 2>/dev/null || :"

func TestMergeKeepsAllElse(t *testing.T) {
	files, err := filepath.Glob("testdata/settings/*.json")
	if err != nil || len(files) < 10 {
		t.Fatalf("no settings to try: %v, %v", files, err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, ".after.json") {
			continue
		}
		t.Run(strings.TrimSuffix(filepath.Base(file), ".json"), func(t *testing.T) {
			before := load(t, file)
			empty := map[string]string{}
			after := mustMerge(t, before, empty, claudeHooks(Target{}), hookLine)
			golden(t, strings.TrimSuffix(file, ".json")+".after.json", after)

			if again := mustMerge(t, after, empty, claudeHooks(Target{}), hookLine); string(again) != string(after) {
				t.Errorf("a second merge changes the file:\n%s", cmp.Diff(string(after), string(again)))
			}
			if back := mustUnmerge(t, after, empty); string(back) != string(before) {
				t.Errorf("unmerge: got %q, want %q", back, before)
			}
		})
	}
}

func TestMergeOldInstallations(t *testing.T) {
	const old = `{"hooks":[{"type":"command","command":"'/old/piton-hook' claude","timeout":5}]}`
	for _, c := range []struct{ name, before, want string }{
		{
			"another path and a short timeout",
			`{"hooks":{"Stop":[` + old + `,{"hooks":[{"type":"command","command":"mine"}]}]}}`,
			`{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"NEW","timeout":60}]},{"hooks":[{"type":"command","command":"mine"}]}]}}`,
		},
		{
			"a longer timeout and a field of the user's stay",
			`{"hooks":{"Stop":[{"hooks":[{"command":"piton-hook claude","type":"command","timeout":90.5,"once":1}]}]}}`,
			`{"hooks":{"Stop":[{"hooks":[{"command":"NEW","type":"command","timeout":90.5,"once":1}]}]}}`,
		},
		{
			"no timeout",
			`{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"piton-hook claude"}]}]}}`,
			`{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"NEW","timeout":60}]}]}}`,
		},
		{
			"doubles and an event no longer wanted",
			`{"hooks":{"PreToolUse":[` + old + `],"Stop":[` + old + `,` + old + `]}}`,
			`{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"NEW","timeout":60}]}]}}`,
		},
		{
			"another matcher",
			`{"hooks":{"Stop":[{"matcher":"x","hooks":[{"type":"command","command":"piton-hook claude"},{"type":"command","command":"mine"}]}]}}`,
			`{"hooks":{"Stop":[{"matcher":"x","hooks":[{"type":"command","command":"mine"}]},{"hooks":[{"type":"command","command":"NEW","timeout":60}]}]}}`,
		},
		{
			"every matcher spelled out",
			`{"hooks":{"Stop":[{"matcher":"*","hooks":[{"type":"command","command":"NEW","timeout":60}]}]}}`,
			`{"hooks":{"Stop":[{"matcher":"*","hooks":[{"type":"command","command":"NEW","timeout":60}]}]}}`,
		},
		{
			"in a hidden object",
			`{"hooks":{"Stop":[` + old + `]},"hooks":{"Stop":[]}}`,
			`{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"NEW","timeout":60}]}]}}`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			spell := func(s string) string { return strings.ReplaceAll(s, "NEW", hookLine) }
			got := mustMerge(t, []byte(spell(c.before)), map[string]string{}, []hook{{event: "Stop", timeout: 60}}, hookLine)
			if diff := cmp.Diff(spell(c.want), string(got)); diff != "" {
				t.Errorf("merge (-want +got):\n%s", diff)
			}
		})
	}
}

func TestEveryToolAndBack(t *testing.T) {
	before := load(t, "testdata/settings/tabs.json")
	empty := map[string]string{}
	few := mustMerge(t, before, empty, claudeHooks(Target{}), hookLine)
	all := mustMerge(t, few, empty, claudeHooks(Target{EveryTool: true}), hookLine)
	places, err := parse(form{path: "x"}, all)
	if err != nil || len(places) != 13 {
		t.Fatalf("with every tool: got %d hooks, %v, want 13", len(places), err)
	}
	golden(t, "testdata/settings/tabs.every-tool.after.json", all)
	if back := mustMerge(t, all, empty, claudeHooks(Target{}), hookLine); string(back) != string(few) {
		t.Errorf("and back (-want +got):\n%s", cmp.Diff(string(few), string(back)))
	}
	if none := mustUnmerge(t, all, empty); string(none) != string(before) {
		t.Errorf("unmerge (-want +got):\n%s", cmp.Diff(string(before), string(none)))
	}
}

func TestUnmergeWhatOthersTouched(t *testing.T) {
	const ours = `{"hooks":[{"type":"command","command":"piton-hook claude"}]}`
	for _, c := range []struct{ name, before, want string }{
		{"nothing of ours", `{ "hooks": {} }`, `{ "hooks": {} }`},
		{"only ours", `{"hooks":{"Stop":[` + ours + `]}}`, ``},
		{"a setting beside", `{"a":1, "hooks":{"Stop":[` + ours + `]}}`, `{"a":1}`},
		{"a group behind ours", `{"hooks":{"Stop":[ ` + ours + `, {"x":1} ]}}`, `{"hooks":{"Stop":[ {"x":1} ]}}`},
		{"a hook in our group", `{"hooks":{"Stop":[{"hooks":[{"command":"a"},{"command":"piton-hook claude"}]}]}}`, `{"hooks":{"Stop":[{"hooks":[{"command":"a"}]}]}}`},
		{"an event of the user's", `{"hooks":{"Stop":[` + ours + `],"X":[]}}`, `{"hooks":{"X":[]}}`},
		{"shapes of other kinds", `{"hooks":{"Stop":3,"X":[1,{"hooks":2},{"hooks":[3,{"command":4}]}]}}`, `{"hooks":{"Stop":3,"X":[1,{"hooks":2},{"hooks":[3,{"command":4}]}]}}`},
		{"hooks is not an object", `{"hooks":[]}`, `{"hooks":[]}`},
		{"blank", " \n", " \n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := mustUnmerge(t, []byte(c.before), map[string]string{}); string(got) != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestMergeRefuses(t *testing.T) {
	for _, c := range []struct{ name, text, says string }{
		{"comment", "{\n// mine\n}", "not JSON"},
		{"trailing comma", "{\n\"a\":1,}", "not JSON, at line 2"},
		{"cut off", `{"hooks":{`, "not JSON"},
		{"two values", `{} {}`, "not JSON"},
		{"array", `[]`, `"/" is not an object`},
		{"null as a whole", `null`, `"/" is not an object`},
		{"hooks is false", `{"hooks":false}`, `"/hooks" is not an object`},
		{"event is an object", `{"hooks":{"Stop":{}}}`, `"/hooks/Stop" is not an array`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := merge(form{path: "/s.json"}, []byte(c.text), map[string]string{}, claudeHooks(Target{}), hookLine)
			if piton.CodeOf(err) != piton.Invalid || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v (%s), want invalid: %s", err, piton.CodeOf(err), c.says)
			}
		})
	}
}

// anyForm is settings as Claude Code has them.
var anyForm = form{path: "settings.json"}

func mustMerge(t tester, before []byte, empty map[string]string, wanted []hook, command string) []byte {
	t.Helper()
	after, err := merge(anyForm, before, empty, wanted, command)
	if err != nil {
		t.Fatalf("merge: %v\n%s", err, before)
	}
	return after
}

func mustUnmerge(t tester, before []byte, empty map[string]string) []byte {
	t.Helper()
	after, err := unmerge(anyForm, before, empty)
	if err != nil {
		t.Fatalf("unmerge: %v\n%s", err, before)
	}
	return after
}

func load(t testing.TB, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func golden(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(string(load(t, path)), string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

// tester is what rapid's T and testing's have in common.
type tester interface {
	Helper()
	Fatalf(format string, args ...any)
}
