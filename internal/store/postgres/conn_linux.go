package postgres

import (
	"cmp"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// unanswered bounds how long what was sent may stay unconfirmed. Without it a network
// that has swallowed a connection in the middle of a statement is noticed after a
// quarter of an hour: the questions of KeepAliveConfig are only asked on a connection
// that waits for nothing.
func unanswered(network, _ string, raw syscall.RawConn) error {
	if !strings.HasPrefix(network, "tcp") {
		return nil
	}
	var failed error
	err := raw.Control(func(fd uintptr) {
		failed = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, int((2 * keepAlive).Milliseconds()))
	})
	err = cmp.Or(err, failed)
	return err
}
