package keep

import (
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
	if len(data) == 0 {
		return nil, errDamaged
	}
	if data[0] == raw {
		return data[1:], nil
	}
	d, err := decoder()
	if err != nil {
		return nil, err
	}
	return d.DecodeAll(data[1:], nil)
}

var errDamaged = piton.Errorf(piton.Corrupt, "read a kept file", "the other files are not concerned", "the copy is damaged, or was removed")

// sumOf is the sum of a content, in hex.
func sumOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

func (s *Store) add(sum string, size int, packed []byte, at time.Time) error {
	return s.do("insert or ignore into blob(sum, size, at, data) values(?,?,?,?)", sum, size, at.Unix(), packed)
}

// stored is a content as it is stored: empty where it is not there, and not checked.
func (s *Store) stored(sum string) (text []byte, err error) {
	var data []byte
	if err = s.each("select data from blob where sum=?", func(r *sqlite3.Stmt) { data = r.ColumnBlob(0, nil) }, sum); err != nil {
		return nil, err
	}
	return unpack(data)
}

// blob reads a content and checks it. Corrupt where it is damaged or not there.
func (s *Store) blob(sum string) ([]byte, error) {
	text, err := s.stored(sum)
	if err == nil && sumOf(text) == sum {
		return text, nil
	}
	if s.do("delete from blob where sum=?", sum) == nil { // so that the next mark that has it writes it anew
		s.do("update mark set whole=0") // and relies on no older one
	}
	return nil, errDamaged
}

// Bytes are those of a file of a mark: of a symbolic link, its target. Corrupt where they are damaged.
func (s *Store) Bytes(f mark.File) ([]byte, error) {
	if !f.Kept() {
		return nil, errDamaged
	}
	return s.blob(f.Sum)
}

// row is a file in a manifest, with its path, whose bytes need not be UTF-8. Most fields repeat; zstd sees to that.
type row struct {
	Path []byte
	mark.File
}

func manifest(files []mark.File) ([]byte, error) {
	rows := make([]row, len(files))
	for i, f := range files {
		rows[i] = row{[]byte(f.Path), f}
		rows[i].File.Path = ""
	}
	return json.Marshal(rows)
}

// files reads a manifest.
func (s *Store) files(sum string) ([]mark.File, error) {
	text, err := s.blob(sum)
	if err != nil {
		return nil, err
	}
	var rows []row
	err = json.Unmarshal(text, &rows)
	files := make([]mark.File, len(rows))
	for i, r := range rows {
		files[i] = r.File
		files[i].Path = string(r.Path)
	}
	return files, err
}
