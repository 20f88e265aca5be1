package tmux

import (
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/proc"
)

// TestRead: what is a hint, by its colours, has spaces in its place.
func TestRead(t *testing.T) {
	for _, c := range []struct{ screen, lines, solid string }{
		{"plain  \nsecond\n", "plain|second", "plain|second"},
		{"\x1b[2mfaint\x1b[22mfirm", "faintfirm", "     firm"},
		{"\x1b[1;2mx\x1b[my", "xy", " y"},
		{"\x1b[2mone\ntwo\x1b[0m!", "one|two!", "|   !"},
		{"\x1b[90ma\x1b[39mb\x1b[90mc\x1b[30md\x1b[90me\x1b[37mf\x1b[90mg\x1b[91mh\x1b[90mi\x1b[97mj", "abcdefghij", " b d f h j"},
		{"\x1b[90ma\x1b[29mb\x1b[98mc\x1b[40md", "abcd", ""},
		{"\x1b[38;5;8ma\x1b[38;5;7mb\x1b[38;5;9mc\x1b[38;5;234md\x1b[38;5;235me\x1b[38;5;250mf\x1b[38;5;251mg", "abcdefg", " bcd  g"},
		{"\x1b[38;2;1;1;1ma\x1b[38;2;0;0;0mb\x1b[38;2;200;200;200mc\x1b[38;2;201;201;201md\x1b[38;2;1;2;1me\x1b[38;2;1;1;2mf", "abcdef", " b def"},
		{"\x1b[38:5:240ma\x1b[48;5;240mb\x1b[0;48;5;2mc\x1b[48;2;2;2;2md\x1b[38;5;1;2me\x1b[0;38;2;9;9;8;2mf", "abcdef", "  cd"},
		{"\x1b[38;9;2ma\x1b[38;5mb\x1b[38;2;5;5mc", "abc", "abc"},
		{"\x1b[48;5;240ma\x1b[90;48;5;1mb", "ab", "a"},
		{"a\x1b[5Cb\x07c\xffd\ufffde\x1b[2", "abcd\ufffde", "abcd\ufffde"},
	} {
		lines, solid := Read(c.screen)
		if got := [2]string{strings.Join(lines, "|"), strings.Join(solid, "|")}; got != [2]string{c.lines, c.solid} {
			t.Errorf("%q: got %q, want %q and %q", c.screen, got, c.lines, c.solid)
		}
	}
}

// asked is a tmux that answers what it is told to, and keeps what it was asked.
type asked struct {
	answers []any // a text, a proc.Result or an error, in turn; then nothing
	calls   []string
	env     []string
}

func (a *asked) run(_ context.Context, c proc.Command) (proc.Result, error) {
	a.calls = append(a.calls, strings.TrimSuffix(strings.Join(c.Argv[1:], " ")+" < "+string(c.Stdin), " < "))
	a.env = c.Env
	if len(a.answers) == 0 {
		return proc.Result{}, nil
	}
	now := a.answers[0]
	a.answers = a.answers[1:]
	switch now := now.(type) {
	case string:
		return proc.Result{Stdout: []byte(now)}, nil
	case error:
		return proc.Result{}, now
	}
	return now.(proc.Result), nil
}

// TestAsked: the commands that tmux is given.
func TestAsked(t *testing.T) {
	broken := errors.New("broken")
	for _, c := range []struct {
		name    string
		socket  string
		answers []any
		do      func(Server) (string, error)
		said    string
		fails   bool
		calls   []string
	}{
		{"a program in a pane", "/s", []any{"PATH=/a:/b\n"}, func(s Server) (string, error) {
			return "", s.Respawn(t.Context(), "%1", "/a#b", "", []string{"A=it's", "TERM=x"}, []string{"prog", "x y"})
		}, "", false, []string{"-S /s -N show-environment -g PATH", `-S /s -N source-file - < 'respawn-pane' '-k' '-t' '%1' '-c' '/a##b' '-e' 'A=it'\''s' '--' 'prog' 'x y'` + "\n"}},
		{"with a PATH", "/s", nil, func(s Server) (string, error) {
			return "", s.Respawn(t.Context(), "%1", "", "/bin", nil, []string{"prog"})
		},
			"", false, []string{"-S /s -N source-file - < 'respawn-pane' '-k' '-t' '%1' '--' 'prog'\n"}},
		{"without an answer", "/s", []any{broken}, func(s Server) (string, error) { return "", s.Respawn(t.Context(), "%1", "", "", nil, []string{"prog"}) },
			"", true, []string{"-S /s -N show-environment -g PATH"}},
		{"in a new window", "/s", []any{"%5\n"}, func(s Server) (string, error) { return s.Open(t.Context(), "", nil, []string{"prog"}) },
			"%5", false, []string{"-S /s -N source-file - < 'new-window' '-P' '-F' '#{pane_id}' '--' 'prog'\n"}},
		{"in a new session", "", []any{"%0\n"}, func(s Server) (string, error) { return s.Open(t.Context(), "", nil, []string{"prog"}) },
			"%0", false, []string{"start-server ; source-file - < 'new-session' '-d' '-P' '-F' '#{pane_id}' '--' 'prog'\n"}},
		{"kept open", "/s", []any{"off\n"}, func(s Server) (string, error) { return s.KeepOpen(t.Context(), "%1") },
			"off", false, []string{"-S /s -N show-options -p -v -q -t %1 remain-on-exit", "-S /s -N set-option -p -t %1 remain-on-exit on"}},
		{"not kept open", "/s", []any{broken}, func(s Server) (string, error) { return s.KeepOpen(t.Context(), "%1") },
			"", true, []string{"-S /s -N show-options -p -v -q -t %1 remain-on-exit"}},
		{"as it was", "/s", nil, func(s Server) (string, error) { return "", s.StopKeeping(t.Context(), "%1", "off") },
			"", false, []string{"-S /s -N set-option -p -t %1 remain-on-exit off"}},
		{"as it was, unset", "/s", nil, func(s Server) (string, error) { return "", s.StopKeeping(t.Context(), "%1", "") },
			"", false, []string{"-S /s -N set-option -p -u -t %1 remain-on-exit"}},
		{"a paste that cannot begin", "/s", []any{broken}, func(s Server) (string, error) {
			_, err := s.Paste(t.Context(), Pane{ID: "%1"}, "x")
			return "", err
		}, "", true, []string{"-S /s -N load-buffer -b piton1 - < x"}},
	} {
		a := &asked{answers: c.answers}
		said, err := c.do(Server{Socket: c.socket, Run: a.run})
		if said != c.said || (err != nil) != c.fails || !slices.Equal(a.calls, c.calls) {
			t.Errorf("%s: got %q, %v and the calls %q, want %q and %q", c.name, said, err, a.calls, c.said, c.calls)
		}
		if want := map[string]string{"a program in a pane": "PATH=/a:/b", "with a PATH": "PATH=/bin"}[c.name]; want != "" && a.env[len(a.env)-1] != want {
			t.Errorf("%s: got %q, want %s", c.name, a.env[len(a.env)-1], want)
		}
	}
}

// TestAnswers: what a pane is by what tmux says of it.
func TestAnswers(t *testing.T) {
	const said = "7 %3 42 0 0 0 0 5 6 1 80 24 a title\n/s\n/a\nb\n"
	var want Pane
	for _, c := range []struct{ name, of, by, unsafe, refused string }{
		{"a pane", "", "", "", ""},
		{"a dead one", "42 0", "42 1", "", ""},
		{"in copy mode", "0 0 0 5", "1 0 0 5", "the pane is in copy mode", ""},
		{"synchronized", "0 0 0 5", "0 1 0 5", "the pane is synchronized with others", ""},
		{"input is off", "0 0 0 5", "0 0 1 5", "input to the pane is off", ""},
		{"another pane", "%3", "%4", "", "tmux: no pane %3"},
		{"no process", "42", "0", "", "tmux: no pane %3"},
		{"no server's process", "7 %3", "x %3", "", "tmux: no pane %3"},
		{"no title", " a title", "", "", "tmux: no pane %3"},
		{"no folder", "/s\n/a\nb\n", "/s\n", "", "tmux: no pane %3"},
	} {
		a := &asked{answers: []any{strings.Replace(said, c.of, c.by, 1), "\x1b[2mx\x1b[0my\n"}}
		p, err := Server{Run: a.run}.Look(t.Context(), "%3")
		if c.refused != "" {
			if err == nil || err.Error() != c.refused {
				t.Errorf("%s: got %+v, %v, want %s", c.name, p, err, c.refused)
			}
			continue
		}
		if err != nil || p.Unsafe != c.unsafe || p.Dead != (c.name == "a dead one") || p.ServerPID != 7 || p.PID != 42 || p.Column != 5 || p.Row != 6 || p.Width != 80 ||
			p.Title != "a title" || p.Socket != "/s" || p.Dir != "/a\nb" || !slices.Equal(p.Lines, []string{"xy"}) || !slices.Equal(p.Solid, []string{" y"}) {
			t.Errorf("%s: got %+v, %v", c.name, p, err)
		}
		if want.ID == "" {
			want = p
		}
		if other := p; !p.Same(other) || p.Same(want) != (c.of == "") {
			t.Errorf("%s: got it the same: %t", c.name, p.Same(want))
		}
	}
	moved := want
	if moved.Lines = []string{"z"}; moved.Same(want) {
		t.Error("got another text the same")
	}
	for name, x := range map[string]struct {
		answer any
		code   piton.Code
		text   string
	}{
		"no tmux":     {exec.ErrNotFound, piton.Unavailable, "ask tmux"},
		"no answer":   {proc.Result{TimedOut: true}, piton.Unavailable, "it did not answer in 10s"},
		"an error":    {errors.New("broken"), piton.CodeOf(errors.New("broken")), "broken"},
		"its refusal": {proc.Result{Code: 1, Stderr: []byte(" no\x07 server\n")}, piton.CodeOf(errors.New("x")), "tmux: no"},
	} {
		for _, before := range [][]any{nil, {said}} { // at the first question, and at the screen
			a := &asked{answers: append(slices.Clone(before), x.answer)}
			if p, err := (Server{Run: a.run}).Look(t.Context(), "%3"); err == nil || piton.CodeOf(err) != x.code || !strings.Contains(err.Error(), x.text) || p.ID != "" {
				t.Errorf("%s: got %+v, %v, want %s", name, p, err, x.text)
			}
		}
	}
}

func TestNames(t *testing.T) {
	for id, want := range map[string]bool{"%0": true, "%123456789": true, "%1234567890": false, "%": false, "0": false, "%1;": false, "%-1": false, "": false} {
		if got := IsPane(id); got != want {
			t.Errorf("%q: got a pane %t", id, got)
		}
	}
	for text, want := range map[string]string{"a": "a", "a;": `a\;`, ";": `\;`, "a;b": "a;b", "": ""} {
		if got := literal(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	socket, pane := Around(func(name string) string { return map[string]string{"TMUX": "/tmp/s,12,0", "TMUX_PANE": "%4"}[name] })
	if none, no := Around(func(string) string { return "" }); socket != "/tmp/s" || pane != "%4" || none != "" || no != "" {
		t.Errorf("got %q, %q around, and %q, %q around nothing", socket, pane, none, no)
	}
	if os.Getuid() != 0 {
		return
	}
	dir, err := os.MkdirTemp("", "tmux") // a socket's path is short
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := os.Lchown(path, 1234, 1234); err != nil {
		t.Fatal(err)
	}
	a := &asked{}
	if _, err := (Server{Socket: path, Run: a.run}).Look(t.Context(), "%3"); err == nil || !strings.Contains(err.Error(), "belongs to another user") || len(a.calls) > 0 {
		t.Errorf("another user's server: got %v and %q asked", err, a.calls)
	}
}
