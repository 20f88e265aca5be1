//go:build unix

package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/planruns"
	"github.com/piton-project/piton/internal/cli"
	"github.com/piton-project/piton/internal/run/runner"
	"github.com/piton-project/piton/internal/testkit/need"
	"github.com/piton-project/piton/internal/testkit/pgtest"
)

// keyedPlan has two steps that may happen only once, one of them with a timeout that it
// often reaches, and one that cleans up.
const keyedPlan = `name: pay
inputs: {day: {}}
steps:
  - {id: pay, effect: once, run: '"$NOTES/note" pay ${{ inputs.day }}'}
  - {id: slow, needs: pay, effect: once, timeout: 400ms, run: '"$NOTES/note" slow ${{ inputs.day }}'}
  - {id: tell, needs: slow, effect: idempotent, run: '"$NOTES/note" tell ${{ inputs.day }}'}
  - {id: clean, needs: tell, when: always(), effect: idempotent, run: '"$NOTES/note" clean ${{ inputs.day }}'}
`

// noteScript is the effect of a step: a line in a ledger outside, with where it works.
const noteScript = `n=$(od -An -N1 -tu1 /dev/urandom)
late=0.0$((n % 5)) after=0.0$((n % 3))
case $1$((n % 5)) in slow0) late=9;; slow[12]) after=9;; esac
sleep $late; echo "$1 $2 $(pwd -P) $HERE" >>"$LEDGER"; sleep $after
`

// spots are where the starts of a plan under one key happen.
type spots struct {
	name    string
	folders []string
	git     bool
	origin  bool   // clones of one repository; a folder may be made anew
	homes   bool   // a start may have a PITON_HOME of its own
	store   string // "" the home's, "file", "server"
	named   string // by what the project is named: "", "variable", "settings"
	pids    bool   // containers that do not see one another's processes
}

// apart starts a program among processes of its own.
var apart = []string{"unshare", "--user", "--map-root-user", "--pid", "--fork", "--mount-proc", "--kill-child"}

// keyedStarts starts plans under keys, kills the starts, and counts what has happened.
type keyedStarts struct {
	*testing.T
	spots
	dir, dsn    string
	wanted      int
	whole, most time.Duration // of a run; ahead that a clock was

	kills, cancels, doubts, ended, refused int
	ids, keyOf                             map[string]string // the run of a key, the key of a run
	alive                                  []int             // of this round
	cancelled                              map[string]bool   // keys whose run a cancellation alone has begun to clean up
	messages                               map[string]int
}

// Starts under a key, one to three at once, and cancellations of their runs are killed at
// random moments: as they start, in a step with a timeout, in a cancellation, between the
// last save and the exit. Each is made in one of several clones or containers, by a clock
// that may be days ahead or behind. No key begins two runs, no step that may happen only
// once happens twice, and each works in the folder of who has started it.
func TestKilledStarts(t *testing.T) {
	today := need.Share(t, 3)
	for i, at := range []spots{
		{name: "one folder", folders: []string{"a"}},
		{name: "clones", folders: []string{"a", "b", "c"}, git: true, origin: true},
		{name: "clones in containers", folders: []string{"a", "b"}, git: true, origin: true, homes: true, store: "file"},
		{name: "containers with a variable", folders: []string{"a", "b"}, homes: true, store: "file", named: "variable"},
		{name: "containers with settings", folders: []string{"a", "b"}, homes: true, store: "file", named: "settings"},
		{name: "containers without git", folders: []string{"a"}, homes: true, store: "file"},
		{name: "containers without an origin", folders: []string{"a"}, git: true, homes: true, store: "file"},
		{name: "machines with a server", folders: []string{"a", "b"}, git: true, origin: true, homes: true, store: "server"},
		{name: "containers with processes of their own", folders: []string{"a", "b"}, homes: true, store: "file", named: "variable", pids: true},
	} {
		if !today(i) {
			continue
		}
		t.Run(at.name, func(t *testing.T) {
			dir, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			k := &keyedStarts{T: t, spots: at, dir: dir, wanted: need.Many(2, 70), ids: map[string]string{}, keyOf: map[string]string{}, messages: map[string]int{}, cancelled: map[string]bool{}}
			k.prepare()
			keys := 0
			for ; k.kills < k.wanted; keys++ {
				key := fmt.Sprint("key", keys)
				killed := 0
				for range 1 + rand.IntN(3) {
					killed += k.killSome(key)
				}
				k.finish(key, killed)
			}
			k.compare(keys)
		})
	}
}

func (k *keyedStarts) write(name, text string) {
	k.Helper()
	if err := os.MkdirAll(filepath.Dir(filepath.Join(k.dir, name)), 0o755); err != nil {
		k.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(k.dir, name), []byte(text), 0o755); err != nil {
		k.Fatal(err)
	}
}

func (k *keyedStarts) prepare() {
	k.write("note", "#!/bin/sh\n"+noteScript)
	k.write("ledger", "")
	if k.pids && exec.Command(apart[0], append(slices.Clone(apart[1:]), "true")...).Run() != nil {
		need.Missing(k, "a process may not be started apart")
	}
	if k.named == "settings" {
		k.write("config/piton/config.yaml", "project: shop\n")
	}
	if k.store == "server" {
		k.dsn = pgtest.DSN(k)
	}
	if k.store == "file" {
		k.dsn = "sqlite:" + k.dir + "/store/piton.db"
	}
	for _, name := range k.folders {
		k.folder(name)
	}
	begun := time.Now()
	k.finish("first", 0)
	k.whole = time.Since(begun) / 2
}

// folder makes a folder with the plan.
func (k *keyedStarts) folder(name string) {
	k.Helper()
	k.write(name+"/pay.yaml", keyedPlan)
	script := "true"
	if k.git {
		script = "git init -q"
	}
	if k.origin {
		script += "; git remote add origin https://example.org/shop.git"
	}
	c := exec.Command("sh", "-ec", script)
	c.Dir = filepath.Join(k.dir, name)
	if out, err := c.CombinedOutput(); err != nil {
		k.Fatalf("%v\n%s", err, out)
	}
}

// piton is a call of the program somewhere, by some clock.
func (k *keyedStarts) piton(args ...string) *exec.Cmd {
	name := k.folders[rand.IntN(len(k.folders))]
	if k.origin && len(k.alive) == 0 && rand.IntN(8) == 0 { // nobody works in it
		if err := os.RemoveAll(filepath.Join(k.dir, name)); err != nil {
			k.Fatal(err)
		}
		k.folder(name)
	}
	ahead := []time.Duration{0, 0, time.Minute, time.Hour, 26 * time.Hour, 71 * time.Hour}[rand.IntN(6)]
	switch {
	case k.pids: // what its owner has left is free when its lease is over
		k.most += ahead/24 + time.Minute
		ahead = k.most
	case rand.IntN(2) == 0:
		ahead = -ahead
	}
	home := "home"
	if k.homes {
		home += strconv.Itoa(rand.IntN(100))
	}
	all := append([]string{"piton-later"}, args...)
	if k.pids {
		all = append(slices.Clone(apart), all...)
	}
	c := exec.Command(need.Program(k, all[0]), all[1:]...)
	c.Dir = filepath.Join(k.dir, name)
	c.Env = append(cleanEnv(k.dir), "PITON_HOME="+k.dir+"/"+home, "NOTES="+k.dir, "LEDGER="+k.dir+"/ledger", "HERE="+c.Dir, "TEST_CLOCK="+ahead.String())
	if k.dsn != "" {
		c.Env = append(c.Env, "PITON_STORE="+k.dsn)
	}
	if k.named == "variable" {
		c.Env = append(c.Env, "PITON_PROJECT=shop")
	}
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return c
}

func (k *keyedStarts) start(key string) *exec.Cmd {
	return k.piton("run", "pay.yaml", "--key", key, "--input", "day="+key, "--resume", "--json")
}

// begin lets a call work, with its output in a file.
func (k *keyedStarts) begin(c *exec.Cmd) (out string) {
	f, err := os.CreateTemp(k.dir, "out")
	if err != nil {
		k.Fatal(err)
	}
	defer f.Close()
	c.Stdout, c.Stderr = f, f
	if err := c.Start(); err != nil {
		k.Fatal(err)
	}
	k.alive = append(k.alive, c.Process.Pid)
	return f.Name()
}

// killSome starts some at once, kills them at one of the moments, and says how many of
// them had not ended by then.
func (k *keyedStarts) killSome(key string) (killed int) {
	var all []*exec.Cmd
	var outs []string
	begin := func(c *exec.Cmd) { all, outs = append(all, c), append(outs, k.begin(c)) }
	cancel := func(id string) {
		if id != "" {
			begin(k.piton("runs", "cancel", id, "--json"))
			k.cancels++
		}
	}
	starts, cleaned := 1+rand.IntN(3), k.count("clean", key)
	if k.ids[key] != "" && rand.IntN(5) == 0 { // nobody works on it
		starts = 0
		cancel(k.ids[key])
	}
	for range starts {
		begin(k.start(key))
	}
	upTo := k.whole
	switch rand.IntN(4) {
	case 1:
		k.await(func() bool { return k.count("slow", key) > 0 })
	case 2:
		k.await(func() bool { return k.count("pay", key) > 0 && k.known(key, outs) != "" })
		cancel(k.known(key, outs))
	case 3:
		k.await(func() bool { return k.count("clean", key) > 0 })
		upTo = k.whole / 4
	}
	time.Sleep(rand.N(upTo + 1))
	for _, c := range all {
		_ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL)
	}
	for i, c := range all {
		_ = c.Wait()
		text, _ := os.ReadFile(outs[i])
		if c.ProcessState.Sys().(syscall.WaitStatus).Signaled() {
			killed++
		} else if i < starts {
			k.judge(c.ProcessState.ExitCode(), string(text))
		}
		k.see(key, string(text))
		os.Remove(outs[i])
	}
	k.alive = nil
	if starts == 0 && k.count("clean", key) > cleaned && k.count("tell", key) == 0 {
		k.cancelled[key] = true
	}
	k.kills += killed
	return killed
}

func (k *keyedStarts) await(seen func() bool) {
	for end := time.Now().Add(3 * k.whole); !seen() && time.Now().Before(end); time.Sleep(2 * time.Millisecond) {
	}
}

// count is how often a step of a key has taken effect.
func (k *keyedStarts) count(step, key string) int {
	text, err := os.ReadFile(k.dir + "/ledger")
	if err != nil {
		k.Fatal(err)
	}
	return strings.Count("\n"+string(text), "\n"+step+" "+key+" ")
}

var runID = regexp.MustCompile(`"run_id":"(run_[^"]+)"`)

// known is the run of a key, once a start has told it.
func (k *keyedStarts) known(key string, outs []string) string {
	for _, name := range outs {
		text, _ := os.ReadFile(name)
		k.see(key, string(text))
	}
	return k.ids[key]
}

// see notes the run that a start speaks of: it is always the same for a key.
func (k *keyedStarts) see(key, text string) {
	for _, m := range runID.FindAllStringSubmatch(text, -1) {
		switch before, other := k.ids[key], k.keyOf[m[1]]; {
		case before != "" && before != m[1], other != "" && other != key:
			k.Fatalf("%s has begun %s and %s, which belongs to %q\n%s", key, before, m[1], other, text)
		}
		k.ids[key], k.keyOf[m[1]] = m[1], key
	}
}

// refusals are the only errors of a start under a key that is not the first.
var refusals = regexp.MustCompile(`at work: process (\d+)[^,;]* (?:works on|has just saved) it|another process has (?:taken the run over|worked on it)`)

// judge holds what a start that was refused has said against what is so.
func (k *keyedStarts) judge(status int, text string) {
	if status != cli.StatusOf(piton.Conflict) {
		return
	}
	k.refused++
	var said struct {
		Error struct{ Message string }
		Hint  string
	}
	for line := range strings.Lines(text) {
		_ = json.Unmarshal([]byte(line), &said) // the last line that is one; a result's error is a text
	}
	switch m := refusals.FindStringSubmatch(said.Error.Message); {
	case said.Error.Message == "": // the answer is the run, which is at work
	case m == nil:
		k.Errorf("a start was refused with %s", text)
	case m[1] != "" && !k.pids:
		if pid, _ := strconv.Atoi(m[1]); !slices.Contains(k.alive, pid) {
			k.Errorf("a start was refused for a process that is none of %v: %s", k.alive, text)
		}
	}
	k.messages[regexp.MustCompile(`(run|chk|wf)_\w+|\d+`).ReplaceAllString(cmp.Or(said.Error.Message, said.Hint), "#")]++
}

// finish starts again under the key until the run is over, and once more: then it is the
// answer. What is in doubt is said by the ledger.
func (k *keyedStarts) finish(key string, killed int) {
	over := false
	for try := 0; ; try++ {
		c := k.start(key)
		out := k.begin(c)
		_ = c.Wait()
		k.alive = nil
		b, _ := os.ReadFile(out)
		os.Remove(out)
		text, x := string(b), planruns.RunResult{}
		k.see(key, text)
		lines := strings.Split(strings.TrimSpace(text), "\n")
		err := json.Unmarshal([]byte(lines[len(lines)-1]), &x)
		switch {
		case err != nil || try > 30:
			k.Fatalf("%s: %v, status %d\n%s", key, err, c.ProcessState.ExitCode(), text)
		case x.Existing && x.Status.Ended():
			if !over && killed > 0 {
				k.ended++ // between the last save and the exit
			}
			if x.Status != piton.RunCompleted && x.Status != piton.RunCancelled {
				k.Fatalf("%s is %s\n%s", key, x.Status, text)
			}
			return
		case c.ProcessState.ExitCode() == cli.InDoubt:
			k.decide(key, x)
		default:
			over = true
			k.judge(c.ProcessState.ExitCode(), text)
		}
	}
}

// decide says of the steps in doubt what the ledger says.
func (k *keyedStarts) decide(key string, x planruns.RunResult) {
	args := []string{"run", "--resume", x.RunID, "--json"}
	for _, s := range x.State.Plan {
		if s.Status != runner.InDoubt {
			continue
		}
		k.doubts++
		word := "--redo"
		if k.count(s.ID, key) > 0 {
			word = "--took"
		}
		args = append(args, word, s.ID)
	}
	c := k.piton(args...)
	out := k.begin(c)
	_ = c.Wait()
	k.alive = nil
	text, _ := os.ReadFile(out)
	os.Remove(out)
	k.see(key, string(text))
	if status := c.ProcessState.ExitCode(); status == 2 || status == cli.StatusOf(piton.Invalid) {
		k.Fatalf("%v: status %d\n%s", args, status, text)
	}
}

// compare holds the ledger and the store against what was asked for.
func (k *keyedStarts) compare(keys int) {
	out, err := k.piton("runs", "list", "--limit", "0", "--json").Output()
	var list planruns.RunList
	if err == nil {
		err = json.Unmarshal(out, &list)
	}
	if err != nil || len(list.Runs) != keys+1 {
		k.Errorf("got %d runs for %d keys, %v", len(list.Runs), keys+1, err)
	}
	completed := 0
	for _, r := range list.Runs {
		key := k.keyOf[r.ID]
		if r.Status == piton.RunCompleted {
			completed++
		}
		for _, step := range []string{"pay", "slow"} {
			if n := k.count(step, key); n > 1 || n == 0 && r.Status == piton.RunCompleted {
				k.Errorf("%s, %s: step %s has taken effect %d times", key, r.Status, step, n)
			}
		}
		if k.cancelled[key] && r.Status != piton.RunCancelled {
			k.Errorf("%s, %s: a cancellation had begun to clean up", key, r.Status)
		}
		if k.count("clean", key) == 0 {
			k.Errorf("%s, %s: it has not cleaned up", key, r.Status)
		}
	}
	text, _ := os.ReadFile(k.dir + "/ledger")
	once := 0
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		if words[0] == "pay" || words[0] == "slow" {
			once++
		}
		if words[2] != words[3] {
			k.Errorf("step %s of %s worked in %s, started from %s", words[0], words[1], words[2], words[3])
		}
	}
	k.Logf("%d kills, %d cancellations, %d runs for %d keys (%d completed), %d had ended when they were killed; %d effects of once steps, %d in doubt; %d refused: %v",
		k.kills, k.cancels, len(list.Runs), keys+1, completed, k.ended, once, k.doubts, k.refused, k.messages)
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
