//go:build unix

package pgtest

import (
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"syscall"
)

// unprivileged is who the server runs as: nil for ourselves, and somebody else
// for root, whom PostgreSQL refuses.
func unprivileged() *syscall.Credential {
	if os.Getuid() != 0 {
		return nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err1 := strconv.ParseUint(u.Uid, 10, 32)
		gid, err2 := strconv.ParseUint(u.Gid, 10, 32)
		if err1 == nil && err2 == nil {
			return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
		}
	}
	return nil
}

// as makes a program run as the unprivileged user, in a process group of its
// own, so that an interrupt at the terminal leaves its end to the watcher.
func as(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: unprivileged(), Setpgid: true}
}

// give makes a folder the unprivileged user's own.
func give(dir string) error {
	if who := unprivileged(); who != nil {
		return os.Chown(dir, int(who.Uid), int(who.Gid))
	}
	return nil
}
