package client

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestHooks: which hooks are needed for what, and how long each may run.
func TestHooks(t *testing.T) {
	t.Parallel()
	h := HookTable{
		Name: "piton", Stop: "Stop", Waiting: "Wait",
		Always:    []Hook{{Event: "Start"}, {Event: "Stop", Timeout: time.Minute}, {Event: "Wait"}},
		SomeTools: []Hook{{Event: "Tool", Matcher: "Edit"}},
		EveryTool: []Hook{{Event: "Tool"}},
	}
	const least = 10 * time.Second
	start, wait := Hook{"Start", "", least, "piton"}, Hook{"Wait", "", least, "piton"}
	stop := func(timeout time.Duration) Hook { return Hook{"Stop", "", timeout, "piton"} }
	for _, c := range []struct {
		needs Needs
		want  []Hook
	}{
		{Needs{}, []Hook{start, stop(time.Minute), wait, {"Tool", "Edit", least, "piton"}}},
		{Needs{EveryTool: true, NoTools: true}, []Hook{start, stop(time.Minute), wait, {"Tool", "", least, "piton"}}},
		{Needs{NoTools: true, Verify: time.Minute}, []Hook{start, stop(90 * time.Second)}},
		{Needs{NoTools: true, Verify: time.Second}, []Hook{start, stop(time.Minute)}},
		{Needs{NoTools: true, Verify: -time.Second}, []Hook{start, stop(time.Minute)}},
	} {
		if diff := cmp.Diff(c.want, h.List(c.needs)); diff != "" {
			t.Errorf("%+v: want (-), got (+):\n%s", c.needs, diff)
		}
	}
	if h.Always[0].Name != "" {
		t.Error("got a table that listing its hooks has changed")
	}
	h.Stop, h.Always[1].Timeout = "Stop", time.Nanosecond
	if got := h.List(Needs{NoTools: true})[1].Timeout; got != time.Nanosecond {
		t.Errorf("a stop with nothing to verify: got %s, want what the table says", got)
	}
}

// TestFolder: where a client keeps its own files.
func TestFolder(t *testing.T) {
	t.Parallel()
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	s := Settings{Variable: "CLIENT_HOME", Within: ".client", InHome: ".in-home"}
	for _, c := range []struct{ variable, home, want string }{
		{"/c", "/h", "/c/.client"},
		{"c", "/h", filepath.Join(here, "c/.client")},
		{"", "/h", "/h/.in-home"},
		{"", "", ""},
	} {
		env := map[string]string{"CLIENT_HOME": c.variable, "HOME": c.home}
		if got := s.Folder(func(name string) string { return env[name] }); got != c.want {
			t.Errorf("%+v: got %q", c, got)
		}
	}
}

// TestServerRules: of Piton's tools an agent may call those that take nothing away.
func TestServerRules(t *testing.T) {
	t.Parallel()
	if got := (Server{AllowRule: "x__"}).Rules(); got != nil {
		t.Errorf("a client without a list: got %q", got)
	}
	want := []string{"x__checkpoint_save", "x__checkpoint_load", "x__checkpoint_list", "x__checkpoint_inspect", "x__checkpoint_search", "x__checkpoint_diff", "x__undo_list", "x__undo_preview", "x__run_list", "x__run_show", "x__run_log", "x__run_waiting"}
	if diff := cmp.Diff(want, (Server{Allow: []string{"allow"}, AllowRule: "x__"}).Rules()); diff != "" {
		t.Errorf("want (-), got (+):\n%s", diff)
	}
}

func TestChecks(t *testing.T) {
	t.Parallel()
	got := []Check{Pass("a", "b"), Warn("a", "b", "c"), Fail("a", "b", (&Exam{Name: "codex"}).InitHint())}
	want := []Check{{Name: "a", OK: true, Detail: "b"}, {Name: "a", OK: true, Warn: true, Detail: "b", Hint: "c"}, {Name: "a", Detail: "b", Hint: "run 'piton init --agent codex'"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("want (-), got (+):\n%s", diff)
	}
}

// TestSetting: a later file overrules, if it says anything.
func TestSetting(t *testing.T) {
	t.Parallel()
	file := func(path, value string) SettingsFile {
		return SettingsFile{Path: path, Setting: func(names ...string) string { return map[string]string{"a": value}[names[0]] }}
	}
	x := Exam{Files: []SettingsFile{file("1", "one"), file("2", "two"), file("3", "")}}
	if value, from := x.Setting("a"); value != "two" || from != "2" {
		t.Errorf("got %q from %q, want two from 2", value, from)
	}
}

func TestRealPath(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(dir, dir+"/link"); err != nil {
		t.Skip(err)
	}
	for path, want := range map[string]string{dir + "/link": dir, dir + "/none/../x": dir + "/x"} {
		if got := RealPath(path); got != want {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
	}
}
