package proc

import (
	"errors"
	"os/exec"
)

// Detach starts a program that outlives us: in a session of its own, with
// nothing on its streams. It does not wait for it.
func Detach(argv []string, dir string, env []string) error {
	if len(argv) == 0 {
		return errors.New("detach: no program named")
	}
	c := exec.Command(argv[0], argv[1:]...)
	c.Dir, c.Env = dir, env
	detach(c)
	if err := c.Start(); err != nil {
		return err
	}
	return c.Process.Release()
}
