package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton/internal/demo"
	"github.com/piton-project/piton/internal/testkit/need"
)

// demoRun is the real program, alone in a folder, so that it builds piton-hook
// from the source it stands in; with a home and a temporary folder that are
// empty. It is a process because the demo starts itself again.
type demoRun struct {
	*exec.Cmd
	home, tmp   string
	out, errOut bytes.Buffer
}

func startDemo(t *testing.T, args ...string) *demoRun {
	t.Helper()
	return startDemoWith(t, "", args...)
}

// startDemoWith puts a script in piton-hook's place, if there is one.
func startDemoWith(t *testing.T, hook string, args ...string) *demoRun {
	t.Helper()
	gocmd := need.Program(t, "go")
	need.Program(t, "git")
	program := filepath.Join(t.TempDir(), "piton")
	if err := os.Link(need.Program(t, "piton"), program); err != nil {
		t.Fatal(err)
	}
	if hook != "" {
		if err := os.WriteFile(filepath.Join(filepath.Dir(program), "piton-hook"), []byte(hook), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	d := &demoRun{Cmd: exec.Command(program, args...), home: t.TempDir(), tmp: t.TempDir()}
	d.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + d.home, "TMPDIR=" + d.tmp, "PITON_HOME=" + filepath.Join(d.home, "state"),
		"CLAUDE_CODE_SESSION_ID=another", "PITON_DEBRIEF_MODE=off", "GIT_DIR=" + d.home,
	}
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOPATH", "GOROOT", "GOFLAGS"} {
		value, err := exec.Command(gocmd, "env", name).Output()
		if err != nil {
			t.Fatal(err)
		}
		d.Env = append(d.Env, name+"="+strings.TrimSpace(string(value)))
	}
	d.Stdout, d.Stderr = &d.out, &d.errOut
	if err := d.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Process.Kill() })
	return d
}

// clean fails if the demo has left anything in the home or the temporary
// folder.
func (d *demoRun) clean(t *testing.T) {
	t.Helper()
	for _, dir := range []string{d.home, d.tmp} {
		if left := entries(t, dir); len(left) > 0 {
			t.Errorf("got %q left behind, want nothing", left)
		}
	}
}

func entries(t *testing.T, dir string) (paths []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if path != dir {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

func TestDemoJSON(t *testing.T) {
	d := startDemo(t, "demo", "--json")
	if err := d.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, d.errOut.String())
	}
	var got demo.Seen
	dec := json.NewDecoder(&d.out)
	dec.DisallowUnknownFields()
	if err := dec.Decode(&got); err != nil || dec.More() {
		t.Fatalf("want one object: %v", err)
	}
	asks := len(got.Actions) == 1 && strings.Contains(got.Debrief, "`calc_test.go`) have not run since: run `go test .`")
	if !got.Held || !got.Passed || !asks || !slices.Equal(got.Categories, []string{"Go code"}) {
		t.Errorf("the turn: got %+v", got)
	}
	if got.Acknowledged < 3 || got.Verified != got.Acknowledged || got.ResumedID == "" || got.TurnCheckpoint == "" || got.InFlight == "" {
		t.Errorf("the crash: got %+v", got)
	}
	if got.ElapsedMS <= 0 {
		t.Errorf("got %d ms, want how long it took", got.ElapsedMS)
	}
	d.clean(t)
}

func TestDemoPlain(t *testing.T) {
	d := startDemo(t, "demo")
	if err := d.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, d.errOut.String())
	}
	out := d.out.String()
	at := 0
	for _, want := range []string{"[Piton Checkpoint]", "run `go test .`", "$ go test ./...", "ok  ", "all clear", "$ piton explain", "$ piton list", "killed with SIGKILL", "$ piton resume", "orders-", "Done."} {
		i := strings.Index(out[at:], want)
		if i < 0 {
			t.Fatalf("%q is not told, or not in its order:\n%s", want, out)
		}
		at += i
	}
	if strings.Contains(out, "\x1b") || strings.Contains(out, "${") || d.errOut.Len() > 0 {
		t.Errorf("got colours, placeholders or talk:\n%s%s", out, d.errOut.String())
	}
	d.clean(t)
}

func TestDemoInterrupted(t *testing.T) {
	if runtime.GOOS == "windows" {
		need.Missing(t, "there are no signals to send")
	}
	d := startDemo(t, "demo")
	// Another process: there is nothing to wait on but what it writes.
	for range 60_000 {
		if found, _ := filepath.Glob(filepath.Join(d.tmp, "piton-demo-*", "state", "piton.db")); len(found) > 0 {
			break
		}
		time.Sleep(time.Millisecond)
	}
	if err := d.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := d.Wait(); d.ProcessState.ExitCode() != 130 || !strings.Contains(d.errOut.String(), "interrupted") {
		t.Errorf("got %v %q, want status 130 and why", err, d.errOut.String())
	}
	d.clean(t)
}

// The demo is a check: a hook that does not do its work fails it.
func TestDemoBrokenHook(t *testing.T) {
	if runtime.GOOS == "windows" {
		need.Missing(t, "there is no /bin/sh")
	}
	for _, c := range []struct{ name, hook, want string }{
		{"lets everything go", "#!/bin/sh\n", "not held"},
		{"fails", "#!/bin/sh\necho oh >&2\nexit 3\n", "status 3: oh"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := startDemoWith(t, c.hook, "demo", "--json")
			if err := d.Wait(); d.ProcessState.ExitCode() != 1 || !strings.Contains(d.errOut.String(), c.want) || d.out.Len() > 0 {
				t.Errorf("got %v, %q, %q; want status 1 and %q", err, d.out.String(), d.errOut.String(), c.want)
			}
			d.clean(t)
		})
	}
}

func TestDemoKeep(t *testing.T) {
	d := startDemo(t, "demo", "--keep", "--json")
	if err := d.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, d.errOut.String())
	}
	var got demo.Seen
	if err := json.Unmarshal(d.out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(got.Kept, "state", "piton.db")); err != nil {
		t.Errorf("kept %q: %v", got.Kept, err)
	}
}

func TestDemoMissingPrograms(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	var out, errOut bytes.Buffer
	status := run(context.Background(), []string{"demo", "--json"}, nil, &out, &errOut, func(string) string { return "" })
	if status != 6 || out.Len() > 0 || !strings.Contains(errOut.String(), "https://go.dev/dl") {
		t.Errorf("got status %d, %q, %q; want 6 and where to get Go", status, out.String(), errOut.String())
	}
}

func TestDemoSaverSavesNowhereElse(t *testing.T) {
	home := t.TempDir()
	var out, errOut bytes.Buffer
	status := run(context.Background(), []string{"demo", "saver"}, nil, &out, &errOut, func(name string) string {
		return map[string]string{"PITON_HOME": home}[name]
	})
	if left := entries(t, home); status != 2 || len(left) > 0 {
		t.Errorf("got status %d and %q, want 2 and nothing", status, left)
	}
}
