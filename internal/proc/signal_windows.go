package proc

import "os"

func terminate(pid int) error { return kill(pid) } // there is no polite way

func kill(pid int) error {
	p, err := os.FindProcess(pid)
	if err != nil {
		return err
	}
	return p.Kill()
}
