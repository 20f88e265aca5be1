package daemon

import (
	"log/slog"
	"net"
	"os"
)

// ownPeers is a listener that lets in the connections of this user and of root, where
// the system says whose they are. The socket's mode keeps others out already; this holds
// where the mode was changed (docs/spec.md, "Daemon and API").
type ownPeers struct {
	net.Listener
	own  int                               // the user's number
	peer func(net.Conn) (uid int, ok bool) // false: the system does not say
	log  *slog.Logger
	told map[int]bool // users that the log has named: each is named once
}

func newOwnPeers(l net.Listener, log *slog.Logger) *ownPeers {
	return &ownPeers{Listener: l, own: os.Geteuid(), peer: peerUser, log: log, told: map[int]bool{}}
}

// Accept waits for the next connection of this user. One goroutine calls it.
func (l *ownPeers) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		uid, ok := l.peer(c)
		if !ok || uid == l.own || uid == 0 {
			return c, nil
		}
		c.Close()
		if len(l.told) < maxTold && !l.told[uid] {
			l.told[uid] = true
			l.log.Warn("a connection of another user was refused", "uid", uid, "hint", "the socket should have mode 0600: "+l.Addr().String())
		}
	}
}

// maxTold bounds how many users the log names.
const maxTold = 100
