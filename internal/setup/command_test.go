package setup

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
	"testing"
)

func TestHookProgram(t *testing.T) {
	for _, c := range []struct{ name, line, want string }{
		{"user scope", "'/opt/my bin/piton-hook' claude", "/opt/my bin/piton-hook"},
		{"project scope", claude.line(Target{Scope: Project}), "piton-hook"},
		{"quote in the path", claude.line(Target{Scope: User, Hook: "/it's/piton-hook"}), "/it's/piton-hook"},
		{"bare", "piton-hook claude", "piton-hook"},
		{"double quotes", `"/opt/a b/piton-hook" claude`, "/opt/a b/piton-hook"},
		{"escaped space", `/opt/a\ b/piton-hook claude`, "/opt/a b/piton-hook"},
		{"home", `$HOME/go/bin/piton-hook claude`, "$HOME/go/bin/piton-hook"},
		{"Windows", `'C:\go\piton-hook.exe' claude`, `C:\go\piton-hook.exe`},
		{"environment and redirection", "PITON_HOME=/x piton-hook claude 2> /dev/null", "piton-hook"},
		{"or true", "piton-hook claude || true", "piton-hook"},
		{"nothing", "", ""},
		{"another program", "my-piton-hook claude", ""},
		{"a folder of that name", "/piton-hook/run claude", ""},
		{"an argument", "echo piton-hook", ""},
		{"a word in quotes", "echo '; piton-hook claude'", ""},
		{"behind another program", "setup.sh && piton-hook claude", ""},
		{"before another program", "piton-hook claude | tee log", ""},
		{"question only", "command -v piton-hook", ""},
		{"substitution", "X=$(date) piton-hook claude", ""},
		{"a comment of another", "date # piton-hook", ""},
		{"unclosed quote", "'/opt/piton-hook", "/opt/piton-hook"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got, ok := hookProgram(c.line); got != c.want || ok != (c.want != "") {
				t.Errorf("hookProgram(%q): got %q, %v, want %q", c.line, got, ok, c.want)
			}
		})
	}
}

// A colleague without Piton sees and hears nothing; nor does anybody whose program has vanished.
func TestLineWithoutPiton(t *testing.T) {
	for _, c := range allOfThem {
		for _, tg := range []Target{{Scope: Project}, {Scope: User, Hook: "/nowhere/it's here/piton-hook"}} {
			cmd := exec.CommandContext(context.Background(), "/bin/sh", "-c", c.line(tg))
			cmd.Env = []string{"PATH=/nowhere"}
			if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
				t.Errorf("%s, %s: got %q, %v, want nothing", c.name, tg.Scope, out, err)
			}
			if !endsWell(c.line(tg)) || agentOf(c.line(tg)) != c.name {
				t.Errorf("%s, %s: doctor would find fault with %s", c.name, tg.Scope, c.line(tg))
			}
		}
	}
}

func TestGuarded(t *testing.T) {
	for _, c := range []struct {
		line string
		want bool
	}{
		{"piton-hook gemini", false},
		{"piton-hook gemini || :", true},
		{"piton-hook gemini || true", true},
		{"piton-hook gemini; exit 0", true},
		{"piton-hook gemini 2>/dev/null || : ;", true},
		{"command -v piton-hook && piton-hook gemini", false},
		{"piton-hook gemini || : && false", false},
		{"exec piton-hook gemini", false},
		{"", false},
	} {
		if got := endsWell(c.line); got != c.want {
			t.Errorf("guarded(%q): got %v, want %v", c.line, got, c.want)
		}
	}
}

// What the project's hook answers reaches the client; what it complains about does not.
func TestProjectCommandWithPiton(t *testing.T) {
	folder := t.TempDir()
	script(t, folder+"/piton-hook", "echo reply $1; echo noise >&2; exit 3")
	cmd := exec.CommandContext(context.Background(), "/bin/sh", "-c", claude.line(Target{Scope: Project}))
	cmd.Env = []string{"PATH=" + folder}
	if out, err := cmd.CombinedOutput(); err != nil || string(out) != "reply claude\n" {
		t.Errorf("got %q, %v, want %q", out, err, "reply claude\n")
	}
}

func FuzzHookProgram(f *testing.F) {
	for _, line := range []string{"", "'", "a\\", "piton-hook claude 2>&1", claude.line(Target{Scope: Project}), "$(`;|&<>", "\"\\"} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		if program, ok := hookProgram(line); ok && baseName(program) != hookName {
			t.Errorf("hookProgram(%q): got %q", line, program)
		}
		if program, ok := hookProgram(quote("/" + line + "/piton-hook")); !ok || program != "/"+line+"/piton-hook" {
			t.Errorf("quoted path %q: got %q, %v", line, program, ok)
		}
	})
}

// Strangers write settings: whatever they hold, either it is refused or every byte comes back.
func FuzzMerge(f *testing.F) {
	for _, text := range []string{"", "{}", "\xef\xbb\xbf{ }", `{"hooks":{"Stop":[]}}`, `{"a":"\ud800"}`, "{\"\xff\":1,\n \"b\":[{},[ ]]}", `[]`, `{"hooks":{"Stop":[{"hooks":[{}]}]},"hooks":{}}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, before []byte) {
		if before == nil {
			before = []byte{}
		}
		if found, err := parse(anyForm, before); err != nil || len(found) > 0 {
			return // refused, or installed already
		}
		empty := map[string]string{}
		after, err := merge(anyForm, before, empty, claudeHooks(Target{}), hookLine)
		if err != nil {
			return
		}
		if got := mustUnmerge(t, after, empty); !same(got, before) {
			t.Errorf("before %q, after %q", before, got)
		}
	})
}

// TestCommandWords: the words of each command of a line, without what only steers it.
func TestCommandWords(t *testing.T) {
	for line, want := range map[string]string{
		"a b":                   "[[a b]]",
		"a > out b 2>&1 c <in":  "[[a b c]]",
		"a 2> out; b":           "[[a] [b]]",
		"a >; b c":              "[[a] [b c]]",
		`"a \"b\" \c" d`:        `[[a "b" \c d]]`,
		`"a\\" "b`:              `[[a\ b]]`,
		`a "b\`:                 `[[a b\]]`,
		`a\ b '' c\`:            `[[a b  c\]]`,
		"X=1 Y=2 a X=3":         "[[a X=3]]",
		"1X=1 a":                "[[1X=1 a]]",
		"a && b || c | d & (e)": "[[a] [b] [c] [d] [e]]",
		"":                      "[]",
	} {
		if got := fmt.Sprint(simpleCommands(line)); got != want {
			t.Errorf("%s: got %s, want %s", line, got, want)
		}
	}
	for line, want := range map[string]string{"piton-hook": "", "date; /x/piton-hook gemini x": "gemini", "piton-hooks claude": "", `C:\x\piton-hook.exe codex`: ""} {
		if got := agentOf(line); got != want {
			t.Errorf("%s: got the client %q, want %q", line, got, want)
		}
	}
	long := strings.Repeat("é", 80)
	if a, b := quoteShort(long), quoteShort(long+"x"); a != `"`+long+`"` || b != `"`+long+`…"` {
		t.Errorf("got %s and %s, want 80 characters", a, b)
	}
	if a, b := Title("claude"), Title("none"); a != claude.Title || b != "none" {
		t.Errorf("got the titles %q and %q", a, b)
	}
	s := service("windows")
	if x := StateOfService(s); x != (ServiceState{Path: s.Path()}) {
		t.Errorf("got %+v of a system without services", x)
	}
	s = service("linux")
	s.User = t.TempDir()
	if x := StateOfService(s); x != (ServiceState{Path: s.Path()}) || x.Path == "" {
		t.Errorf("got %+v of no file", x)
	}
}
