package proc

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/piton-project/piton/internal/testkit/need"
)

const familyEnv = "PROC_TEST_FAMILY"

// lives is a program that notes its pid in $F and stays; without an environment it has
// the file's name as its argument.
const lives = `sh -c 'echo $$ >>"$0"; trap "" HUP TERM; while :; do sleep 1; done' "$F"`

// forms are ways to leave a step: each starts one process that stays.
var forms = []struct{ name, script string }{
	{"a child", lives + ` & wait`},
	{"nohup", `nohup ` + lives + ` >/dev/null 2>&1 & wait`},
	{"a session of its own", `setsid ` + lives + ` & wait`},
	{"a session without the environment", `env -i setsid ` + lives + ` & wait`},
	{"the same, closed", `env -i setsid ` + lives + ` >/dev/null 2>&1 </dev/null & wait`},
	{"the same with nohup", `env -i nohup setsid ` + lives + ` >/dev/null 2>&1 & wait`},
	{"setsid that forks", `env -i setsid -f ` + lives + ` >/dev/null 2>&1; sleep 60`},
	{"forked twice", `(env -i setsid ` + lives + ` >/dev/null 2>&1 &) & sleep 60`},
	{"forked three times", `((env -i setsid ` + lives + ` >/dev/null 2>&1 &) &) & sleep 60`},
	{"setsid in setsid", `env -i setsid -f setsid -f ` + lives + ` >/dev/null 2>&1; sleep 60`},
	{"in another folder", `cd / && env -i setsid -f ` + lives + ` >/dev/null 2>&1; sleep 60`},
	{"with the streams closed", `env -i setsid -f ` + lives + ` >&- 2>&- <&-; sleep 60`},
	{"by exec", `(exec env -i setsid -f ` + lives + ` >/dev/null 2>&1); sleep 60`},
	{"the leader itself", `exec env -i setsid -w ` + lives + ` >/dev/null 2>&1`},
	{"late", `sleep 0.2; env -i setsid -f ` + lives + ` >/dev/null 2>&1; sleep 60`},
	{"when looks are seldom", `sleep 2.5; env -i setsid ` + lives + ` & wait`},
	{"a parent that has ended", `sh -c 'env -i setsid "$@" >/dev/null 2>&1 & exit 0' x ` + lives + `; sleep 60`},
	{"in a pipe", `env -i setsid -f ` + lives + ` 2>&1 | cat >/dev/null`},
}

// TestLooksBecomeSeldom: where nobody joins, a minute has some 250 looks, and every one
// who joins is followed closely again.
func TestLooksBecomeSeldom(t *testing.T) {
	looks, every := 0, often
	for at := time.Duration(0); at < time.Minute; at += every {
		every = nextLook(every, false)
		looks++
	}
	if looks < 240 || looks > 270 || every != seldom || nextLook(every, true) != often {
		t.Errorf("got %d looks in a minute, then every %s, and %s once one has joined", looks, every, nextLook(every, true))
	}
}

// TestFamily: what is ended at its time limit leaves nothing, however it has gone; what
// another has started stays.
func TestFamily(t *testing.T) {
	for _, program := range []string{"setsid", "nohup", "env"} {
		need.Program(t, program)
	}
	if dir := os.Getenv(familyEnv); dir != "" {
		familyChild(t, dir)
		return
	}
	dir := t.TempDir()
	c := exec.Command(os.Args[0], "-test.run", "^TestFamily$", "-test.v")
	c.Env = append(os.Environ(), familyEnv+"="+dir)
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("got %v\n%s", err, out)
	}
}

// familyChild is a process that adopts.
func familyChild(t *testing.T, dir string) {
	Adopt()
	step := func(name, script string, broken bool) (pids []int) {
		file := filepath.Join(dir, strings.ReplaceAll(name, " ", "-"))
		c := Command{Argv: []string{"sh", "-c", script}, Env: append(os.Environ(), "F="+file), Alone: true, Grace: 50 * time.Millisecond}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go func() { // it is cancelled once the process is there
			for text := []byte(nil); broken && len(text) == 0 && ctx.Err() == nil; time.Sleep(5 * time.Millisecond) {
				text, _ = os.ReadFile(file)
			}
			if broken {
				cancel()
			}
		}()
		if r, err := Run(ctx, c); (err != nil) != broken {
			t.Errorf("%s: got %+v, %v", name, r, err)
		}
		text, _ := os.ReadFile(file)
		for _, word := range strings.Fields(string(text)) {
			pids = append(pids, atoi(t, word))
		}
		if len(pids) != 1 {
			t.Errorf("%s: got the processes %v, want one", name, pids)
		}
		return pids
	}
	alive := func(pid int) bool {
		st, err := readStatus(pid)
		return err == nil && !st.ended
	}
	gone := func(name string, pids []int) {
		for _, pid := range pids {
			for end := time.Now().Add(time.Minute); alive(pid) && time.Now().Before(end); {
				time.Sleep(time.Millisecond)
				if time.Now().Add(58 * time.Second).After(end) {
					break
				}
			}
			if alive(pid) {
				t.Errorf("%s: process %d is left", name, pid)
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
		}
	}
	// A program of ours that becomes a daemon, as a terminal's server does, and one
	// that outlives us.
	_, err := Run(t.Context(), Command{Argv: []string{"sh", "-c", `env -i setsid -f ` + lives + ` >/dev/null 2>&1`}, Env: append(os.Environ(), "F="+filepath.Join(dir, "ours"))})
	err = errors.Join(err, Detach([]string{"sh", "-c", lives}, "", append(os.Environ(), "F="+filepath.Join(dir, "detached"))))
	if err != nil {
		t.Fatal(err)
	}
	stays := step("stays", `env -i setsid -f `+lives+` >/dev/null 2>&1; while test ! -s "$F"; do sleep 0.01; done`, false) // as the docs say
	for _, form := range forms {
		gone(form.name, step(form.name, form.script, true))
	}
	// Two at once: who is seen in time ends, and nobody ends another's.
	var wg sync.WaitGroup
	for _, i := range []int{3, 4} {
		wg.Go(func() { gone("at once: "+forms[i].name, step("at once "+forms[i].name, forms[i].script, true)) })
	}
	wg.Wait()
	for _, name := range []string{"ours", "detached"} {
		text, _ := os.ReadFile(filepath.Join(dir, name))
		stays = append(stays, atoi(t, string(text)))
	}
	for _, pid := range stays {
		if !alive(pid) {
			t.Errorf("process %d, which no step that was ended has started, is gone", pid)
		}
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}
