package pane

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/proc"
)

// dies ends the client as something other than a restart does.
func dies(how func(pid int)) func(x *stage) {
	return func(x *stage) {
		v, _, _ := look(x.Context(), "codex", *x.session.Pane)
		how(v.client.PID)
		x.until("the client's end", func() bool {
			v, _, _ := look(x.Context(), "codex", *x.session.Pane)
			return v.client.PID == 0
		})
	}
}

// leaves has the client leave something on the screen, or ask the terminal something, and
// end with the answer unread.
func leaves(text string) func(x *stage) {
	return func(x *stage) { must(x, os.WriteFile(filepath.Join(x.dir, "leaves"), []byte(text), 0o600)) }
}

// keys are typed when the client has ended.
func keys(names ...string) func(x *stage) {
	return func(x *stage) {
		dies(endIt)(x)
		time.Sleep(between) // the shell shows its prompt
		x.tmux(append([]string{"send-keys", "-t", x.pane}, names...)...)
	}
}

func killIt(pid int) {
	if p, err := os.FindProcess(pid); err == nil {
		_ = p.Kill()
	}
}

func endIt(pid int) {
	id, _ := proc.Identify(pid)
	proc.EndTree(context.Background(), id, time.Second, time.Second)
}

// TestRestartFromAShell: a client that a person has started from a shell is started again
// from that shell, once, in the folder and with the conversations that it had.
func TestRestartFromAShell(t *testing.T) {
	nothing := func(*stage) {}
	bash, vi, dash := []string{"bash", "--norc", "--noprofile", "-i"}, []string{"bash", "--norc", "--noprofile", "-o", "vi", "-i"}, []string{"dash", "-i"}
	for _, c := range []struct {
		name   string
		shell  []string
		types  string
		before func(x *stage)
		starts string // beside the first; "": the client's own resume; "none": an error says why
	}{
		{"bash", bash, "codex first", nothing, ""},
		{"bash in vi mode", vi, "codex first", nothing, ""},
		{"dash", dash, "codex first", nothing, ""},
		{"a prompt of two lines with the time", bash, `PS1='\w \t\n$ '; codex first`, nothing, ""},
		{"a prompt as wide as the pane", bash, `PS1="$(printf '%155s' x)$ "; codex first`, nothing, ""},
		{"an empty prompt", bash, `PS1=; codex first`, nothing, ""},
		{"an alias", bash, "alias cx=codex; eval 'cx first'", nothing, ""},
		{"a variable before it", bash, "MODE=x codex first", nothing, ""},
		{"env before it", bash, "env MODE=x codex first", nothing, ""},
		{"its own folder of conversations", bash, "CODEX_HOME=\"$PWD/it's mine\" codex first", nothing, ""},
		{"another folder, below a shell of its own", bash, "(cd / && codex first)", nothing, ""},
		{"a folder before it", bash, "cd / && codex first", nothing, ""},
		{"something behind it", bash, "codex first; echo ended", nothing, ""},
		{"a job behind the shell", bash, "sleep 100 & codex first", nothing, ""},
		{"a script", bash, "sh -c 'codex first; true'", nothing, ""},
		{"a loop that starts it again", bash, "while codex first; do :; done", nothing, "none"},
		{"a question to the terminal, not read", bash, "codex first", leaves("\x1b[c\x1b[>c\x1b[>q\x1b]11;?\x1b\\\x1b]10;?\x1b\\"), ""},
		{"the same in dash", dash, "codex first", leaves("\x1b[c\x1b[>c\x1b[6n\x1b]11;?\x1b\\"), ""},
		{"the same in vi mode", vi, "codex first", leaves("\x1b[c\x1b[>c\x1b[6n\x1b]11;?\x1b\\"), ""},
		{"a screen that is left as it was", bash, "codex first", leaves(strings.Repeat("▀", 158) + "\r\n" + strings.Repeat("▀", 158) + "\r"), ""},
		{"a title that is left", bash, "codex first", leaves("\x1b]2;⠙ at work\x1b\\"), ""},
		{"typed ahead", bash, "codex first", keys("-l", "touch harmed; "), ""},
		{"a command that goes on over lines", bash, "codex first", keys("for x in 1 2; do", "Enter", "touch harmed"), ""},
		{"an open quote", dash, "codex first", keys("touch harmed '", "Enter", "x"), ""},
		{"a search in the history", bash, "codex first", keys("C-r", "c", "o"), ""},
		{"killed", bash, "codex first", dies(killIt), ""},
		{"killed, and its shell does not put the terminal right", dash, "codex first", dies(killIt), "none"},
		{"ended by the end of its input", bash, "codex first", dies(endIt), ""},
		{"another program in its place", bash, "codex first", keys("sleep 100", "Enter"), "none"},
		{"the pane in copy mode", bash, "codex first", func(x *stage) { x.tmux("copy-mode", "-t", x.pane) }, "none"},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := stageIn(t, c.types, c.shell...)
			x.attach()
			v, _, why := look(t.Context(), "codex", *x.session.Pane)
			if why != "" {
				t.Fatal(why)
			}
			old, home := v.Dir, proc.Getenv(v.client.PID, "CODEX_HOME")
			c.before(x)
			time.Sleep(between)
			_, err := x.Restart(t.Context(), x.session, nil, []int{os.Getpid()})
			if c.starts == "none" {
				if code := piton.CodeOf(err); err == nil || code != piton.Unavailable && code != piton.Conflict {
					t.Errorf("got %v, want an error that says why", err)
				}
				return
			}
			if err != nil {
				t.Fatalf("%v; the screen:\n%s", err, x.tmux("capture-pane", "-p", "-t", x.pane))
			}
			x.until("the client to run again", func() bool { return strings.Count(x.file("started"), "\n") >= 1 })
			if got := x.file("started"); got != "first\nresume 0192-abc" {
				t.Errorf("got the starts %q, want the client's own resume", got)
			}
			now, _, why := look(t.Context(), "codex", *x.now().Pane)
			if why != "" || now.PID != v.PID {
				t.Errorf("got the shell %d (%s), want it to be %d as before", now.PID, why, v.PID)
			}
			if v.client.PID != 0 && now.Dir != old {
				t.Errorf("it runs in %s, want %s", now.Dir, old)
			}
			if got := proc.Getenv(now.client.PID, "CODEX_HOME"); got != home {
				t.Errorf("its conversations are in %q, want %q", got, home)
			}
			if found, _ := filepath.Glob(filepath.Join(x.dir, "*", "harmed")); len(found) > 0 {
				t.Errorf("what was typed ahead was run: %v", found)
			}
		})
	}
}
