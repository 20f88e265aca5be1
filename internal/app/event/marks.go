package event

import (
	"log/slog"
	"sync"
	"time"

	"github.com/piton-project/piton/internal/app/place"
	"github.com/piton-project/piton/internal/config"
	"github.com/piton-project/piton/internal/mark/keep"
)

// marksWait is how long a hook waits for another that takes a mark.
const marksWait = time.Second

// marks is the store of marks, opened once when it is first asked for.
type marks struct {
	home string
	in   func(root string) config.Config
	log  *slog.Logger
	once sync.Once
	st   *keep.Store
}

// of opens what takes the marks of a work tree; nil where the settings want none, or the store cannot be opened.
func (m *marks) of(root string) func() *keep.Taker {
	r := m.in(root).Restore
	if r.Mode != config.RestoreOn {
		return nil
	}
	return func() *keep.Taker { return m.taker(r) }
}

func (m *marks) taker(r config.Restore) *keep.Taker {
	m.once.Do(func() {
		var err error
		if m.st, err = keep.Open(m.home, marksWait, false); err != nil {
			m.log.Warn("no marks of files are taken", "err", err)
		} else if m.st.Aside != "" {
			m.log.Warn("the store of marks was damaged; it was put aside, and a new one begun", "file", m.st.Aside)
		}
	})
	if m.st == nil {
		return nil
	}
	k := place.Taker(m.st, r)
	return &k
}

func (m *marks) close() { m.st.Close() }
