//go:build unix

package daemon

import (
	"net"
	"os"
	"syscall"
)

// listenPrivate listens on a socket that is for this user alone from its first moment
// on: the mask is set while it is made, before the daemon does anything else.
func listenPrivate(path string) (net.Listener, error) {
	old := syscall.Umask(0o177)
	l, err := net.Listen("unix", path)
	syscall.Umask(old)
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(path, 0o600); err != nil {
		l.Close()
		return nil, err
	}
	return l, nil
}
