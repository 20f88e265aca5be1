//go:build unix

package postgres

import (
	"errors"
	"net"
	"syscall"
)

// stirred looks, without waiting, whether anything has come on a connection
// that should be silent: bytes, its end, or an error.
func stirred(conn net.Conn) bool {
	if tls, ok := conn.(interface{ NetConn() net.Conn }); ok {
		conn = tls.NetConn()
	}
	sys, ok := conn.(syscall.Conn)
	if !ok {
		return true
	}
	raw, err := sys.SyscallConn()
	if err != nil {
		return true
	}
	silent := false
	// Control, not Read: after a slow write the driver leaves a read of its own
	// waiting on the connection, and Read would wait for that one to end.
	err = raw.Control(func(fd uintptr) {
		var b [1]byte
		_, _, err := syscall.Recvfrom(int(fd), b[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		silent = errors.Is(err, syscall.EAGAIN) || errors.Is(err, syscall.EWOULDBLOCK)
	})
	return err != nil || !silent
}
