//go:build unix

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/cli"
	"github.com/piton-project/piton/internal/testkit/need"
)

const payPlan = `name: pay
inputs: {day: {}}
steps:
  - {id: pay, effect: once, run: 'echo ${{ inputs.day }} >> paid'}
  - {id: tell, needs: pay, effect: idempotent, run: 'echo ${{ inputs.day }} >> told'}
`

// Starts under a key, one to three at once, are killed at random moments between the
// program's start and its exit, and made again with the same key: no key begins two
// runs, and the step that may happen only once has happened at most once.
func TestKilledStarts(t *testing.T) {
	k := &killedRun{t: t, dir: t.TempDir(), wanted: need.Many(12, 300)}
	k.env = cleanEnv(k.dir)
	if err := os.WriteFile(k.dir+"/pay.yaml", []byte(payPlan), 0o644); err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	if out, err := k.keyed("key0").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	whole := time.Since(begun)
	killed, doubts, ended, keys := 0, map[string]bool{}, 0, 1
	for ; killed < k.wanted; keys++ {
		key := fmt.Sprint("key", keys)
		n := k.killSome(key, whole)
		killed += n
		if n > 0 && k.statusOf(key) == piton.RunCompleted {
			ended++ // between the last commit and the exit, or another start was faster
		}
		k.finish(key, doubts)
	}
	out, err := k.command(k.dir, "piton", "runs", "list", "--limit", "0", "--json").Output()
	var list app.RunList
	if err == nil {
		err = json.Unmarshal(out, &list)
	}
	if err != nil || len(list.Runs) != keys {
		t.Errorf("got %d runs for %d keys, %v", len(list.Runs), keys, err)
	}
	paid := map[string]int{}
	text, _ := os.ReadFile(k.dir + "/paid")
	for _, key := range strings.Fields(string(text)) {
		paid[key]++
	}
	for n := range keys {
		if key := fmt.Sprint("key", n); paid[key] > 1 || paid[key] == 0 && !doubts[key] {
			t.Errorf("%s: the step that may happen once has happened %d times (in doubt: %v)", key, paid[key], doubts[key])
		}
	}
	t.Logf("%d kills over starts under %d keys, of %d of which the run was completed when some were killed; %d in doubt; begun twice: 0, repeated: 0", killed, keys, ended, len(doubts))
}

func (k *killedRun) keyed(key string) *exec.Cmd {
	return k.command(k.dir, "piton", "run", "pay.yaml", "--key", key, "--input", "day="+key, "--resume", "--json")
}

// killSome starts some at once, kills them after a while, and says how many it killed
// before they had ended by themselves.
func (k *killedRun) killSome(key string, whole time.Duration) (killed int) {
	var all []*exec.Cmd
	for range 1 + rand.IntN(3) {
		c := k.keyed(key)
		c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		if err := c.Start(); err != nil {
			k.t.Fatal(err)
		}
		all = append(all, c)
	}
	time.Sleep(time.Duration(rand.Int64N(int64(whole) * int64(1+len(all)) / 2)))
	for _, c := range all {
		_ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL)
	}
	for _, c := range all {
		var end *exec.ExitError
		if err := c.Wait(); errors.As(err, &end) && end.Sys().(syscall.WaitStatus).Signaled() {
			killed++
		}
	}
	return killed
}

// statusOf is how the run of a key stands; "" where none has begun.
func (k *killedRun) statusOf(key string) piton.RunStatus {
	out, _ := k.command(k.dir, "piton", "runs", "list", "--limit", "1", "--json").Output()
	var list app.RunList
	if json.Unmarshal(out, &list) != nil || len(list.Runs) == 0 {
		return ""
	}
	if !strings.Contains(k.told(), key+"\n") {
		return ""
	}
	return list.Runs[0].Status
}

func (k *killedRun) told() string {
	text, _ := os.ReadFile(k.dir + "/told")
	return string(text)
}

// finish starts again under the key until the run is completed, and once more: then it
// is the answer. A step in doubt counts as having taken effect.
func (k *killedRun) finish(key string, doubts map[string]bool) {
	var x app.RunResult
	for try := 0; ; try++ {
		c := k.keyed(key)
		out, err := c.Output()
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		last := lines[len(lines)-1]
		if json.Unmarshal([]byte(last), &x) != nil || try > 5 {
			k.t.Fatalf("%s: %v\n%s", key, err, out)
		}
		if c.ProcessState.ExitCode() == cli.InDoubt {
			doubts[key] = true
			if out, err := k.command(k.dir, "piton", "run", "--resume", x.RunID, "--took", "pay").CombinedOutput(); err != nil {
				k.t.Fatalf("%v\n%s", err, out)
			}
			continue
		}
		if err == nil && x.Existing {
			return
		}
	}
}

// cleanEnv is an environment with a home of its own.
func cleanEnv(dir string) (env []string) {
	for _, pair := range os.Environ() {
		if !strings.HasPrefix(pair, "PITON_") {
			env = append(env, pair)
		}
	}
	return append(env, "HOME="+dir, "PITON_HOME="+dir+"/state", "XDG_CONFIG_HOME="+dir+"/config")
}
