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
	begun, err := start(c, false)
	if err != nil {
		return err
	}
	begun.leave()
	return c.Process.Release()
}
