package sqlite_test

import (
	"bytes"
	"fmt"
	"io"
	"maps"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/vfs"
)

// handle is an open file.
type handle struct {
	*inode
	disk *disk
	name string
	shm  vfs.SharedMemory
	lock vfs.LockLevel
	keep bool // the log stays when it is closed
}

var (
	_ vfs.FileSharedMemory = (*handle)(nil)
	_ vfs.FileLockState    = (*handle)(nil)
	_ vfs.FilePersistWAL   = (*handle)(nil)
)

func (h *handle) PersistWAL() bool        { return h.keep }
func (h *handle) SetPersistWAL(keep bool) { h.keep = keep }

func (h *handle) SharedMemory() vfs.SharedMemory { return h.shm }
func (h *handle) LockState() vfs.LockLevel       { return h.lock }
func (h *handle) SectorSize() int                { return page }
func (h *handle) DeviceCharacteristics() vfs.DeviceCharacteristic {
	return vfs.IOCAP_POWERSAFE_OVERWRITE | vfs.IOCAP_SUBPAGE_READ
}

func (h *handle) Close() error {
	if h.shm != nil {
		h.shm.Close()
	}
	return h.Unlock(vfs.LOCK_NONE)
}

func (h *handle) ReadAt(b []byte, at int64) (int, error) {
	h.disk.mu.Lock()
	defer h.disk.mu.Unlock()
	if err := h.disk.alive(); err != nil {
		return 0, err
	}
	n := 0
	if at < int64(len(h.data)) {
		n = copy(b, h.data[at:])
	}
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

// WriteAt writes to what programs see. The write that the cut meets is under
// way.
func (h *handle) WriteAt(b []byte, at int64) (int, error) {
	h.disk.mu.Lock()
	defer h.disk.mu.Unlock()
	if err := h.disk.alive(); err != nil {
		return 0, err
	}
	h.data = write(h.data, b, at, nil)
	h.pending = append(h.pending, change{at, bytes.Clone(b)})
	return len(b), h.disk.step()
}

func (h *handle) Truncate(size int64) error {
	h.disk.mu.Lock()
	defer h.disk.mu.Unlock()
	if err := h.disk.alive(); err != nil {
		return err
	}
	h.data = resize(h.data, size, nil)
	h.pending = append(h.pending, change{at: size})
	return h.disk.step()
}

func (h *handle) Sync(vfs.SyncFlag) error {
	h.disk.mu.Lock()
	defer h.disk.mu.Unlock()
	if err := h.disk.step(); err != nil {
		return err
	}
	h.synced, h.pending = bytes.Clone(h.data), nil
	if h.disk.names[h.name] == h.inode && h.disk.kept[h.name] != h.inode {
		h.disk.kept = maps.Clone(h.disk.names)
	}
	return nil
}

func (h *handle) Size() (int64, error) {
	h.disk.mu.Lock()
	defer h.disk.mu.Unlock()
	return int64(len(h.data)), h.disk.alive()
}

// Lock takes a lock as SQLite's protocol has them: many may read, one may
// mean to write, who wants the file alone lets no new reader in.
func (h *handle) Lock(want vfs.LockLevel) error {
	h.disk.mu.Lock()
	defer h.disk.mu.Unlock()
	if h.lock >= want {
		return nil
	}
	switch want {
	case vfs.LOCK_SHARED:
		if h.pendingLock > 0 {
			return sqlite3.BUSY
		}
		h.shared++
	case vfs.LOCK_RESERVED:
		if h.reserved > 0 {
			return sqlite3.BUSY
		}
		h.reserved++
	case vfs.LOCK_EXCLUSIVE:
		if h.lock < vfs.LOCK_PENDING {
			if h.pendingLock > 0 {
				return sqlite3.BUSY
			}
			if h.lock == vfs.LOCK_RESERVED {
				h.reserved--
			}
			h.pendingLock++
			h.lock = vfs.LOCK_PENDING
		}
		if h.shared > 1 {
			return sqlite3.BUSY
		}
	default:
		return fmt.Errorf("lock level %d", want)
	}
	h.lock = want
	return nil
}

func (h *handle) Unlock(want vfs.LockLevel) error {
	h.disk.mu.Lock()
	defer h.disk.mu.Unlock()
	if h.lock <= want {
		return nil
	}
	if h.lock == vfs.LOCK_RESERVED {
		h.reserved--
	}
	if h.lock >= vfs.LOCK_PENDING {
		h.pendingLock--
	}
	if want == vfs.LOCK_NONE {
		h.shared--
	}
	h.lock = want
	return nil
}

func (h *handle) CheckReservedLock() (bool, error) {
	h.disk.mu.Lock()
	defer h.disk.mu.Unlock()
	return h.reserved > 0 || h.pendingLock > 0, nil
}
