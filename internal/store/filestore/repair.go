package filestore

import (
	"context"

	"github.com/piton-project/piton/internal/store"
)

// Repair takes away what a broken-off save has left over. Indexes and heads
// are not kept here but found anew at each reading, so there is nothing else
// to mend.
func (s *Store) Repair(ctx context.Context) ([]string, error) {
	freed, err := s.Reclaim(ctx, nil)
	if err != nil || freed == 0 {
		return nil, err
	}
	return []string{"removed what broken-off saves had left over"}, nil
}

// Purge has nothing to clean beside the checkpoints themselves: the store's
// other files hold ids, numbers and names that were cleaned when they came.
func (s *Store) Purge(ctx context.Context, c store.Cleaner, dry bool) (taken int, beyond []string, err error) {
	if !dry { // it may hold texts from before
		s.mu.Lock()
		defer s.mu.Unlock()
		s.cache.drop()
	}
	return 0, []string{"names of files in " + s.disk.dir + ", copies and backups of it, and blocks that the file system has set free"}, nil
}
