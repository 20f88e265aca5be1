package filestore

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"hash/crc32"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

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
	blocks int64 // bytes behind the first block
	first  int64 // bytes of the first
}

// cacheForm changes with everything that is kept in an entry or a workflow.
const cacheForm = "piton file store index 1"

// maxCache bounds the file.
const maxCache = 1 << 30

// place is the cache's file for a folder.
func place(folder, dir string) string {
	if folder == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(dir))
	return filepath.Join(folder, "files-"+hex.EncodeToString(sum[:8])+".index")
}

// block is what one block holds.
type block struct {
	form, dir string
	inode     int64 // the folder's
	mark      mark
	files     []*entry
	workflows []wfFile
}

func (c *codec) block(b *block) {
	c.strings(&b.form, &b.dir)
	c.num(&b.inode)
	if b.form != cacheForm {
		c.bad = true
		return
	}
	c.num(&b.mark.checkpoints)
	c.num(&b.mark.workflows)
	text := string(b.mark.store)
	str(c, &text)
	b.mark.store = []byte(text)
	n := c.count(len(b.files))
	if c.read {
		slab := make([]entry, n) // one piece of memory
		b.files = make([]*entry, n)
		for i := range slab {
			b.files[i] = &slab[i]
		}
	}
	for _, e := range b.files {
		if c.entry(e); c.bad {
			return
		}
	}
	each(c, &b.workflows, c.workflow)
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// blockHead is the length of a block's own length and sum.
const blockHead = 8

// load is the index that was kept, nil where there is none that can be used.
// Its mark says of which moment it is.
func (k *cache) load(root *os.Root) *index {
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
	raw, err := localfs.ReadAll(f, info.Size(), maxCache)
	if err != nil {
		return nil
	}
	x := &index{files: map[string]*entry{}, wfs: map[string]wfFile{}}
	inode := folderInode(root)
	k.first, k.blocks = 0, 0
	for len(raw) > 0 {
		if len(raw) < blockHead {
			return nil
		}
		size, sum := binary.LittleEndian.Uint32(raw), binary.LittleEndian.Uint32(raw[4:])
		raw = raw[blockHead:]
		if int64(size) > int64(len(raw)) || crc32.Checksum(raw[:size], castagnoli) != sum {
			return nil
		}
		c := &codec{raw: raw[:size], text: string(raw[:size]), read: true}
		var b block
		if c.block(&b); c.bad || c.at != len(c.raw) || b.dir != k.dir || b.inode != inode {
			return nil
		}
		raw = raw[size:]
		if len(x.files) == 0 {
			x.files = make(map[string]*entry, len(b.files))
		}
		for _, e := range b.files {
			x.files[e.name] = e
		}
		for _, w := range b.workflows {
			x.wfs[w.w.ID] = w
		}
		x.mark = b.mark
		if k.first == 0 {
			k.first = blockHead + int64(size)
		} else {
			k.blocks += blockHead + int64(size)
		}
	}
	if x.store, err = readMeta(x.mark.store); err != nil {
		return nil
	}
	k.file = stampOf(info)
	return x
}

func folderInode(root *os.Root) int64 {
	info, err := root.Stat(".")
	if err != nil {
		return 0
	}
	return localfs.Inode(info)
}

// keep writes down an index, whole, or only what a transaction has changed where
// the file is still the one this index came from. Nothing is lost when that
// fails: the next process reads the folder.
func (k *cache) keep(root *os.Root, x *index, files []*entry, flows []wfFile, whole bool) {
	if k.path == "" {
		return
	}
	unread := func(w wfFile) bool { return w.w == nil }
	if len(x.faults) > 0 || len(x.mark.journal) > 0 || len(x.mark.store) == 0 || slices.ContainsFunc(slices.Collect(maps.Values(x.wfs)), unread) {
		k.drop() // a fault is to be met again
		return
	}
	b := block{form: cacheForm, dir: k.dir, inode: folderInode(root), mark: x.mark, files: files, workflows: flows}
	if !whole && k.first > 0 && k.blocks < k.first {
		if raw, ok := b.encode(); ok && k.append(raw) == nil {
			return
		}
	}
	b.files, b.workflows = slices.Collect(maps.Values(x.files)), slices.Collect(maps.Values(x.wfs))
	if raw, ok := b.encode(); !ok || k.replace(raw) != nil {
		k.drop()
	}
}

// encode writes a block; false where it is too long.
func (b *block) encode() ([]byte, bool) {
	c := &codec{raw: make([]byte, blockHead, 1<<12+len(b.files)*512)}
	c.block(b)
	binary.LittleEndian.PutUint32(c.raw, uint32(len(c.raw)-blockHead))
	binary.LittleEndian.PutUint32(c.raw[4:], crc32.Checksum(c.raw[blockHead:], castagnoli))
	return c.raw, len(c.raw) < maxCache
}

var errOther = errors.New("another process has written the cache")

func (k *cache) append(raw []byte) error {
	f, err := localfs.OpenOwn(k.path, true)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || stampOf(info) != k.file {
		return errors.Join(errOther, err)
	}
	if _, err := f.WriteAt(raw, info.Size()); err != nil {
		return err
	}
	if info, err = f.Stat(); err == nil {
		k.file, k.blocks = stampOf(info), k.blocks+int64(len(raw))
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
	k.file, k.first, k.blocks = stampOf(info), int64(len(raw)), 0
	return nil
}

// drop throws the cache away.
func (k *cache) drop() {
	if k.path != "" {
		if err := os.Remove(k.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			os.Truncate(k.path, 0)
		}
	}
	k.file, k.first, k.blocks = stamp{}, 0, 0
}
