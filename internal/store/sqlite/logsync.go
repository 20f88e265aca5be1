package sqlite

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/ncruces/go-sqlite3/vfs"

	"github.com/piton-project/piton/internal/store/localfs"
)

// logVFS is a VFS that syncs the log beside a file only where that adds something.
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
}

func (f *logFile) WriteAt(b []byte, at int64) (int, error) {
	f.synced = false
	n, err := f.File.WriteAt(b, at)
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
	f.synced, f.end = false, 0
	return f.File.Truncate(size)
}

// Sync makes what was written durable, by this process or another.
func (f *logFile) Sync(flags vfs.SyncFlag) error {
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
