// Package line is a network between programs and a PostgreSQL server, for tests and
// measures: it counts round trips, and can make each take its time.
package line

import (
	"io"
	"net"
	"net/url"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Line is a network between programs and a server: a proxy on a TCP port of the
// loopback that counts round trips and can make each of them take its time.
type Line struct {
	DSN string // of the database, through the line

	each     time.Duration // one way
	to       func() (net.Conn, error)
	listener net.Listener

	mu    sync.Mutex
	conns int
	trips int
}

// New is a line to a database; each is how long a byte is on its way, in each
// direction. The caller closes it.
func New(dsn string, each time.Duration) (*Line, error) {
	cfg, err := pgx.ParseConfig(dsn)
	if err != nil {
		return nil, err
	}
	l := &Line{each: each}
	network, address := pgconn.NetworkAddress(cfg.Host, cfg.Port)
	l.to = func() (net.Conn, error) { return net.Dial(network, address) }
	if l.listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		return nil, err
	}
	u := url.URL{Scheme: "postgres", User: url.User(cfg.User), Host: l.listener.Addr().String(), Path: "/" + cfg.Database}
	if cfg.Password != "" {
		u.User = url.UserPassword(cfg.User, cfg.Password)
	}
	l.DSN = u.String()
	go l.serve()
	return l, nil
}

// Close takes no more connections; those that are there go on.
func (l *Line) Close() { l.listener.Close() }

// Trips runs f and returns how many round trips it made: how often a program wrote
// after it had read, or for the first time, and one for each new connection.
func (l *Line) Trips(f func()) int {
	before := l.sum()
	f()
	return l.sum() - before
}

// Conns is how many connections were made so far.
func (l *Line) Conns() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.conns
}

func (l *Line) sum() int {
	conns := l.Conns()
	l.mu.Lock()
	defer l.mu.Unlock()
	return conns + l.trips
}

func (l *Line) serve() {
	for {
		client, err := l.listener.Accept()
		if err != nil {
			return
		}
		server, err := l.to()
		if err != nil {
			client.Close()
			continue
		}
		l.mu.Lock()
		l.conns++
		l.mu.Unlock()
		asked := false // whose turn it was last, under the lock
		go l.carry(server, client, func(data []byte) {
			if !asked && string(data) != farewell {
				asked = true
				l.trips++
			}
		})
		go l.carry(client, server, func([]byte) { asked = false })
	}
}

// farewell ends a session; nobody waits for an answer to it.
const farewell = "X\x00\x00\x00\x04"

// piece is what is on its way.
type piece struct {
	due  time.Time
	data []byte
}

// carry takes all that comes from one end to the other; seen is called for each
// piece, under the lock.
func (l *Line) carry(to, from net.Conn, seen func([]byte)) {
	way := make(chan piece, 1<<10)
	go func() {
		defer to.Close()
		for p := range way {
			time.Sleep(time.Until(p.due))
			if _, err := to.Write(p.data); err != nil {
				from.Close()
				io.Copy(io.Discard, from)
			}
		}
	}()
	defer close(way)
	for {
		b := make([]byte, 1<<16)
		n, err := from.Read(b)
		if n > 0 {
			l.mu.Lock()
			seen(b[:n])
			l.mu.Unlock()
			way <- piece{time.Now().Add(l.each), b[:n]}
		}
		if err != nil {
			return
		}
	}
}
