package sqlstore

import (
	"slices"
	"sync"

	"github.com/piton-project/piton"
)

// seen remembers where the states of the checkpoints lie that were looked up last, so
// that to load one after it was found takes one question less. That it still lies
// there is asked together with its blobs.
type seen struct {
	mu   sync.Mutex
	list []seenAt // the newest last
}

type seenAt struct {
	id string
	kept
}

// maxSeen bounds what is remembered.
const maxSeen = 4

// remember keeps in mind where a checkpoint's state lies, where s is not nil.
func (s *seen) remember(c piton.Checkpoint, k kept) {
	if s != nil {
		s.add(seenAt{c.ID, k})
	}
}

func (s *seen) add(at seenAt) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.list = append(slices.DeleteFunc(s.list, func(had seenAt) bool { return had.id == at.id }), at)
	if n := len(s.list) - maxSeen; n > 0 {
		s.list = slices.Delete(s.list, 0, n)
	}
}

// take returns what is remembered of a checkpoint and forgets it.
func (s *seen) take(id string) (k kept, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.list, func(had seenAt) bool { return had.id == id })
	if i < 0 {
		return k, false
	}
	k = s.list[i].kept
	s.list = slices.Delete(s.list, i, i+1)
	return k, true
}
