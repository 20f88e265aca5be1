package config_test

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/config"
	"github.com/piton-project/piton/internal/judge/debrief"
	"github.com/piton-project/piton/internal/testkit/need"
)

// places holds the layers' texts; empty: no such file.
type layers struct {
	user, project string
	env           map[string]string
}

func (l layers) load(t testing.TB) (config.Config, config.Places) {
	t.Helper()
	dir := t.TempDir()
	p := config.Places{UserFile: filepath.Join(dir, "user", "config.yaml"), Project: filepath.Join(dir, "project"), Getenv: func(k string) string { return l.env[k] }}
	for path, text := range map[string]string{p.UserFile: l.user, filepath.Join(p.Project, ".piton.yaml"): l.project} {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if text == "" {
			continue
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return config.Load(p), p
}

func problems(c config.Config) string {
	var list []string
	for _, err := range c.Problems {
		list = append(list, err.Error())
	}
	return strings.Join(list, "\n")
}

func TestLayers(t *testing.T) {
	c, p := layers{
		user:    "debrief:\n  mode: audit\n  min_turn: 30s\n  reply: context\n  all_clear: silent\nstore: sqlite:/tmp/u.db\n",
		project: "debrief:\n  min_turn: 20s\n  reply: block\n",
		env:     map[string]string{"PITON_DEBRIEF_REPLY": "auto"},
	}.load(t)
	want := debrief.DefaultSettings()
	want.Mode, want.MinTurn, want.Reply, want.AllClear = debrief.ModeAudit, 20*time.Second, debrief.ReplyAuto, debrief.AllClearSilent
	if diff := cmp.Diff(want, c.Debrief); diff != "" || c.Store != "sqlite:/tmp/u.db" || len(c.Problems) > 0 {
		t.Errorf("got the store %q, problems %q, settings (want -, got +):\n%s", c.Store, problems(c), diff)
	}
	project := filepath.Join(p.Project, ".piton.yaml")
	from := map[string]string{"debrief.mode": p.UserFile, "debrief.min_turn": project, "debrief.reply": "PITON_DEBRIEF_REPLY", "debrief.all_clear": p.UserFile, "store": p.UserFile}
	if diff := cmp.Diff(from, c.From); diff != "" {
		t.Errorf("where values come from (want -, got +):\n%s", diff)
	}
}

func TestNothingIsSet(t *testing.T) {
	for name, l := range map[string]layers{
		"no files":               {},
		"empty files":            {user: "\n", project: "  \n\n"},
		"comments only":          {user: "# nothing yet\n", project: "---\n# nothing\n"},
		"keys without values":    {user: "debrief:\n  mode:\nstore:\n"},
		"an empty map":           {project: "debrief: {}\n"},
		"empty variables":        {env: map[string]string{"PITON_STORE": "", "PITON_DEBRIEF_MODE": ""}},
		"a second document":      {user: "---\n...\n---\ndebrief:\n  mode: off\n"},
		"a key of another's own": {env: map[string]string{"PITON_HOME": "/x", "PITON_UNHEARD_OF": "1"}},
	} {
		c, _ := l.load(t)
		if diff := cmp.Diff(debrief.DefaultSettings(), c.Debrief); diff != "" || c.Store != "" || len(c.Problems) > 0 || len(c.From) > 0 {
			t.Errorf("%s: got the store %q, problems %q, settings (want -, got +):\n%s", name, c.Store, problems(c), diff)
		}
	}
}

func TestEveryKeyHasAVariable(t *testing.T) {
	for name, c := range map[string]struct {
		value string
		want  func(c config.Config) bool
	}{
		"PITON_DEBRIEF_MODE":                 {"off", func(c config.Config) bool { return c.Debrief.Mode == debrief.ModeOff }},
		"PITON_DEBRIEF_MIN_TURN":             {"0s", func(c config.Config) bool { return c.Debrief.MinTurn == 0 }},
		"PITON_DEBRIEF_TIMER":                {"activity", func(c config.Config) bool { return c.Debrief.Timer == agent.TimerActivity }},
		"PITON_DEBRIEF_REPLY":                {"context", func(c config.Config) bool { return c.Debrief.Reply == debrief.ReplyContext }},
		"PITON_DEBRIEF_ALL_CLEAR":            {"message", func(c config.Config) bool { return c.Debrief.AllClear == debrief.AllClearMessage }},
		"PITON_DEBRIEF_HOLD_ON_OBSERVATIONS": {"true", func(c config.Config) bool { return c.Debrief.HoldOnObservations }},
		"PITON_STORE":                        {"sqlite:/x.db", func(c config.Config) bool { return c.Store == "sqlite:/x.db" }},
	} {
		got, _ := layers{user: "debrief:\n  mode: audit\n", env: map[string]string{name: c.value}}.load(t)
		if !c.want(got) || len(got.Problems) > 0 {
			t.Errorf("%s=%s: got %+v, problems %q; want it in force", name, c.value, got, problems(got))
		}
	}
}

func TestValues(t *testing.T) {
	for _, c := range []struct {
		name, yaml, problem string
		want                func(s debrief.Settings) bool
	}{
		{"on without quotes is a word", "debrief: {mode: on}", "", func(s debrief.Settings) bool { return s.Mode == debrief.ModeOn }},
		{"off without quotes is a word", "debrief: {mode: off}", "", func(s debrief.Settings) bool { return s.Mode == debrief.ModeOff }},
		{"dotted names", "debrief.mode: audit", "", func(s debrief.Settings) bool { return s.Mode == debrief.ModeAudit }},
		{"minutes", "debrief: {min_turn: 2m}", "", func(s debrief.Settings) bool { return s.MinTurn == 2*time.Minute }},
		{"a number of seconds", "debrief: {min_turn: 45}", "", func(s debrief.Settings) bool { return s.MinTurn == 45*time.Second }},
		{"days", "debrief: {min_turn: 1d}", "", func(s debrief.Settings) bool { return s.MinTurn == 24*time.Hour }},
		{"days without a number", "debrief: {min_turn: dd}", "not a duration such as 90s", unchanged},
		{"none", "debrief: {min_turn: 0}", "", func(s debrief.Settings) bool { return s.MinTurn == 0 }},
		{"a negative duration", "debrief: {min_turn: -5s}", "is not a duration", unchanged},
		{"more seconds than there are", "debrief: {min_turn: 99999999999999}", "not a duration", unchanged},
		{"half a second in words", "debrief: {min_turn: soon}", "not a duration such as 90s", unchanged},
		{"yes", "debrief: {hold_on_observations: yes}", "", func(s debrief.Settings) bool { return s.HoldOnObservations }},
		{"on", "debrief: {hold_on_observations: on}", "", func(s debrief.Settings) bool { return s.HoldOnObservations }},
		{"true", "debrief: {hold_on_observations: true}", "", func(s debrief.Settings) bool { return s.HoldOnObservations }},
		{"perhaps", "debrief: {hold_on_observations: perhaps}", "neither true nor false", unchanged},
		{"a mode that is none", "debrief: {mode: loud}", `"loud" is none of on, audit, off`, unchanged},
		{"a list", "debrief: {mode: [on]}", "debrief.mode: it wants one value, not a list", unchanged},
		{"keys for a value", "debrief: {mode: {on: yes}}", "debrief.mode: it wants one value, not keys with values", unchanged},
		{"an empty map for a value", "debrief: {reply: {}}", "debrief.reply: it wants one value, not keys with values", unchanged},
		{"an unknown key without a value", "colour:", `unknown key "colour"`, unchanged},
		{"a group without keys", "debrief: {agents: {claude: {}}, min_turn: }", "", unchanged},
		{"a mode as some YAML reads it", "debrief: {mode: false}", "", func(s debrief.Settings) bool { return s.Mode == "off" }},
		{"a value for keys", "debrief: on", "debrief holds keys, not a text", unchanged},
		{"a key that was misspelt", "debrief: {min-turm: 5s}", "did you mean debrief.min_turn?", unchanged},
		{"a key at the wrong place", "min_turn: 5s", "did you mean debrief.min_turn?", unchanged},
		{"a key that is none", "colour: red", `unknown key "colour"`, unchanged},
		{"one bad value leaves the others", "debrief: {mode: loud, min_turn: 1s}", "loud", func(s debrief.Settings) bool { return s.MinTurn == time.Second }},
		{"broken YAML", "debrief: {mode: on", "did not find expected", unchanged},
		{"a list of nothing", "- a\n- b", "wants keys with values, not a list", unchanged},
		{"a word", "on", "wants keys with values, not a text", unchanged},
		{"numbers as keys", "1: 2", "", unchanged},
		{"a tab", "debrief:\n\tmode: off", "with blanks, not with tabs", unchanged},
		{"a line further left than the first", " debrief:\n   mode: off\nstore: x", "is every line indented as", unchanged},
		{"broken behind the first document", " debrief:\n   mode: off\nstore: [", "did not find expected", unchanged},
		{"an end mark", "debrief: {mode: audit}\n...\n---\n", "", func(s debrief.Settings) bool { return s.Mode == "audit" }},
		{"the same key twice", "store: a\nstore: b", "already defined", unchanged},
		{"no text", "\x00\xff", "", unchanged},
	} {
		got, _ := layers{user: c.yaml}.load(t)
		if !c.want(got.Debrief) || (c.problem == "") != (len(got.Problems) == 0) && c.name != "numbers as keys" && c.name != "no text" || !strings.Contains(problems(got), c.problem) {
			t.Errorf("%s: got %+v and problems %q, want %q", c.name, got.Debrief, problems(got), c.problem)
		}
		for _, err := range got.Problems {
			if piton.CodeOf(err) != piton.Invalid {
				t.Errorf("%s: got %v, want code invalid", c.name, err)
			}
		}
	}
}

func unchanged(s debrief.Settings) bool { return reflect.DeepEqual(s, debrief.DefaultSettings()) }

func TestProjectFile(t *testing.T) {
	for key, value := range map[string]string{"debrief.mode": "off", "store": "sqlite:/tmp/theirs.db"} {
		c, _ := layers{project: key + ": " + value}.load(t)
		c.Debrief.LeftOut = ""
		if !unchanged(c.Debrief) || c.Store != "" || !strings.Contains(problems(c), key+" cannot be set by a project's file") {
			t.Errorf("%s: got %+v, store %q, problems %q; want it refused", key, c.Debrief, c.Store, problems(c))
		}
	}
	for key, value := range map[string]string{"debrief.min_turn": "1s", "debrief.reply": "block", "debrief.all_clear": "message", "debrief.hold_on_observations": "true"} {
		c, _ := layers{project: key + ": " + value}.load(t)
		if unchanged(c.Debrief) || len(c.Problems) > 0 {
			t.Errorf("%s: got %+v, problems %q; want it in force", key, c.Debrief, problems(c))
		}
	}
	t.Run("its problems come last", func(t *testing.T) {
		c, _ := layers{user: "a1: 1\nb1: 1", project: "p1: 1\np2: 1", env: map[string]string{"PITON_DEBRIEF_MODE": "loud"}}.load(t)
		var order []string
		for _, err := range c.Problems {
			for _, key := range []string{"a1", "b1", "debrief.mode", "p1", "p2"} {
				if strings.Contains(err.Error(), key) {
					order = append(order, key)
				}
			}
		}
		if diff := cmp.Diff([]string{"a1", "b1", "debrief.mode", "p1", "p2"}, order); diff != "" {
			t.Errorf("order (want -, got +):\n%s", diff)
		}
	})
	t.Run("no project", func(t *testing.T) {
		if c := config.Load(config.Places{Getenv: func(string) string { return "" }}); len(c.Problems) > 0 {
			t.Errorf("got %q, want no problem", problems(c))
		}
	})
}

func TestOddFiles(t *testing.T) {
	for name, make := range map[string]func(path string) error{
		"a folder": func(p string) error { return os.Mkdir(p, 0o700) },
		"a pipe":   func(p string) error { return syscall.Mkfifo(p, 0o600) },
		"too large": func(p string) error {
			return os.WriteFile(p, []byte("# "+strings.Repeat("x", 1<<20)), 0o600)
		},
	} {
		dir := t.TempDir()
		if err := make(filepath.Join(dir, ".piton.yaml")); err != nil {
			t.Fatal(err)
		}
		c := config.Load(config.Places{Project: dir, Getenv: func(string) string { return "" }})
		if !unchanged(c.Debrief) || !strings.Contains(problems(c), "not a regular file") {
			t.Errorf("%s: got %q, want it left alone", name, problems(c))
		}
	}
	for _, x := range []struct{ name, text, want string }{
		{"many keys in one map", repeated("k%d: 1\n", 60_000), "more than"},
		{"many rules", "debrief:\n  rules:\n" + repeated("  - {name: r%d, include: [a], instruction: b}\n", 15_000), "more than"},
		{"a long name", "debrief:\n  " + strings.Repeat("k", 1000) + ": 1\n", "(1008 bytes)"},
	} {
		c, _ := layers{project: x.text}.load(t)
		if got := problems(c); !unchanged(c.Debrief) || !strings.Contains(got, x.want) || len(got) > 1000 {
			t.Errorf("%s: got %.1000q, want it left alone and %q", x.name, got, x.want)
		}
	}
	if c, _ := (layers{user: "debrief:\n  tests:\n" + repeated("    - make t%d\n", 300)}).load(t); len(c.Debrief.Tests) != 200 || !strings.Contains(problems(c), "at most 200") {
		t.Errorf("many tests: got %d and %q, want the first 200", len(c.Debrief.Tests), problems(c))
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if c := config.Load(config.Places{Project: file, Getenv: func(string) string { return "" }}); len(c.Problems) > 0 {
		t.Errorf("a project that is a file: got %q, want no problem", problems(c))
	}
}

// A link in a cloned project may lead to a file that a kernel makes up for as
// long as somebody reads it.
func TestEndlessFile(t *testing.T) {
	const endless = "/proc/self/pagemap"
	if info, err := os.Stat(endless); err != nil || !info.Mode().IsRegular() {
		need.Missing(t, "no "+endless)
	}
	dir := t.TempDir()
	if err := os.Symlink(endless, filepath.Join(dir, ".piton.yaml")); err != nil {
		t.Fatal(err)
	}
	if c := config.Load(config.Places{Project: dir, Getenv: func(string) string { return "" }}); !unchanged(c.Debrief) {
		t.Errorf("got %+v, want nothing set", c.Debrief)
	}
}

func repeated(format string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

func FuzzLoad(f *testing.F) {
	for _, s := range []string{"", "debrief: {mode: on}", "debrief:\n  min_turn: 5s", "a: &a [*a]", "? {}\n: x", "- - - -", "%YAML 9", "!!binary x", "checkpoints: {warm: 3, delete_after: 4d}", "agent: {checkpoints: {pruneAfterDays: 3}}",
		daemon, asking, "debrief: {rules: [{name: x, include: {}}], verify: [{run: [x]}], tests: {a: b}}", "x: &t {tests: [a]}\ndebrief: {<<: [*t, *t]}", "projects: {/a: {debrief: {mode: off}}, b: {c: [d]}}"} {
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, user, project string) {
		c, _ := layers{user: user, project: project}.load(t)
		if c.Debrief.MinTurn < 0 || c.From["debrief.mode"] == "" && c.Debrief.Mode != debrief.ModeOn {
			t.Errorf("got %+v from %v", c.Debrief, c.From)
		}
		if r := c.Checkpoints.Retention; min(r.Warm, r.NamedCap, r.OpenCap, r.PerSession) < 0 || min(r.WarmFor, r.DeleteAt, r.OpenFor) < 0 || c.Checkpoints.Archive == "" {
			t.Errorf("got %+v", c.Checkpoints)
		}
		for _, err := range c.Problems {
			if piton.CodeOf(err) != piton.Invalid {
				t.Errorf("got %v, want code invalid", err)
			}
		}
	})
}

func TestInKeepsTheUsersFileAsItWasRead(t *testing.T) {
	for name, user := range map[string]string{"good": "debrief: {mode: audit}\n", "bad": "debrief: [\n"} {
		t.Run(name, func(t *testing.T) {
			_, p := layers{user: user, project: "debrief: {min_turn: 20s}\n"}.load(t)
			all := p
			p.Project = ""
			c := config.Load(p)
			if err := os.Remove(p.UserFile); err != nil {
				t.Fatal(err)
			}
			got := c.In(all)
			if want := user == "debrief: {mode: audit}\n"; (got.Debrief.Mode == debrief.ModeAudit) != want || got.Unread == want || (len(got.Problems) == 0) != want {
				t.Errorf("got the mode %s, unread %t, problems %s", got.Debrief.Mode, got.Unread, problems(got))
			}
			if got.Debrief.MinTurn != 20*time.Second {
				t.Errorf("got %s, want the project's file read", got.Debrief.MinTurn)
			}
		})
	}
}
