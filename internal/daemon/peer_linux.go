package daemon

import (
	"net"
	"syscall"
)

// peerUser is the user whose process has connected; false where the system does not say.
func peerUser(c net.Conn) (uid int, ok bool) {
	u, ok := c.(*net.UnixConn)
	if !ok {
		return 0, false
	}
	raw, err := u.SyscallConn()
	if err != nil {
		return 0, false
	}
	var cred *syscall.Ucred
	e := raw.Control(func(fd uintptr) {
		cred, err = syscall.GetsockoptUcred(int(fd), syscall.SOL_SOCKET, syscall.SO_PEERCRED)
	})
	if e != nil || err != nil {
		return 0, false
	}
	return int(cred.Uid), true
}
