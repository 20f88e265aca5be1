package sqlite

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/ncruces/go-sqlite3/vfs"

	"github.com/piton-project/piton/internal/store/localfs"
)

// logVFS is a VFS that writes the log beside a file in one piece for a commit, and syncs it
// only where that adds something.
// One commit and the end of a process cost five syncs with the driver's own: the log
// twice after its header (the second is meant for its folder), after its frames,
// again before they are written back, and the file. Two of them find nothing to
// write, and none reaches the folder, without which a power cut may take the log's name.
type logVFS struct{ vfs.VFS }

// logVFSName is what the VFS is called in a data source.
const logVFSName = "piton"

var registerLogVFS = sync.OnceFunc(func() { vfs.Register(logVFSName, logVFS{vfs.Find("")}) })

func (v logVFS) Open(name string, flags vfs.OpenFlag) (vfs.File, vfs.OpenFlag, error) {
	return v.open(name, flags, func() (vfs.File, vfs.OpenFlag, error) { return v.VFS.Open(name, flags) })
}

func (v logVFS) OpenFilename(name *vfs.Filename, flags vfs.OpenFlag) (vfs.File, vfs.OpenFlag, error) {
	inner, ok := v.VFS.(vfs.VFSFilename)
	if !ok {
		return v.Open(name.String(), flags)
	}
	return v.open(name.String(), flags, func() (vfs.File, vfs.OpenFlag, error) { return inner.OpenFilename(name, flags) })
}

func (v logVFS) open(name string, flags vfs.OpenFlag, open func() (vfs.File, vfs.OpenFlag, error)) (vfs.File, vfs.OpenFlag, error) {
	if flags&vfs.OPEN_WAL == 0 {
		return open()
	}
	_, err := os.Lstat(name)
	f, flags, failed := open()
	if failed != nil {
		return f, flags, failed
	}
	l := &logFile{File: f}
	if errors.Is(err, fs.ErrNotExist) {
		l.folder = filepath.Dir(name)
	}
	return l, flags, nil
}

// logHead is the length of a log's header, which holds what tells one log from the
// next in the same file; logFrame that of the header of a page in it, which holds a sum
// of all before it.
const logHead, logFrame = 32, 24

// logFile is an open log.
type logFile struct {
	vfs.File
	folder string         // in which its name is to be synced; "" when it was there
	head   [logHead]byte  // the header that this process has written
	frame  [logFrame]byte // the page's header that this process has written last
	at     int64          // where it stands
	end    int64          // of what this process has written last; 0: another has begun the log
	synced bool           // nothing was written since
	whole  bool           // a commit is under way: its pages are held until the last one
	last   bool           // the page whose header came last is the last one of its transaction
	held   []byte         // bytes that are to be written up to next
	next   int64
}

// maxHeld bounds the bytes that are held.
const maxHeld = 1 << 20

// Commit runs what commits a transaction. Its pages, a header and a page at a time, reach
// the log in one write: 17 pages take a third of the time. Nobody else looks for them
// before the last one is written, whose header has the size of the database. Outside of
// a commit nothing is held: what SQLite writes earlier it may take back, and then the
// place in the log is another's.
func (f *logFile) Commit(commit func() error) error {
	if f == nil {
		return commit()
	}
	f.whole = true
	err := commit()
	f.whole = false
	if err == nil {
		return f.release()
	}
	f.held = f.held[:0]
	return err
}

// release writes what is held.
func (f *logFile) release() error {
	if len(f.held) == 0 {
		return nil
	}
	_, err := f.File.WriteAt(f.held, f.next-int64(len(f.held)))
	if f.held = f.held[:0]; err != nil {
		f.end = 0
	}
	return err
}

// put writes bytes, or holds them.
func (f *logFile) put(b []byte, at int64) (n int, err error) {
	if at != f.next || len(f.held) > maxHeld {
		err = f.release()
	}
	holds := f.whole && (len(b) == logFrame || len(f.held) > 0)
	switch {
	case err != nil:
	case holds:
		f.held, n = append(f.held, b...), len(b)
	default:
		n, err = f.File.WriteAt(b, at)
	}
	f.next = at + int64(n)
	if len(b) == logFrame {
		f.last = binary.BigEndian.Uint32(b[4:]) != 0
	} else if holds && f.last && err == nil {
		err = f.release()
	}
	return n, err
}

func (f *logFile) ReadAt(b []byte, at int64) (int, error) {
	if err := f.release(); err != nil {
		return 0, err
	}
	return f.File.ReadAt(b, at)
}

func (f *logFile) Size() (int64, error) {
	if err := f.release(); err != nil {
		return 0, err
	}
	return f.File.Size()
}

func (f *logFile) WriteAt(b []byte, at int64) (int, error) {
	f.synced = false
	n, err := f.put(b, at)
	switch {
	case err != nil:
		f.end = 0
	case at == 0 && len(b) == logHead:
		f.head, f.frame, f.at, f.end = [logHead]byte(b), [logFrame]byte(b), 0, logHead
	case f.end > 0:
		f.end = at + int64(n)
		if len(b) == logFrame {
			f.frame, f.at = [logFrame]byte(b), at
		}
	}
	return n, err
}

func (f *logFile) Truncate(size int64) error {
	err := f.release()
	f.synced, f.end = false, 0
	return errors.Join(err, f.File.Truncate(size))
}

// Sync makes what was written durable, by this process or another.
func (f *logFile) Sync(flags vfs.SyncFlag) error {
	if err := f.release(); err != nil {
		return err
	}
	if f.synced && f.alone() {
		return nil
	}
	if err := syncFile(f.File, flags); err != nil {
		return err
	}
	f.synced = true
	if folder := f.folder; folder != "" {
		f.folder = ""
		return localfs.SyncDir(folder)
	}
	return nil
}

// alone tells whether all that is in the log is this process's own: what another has
// written may not be durable, if it was killed. Another goes on behind the end, writes
// over what was rolled back, or begins the log anew, with another header.
func (f *logFile) alone() bool {
	if size, err := f.Size(); f.end == 0 || err != nil || size != f.end {
		return false
	}
	var head [logHead]byte
	var frame [logFrame]byte
	if _, err := f.ReadAt(head[:], 0); err != nil || head != f.head {
		return false
	}
	_, err := f.ReadAt(frame[:], f.at)
	return err == nil && frame == f.frame
}
