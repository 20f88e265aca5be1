//go:build unix

package main

import (
	"database/sql"
	"encoding/json"
	"math/rand/v2"
	"time"

	"github.com/piton-project/piton/internal/testkit/pgtest"
)

// loadServer is a PostgreSQL that is stopped and started again while sessions run.
type loadServer struct {
	l          *load
	cluster    *pgtest.Cluster
	calm, done chan struct{}
	stops      int
}

// startServer makes it the shared store.
func (l *load) startServer(every time.Duration) *loadServer {
	s := &loadServer{l: l, cluster: pgtest.Own(l.t), calm: make(chan struct{}), done: make(chan struct{})}
	l.env = append(l.env, "PITON_STORE="+s.cluster.Database(l.t))
	go func() {
		defer close(s.done)
		for {
			select {
			case <-s.calm:
				return
			case <-time.After(every/2 + rand.N(every)):
			}
			s.stops++
			s.cluster.Quit()
			select {
			case <-s.calm:
			case <-time.After(every / 2):
			}
			if err := s.cluster.Start(); err != nil {
				l.t.Errorf("start PostgreSQL again: %v", err)
				return
			}
		}
	}()
	return s
}

// quiet leaves it at work.
func (s *loadServer) quiet() {
	close(s.calm)
	<-s.done
}

// compare wants everything there that hooks have saved here.
func (s *loadServer) compare() {
	t := s.l.t
	t.Helper()
	if out, err := s.l.piton("flush"); err != nil {
		t.Fatalf("flush: %v\n%s", err, out)
	}
	out, err := s.l.piton("list", "--limit", "0", "--json")
	var list struct {
		Checkpoints []struct{ ID string }
	}
	if err == nil {
		err = json.Unmarshal([]byte(out), &list)
	}
	if err != nil {
		t.Fatalf("list: %v\n%.2000s", err, out)
	}
	there := map[string]bool{}
	for _, c := range list.Checkpoints {
		there[c.ID] = true
	}
	here, missing := 0, 0
	s.l.query(`SELECT id FROM checkpoints`, func(r *sql.Rows) error {
		var id string
		err := r.Scan(&id)
		if here++; !there[id] {
			missing++
		}
		return err
	})
	if here == 0 || missing > 0 {
		t.Errorf("of %d checkpoints that hooks have saved here %d are not in the shared store, want all of them there", here, missing)
	}
	t.Logf("PostgreSQL was stopped %d times; %d checkpoints carried over", s.stops, here)
}
