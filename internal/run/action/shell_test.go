//go:build unix

package action

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton/internal/proc"
	"github.com/piton-project/piton/internal/run/plan"
)

// call is an attempt with these parameters in a folder of its own.
func call(t *testing.T, parameters p) (Call, *bytes.Buffer) {
	t.Helper()
	var log bytes.Buffer
	return Call{
		Run: "run_1", Step: "build", Attempt: 1, Key: key(t), Parameters: parameters, Dir: t.TempDir(),
		Env: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME"), "CLAUDECODE=1"}, Log: &log,
	}, &log
}

// key is one that no other run of the tests has, at the same time on this machine: what
// has an attempt's key is ended with it.
func key(t *testing.T) string {
	return fmt.Sprintf("key-%s-%d", strings.ReplaceAll(t.Name(), "/", "-"), os.Getpid())
}

func TestShellOutput(t *testing.T) {
	for _, tc := range []struct {
		name string
		p    p
		want any
	}{
		{"text", p{"command": "echo one; echo two"}, "one\ntwo"},
		{"no text", p{"command": "true"}, ""},
		{"a JSON object", p{"command": `echo '{"a": [1, null]}'`}, p{"a": []any{1.0, nil}}},
		{"a number", p{"command": "echo 42"}, 42.0},
		{"a version that reads as a number", p{"command": "echo 1.10"}, "1.10"},
		{"a commit id that reads as a number", p{"command": "echo 12e4567"}, "12e4567"},
		{"a number with a zero before it", p{"command": "echo 007"}, "007"},
		{"JSON as text", p{"command": "echo 42", "output": "text"}, "42"},
		{"a version as JSON", p{"command": "echo 1.10", "output": "json"}, 1.1},
		{"two JSON values", p{"command": "echo '{}'; echo '{}'"}, "{}\n{}"},
		{"bytes that are not UTF-8", p{"command": `printf 'a\377b\n'`}, "a\uFFFDb"},
		{"stderr is not output", p{"command": "echo out; echo err >&2"}, "out"},
		{"a program and its arguments", p{"command": []any{"printf", "%s|", "a b", "$HOME", 3.0, true}}, "a b|$HOME|3|true|"},
		{"another shell", p{"command": "echo $0", "shell": []any{"sh", "-euc"}}, "sh"},
		{"stdin as text", p{"command": "cat", "stdin": "hello"}, "hello"},
		{"stdin as JSON", p{"command": "cat", "stdin": p{"a": "<b>"}}, p{"a": "<b>"}},
		{"no stdin", p{"command": "cat"}, ""},
		{"variables", p{"command": "echo $A $B", "env": p{"A": "x y", "B": []any{1.0}}}, "x y [1]"},
		{"who the step is", p{"command": "echo $PITON_RUN_ID $PITON_STEP_ID $PITON_ATTEMPT"}, "run_1 build 1"},
		{"it cannot be told to be another", p{"command": "echo $PITON_STEP_ID", "env": p{"PITON_STEP_ID": "x"}}, "build"},
		{"not the agent that began the run", p{"command": "echo ${CLAUDECODE-none}"}, "none"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c, _ := call(t, tc.p)
			r, err := Shell{Tools{Marks: []string{"CLAUDECODE"}}}.Do(t.Context(), c)
			if err != nil || !reflect.DeepEqual(r.Output, tc.want) {
				t.Errorf("got %#v, %v, want %#v", r.Output, err, tc.want)
			}
		})
	}
}

func TestShellFolder(t *testing.T) {
	c, _ := call(t, p{"command": "pwd -P", "dir": "in/side"})
	inside := filepath.Join(c.Dir, "in", "side")
	if err := os.MkdirAll(inside, 0o700); err != nil {
		t.Fatal(err)
	}
	elsewhere, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name string
		dir  any
		want string
	}{
		{"the run's", nil, c.Dir},
		{"below it", "in/side", inside},
		{"beside it", "../..", filepath.Dir(filepath.Dir(c.Dir))},
		{"elsewhere", elsewhere, elsewhere},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c.Parameters["dir"] = tc.dir
			want, err := filepath.EvalSymlinks(tc.want)
			if err != nil {
				t.Fatal(err)
			}
			if r, err := (Shell{}).Do(t.Context(), c); err != nil || r.Output != want {
				t.Errorf("got %v, %v, want %s", r.Output, err, want)
			}
		})
	}
}

// TestShellFolderOfAValue: a folder that a value names lies in the project, however it
// is written.
func TestShellFolderOfAValue(t *testing.T) {
	c, _ := call(t, p{"command": "pwd -P"})
	c.DirValued = true
	away := t.TempDir()
	for _, dir := range []string{"in/side", ".git"} {
		if err := os.MkdirAll(filepath.Join(c.Dir, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{"out": away, "up": "..", "there": "in/side", "in/out": "../out"} {
		if err := os.Symlink(to, filepath.Join(c.Dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	for dir, want := range map[string]string{
		"": ".", ".": ".", "in": "in", "in/side": "in/side", "./in//side/": "in/side", "there": "in/side",
		"..": "!", "../x": "!", "in/../..": "!", "in/..": "!", away: "!", c.Dir: "!", "/": "!", "out": "!", "up": "!", "in/out": "!", "nowhere": "!",
	} {
		c.Parameters["dir"] = dir
		r, err := Shell{}.Do(t.Context(), c)
		if want == "!" {
			if err == nil {
				t.Errorf("%q is not refused: %v", dir, r.Output)
			}
			continue
		}
		want, linkErr := filepath.EvalSymlinks(filepath.Join(c.Dir, want))
		if err != nil || linkErr != nil || r.Output != want {
			t.Errorf("%q: got %v (%v), want %s", dir, r.Output, err, want)
		}
	}
}

func TestShellFails(t *testing.T) {
	key := "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
	for _, tc := range []struct {
		name  string
		p     p
		want  string
		final bool
	}{
		{"a status", p{"command": "exit 3"}, "exit status 3", false},
		{"what it said", p{"command": "echo out; echo no such host >&2; exit 1"}, "exit status 1: no such host", false},
		{"what it printed, where it said nothing", p{"command": "echo bad; exit 1"}, "exit status 1: bad", false},
		{"a secret in what it said", p{"command": "echo bad " + key + " >&2; exit 1"}, "exit status 1: bad [REDACTED:github-token]", false},
		{"what steers a terminal", p{"command": `printf 'a\033[2Jb' >&2; exit 1`}, `exit status 1: a\x1b[2Jb`, false},
		{"a signal", p{"command": "kill -9 $$"}, "exit status 137", false},
		{"a program that is missing in a script", p{"command": "piton-no-such-program"}, "exit status 127", true},
		{"a program that is missing", p{"command": []any{"piton-no-such-program"}}, "piton-no-such-program: no such program", true},
		{"a folder that is missing", p{"command": "true", "dir": "nowhere"}, "no such file or directory", false},
		{"no JSON", p{"command": "echo x", "output": "json"}, "the output is not JSON", false},
		{"nothing, after its expressions were read", p{"command": ""}, "the command is empty", true},
		{"a list of lists", p{"command": []any{"echo", []any{}}}, "word 2 is a list", true},
		{"an argument with a zero byte", p{"command": []any{"echo", "a\x00b"}}, "zero byte", true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c, _ := call(t, tc.p)
			_, err := Shell{}.Do(t.Context(), c)
			if err == nil || !strings.Contains(err.Error(), tc.want) || isFinal(err) != tc.final {
				t.Errorf("got %v (final %v), want %q in it (final %v)", err, isFinal(err), tc.want, tc.final)
			}
		})
	}
}

func TestShellKeepsBothEnds(t *testing.T) {
	c, log := call(t, p{"command": "echo begin; yes | head -c 3000000; echo end"})
	r, err := Shell{}.Do(t.Context(), c)
	out, _ := r.Output.(string)
	if err != nil || len(out) > maxOutput+100 || !strings.HasPrefix(out, "begin\n") || !strings.HasSuffix(out, "\nend") || !strings.Contains(out, "bytes left out") {
		t.Errorf("got %d bytes, %v, want both ends of at most %d", len(out), err, maxOutput)
	}
	if log.Len() < 3000000 {
		t.Errorf("got %d bytes in the log, want all", log.Len())
	}
}

// As the JSON that it is kept as, an output is not too long either.
func TestShellOutputFits(t *testing.T) {
	for _, tc := range []struct{ name, command string }{
		{"line feeds", "yes '' | head -c 2000000"},
		{"control characters", "head -c 2000000 /dev/zero"},
		{"bytes that are not UTF-8", `yes "$(printf 'a\377')" | head -c 2000000`},
		{"a list", `echo '["'$(head -c 500000 /dev/zero | tr '\0' x)'"]'`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c, _ := call(t, p{"command": tc.command})
			r, err := Shell{}.Do(t.Context(), c)
			b, bad := compact(r.Output)
			if err != nil || bad != nil || len(b) > 1<<20 || len(b) < 400000 {
				t.Errorf("got %d bytes, %v, %v, want at most 1 MiB and not little", len(b), err, bad)
			}
		})
	}
}

func TestShellCheck(t *testing.T) {
	for _, tc := range []struct {
		name string
		p    p
		want string
	}{
		{"a list without a program", p{"command": []any{}}, "no program is named"},
		{"a list with a map", p{"command": []any{"a", p{}}}, "word 2 is a map"},
		{"a shell for a program", p{"command": []any{"a"}, "shell": "bash"}, `the parameter "shell" of the action shell reads a script`},
		{"a name that is none", p{"command": "a", "env": p{"A=B": "c"}}, `"A=B" in env is not a name`},
		{"an argument that is not known yet", p{"command": []any{"a", "${{ steps.b.output }}"}}, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			err := Shell{}.Check(plan.Step{Parameters: tc.p})
			if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
				t.Errorf("got %v, want %q in it", err, tc.want)
			}
		})
	}
}

// stubborn starts a child in the group, and one in a session of its own whose parent
// ends, which all ignore SIGTERM, and writes their pids to the file.
const stubborn = `trap "" TERM
sh -c 'trap "" TERM; echo $$ >>"$0"; while :; do sleep 1; done' "$FILE" &
(setsid sh -c 'trap "" TERM; echo $$ >>"$0"; while :; do sleep 1; done' "$FILE" &)
echo $$ >>"$FILE"
while :; do sleep 1; done`

// late is a context whose deadline passes when it is cancelled: once all has begun.
type late struct{ context.Context }

func (l late) Err() error {
	if l.Context.Err() != nil {
		return context.DeadlineExceeded
	}
	return nil
}

func TestShellIsEndedWhole(t *testing.T) {
	for _, tc := range []struct {
		name string
		want string
	}{
		{"at its timeout", "it took too long and was ended"},
		{"when the run is cancelled", "it was ended: a person cancelled it"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "pids")
			c, _ := call(t, p{"command": stubborn, "env": p{"FILE": file}})
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			if strings.Contains(tc.want, "long") {
				ctx = late{ctx}
			}
			go func() {
				waitForLines(file, 3)
				cancel(errors.New("a person cancelled it"))
			}()
			_, err := Shell{}.Do(ctx, c)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %q in it", err, tc.want)
			}
			for _, pid := range waitForLines(file, 3) {
				wantGone(t, pid)
			}
		})
	}
}

func TestShellLeavesNothing(t *testing.T) {
	for name, next := range map[string]func(t *testing.T) error{ // the second attempt
		"a command": func(t *testing.T) error {
			c, _ := call(t, p{"command": "true"})
			c.Attempt = 2
			_, err := Shell{}.Do(t.Context(), c)
			return err
		},
		"a tool": func(t *testing.T) error {
			c, _ := server(t, "plain", "echo", nil)
			c.Attempt = 2
			_, err := MCP{}.Do(t.Context(), c)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "pids")
			c, _ := call(t, p{
				"command": `sleep 60 >/dev/null 2>&1 & echo $! >>"$FILE"; setsid sh -c 'echo $$ >>"$0"; exec sleep 60' "$FILE" >/dev/null 2>&1 & while [ $(wc -l <"$FILE") -lt 2 ]; do :; done`,
				"env":     p{"FILE": file},
			})
			if _, err := (Shell{}).Do(t.Context(), c); err != nil {
				t.Fatal(err)
			}
			pids := waitForLines(file, 2)
			left := pids
			for end := time.Now().Add(time.Minute); len(left) > 1 && time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
				left = slices.DeleteFunc(slices.Clone(left), func(pid string) bool { return !runs(t, pid) })
			}
			if len(left) != 1 {
				t.Errorf("got %d processes alive after the step, want the one that has left the session", len(left))
			}
			// What an earlier attempt has left ends before the next one begins.
			if err := next(t); err != nil {
				t.Fatal(err)
			}
			for _, pid := range pids {
				wantGone(t, pid)
			}
		})
	}
}

// waitForLines waits until a file has so many lines, and returns them.
func waitForLines(file string, n int) []string {
	for end := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		b, _ := os.ReadFile(file)
		if lines := strings.Fields(string(b)); len(lines) >= n || time.Now().After(end) {
			return lines
		}
	}
}

func wantGone(t *testing.T, pid string) {
	t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if !runs(t, pid) {
			return
		}
	}
	t.Errorf("got process %s alive, want it gone", pid)
}

// runs tells whether a process runs; one that only waits to be collected does not.
func runs(t *testing.T, pid string) bool {
	t.Helper()
	n, err := strconv.Atoi(pid)
	if err != nil {
		t.Fatal(err)
	}
	i, err := proc.Identify(n)
	if err != nil {
		return false
	}
	alive, _ := i.Alive()
	return alive
}
