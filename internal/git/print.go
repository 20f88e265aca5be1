package git

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

// Print is what a file looked like, to tell later whether it was changed since.
type Print struct {
	Code      string // git's two letters at the time
	Missing   bool   // nothing was there; all below is zero
	Size      int64
	ModNano   int64 // time of the last change of the content, Unix ns
	CtimeNano int64 // and of anything about it, where the system tells
	Inode     uint64
	Mode      uint32 // fs.FileMode
	// Hash is the beginning of sha256 in hex: of a file under 64 KiB, of a symbolic link's target, of a submodule's own status.
	// "" where none was taken; then times and inode count.
	Hash string
}

const (
	hashedSize  = 64 << 10
	hashedFiles = 5_000 // more dirty files than this and none is hashed: 5,000 cost 25 to 50 ms
	hashLetters = 32
	coarse      = 3 * time.Second // no file system's times are coarser (FAT: 2 s)
)

// same says whether p and what is there now, q, are equal. Hashes decide where both were taken.
func (p Print) same(q Print) bool {
	switch {
	case p.Code != q.Code || p.Missing != q.Missing:
		return false
	case p.Hash != "" && q.Hash != "":
		return p.Hash == q.Hash && p.Size == q.Size && p.Mode == q.Mode
	}
	return p.sameStat(q)
}

func (p Print) sameStat(q Print) bool {
	return p.Size == q.Size && p.Mode == q.Mode && p.ModNano == q.ModNano && p.CtimeNano == q.CtimeNano && p.Inode == q.Inode
}

// untouched says whether the file can be told to be as it was at the time taken without reading it: nobody can set
// a change time back, so an old one that is the same means the same content. Young ones may hide a second change within one tick.
func (p Print) untouched(q Print, taken time.Time) bool {
	return p.CtimeNano != 0 && p.sameStat(q) && p.CtimeNano < taken.Add(-coarse).UnixNano()
}

// look takes the print of one path, without its hash.
func look(root, path string) Print {
	info, err := os.Lstat(filepath.Join(root, filepath.FromSlash(path)))
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return Print{Missing: true}
	}
	if err != nil {
		return Print{}
	}
	p := Print{Size: info.Size(), ModNano: info.ModTime().UnixNano(), Mode: uint32(info.Mode())}
	p.Inode, p.CtimeNano = inode(info)
	return p
}

// hash completes a print. Submodules cost a run of git each, so the caller counts them.
func (p *Print) hash(ctx context.Context, root string, e Entry) {
	at := filepath.Join(root, filepath.FromSlash(e.Path))
	mode := fs.FileMode(p.Mode)
	switch {
	case p.Missing:
	case mode&fs.ModeSymlink != 0:
		if to, err := os.Readlink(at); err == nil {
			p.Hash = sum([]byte(to))
		}
	case mode.IsRegular() && p.Size < hashedSize:
		if b, err := readFile(at); err == nil {
			p.Hash = sum(b)
		}
	case mode.IsDir() && e.Submodule:
		if b, err := (Repo{Dir: at}).Baseline(ctx); err == nil {
			p.Hash, p.Size = b.sum(), 0
		}
	}
}

// readFile reads a small file that may have become anything since it was looked at: a pipe must not hold us, nor a link lead us elsewhere.
func readFile(path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|openSafely, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(err, errors.New("not a regular file"))
	}
	return io.ReadAll(io.LimitReader(f, hashedSize))
}

func sum(b []byte) string {
	s := sha256.Sum256(b)
	return hex.EncodeToString(s[:])[:hashLetters]
}

// each calls do for 0 to n-1, on a few goroutines where that pays.
func each(n int, do func(int)) {
	const share, most = 64, 4
	workers := min(n/share+1, most)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := w; i < n; i += workers {
				do(i)
			}
		})
	}
	wg.Wait()
}
