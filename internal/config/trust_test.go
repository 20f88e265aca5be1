package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/config"
	"github.com/piton-project/piton/internal/judge/debrief"
	"github.com/piton-project/piton/internal/testkit/need"
)

const asking = `
debrief:
  mode: off
  agents: {claude: {mode: off}}
  verify: [make test]
  min_turn: 1s
  profiles: []
  tests: [make test]
  log_check: logs tail
  work_item: billing
  rules: [{name: x, include: ['**'], instruction: look}]
checkpoints: {enabled: false, delete_after: 1d, archive: /tmp/theirs}
store: sqlite:/tmp/theirs.db
`

// trustIn gives trust to the project's file of places, as 'piton trust' does.
func trustIn(t *testing.T, home string, p config.Places, repository string) {
	t.Helper()
	text, err := config.ProjectText(p.Project)
	if err != nil {
		t.Fatal(err)
	}
	all, err := config.LoadTrusts(home)
	if err != nil {
		t.Fatal(err)
	}
	if err := all.Give(home, config.ProjectPath(p.Project), repository, text, true, time.Date(2026, 5, 4, 9, 0, 0, 0, time.UTC)); err != nil {
		t.Fatal(err)
	}
}

func TestUntrustedFile(t *testing.T) {
	home := t.TempDir()
	c, p := layers{project: asking, env: map[string]string{"PITON_HOME": home}}.load(t)
	d := c.Debrief
	if d.ModeOf("claude") != debrief.ModeOn || len(d.Verify) > 0 || !c.Checkpoints.Enabled || c.Checkpoints.Archive != filepath.Join(home, "archive") || c.Store != "" {
		t.Errorf("got %+v, checkpoints %+v, store %q; want nothing that runs, sends or switches off", d, c.Checkpoints, c.Store)
	}
	if d.MinTurn != time.Second || len(d.Rules) != 1 || !d.Rules[0].Untrusted || d.LogCheck == "" || d.WorkItem != "" || len(d.Tests) > 0 || d.Profiles != nil || !d.LogCheckUntrusted {
		t.Errorf("got %+v, want what it asks for more, as an untrusted file's word", d)
	}
	if diff := cmp.Diff([]string{"debrief.mode", "debrief.agents.claude.mode", "debrief.verify", "debrief.profiles", "debrief.tests", "debrief.work_item", "checkpoints.enabled"}, c.Project.LeftOut); diff != "" || c.Project.Trusted {
		t.Errorf("left out for want of trust (want -, got +):\n%s", diff)
	}
	n := 0
	for _, err := range c.Problems {
		if errors.Is(err, config.ErrUntrusted) {
			n++
		}
	}
	if n != 7 || !strings.Contains(problems(c), "debrief.verify cannot be set by a project's file that is not trusted; look at it and run 'piton trust'") || !strings.Contains(problems(c), "store cannot be set by a project's file or for one project") {
		t.Errorf("got problems\n%s\nwant each named, with what to do", problems(c))
	}
	if c.Checkpoints.Prune != config.PruneDaily {
		t.Error("a stranger's file keeps the store from being pruned")
	}

	trustIn(t, home, p, "")
	p.Getenv = func(k string) string { return map[string]string{"PITON_HOME": home}[k] }
	c = config.Load(p)
	d = c.Debrief
	if d.LogCheckUntrusted || len(d.Tests) != 1 || d.Profiles == nil || d.WorkItem == "" || d.Mode != debrief.ModeOff || d.Agents["claude"] != debrief.ModeOff || len(d.Verify) != 1 || d.Rules[0].Untrusted || c.Checkpoints.Enabled || !c.Project.Trusted {
		t.Errorf("trusted: got %+v, checkpoints %+v; want all of it in force", d, c.Checkpoints)
	}
	if c.Store != "" || c.Checkpoints.Retention.DeleteAt != 30*day || c.Checkpoints.Archive != filepath.Join(home, "archive") {
		t.Errorf("trusted: got the store %q, %+v; want what is the same for all projects left alone", c.Store, c.Checkpoints)
	}

	change := func(more string) config.Config {
		if err := os.WriteFile(config.ProjectPath(p.Project), []byte(asking+more), 0o600); err != nil {
			t.Fatal(err)
		}
		return config.Load(p)
	}
	if c := change("# one more line\n"); c.Project.Trusted || !c.Project.Stood || len(c.Debrief.Rules) != 1 || c.Debrief.Mode != debrief.ModeOn || c.Debrief.Profiles != nil || !c.Checkpoints.Enabled {
		t.Errorf("changed: got %+v, want it untrusted again, and what it asked for more", c.Debrief)
	} else if diff := cmp.Diff([]debrief.Verify{{Run: "make test"}}, c.Debrief.Verify); diff != "" {
		t.Errorf("changed: commands to run (want those that were looked at -, got +):\n%s", diff)
	}
	if c := change(""); !c.Project.Trusted {
		t.Error("changed back: got untrusted, want the very text that was looked at to count")
	}
}

// What is asked for is read from the text that is shown, however it is written.
func TestAsksOf(t *testing.T) {
	getenv := func(string) string { return "" }
	for _, x := range []struct {
		name, text string
		want       config.Asks
	}{
		{"nothing", "debrief: {min_turn: 1s}\n", config.Asks{}},
		{"all", asking, config.Asks{Keys: []string{"debrief.mode", "debrief.agents.claude.mode", "debrief.verify", "debrief.profiles", "debrief.tests", "debrief.work_item", "checkpoints.enabled"}, Runs: []string{"make test"}}},
		{"written otherwise", "x: &x \"\\x74ouch a\"\n\"debrief.verify\": [*x, {run: b}]\n", config.Asks{Keys: []string{"debrief.verify"}, Runs: []string{"touch a", "b"}}},
		{"no YAML", "[", config.Asks{}},
		{"in UTF-16", "\xff\xfed\x00:\x00 \x001\x00", config.Asks{}},
	} {
		got, _ := config.AsksOf([]byte(x.text), getenv)
		if diff := cmp.Diff(x.want, got); diff != "" {
			t.Errorf("%s (want -, got +):\n%s", x.name, diff)
		}
	}
	if c, _ := (layers{project: "\xff\xfed\x00:\x00 \x001\x00"}).load(t); !strings.Contains(problems(c), "not UTF-8") {
		t.Errorf("UTF-16: got %q, want it refused", problems(c))
	}
}

func TestTrustIsForOnePlace(t *testing.T) {
	home := t.TempDir()
	env := map[string]string{"PITON_HOME": home}
	_, p := layers{project: asking, env: env}.load(t)
	trustIn(t, home, p, "/shop/.git")
	for name, c := range map[string]struct {
		repository string
		want       bool
	}{"another work tree of the repository": {"/shop/.git", true}, "a copy elsewhere": {"/other/.git", false}, "outside of any repository": {"", false}} {
		_, q := layers{project: asking, env: env}.load(t)
		q.Repository = func() string { return c.repository }
		if got := config.Load(q).Project.Trusted; got != c.want {
			t.Errorf("%s: got trusted %v, want %v", name, got, c.want)
		}
	}
}

func TestTrustFile(t *testing.T) {
	home := t.TempDir()
	_, p := layers{project: asking}.load(t)
	path := config.ProjectPath(p.Project)
	trustIn(t, home, p, "")
	for name, mode := range map[string]os.FileMode{"trust.json": 0o600, "trusted": 0o700 | os.ModeDir} {
		if info, err := os.Stat(filepath.Join(home, name)); err != nil || info.Mode() != mode {
			t.Errorf("%s: got %v, %v, want mode %v", name, info, err, mode)
		}
	}
	all, err := config.LoadTrusts(home)
	if err != nil {
		t.Fatal(err)
	}
	x, ok := all.Of(path)
	if before, kept := x.Before(home); !ok || !kept || string(before) != asking || x.At.String() != "2026-05-04T09:00:00.000Z" {
		t.Errorf("got %+v, %v and the text before %q", x, ok, before)
	}
	if done, err := all.Revoke(home, path, ""); !done || err != nil {
		t.Errorf("revoke: got %v, %v", done, err)
	}
	all, err = config.LoadTrusts(home)
	if copies, _ := os.ReadDir(filepath.Join(home, "trusted")); err != nil || len(all.Files) > 0 || len(copies) > 0 {
		t.Errorf("revoked: got %+v, %v, copies %v; want none left", all, err, copies)
	}
	if done, err := all.Revoke(home, path, ""); done || err != nil {
		t.Errorf("revoked again: got %v, %v, want nothing done", done, err)
	}

	if err := os.WriteFile(filepath.Join(home, "trust.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := config.LoadTrusts(home); piton.CodeOf(err) != piton.Invalid {
		t.Errorf("a broken file: got %v, want invalid", err)
	}
	p.Getenv = func(k string) string { return map[string]string{"PITON_HOME": home}[k] }
	if c := config.Load(p); c.Project.Trusted {
		t.Error("a broken file vouches for something")
	}
	if _, err := config.ProjectText(t.TempDir()); piton.CodeOf(err) != piton.NotFound {
		t.Errorf("no project's file: got %v, want not found", err)
	}
}

func TestWordsAboutAProject(t *testing.T) {
	for _, c := range []struct {
		name, entry string
		origin      string
		fits        bool
	}{
		{"its folder", "DIR/project", "", true},
		{"another folder", "DIR/other", "", false},
		{"the folder above", "DIR", "", false},
		{"all below a folder", "DIR/**", "", true},
		{"one level", "DIR/*", "", true},
		{"a slash at its end", "DIR/project/", "", true},
		{"through a link", "DIR/link", "", true},
		{"below home", "~/project", "", true},
		{"its origin", "github.com/ann/shop", "github.com/ann/shop", true},
		{"all of one owner", "github.com/ann/*", "github.com/ann/shop", true},
		{"another origin", "github.com/ann/shop", "github.com/bob/shop", false},
		{"no origin", "github.com/**", "", false},
	} {
		dir, err := filepath.EvalSymlinks(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		root := filepath.Join(dir, "project")
		if err := os.Mkdir(root, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(root, filepath.Join(dir, "link")); err != nil {
			need.Missing(t, err.Error())
		}
		write := func(path, text string) {
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		user := filepath.Join(dir, "config.yaml")
		entry := strings.ReplaceAll(c.entry, "DIR", dir)
		write(user, "debrief: {mode: audit, min_turn: 5s}\nprojects:\n  '"+entry+"':\n    debrief: {mode: off, verify: [make test]}\n    debrief.reply: context\n")
		write(config.ProjectPath(root), "debrief: {min_turn: 3s, reply: block}")
		got := config.Load(config.Places{UserFile: user, Project: root, Origin: func() string { return c.origin },
			Getenv: func(k string) string { return map[string]string{"HOME": dir, "PITON_DEBRIEF_ALL_CLEAR": "silent"}[k] }})
		mode, reply := debrief.ModeAudit, debrief.ReplyBlock
		if c.fits {
			mode, reply = debrief.ModeOff, debrief.ReplyContext
		}
		if d := got.Debrief; d.Mode != mode || d.Reply != reply || d.MinTurn != 3*time.Second || d.AllClear != debrief.AllClearSilent || len(d.Verify) > 0 != c.fits || len(got.Problems) > 0 {
			t.Errorf("%s: got %+v, problems %q; want mode %s, reply %s", c.name, d, problems(got), mode, reply)
		}
		if from := got.From["debrief.mode"]; c.fits && from != user+" (projects: "+entry+")" {
			t.Errorf("%s: got the mode from %s, want the entry named", c.name, from)
		}
	}
}

func TestSlipsInWordsAboutProjects(t *testing.T) {
	for _, c := range []struct{ yaml, problem string }{
		{"projects: {/elsewhere: {debrief: {mode: loud}}}", `(projects: /elsewhere): debrief.mode: "loud" is none of on, audit, off`},
		{"projects: {/elsewhere: {debrief: {min_trun: 5s}}}", "did you mean debrief.min_turn?"},
		{"projects: {/elsewhere: off}", "it wants keys with values, not a text"},
		{"projects: {/elsewhere: {store: x}}", "the same for all of them"},
		{"projects: {'https://github.com/ann/shop': {debrief: {mode: off}}}", "github.com/ann/shop"},
		{"projects: off", "projects holds projects"},
		{"projects: {/elsewhere: {projects: {a: {}}}}", "is for the user's file"},
	} {
		got, _ := layers{user: c.yaml}.load(t)
		if !strings.Contains(problems(got), c.problem) || len(got.Problems) != 1 || got.Checkpoints.Prune != config.PruneOff {
			t.Errorf("%s: got problems %q, want %q once", c.yaml, problems(got), c.problem)
		}
	}
	got, _ := layers{project: "projects: {a: {debrief: {mode: off}}}"}.load(t)
	if !strings.Contains(problems(got), "projects holds projects and is for the user's file") {
		t.Errorf("in a project's file: got problems %q", problems(got))
	}
}

// What a project's file may set without trust is what asks for more.
func TestUntrustedAsksForMore(t *testing.T) {
	const user = "debrief: {min_turn: 10s, reply: auto, all_clear: notice, hold_on_observations: true, profiles: [go], log_check: mine, work_item: mine, tests: [make mine], rules: [{name: Mine, include: ['**'], instruction: look, evidence: [x]}], verify: [mine]}\n"
	mine, _ := layers{user: user}.load(t)
	for _, c := range []struct {
		yaml string
		left string // the key that waits; "" for none
		want func(was, is debrief.Settings) bool
	}{
		{"min_turn: 999h", "debrief.min_turn", nil},
		{"min_turn: 11s", "debrief.min_turn", nil},
		{"min_turn: 9s", "", func(_, is debrief.Settings) bool { return is.MinTurn == 9*time.Second }},
		{"timer: activity", "debrief.timer", nil},
		{"timer: unified", "", nil},
		{"reply: context", "debrief.reply", nil},
		{"reply: block", "", func(_, is debrief.Settings) bool { return is.Reply == debrief.ReplyBlock }},
		{"all_clear: silent", "debrief.all_clear", nil},
		{"all_clear: message", "", func(_, is debrief.Settings) bool { return is.AllClear == debrief.AllClearMessage }},
		{"hold_on_observations: false", "debrief.hold_on_observations", nil},
		{"profiles: []", "debrief.profiles", nil},
		{"profiles: [docs]", "debrief.profiles", nil},
		{"profiles: [go, docs]", "debrief.profiles", nil},
		{"profiles: [go]", "", nil},
		{"log_check: theirs", "debrief.log_check", nil},
		{"log_check: mine", "", nil},
		{"work_item: theirs", "debrief.work_item", nil},
		{"tests: ['true']", "debrief.tests", nil},
		{"tests: [make mine, make theirs]", "debrief.tests", nil},
		{"tests: [make mine]", "", nil},
		{"rules: [{name: Go code, off: true}]", "debrief.rules", nil},
		{"rules: [{name: mine, off: true}]", "debrief.rules", nil},
		{"rules: [{name: Go code, include: [x]}]", "debrief.rules", func(was, is debrief.Settings) bool { return len(is.InForce()) == len(was.InForce())+1 }},
		{"rules: [{name: ' MINE ', include: [x]}]", "debrief.rules", func(was, is debrief.Settings) bool {
			return len(is.InForce()) == len(was.InForce())+1 && is.Rules[0].Name == "Mine"
		}},
		{"rules: [{name: docs, include: ['**']}]", "debrief.rules", func(was, is debrief.Settings) bool { return len(is.InForce()) == len(was.InForce())+1 }},
		{"rules: [{name: theirs, include: [x]}]", "", func(was, is debrief.Settings) bool { return len(is.InForce()) == len(was.InForce())+1 }},
		{"verify: [theirs]", "debrief.verify", nil},
		{"mode: audit", "debrief.mode", nil},
		{"mode: 'off'", "debrief.mode", nil},
		{"agents: {codex: {mode: off}}", "debrief.agents.codex.mode", nil},
		{"rules: [{<<: {name: Go code}, off: yes}]", "debrief.rules", nil},
	} {
		got, p := layers{user: user, project: "debrief:\n  " + c.yaml + "\n"}.load(t)
		if left := strings.Join(got.Project.LeftOut, " "); left != c.left || (left == "") != (got.Debrief.LeftOut == "") {
			t.Errorf("%s: got %q left out, want %q", c.yaml, left, c.left)
		}
		want := mine.Debrief
		want.LeftOut = got.Debrief.LeftOut
		if diff := cmp.Diff(want, got.Debrief); c.want == nil && diff != "" || c.want != nil && !c.want(mine.Debrief, got.Debrief) {
			t.Errorf("%s: settings (as without it -, got +):\n%s", c.yaml, diff)
		}
		if c.left != "" && !strings.Contains(problems(got), "'piton trust'") {
			t.Errorf("%s: got problems %q, want what to do", c.yaml, problems(got))
		}
		p.Getenv = func(string) string { return "" }
	}
}

// A file that changed in this turn counts as it stood, and as it reads now.
func TestChangedSettings(t *testing.T) {
	const strict = "debrief: {min_turn: 5s, hold_on_observations: true, verify: [make lint], log_check: logs, rules: [{name: a, include: ['**'], instruction: x, evidence: [y]}]}\n"
	home := t.TempDir()
	_, p := layers{project: strict, env: map[string]string{"PITON_HOME": home}}.load(t)
	trustIn(t, home, p, "")
	p.Getenv = func(k string) string { return map[string]string{"PITON_HOME": home}[k] }
	path := config.ProjectPath(p.Project)
	was := strict
	for _, c := range []struct {
		name, text string // "": removed
		was        *string
		rules      []string
		verify     int
	}{
		{"as it was trusted", strict, nil, []string{"a"}, 1},
		{"emptied", "# nothing\n", nil, []string{"a"}, 1},
		{"emptied, in this turn", "# nothing\n", &was, []string{"a"}, 1},
		{"removed in this turn", "", &was, []string{"a"}, 1},
		{"removed before", "", nil, nil, 0},
		{"with another rule", "debrief: {min_turn: 1h, mode: off, profiles: [], rules: [{name: b, include: [x]}]}\n", nil, []string{"a", "b"}, 1},
		{"broken", "debrief: [\n", nil, []string{"a"}, 1},
	} {
		if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		if c.text != "" {
			if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		p.Was = c.was
		got := config.Load(p)
		d := got.Debrief
		var names []string
		for _, r := range d.Rules {
			names = append(names, r.Name)
			if r.Untrusted != (r.Name == "b") {
				t.Errorf("%s: %s: got untrusted %v", c.name, r.Name, r.Untrusted)
			}
		}
		if diff := cmp.Diff(c.rules, names); diff != "" || len(d.Verify) != c.verify || d.HoldOnObservations != (c.verify > 0) || (d.MinTurn == 5*time.Second) != (c.verify > 0) || d.ModeOf("claude") != debrief.ModeOn {
			t.Errorf("%s: got %+v (rules want -, got +):\n%s", c.name, d, diff)
		}
	}
	// What was never trusted adds what it asked for, as an untrusted file's word.
	text := "debrief: {rules: [{name: c, include: ['**'], instruction: x, evidence: [y]}], tests: [just ci], min_turn: 99h}\n"
	got := config.Load(config.Places{Project: t.TempDir(), Getenv: func(string) string { return "" }, Was: &text})
	if d := got.Debrief; len(d.Rules) != 1 || !d.Rules[0].Untrusted || len(d.Tests) > 0 || d.MinTurn != 30*time.Second || len(got.Problems) > 0 {
		t.Errorf("got %+v, problems %q", d, problems(got))
	}
}
