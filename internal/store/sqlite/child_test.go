package sqlite_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
)

// childEnv names the child that a test's own binary is to be.
const childEnv = "PITON_TEST_CHILD"

// children are the programs that tests start, kill and run by the dozen.
var children = map[string]func(ctx context.Context, args []string) error{
	"open":  openChild,
	"work":  workChild,
	"hook":  hookChild,
	"lock":  lockChild,
	"full":  fullChild,
	"user":  userChild,
	"read":  readChild,
	"mount": mountChild,
}

func TestMain(m *testing.M) {
	name := os.Getenv(childEnv)
	if name == "" {
		os.Exit(m.Run())
	}
	if err := children[name](context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// child is a process of the test's own binary.
type child struct {
	*exec.Cmd
	in     io.WriteCloser
	out    *bufio.Scanner
	stderr strings.Builder
	once   sync.Once
	err    error
}

// start starts a child; it is killed when the test ends.
func start(t testing.TB, name string, args ...string) *child {
	t.Helper()
	return started(t, command(t, name, args...))
}

func command(t testing.TB, name string, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, args...)
	cmd.Env = append(os.Environ(), childEnv+"="+name)
	return cmd
}

func started(t testing.TB, cmd *exec.Cmd) *child {
	t.Helper()
	c := &child{Cmd: cmd}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	c.in, c.out = in, bufio.NewScanner(out)
	c.out.Buffer(nil, 64<<20)
	cmd.Stderr = &c.stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		c.wait()
	})
	return c
}

// wait waits for the child's end, once; the error holds what it wrote on
// stderr.
func (c *child) wait() error {
	c.once.Do(func() {
		if c.err = c.Wait(); c.err != nil {
			c.err = fmt.Errorf("%w: %s", c.err, strings.TrimSpace(c.stderr.String()))
		}
	})
	return c.err
}

// tell writes a line to the child.
func (c *child) tell(t testing.TB, line string) {
	t.Helper()
	if _, err := fmt.Fprintln(c.in, line); err != nil {
		t.Fatalf("tell the child: %v (%v)", err, c.wait())
	}
}

// hear reads the child's next line.
func (c *child) hear(t testing.TB) string {
	t.Helper()
	if !c.out.Scan() {
		t.Fatalf("the child said nothing: %v", errors.Join(c.out.Err(), c.wait()))
	}
	return c.out.Text()
}

// lines calls fn for every line on stdin, and says on stdout what it answers.
func lines(fn func(line string) string) error {
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		fmt.Println(fn(in.Text()))
	}
	return in.Err()
}
