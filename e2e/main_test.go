package e2e

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/piton-project/piton/internal/testkit/need"
)

// builtEnv says in which folder the three programs lie; without it they are built.
// insideEnv marks the test process that has a network of its own.
const (
	builtEnv  = "PITON_E2E_BUILT"
	insideEnv = "PITON_E2E_INSIDE"
)

// TestMain builds the programs once, and runs the tests in a network of their
// own where that can be had.
func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	if err := loopback(); err != nil {
		fmt.Fprintln(os.Stderr, "bringing loopback up:", err)
		return 1
	}
	if os.Getenv(insideEnv) != "" || !slices.ContainsFunc(every, func(c client) bool { return len(c.argv()) > 0 }) {
		return m.Run()
	}
	if os.Getenv(builtEnv) == "" {
		dir, err := os.MkdirTemp("", "piton-e2e-")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(dir)
		build := exec.Command("go", "build", "-o", dir+string(filepath.Separator), "../cmd/piton", "../cmd/piton-hook")
		build.Stdout, build.Stderr = os.Stderr, os.Stderr
		if err := build.Run(); err != nil {
			fmt.Fprintln(os.Stderr, "building the programs:", err)
			return 1
		}
		os.Setenv(builtEnv, dir)
	}
	if code, ok := isolated(); ok {
		return code
	}
	return m.Run()
}

// TestNothingLeavesTheMachine looks at the network that the clients are given.
func TestNothingLeavesTheMachine(t *testing.T) {
	if os.Getenv(insideEnv) == "" {
		need.Missing(t, "a network of their own is not permitted here")
	}
	list, err := net.Interfaces()
	check(t, err)
	for _, x := range list {
		if x.Flags&net.FlagLoopback == 0 && x.Flags&net.FlagUp != 0 {
			t.Errorf("%s is up beside loopback", x.Name)
		}
	}
}
