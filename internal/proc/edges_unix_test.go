//go:build unix

package proc

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// ways are all that start a program.
var ways = map[string]func(t *testing.T, argv []string) error{
	"run": func(t *testing.T, argv []string) error {
		_, err := Run(t.Context(), Command{Argv: argv, Alone: true})
		return err
	},
	"start": func(_ *testing.T, argv []string) error {
		p, err := Start(Command{Argv: argv, Err: new(bytes.Buffer)})
		if err == nil {
			p.End()
		}
		return err
	},
	"talk": func(t *testing.T, argv []string) error {
		return Talk(t.Context(), Command{Argv: argv}, func([]byte) ([]byte, bool) { return nil, true })
	},
	"detach": func(_ *testing.T, argv []string) error { return Detach(argv, "", nil) },
}

// TestNotStarted: what cannot be started is an error in every way, and leaves nothing open.
func TestNotStarted(t *testing.T) {
	open := func() int {
		list, _ := os.ReadDir("/proc/self/fd")
		return len(list)
	}
	for name, start := range ways {
		if err := start(t, nil); err == nil || !strings.Contains(err.Error(), "no program named") {
			t.Errorf("%s: got %v for no program", name, err)
		}
		_ = start(t, []string{"/none/such"})
		before := open()
		if err := start(t, []string{"/none/such"}); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: got %v, want it not found", name, err)
		}
		if after := open(); after > before {
			t.Errorf("%s: got %d files open, want %d", name, after, before)
		}
	}
	if err := Detach([]string{"true"}, "", nil); err != nil {
		t.Errorf("detach: got %v", err)
	}
}

// TestTalkWithLittle: a line may be empty, and so may what is sent.
func TestTalkWithLittle(t *testing.T) {
	var lines []string
	err := Talk(t.Context(), Command{Argv: []string{"cat"}, Stdin: []byte("one\n")}, func(line []byte) ([]byte, bool) {
		lines = append(lines, string(line))
		return []byte("\n"), len(lines) == 3
	})
	if got := strings.Join(lines, "|"); err != nil || got != "one||" {
		t.Errorf("got %q, %v, want two empty lines", got, err)
	}
	if err := Talk(t.Context(), Command{Argv: []string{"sh", "-c", "head -c 5000000 /dev/zero"}}, func([]byte) ([]byte, bool) { return nil, false }); err == nil || !strings.Contains(err.Error(), "too long") {
		t.Errorf("got %v, want the line too long", err)
	}
}

func TestMarkBesideAnEnvironment(t *testing.T) {
	for name, env := range map[string][]string{"of its own": {"A=1"}, "ours": nil} {
		t.Setenv("A", "1")
		r, err := Run(t.Context(), Command{Argv: []string{"sh", "-c", "echo $A $MARK"}, Env: env, Mark: "MARK=m"})
		if err != nil || string(r.Stdout) != "1 m\n" {
			t.Errorf("%s: got %q, %v", name, r.Stdout, err)
		}
	}
}

// TestEndsInSmallSteps: what is kept does not depend on how it was written.
func TestEndsInSmallSteps(t *testing.T) {
	text := strings.Repeat("0123456789", 30)
	for step := 1; step <= 20; step++ {
		k := newKept(11, true)
		for at := 0; at < len(text); at += step {
			if _, err := k.Write([]byte(text[at:min(at+step, len(text))])); err != nil {
				t.Fatal(err)
			}
		}
		if got, want := string(k.bytes()), "01234\n[... 289 bytes left out ...]\n456789"; got != want {
			t.Errorf("in steps of %d: got %q, want %q", step, got, want)
		}
	}
}

func TestIdentityElsewhere(t *testing.T) {
	me, err := Identify(os.Getpid())
	if err != nil || !me.Visible() {
		t.Fatalf("got %+v, %v, want this process visible", me, err)
	}
	type is struct{ visible, alive, known bool }
	for name, x := range map[string]struct {
		of   func(*Identity)
		want is
	}{
		"itself":             {func(*Identity) {}, is{true, true, true}},
		"no process":         {func(i *Identity) { i.PID = 0 }, is{true, false, false}},
		"another start":      {func(i *Identity) { i.Start = "1" }, is{true, false, true}},
		"no start":           {func(i *Identity) { i.Start = "" }, is{true, true, true}},
		"of a boot before":   {func(i *Identity) { i.Boot = "x" }, is{false, false, true}},
		"of another machine": {func(i *Identity) { i.Space = "x" }, is{false, false, false}},
	} {
		i := me
		x.of(&i)
		alive, known := i.Alive()
		if got := (is{i.Visible(), alive, known}); got != x.want && runtime.GOOS == "linux" {
			t.Errorf("%s: got %+v, want %+v", name, got, x.want)
		}
	}
	for _, pid := range []int{0, -1, 1 << 30} {
		if _, err := Identify(pid); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%d: got %v, want it not found", pid, err)
		}
	}
}

// TestFed: only what others write counts.
func TestFed(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells")
	}
	from, to, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	if Fed(from) {
		t.Error("got a pipe of our own fed")
	}
	for name, x := range map[string]struct {
		give func(*exec.Cmd)
		want bool
	}{
		"a writer": {func(c *exec.Cmd) { c.Stdout = to }, true},
		"a reader": {func(c *exec.Cmd) { c.Stdin = from }, false},
	} {
		c := exec.Command("sleep", "100")
		x.give(c)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		if got := Fed(from); got != x.want {
			t.Errorf("%s: got it fed %t", name, got)
		}
		_ = c.Process.Kill()
		_ = c.Wait()
	}
	if Fed(os.NewFile(1<<20, "closed")) {
		t.Error("got what is not open fed")
	}
	to.Close()
}

func TestInterruptible(t *testing.T) {
	ctx := Interruptible()
	if ctx.Err() != nil {
		t.Fatal("it ends at once")
	}
	if err := syscall.Kill(os.Getpid(), syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	select {
	case <-ctx.Done():
	case <-time.After(time.Minute):
		t.Error("it does not end")
	}
}
