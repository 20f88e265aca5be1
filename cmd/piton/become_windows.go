package main

import (
	"context"
	"os/exec"
)

// become runs another program with the streams of this one until it ends, and ends as
// it does.
func (con *console) become(_ context.Context, argv []string) error {
	return con.lend(exec.Command(argv[0], argv[1:]...))
}
