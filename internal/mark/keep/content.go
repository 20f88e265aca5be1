package keep

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"sync"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/ncruces/go-sqlite3"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/mark"
)

// The first byte of what a blob holds.
const (
	raw    = 0
	zipped = 1
)

// most is what a content may be at most, whatever the settings say: SQLite ends at 1 GB.
const most = 512 << 20

var (
	encoder = sync.OnceValues(func() (*zstd.Encoder, error) {
		return zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(1<<20))
	})
	decoder = sync.OnceValues(func() (*zstd.Decoder, error) {
		return zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(most))
	})
)

// pack makes a content as small as it quickly can be.
func pack(content []byte) []byte {
	if e, err := encoder(); err == nil && len(content) > 64 {
		if out := e.EncodeAll(content, []byte{zipped}); len(out) < len(content) {
			return out
		}
	}
	return append([]byte{raw}, content...)
}

func unpack(data []byte) ([]byte, error) {
	switch {
	case len(data) > 0 && data[0] == raw:
		return data[1:], nil
	case len(data) > 0 && data[0] == zipped:
		d, err := decoder()
		if err != nil {
			return nil, err
		}
		return d.DecodeAll(data[1:], nil)
	}
	return nil, errDamaged
}

var errDamaged = piton.Errorf(piton.Corrupt, "read a kept file", "the other files are not concerned", "the copy is damaged, or was removed")

// has tells whether a content is there.
func (s *Store) has(sum []byte) (there bool, err error) {
	err = s.each("select 1 from blob where sum=?", func(*sqlite3.Stmt) error { there = true; return nil }, sum)
	return there, err
}

// content writes a content that is not there, and gives its sum.
func (s *Store) content(text []byte, at time.Time) ([]byte, error) {
	sum := sha256.Sum256(text)
	there, err := s.has(sum[:])
	if there || err != nil {
		return sum[:], err
	}
	return sum[:], s.add(sum[:], len(text), pack(text), at)
}

func (s *Store) add(sum []byte, size int, packed []byte, at time.Time) error {
	return s.do("insert or ignore into blob(sum, size, at, data) values(?,?,?,?)", sum, size, at.Unix(), packed)
}

// blob reads a content and checks it. Corrupt where it is damaged or not there.
func (s *Store) blob(sum []byte) (text []byte, err error) {
	var data []byte
	err = s.each("select data from blob where sum=?", func(r *sqlite3.Stmt) error { data = r.ColumnBlob(0, nil); return nil }, sum)
	if err == nil {
		text, err = unpack(data)
	}
	if got := sha256.Sum256(text); err != nil || !bytes.Equal(got[:], sum) {
		return nil, errDamaged
	}
	return text, nil
}

// Bytes are those of a file of a mark: of a symbolic link, its target. Corrupt where they are damaged.
func (s *Store) Bytes(f mark.File) ([]byte, error) {
	sum, err := hex.DecodeString(f.Sum)
	if err != nil || !f.Kept() {
		return nil, errDamaged
	}
	return s.blob(sum)
}

// row is a file in a manifest. Most fields repeat; zstd sees to that.
type row struct {
	Path          []byte
	Code          string `json:",omitempty"`
	Missing       bool   `json:",omitempty"`
	Mode          uint32
	Size, Mod, Ct int64
	Inode         uint64
	Sum           []byte `json:",omitempty"`
	InHead, Lacks string `json:",omitempty"`
}

func manifest(files []mark.File) ([]byte, error) {
	rows := make([]row, len(files))
	for i, f := range files {
		sum, err := hex.DecodeString(f.Sum)
		if err != nil {
			return nil, err
		}
		rows[i] = row{[]byte(f.Path), f.Code, f.Missing, f.Mode, f.Size, f.ModNano, f.CtimeNano, f.Inode, sum, f.InHead, f.Lacks}
	}
	return json.Marshal(rows)
}

// files reads a manifest.
func (s *Store) files(sum []byte) ([]mark.File, error) {
	text, err := s.blob(sum)
	if err != nil {
		return nil, err
	}
	var rows []row
	if err := json.Unmarshal(text, &rows); err != nil {
		return nil, err
	}
	files := make([]mark.File, len(rows))
	for i, r := range rows {
		files[i] = mark.File{Path: string(r.Path), Code: r.Code, Seen: mark.Seen{Missing: r.Missing, Mode: r.Mode, Size: r.Size, Sum: hex.EncodeToString(r.Sum)},
			ModNano: r.Mod, CtimeNano: r.Ct, Inode: r.Inode, InHead: r.InHead, Lacks: r.Lacks}
	}
	return files, nil
}

// sumOf is the sum of a content in hex.
func sumOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
