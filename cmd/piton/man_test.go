package main

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMan runs testdata/man/*.txtar with a piton that has what only its build needs.
func TestMan(t *testing.T) {
	man := filepath.Join(t.TempDir(), "piton")
	build := exec.Command("go", "build", "-buildvcs=false", "-tags", "man", "-ldflags", "-s -w", "-o", man, ".")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build piton: %v\n%s", err, out)
	}
	p := scripts(t, t.TempDir(), "")
	p.Dir = "testdata/man"
	setup := p.Setup
	p.Setup = func(e *testscript.Env) error {
		e.Vars = append(e.Vars, "MAN="+man)
		return setup(e)
	}
	testscript.Run(t, p)
}
