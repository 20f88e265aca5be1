package git

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/piton-project/piton/internal/store/localfs"
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

// same reports whether p and what is there now, q, are equal. Hashes decide where both were taken.
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
	p.Code, p.Missing, p.Hash = q.Code, q.Missing, q.Hash
	return p == q
}

// untouched reports whether the file is known to be as it was at the time taken without reading it: nobody can set
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

// readFile reads a small file that may have become anything since it was looked at: a pipe must not hold us, nor a link lead us elsewhere.
func readFile(path string) ([]byte, error) {
	f, _, err := localfs.OpenPlain(path, false)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, hashedSize))
}

func sum(b []byte) string {
	return fmt.Sprintf("%x", sha256.Sum256(b))[:hashLetters]
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

// encode writes "code size mode mtime ctime-mtime inode hash" in base 36, the last only where it was taken, and of a missing file only the code.
func (p Print) encode() string {
	b := append(make([]byte, 0, 80), p.Code...)
	if p.Missing {
		return string(b)
	}
	for _, n := range []int64{p.Size, int64(p.Mode), p.ModNano, p.CtimeNano - p.ModNano} {
		b = strconv.AppendInt(append(b, ' '), n, 36)
	}
	b = strconv.AppendUint(append(b, ' '), p.Inode, 36)
	if p.Hash != "" {
		b = append(append(b, ' '), p.Hash...)
	}
	return string(b)
}

func decode(s string) (Print, error) {
	f := strings.Split(s, " ")
	switch len(f) {
	case 1:
		return Print{Code: s, Missing: true}, nil
	case 6:
		f = append(f, "")
	case 7:
	default:
		return Print{}, fmt.Errorf("print %q has %d fields, want 1, 6 or 7", s, len(f))
	}
	var n [4]int64
	for i := range n {
		var err error
		if n[i], err = strconv.ParseInt(f[i+1], 36, 64); err != nil {
			return Print{}, err
		}
	}
	inode, err := strconv.ParseUint(f[5], 36, 64)
	if err != nil {
		return Print{}, err
	}
	return Print{Code: f[0], Size: n[0], Mode: uint32(n[1]), ModNano: n[2], CtimeNano: n[2] + n[3], Inode: inode, Hash: f[6]}, nil
}
