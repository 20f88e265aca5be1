package main

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// alsoTests are the packages whose tests count for a room too, because its own test
// little of it: a door is tested by its program, and what stores share by a store.
var alsoTests = map[string][]string{
	"cmd/piton/internal/judge":  {"cmd/piton"},
	"cmd/piton/internal/runs":   {"cmd/piton"},
	"internal/app":              {"cmd/piton"},
	"internal/app/caller":       {"internal/app", "cmd/piton"},
	"internal/app/event":        {"cmd/piton-hook"},
	"internal/app/insight":      {"internal/app", "cmd/piton"},
	"internal/app/installation": {"internal/app", "cmd/piton"},
	"internal/app/place":        {"internal/app", "cmd/piton"},
	"internal/app/planruns":     {"internal/app", "cmd/piton"},
	"internal/cli":              {"cmd/piton"},
	"internal/diff":             {"cmd/piton"},
	"internal/client":           {"internal/client/claude", "internal/client/gemini", "internal/client/codex"},
	"internal/client/claude":    {"internal/client/clients", "internal/setup", "internal/pane"},
	"internal/client/codex":     {"internal/client/clients", "internal/setup", "internal/pane"},
	"internal/client/gemini":    {"internal/client/clients", "internal/setup", "internal/pane"},
	"internal/client/logfile":   {"internal/client/claude", "internal/client/codex"},
	"internal/client/rawjson":   {"internal/client/claude"},
	"internal/daemon":           {"cmd/piton"},
	"internal/demo":             {"cmd/piton"},
	"internal/history":          {"internal/store/sqlite"},
	"internal/hook":             {"cmd/piton-hook"},
	"internal/judge/tools":      {"internal/judge/shell", "internal/judge/project", "internal/judge/debrief"},
	"internal/screen":           {"cmd/piton"},
	"internal/setup":            {"cmd/piton"},
	"internal/store":            {"internal/store/sqlite", "internal/history"},
	"internal/store/pages":      {"internal/store/repair", "internal/store/sqlite"},
	"internal/store/record":     {"internal/store/sqlstore"},
	"internal/store/sqlstore":   {"internal/store/sqlite", "internal/history"},
	"internal/store/words":      {"internal/store/sqlite"},
}

const (
	neededPercent = 90               // of the mutants, that must be killed
	maxMemory     = 8 << 20          // of a test, in KiB: a mutant may allocate without end
	maxTest       = 20 * time.Minute // of tests without a mutant
)

// mutation is a run over random mutants.
type mutation struct {
	dir      string // for the mutants: the tree is never changed
	deadline time.Time
	times    map[string]time.Duration // of the tests of a room without a mutant
}

func mutate(args []string, out io.Writer) {
	year, week := time.Now().ISOWeek()
	flags := flag.NewFlagSet("mutate", flag.ContinueOnError)
	n := flags.Int("n", 60, "how many mutants are tried")
	seed := flags.String("seed", fmt.Sprintf("%d-W%02d", year, week), "what they are drawn from")
	only := flags.String("rooms", "", "draw from these rooms, with commas between, not from all")
	since := flags.String("since", "", "draw from the rooms that changed since this `commit`; landing: since the commit that this branch, or on main this commit, builds on")
	within := flags.Duration("within", 4*time.Hour, "end after this time, with those that were tried")
	check(flags.Parse(args))
	if *since == "landing" {
		base, err := landingBase(".")
		if err != nil {
			fmt.Fprintln(out, "nothing is mutated, because the commit before is not here:", err)
			return
		}
		*since = base
	}
	files := sources(".")
	choose(files, *only, *since)
	dir := got(os.MkdirTemp("", "mutants"))
	defer os.RemoveAll(dir)
	fmt.Fprintf(out, "up to %d mutants of %d rooms, from the seed %s\n", *n, len(files), *seed)
	m := mutation{dir, time.Now().Add(*within), map[string]time.Duration{}}
	m.run(*n, drawn(files, *seed), out)
}

// choose takes out the rooms that are not asked for.
func choose(files map[string][]source, only, since string) {
	if only != "" {
		names := strings.Split(only, ",")
		maps.DeleteFunc(files, func(name string, _ []source) bool { return !slices.Contains(names, name) })
	}
	if since != "" {
		touched := map[string]bool{}
		for _, path := range strings.Fields(got(git(".", "diff", "--name-only", since, "--", "*.go", ":!*_test.go"))) {
			touched[roomOf(path)] = true
		}
		maps.DeleteFunc(files, func(name string, _ []source) bool { return !touched[name] })
	}
}

// drawn are all mutants in a random order: first the room is drawn, the larger the
// likelier, then one of its mutants.
func drawn(files map[string][]source, seed string) []mutant {
	sum := fnv.New64a()
	sum.Write([]byte(seed))
	random := rand.New(rand.NewPCG(sum.Sum64(), 0))
	type lot struct {
		mutant
		at float64
	}
	var lots []lot
	for _, name := range slices.Sorted(maps.Keys(files)) {
		var list []mutant
		r := newRoom()
		for _, s := range files[name] {
			list = append(list, mutants(s)...)
			r.add(s)
		}
		for _, x := range list {
			lots = append(lots, lot{x, random.ExpFloat64() * float64(len(list)) / float64(r.lines)})
		}
	}
	slices.SortFunc(lots, func(a, b lot) int { return cmp.Compare(a.at, b.at) })
	var order []mutant
	for _, l := range lots {
		order = append(order, l.mutant)
	}
	return order
}

// run tries n mutants, and fails where too few are killed.
func (m mutation) run(n int, order []mutant, out io.Writer) {
	counts := map[string]int{}
	tried := func() int { return counts[dead] + counts[timedOut] + counts[survived] }
	for _, x := range order {
		if tried() == n || counts[outOfTime] > 0 {
			break
		}
		how := m.try(x)
		counts[how]++
		if how != notCompiled {
			fmt.Fprintf(out, "%-9s %s:%d: %s\n", how, x.path, x.lineNumber(), x.what)
		}
		if how == survived {
			fmt.Fprint(out, x.diff())
		}
	}
	killed := tried() - counts[survived]
	fmt.Fprintf(out, "%d of %d mutants were killed\n", killed, tried())
	if killed*100 < neededPercent*tried() {
		check(fmt.Errorf("%d %% must be: a survivor that changes what the program does needs a test", neededPercent))
	}
}

// How a mutant ends.
const (
	dead        = "killed"
	timedOut    = "timed out" // killed too
	survived    = "survived"
	notCompiled = "not compiled" // another is drawn
	outOfTime   = "cut off"      // the run's time was over
)

// try runs the tests of a mutant's room, and those that count for it too, until one fails.
func (m mutation) try(x mutant) string {
	mutated, overlay := filepath.Join(m.dir, "mutant.go"), filepath.Join(m.dir, "overlay.json")
	check(os.WriteFile(mutated, x.mutated(), 0o600))
	check(os.WriteFile(overlay, got(json.Marshal(map[string]any{"Replace": map[string]string{got(filepath.Abs(x.path)): mutated}})), 0o600))
	room := roomOf(x.path)
	for _, name := range append([]string{room}, alsoTests[room]...) {
		if _, known := m.times[name]; !known {
			how, said := m.test(name, "", maxTest)
			if how == outOfTime {
				return how
			}
			if how != survived {
				check(fmt.Errorf("the tests of %s without a mutant: %s\n%s", name, how, said))
			}
			took := regexp.MustCompile(`(?m)^ok\s+\S+\s+(\S+)`).FindStringSubmatch(said + "\nok - 0s")[1]
			m.times[name], _ = time.ParseDuration(took)
		}
		if how, _ := m.test(name, " -overlay="+overlay, 10*time.Second+5*m.times[name]); how != survived {
			return how
		}
	}
	return survived
}

// isolated keeps a mutant that kills processes from all but its own, where the system
// lets it have a namespace. Elsewhere it has only a session of its own.
var isolated = sync.OnceValue(func() []string {
	namespace := []string{"unshare", "--pid", "--fork", "--mount-proc", "--kill-child"}
	if exec.Command(namespace[0], append(namespace[1:], "true")...).Run() != nil {
		namespace = nil
	}
	return append(namespace, "sh", "-c")
})

// test runs the tests of a room with flags, which hold for the programs that they build
// too. They are the short ones: those that kill a process again and again take minutes.
func (m mutation) test(room, flags string, timeout time.Duration) (how, said string) {
	left := time.Until(m.deadline)
	if left <= 0 {
		return outOfTime, ""
	}
	dir := "./" + strings.TrimPrefix(room, "piton")
	// The shell stays: as the first process of a namespace it has to wait for orphans.
	script := fmt.Sprintf("ulimit -d %d 2>/dev/null; go test -vet=off -short -count=1 -failfast -timeout=%s %s; exit $?", maxMemory, min(timeout, left), dir)
	shell := append(slices.Clone(isolated()), script)
	x := exec.Command(shell[0], shell[1:]...)
	x.Env = append(os.Environ(), "GOFLAGS="+os.Getenv("GOFLAGS")+flags)
	x.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	x.WaitDelay = time.Second
	out, err := x.CombinedOutput()
	said = string(out)
	switch late := strings.Contains(said, "panic: test timed out"); {
	case err == nil:
		return survived, said
	case strings.Contains(said, "[build failed]"):
		return notCompiled, said
	case late && left < timeout:
		return outOfTime, said
	case late:
		return timedOut, said
	}
	return dead, said
}
