package filestore

import (
	"cmp"
	"encoding/binary"
	"hash/crc32"
	"slices"
	"sort"
	"strconv"
	"sync/atomic"
)

// cacheForm changes with everything that is kept of an entry or a workflow.
const cacheForm = "piton file store index 3"

// block is a part of the cache: records, and tables by which one of them is
// found without a look at the others. So a process that saves or loads decodes a
// few records, however many there are.
type block struct {
	codec
	dir     string
	inode   int64 // the folder's
	mark    mark
	ordinal int64
	names   names
	rows    [tables][]row // of a block that is written
	tables  [tables]table // of a block that is read
	doubted *atomic.Bool  // a record that was read does not fit
}

// row is where a record stands. Different names may have the same key.
type row struct {
	key uint64
	at  uint32
}

const rowBytes = 12

// table is where a table's rows stand, and how many there are.
type table struct{ from, rows int }

// The tables of a block: checkpoints by id and by their number in their workflow;
// workflows by id and by name, and those that are open by the order of their heads.
const (
	byID = iota
	byNumber
	byFlow
	byName
	byHead
	tables
)

func numberKey(workflow string, seq int64) uint64 {
	return keyOf(workflow, strconv.FormatInt(seq, 10))
}

// tablesAt is the length of the fixed beginning of a block: where its tables stand.
const tablesAt = 4 + tables*8

func newBlock(dir string, inode int64, m mark, ordinal int64, n names) *block {
	b := &block{dir: dir, inode: inode, mark: m, ordinal: ordinal, names: n}
	b.raw = make([]byte, blockHead+tablesAt, 1<<12)
	b.meta()
	return b
}

// meta is what a block says of itself.
func (b *block) meta() {
	form, store := cacheForm, string(b.mark.store)
	b.values(&form, &b.dir, &store)
	if b.bad = b.bad || form != cacheForm; !b.bad {
		b.mark.store = []byte(store)
		b.values(&b.inode, &b.mark.checkpoints, &b.mark.workflows, &b.ordinal, &b.names.count, &b.names.sum)
	}
}

func (b *block) add(table int, key uint64, at int) {
	b.rows[table] = append(b.rows[table], row{key, uint32(at - blockHead)})
}

func (b *block) entry(e *entry) {
	at := len(b.raw)
	b.codec.entry(e)
	b.add(byID, keyOf(e.c.ID), at)
	b.add(byNumber, numberKey(e.c.WorkflowID, e.c.Seq), at)
}

func (b *block) flow(f flowRecord) {
	at, w := len(b.raw), f.w
	b.codec.flow(&f)
	b.add(byFlow, keyOf(w.ID), at)
	if w.Name != "" {
		b.add(byName, keyOf(w.Name, w.Project), at)
	}
	if !w.Closed && w.head != nil {
		b.add(byHead, uint64(w.head.c.Ordinal), at)
	}
}

// bytes ends a block.
func (b *block) bytes() []byte {
	head := b.raw[blockHead:]
	binary.LittleEndian.PutUint32(head, tablesAt)
	for t, rows := range b.rows {
		slices.SortFunc(rows, func(a, b row) int { return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.at, b.at)) })
		from := len(b.raw) - blockHead
		for _, r := range rows {
			b.raw = binary.LittleEndian.AppendUint64(b.raw, r.key)
			b.raw = binary.LittleEndian.AppendUint32(b.raw, r.at)
		}
		binary.LittleEndian.PutUint32(b.raw[blockHead+4+8*t:], uint32(from))
		binary.LittleEndian.PutUint32(b.raw[blockHead+8+8*t:], uint32(len(rows)))
	}
	binary.LittleEndian.PutUint32(b.raw, uint32(len(b.raw)-blockHead))
	binary.LittleEndian.PutUint32(b.raw[4:], crc32.Checksum(b.raw[blockHead:], castagnoli))
	return b.raw
}

// readBlock finds its way in a block whose sum fits.
func readBlock(raw []byte) (*block, bool) {
	b := &block{codec: codec{raw: raw, at: tablesAt, read: true}, doubted: &atomic.Bool{}}
	if len(raw) < tablesAt || binary.LittleEndian.Uint32(raw) != tablesAt {
		return nil, false
	}
	for t := range b.tables {
		from, n := int64(binary.LittleEndian.Uint32(raw[4+8*t:])), int64(binary.LittleEndian.Uint32(raw[8+8*t:]))
		if from < tablesAt || from+n*rowBytes > int64(len(raw)) {
			return nil, false
		}
		b.tables[t] = table{int(from), int(n)}
	}
	b.meta()
	return b, !b.bad
}

// row is a table's row.
func (b *block) row(table, i int) row {
	r := b.raw[b.tables[table].from+i*rowBytes:]
	return row{binary.LittleEndian.Uint64(r), binary.LittleEndian.Uint32(r[8:])}
}

// each calls visit with a reader of every record that a table has under a key, or
// of all its records, the last first, until it returns false.
func (b *block) each(table int, key *uint64, visit func(*codec) bool) bool {
	n := b.tables[table].rows
	if key != nil {
		n = sort.Search(n, func(i int) bool { return b.row(table, i).key > *key })
	}
	for i := n - 1; i >= 0; i-- {
		r := b.row(table, i)
		if key != nil && r.key != *key {
			break
		}
		if int64(r.at) > int64(len(b.raw)) {
			b.doubted.Store(true)
			return false
		}
		c := &codec{raw: b.raw, at: int(r.at), read: true}
		more := visit(c)
		if c.bad {
			b.doubted.Store(true)
		}
		if !more {
			return false
		}
	}
	return true
}

// base is a cache's content, the newest block last. What a later block says of a
// record counts.
type base []*block

// search looks in the newest block first for a record that fits.
func search[R any](b base, table int, key uint64, decode func(*codec, *R), fits func(*R) bool) (found *R) {
	for _, part := range slices.Backward(b) {
		part.each(table, &key, func(c *codec) bool {
			r := new(R)
			if decode(c, r); !c.bad && fits(r) {
				found = r
			}
			return found == nil
		})
		if found != nil {
			break
		}
	}
	return found
}

func (b base) entry(table int, key uint64, fits func(*entry) bool) *entry {
	return search(b, table, key, (*codec).entry, fits)
}

func (b base) flow(table int, key uint64, fits func(*workflow) bool) *flowRecord {
	return search(b, table, key, (*codec).flow, func(f *flowRecord) bool { return fits(f.w) })
}

// open visits the open workflows of each block, that of the newest head first, until
// visit returns false of this block. Those of which a later block says something are
// left out.
func (b base) open(visit func(block int, f *flowRecord) bool) {
	for i, part := range b {
		part.each(byHead, nil, func(c *codec) bool {
			f := &flowRecord{}
			if c.flow(f); c.bad {
				return true
			}
			if b[i+1:].flow(byFlow, keyOf(f.w.ID), func(o *workflow) bool { return o.ID == f.w.ID }) != nil {
				return true
			}
			return visit(i, f)
		})
	}
}

// all is everything there is: checkpoints by file, workflows' files by id.
func (b base) all() (map[string]*entry, map[string]wfFile) {
	files, flows := make(map[string]*entry, b[0].tables[byID].rows), map[string]wfFile{}
	for _, part := range b {
		part.each(byID, nil, func(c *codec) bool {
			e := &entry{}
			if c.entry(e); !c.bad {
				files[e.name] = e
			}
			return true
		})
		part.each(byFlow, nil, func(c *codec) bool {
			f := flowRecord{}
			if c.flow(&f); !c.bad && f.file.w != nil {
				flows[f.w.ID] = f.file
			}
			return true
		})
	}
	return files, flows
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// blockHead is the length of a block's own length and sum.
const blockHead = 8
