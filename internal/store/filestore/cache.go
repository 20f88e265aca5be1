package filestore

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"sync/atomic"

	"github.com/piton-project/piton/internal/store/localfs"
)

// cache keeps what was last read of the folder, so that the next process need
// not read every file. It lies in the user's own state folder, never in the
// store's. It may be thrown away at any time, and is when it is damaged, of
// another store or of another form: then the folder is read again.
//
// It is a file of blocks. The first holds everything, each further one what a
// transaction has changed. A block is the length and the CRC-32 of what follows.
type cache struct {
	path string // "" keeps none
	dir  string // the store's folder
	// What the file was when it was last read or written here: another process
	// may have put its own in its place.
	file   stamp
	blocks int
}

// maxBlocks bounds the blocks: a lookup asks each.
const maxBlocks = 64

// maxCache bounds the file for a folder of so many checkpoints. Their records and
// workflows are far shorter.
func maxCache(files int64) int64 { return min(1<<30, 16<<20+files<<18) }

// place is the cache's file for a folder.
func place(folder, dir string) string {
	if folder == "" {
		return ""
	}
	return filepath.Join(folder, "files-"+fmt.Sprintf("%x", sha256.Sum256([]byte(dir)))[:16]+".index")
}

// load is the index that was kept of a folder that now has so many checkpoints, or
// nil if there is none that can be used. Its mark says of which moment it is.
func (k *cache) load(root *os.Root, files int64) *index {
	if k.path == "" {
		return nil
	}
	f, err := localfs.OpenOwn(k.path, false)
	if err != nil {
		return nil
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil
	}
	if !k.begins(f) {
		return nil
	}
	raw, err := localfs.ReadAll(f, info.Size(), maxCache(files))
	if err != nil {
		return nil
	}
	var b base
	doubted := &atomic.Bool{}
	for len(raw) > 0 {
		if len(raw) < blockHead {
			return nil
		}
		size, sum := binary.LittleEndian.Uint32(raw), binary.LittleEndian.Uint32(raw[4:])
		raw = raw[blockHead:]
		if int64(size) > int64(len(raw)) || crc32.Checksum(raw[:size], castagnoli) != sum {
			return nil
		}
		part, ok := readBlock(raw[:size])
		if !ok || part.dir != k.dir || part.inode != folderInode(root) {
			return nil
		}
		part.doubted = doubted
		b, raw = append(b, part), raw[size:]
	}
	if len(b) == 0 || b[0].names.count != int64(b[0].tables[byID].rows) {
		return nil
	}
	last := b[len(b)-1]
	x := &index{mark: last.mark, base: b, doubted: doubted, files: map[string]*entry{}, wfs: map[string]wfFile{}, byID: map[string]*entry{}, workflows: map[string]*workflow{}}
	if x.store, err = readMeta(x.mark.store); err != nil {
		return nil
	}
	x.store.Ordinal, x.names = last.ordinal, last.names
	k.file, k.blocks = stampOf(info), len(b)
	return x
}

// begins reports whether a file begins as a cache of this store and of this form,
// before all of it is read.
func (k *cache) begins(f io.ReaderAt) bool {
	form, dir := cacheForm, k.dir
	c := codec{raw: make([]byte, blockHead+tablesAt)}
	c.values(&form, &dir)
	raw := make([]byte, len(c.raw))
	_, err := f.ReadAt(raw, 0)
	return err == nil && bytes.Equal(raw[blockHead+tablesAt:], c.raw[blockHead+tablesAt:])
}

func folderInode(root *os.Root) int64 {
	info, err := root.Stat(".")
	if err != nil {
		return 0
	}
	return localfs.Inode(info)
}

// keepAll writes down an index. Nothing is lost when that fails: the next
// process reads the folder.
func (k *cache) keepAll(root *os.Root, x *index) {
	if k.path == "" {
		return
	}
	if !x.plain() {
		k.drop() // what is not right is to be met again
		return
	}
	raw := k.block(root, x, x.order, maps.Keys(x.workflows))
	if int64(len(raw)) > maxCache(x.names.count) || k.replace(raw) != nil {
		k.drop()
	}
}

// block is a block with these checkpoints and workflows of the index.
func (k *cache) block(root *os.Root, x *index, files []*entry, flows iter.Seq[string]) []byte {
	b := newBlock(k.dir, folderInode(root), x.mark, x.store.Ordinal, x.names)
	for _, e := range files {
		b.entry(e)
	}
	for id := range flows {
		b.flow(flowRecord{x.wfs[id], x.workflows[id]})
	}
	return b.bytes()
}

// keepMore adds what a transaction has changed; false where all is to be
// written: the file is not the one this index came from, or has many blocks.
func (k *cache) keepMore(root *os.Root, x *index, files []*entry, flows map[string]bool) bool {
	if k.path == "" {
		return true
	}
	if k.blocks == 0 || k.blocks == maxBlocks || len(x.faults) > 0 {
		return false
	}
	return k.append(k.block(root, x, files, maps.Keys(flows)), maxCache(x.names.count)) == nil
}

var errOther = errors.New("another process has written the cache")

func (k *cache) append(raw []byte, limit int64) error {
	f, err := localfs.OpenOwn(k.path, true)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || stampOf(info) != k.file {
		return errors.Join(errOther, err)
	}
	if info.Size()+int64(len(raw)) > limit {
		return localfs.ErrTooLarge
	}
	if _, err := f.WriteAt(raw, info.Size()); err != nil {
		return err
	}
	if info, err = f.Stat(); err == nil {
		k.file, k.blocks = stampOf(info), k.blocks+1
	}
	return err
}

func (k *cache) replace(raw []byte) error {
	dir := filepath.Dir(k.path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, filepath.Base(k.path)+".*.tmp")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(raw)
	info, err2 := f.Stat()
	if err = errors.Join(err, err2, f.Close()); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), k.path); err != nil {
		return err
	}
	// The new name counts as a change of the file.
	now, err := os.Lstat(k.path)
	if err != nil {
		return err
	}
	was := stampOf(info)
	k.file, k.blocks = stampOf(now), 1
	if was.Changed = k.file.Changed; was != k.file {
		k.file, k.blocks = stamp{}, 0 // another process has put its own in its place
	}
	return nil
}

// drop throws the cache away.
func (k *cache) drop() {
	if k.path != "" {
		if err := os.Remove(k.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			os.Truncate(k.path, 0)
		}
	}
	k.file, k.blocks = stamp{}, 0
}
