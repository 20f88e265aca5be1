package api

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"golang.org/x/net/netutil"
)

// Bounds of connections and of what they may take.
const (
	maxConnections = 4096
	headerPatience = 10 * time.Second
	idlePatience   = 2 * time.Minute
	maxHeader      = 64 << 10
)

// connections is how many one listener has at once. Each way takes at most a quarter of
// what the process may have open: over TCP anybody on the machine can connect, and the
// stores and the other way need the rest. A limit of 0 is not known.
func connections(files uint64) int {
	if files == 0 || files/4 >= maxConnections {
		return maxConnections
	}
	return max(int(files/4), 1)
}

// Serve answers the requests of a listener until Shutdown.
func (s *Server) Serve(l net.Listener, via Via) error {
	h := &http.Server{
		Handler: s.Handler(via), ReadHeaderTimeout: headerPatience, IdleTimeout: idlePatience, MaxHeaderBytes: maxHeader,
		ErrorLog: slog.NewLogLogger(s.o.Log.Handler(), slog.LevelDebug),
	}
	s.mu.Lock()
	if s.ending.Err() != nil {
		s.mu.Unlock()
		return l.Close()
	}
	s.servers = append(s.servers, h)
	s.mu.Unlock()
	err := h.Serve(netutil.LimitListener(l, connections(openFiles())))
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// Shutdown takes no more requests, ends the streams, and returns when the requests at
// work have been answered, or with the error of ctx. A body that is still to come, and a
// caller that does not take its answer, are waited for a short time only.
func (s *Server) Shutdown(ctx context.Context) error {
	s.mu.Lock()
	s.end()
	servers := s.servers
	s.mu.Unlock()
	all := make([]error, len(servers))
	var ends sync.WaitGroup
	for i, h := range servers { // together: none takes requests while another one ends
		ends.Go(func() { all[i] = h.Shutdown(ctx) })
	}
	ends.Wait()
	return errors.Join(all...)
}
