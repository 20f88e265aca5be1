package keep

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"time"

	"github.com/ncruces/go-sqlite3"

	"github.com/piton-project/piton/internal/mark"
)

// Stats are what the store holds.
type Stats struct {
	Marks    int       `json:"marks"`
	Named    int       `json:"named"`    // kept until a person removes the name
	Contents int       `json:"contents"` // each once
	Bytes    int64     `json:"bytes"`    // on the disk
	Oldest   time.Time `json:"oldest,omitzero"`
}

// Stats counts.
func (s *Store) Stats() (x Stats, err error) {
	err = errors.Join(
		s.each("select count(*), count(nullif(name, '')), coalesce(min(at), 0) from mark", func(r *sqlite3.Stmt) error {
			x.Marks, x.Named = r.ColumnInt(0), r.ColumnInt(1)
			if at := r.ColumnInt64(2); at != 0 {
				x.Oldest = time.Unix(0, at)
			}
			return nil
		}),
		s.each("select count(*) - (select count(distinct manifest) from mark) from blob", func(r *sqlite3.Stmt) error { x.Contents = r.ColumnInt(0); return nil }))
	x.Bytes = s.Size()
	return x, err
}

// Size is how many bytes of the file are in use.
func (s *Store) Size() (n int64) {
	const used = "select (p.page_count - f.freelist_count) * s.page_size from pragma_page_count p, pragma_freelist_count f, pragma_page_size s"
	s.each(used, func(r *sqlite3.Stmt) error { n = r.ColumnInt64(0); return nil })
	return n
}

// beingTaken is longer than a mark takes: a content that no mark names yet may be of one.
const beingTaken = time.Hour

// Pruned is what a pruning removed, or would.
type Pruned struct {
	Marks int   `json:"marks"`
	Bytes int64 `json:"bytes"`
}

// Prune removes the marks that are older than they have to be and whose checkpoint is gone, then the
// oldest until all fits in what all may take. Those that a person named stay. kept tells whether a
// checkpoint is still there.
func (t Taker) Prune(ctx context.Context, now time.Time, kept func(checkpoint string) bool, dry bool) (p Pruned, err error) {
	marks, err := t.List(ctx, Query{Bare: true})
	if err != nil {
		return p, err
	}
	var gone, left []string
	for i := len(marks) - 1; i >= 0; i-- { // the oldest first
		switch m := marks[i]; {
		case m.Name != "":
		case now.Sub(m.At) >= t.Limits.For && (m.Checkpoint == "" || !kept(m.Checkpoint)):
			gone = append(gone, m.ID)
		default:
			left = append(left, m.ID)
		}
	}
	uses, err := t.uses(ctx)
	if err != nil {
		return p, err
	}
	before := uses.bytes()
	for _, id := range gone {
		uses.drop(id)
	}
	for room := t.room(uses.bytes()); len(left) > 0 && uses.bytes() > room; left = left[1:] {
		uses.drop(left[0])
		gone = append(gone, left[0])
	}
	p = Pruned{len(gone), before - uses.bytes()}
	if dry {
		return p, nil
	}
	return p, t.remove(ctx, gone, uses, now)
}

// room is what may stay: all, or where that is too much a tenth less than may be, so that the next mark does not prune again.
func (t Taker) room(used int64) int64 {
	if used > t.Limits.All {
		return t.Limits.All / 10 * 9
	}
	return used
}

// remove deletes marks, and the contents that no mark uses. It works in short steps, so that no hook waits.
func (s *Store) remove(ctx context.Context, marks []string, u *uses, now time.Time) error {
	const step = 200
	for len(marks) > 0 && ctx.Err() == nil {
		n := min(step, len(marks))
		if err := s.within(func() (err error) {
			for _, id := range marks[:n] {
				err = errors.Join(err, s.do("delete from mark where id=?", id))
			}
			return err
		}); err != nil {
			return err
		}
		marks = marks[n:]
	}
	var unused []int64
	err := s.each("select id, sum from blob where at < ?", func(r *sqlite3.Stmt) error {
		if u.count[string(r.ColumnRawBlob(1))] == 0 {
			unused = append(unused, r.ColumnInt64(0))
		}
		return nil
	}, now.Add(-beingTaken).Unix())
	for ; err == nil && len(unused) > 0 && ctx.Err() == nil; unused = unused[min(step, len(unused)):] {
		err = s.within(func() (err error) {
			for _, id := range unused[:min(step, len(unused))] {
				err = errors.Join(err, s.do("delete from blob where id=? and not exists(select 1 from mark where manifest=blob.sum)", id))
			}
			return err
		})
	}
	if err == nil {
		err = s.db.Exec("pragma incremental_vacuum")
	}
	return errors.Join(err, ctx.Err())
}

// uses says which marks use which contents.
type uses struct {
	of    map[string][]string // by a mark's id: the sums of its contents, its manifest's too
	count map[string]int      // by sum
	size  map[string]int64
	total int64
}

func (u *uses) bytes() int64 { return u.total }

func (u *uses) drop(id string) {
	for _, sum := range u.of[id] {
		if u.count[sum]--; u.count[sum] == 0 {
			u.total -= u.size[sum]
		}
	}
	delete(u.of, id)
}

func (s *Store) uses(ctx context.Context) (*uses, error) {
	u := &uses{map[string][]string{}, map[string]int{}, map[string]int64{}, 0}
	err := s.each("select sum, length(data) from blob", func(r *sqlite3.Stmt) error {
		u.size[string(r.ColumnRawBlob(0))] = r.ColumnInt64(1)
		return ctx.Err()
	})
	if err != nil {
		return nil, err
	}
	manifests := map[string][]string{}
	var ids, of []string
	err = s.each("select id, manifest from mark", func(r *sqlite3.Stmt) error {
		ids, of = append(ids, r.ColumnText(0)), append(of, string(r.ColumnRawBlob(1)))
		return nil
	})
	if err != nil {
		return nil, err
	}
	for i, id := range ids {
		sums, known := manifests[of[i]]
		if !known {
			sums = []string{of[i]}
			files, _ := s.files([]byte(of[i])) // of a damaged list nothing is known, and its contents are nobody's
			for _, f := range files {
				if sum, err := hex.DecodeString(f.Sum); err == nil && f.Kept() {
					sums = append(sums, string(sum))
				}
			}
			manifests[of[i]] = sums
		}
		u.of[id] = sums
		for _, sum := range sums {
			if u.count[sum]++; u.count[sum] == 1 {
				u.total += u.size[sum]
			}
		}
	}
	return u, ctx.Err()
}

// Damage is a file of a mark that cannot be brought back any more.
type Damage struct {
	Mark string `json:"mark"`
	Path string `json:"path"` // "" for the whole mark
}

// Verify reads every content that a mark names again, and checks its sum. A damaged one costs its own files only.
func (s *Store) Verify(ctx context.Context) (checked int, damaged []Damage, err error) {
	marks, err := s.List(ctx, Query{})
	good := map[string]bool{}
	for _, m := range marks {
		if m.Files == nil && m.Partial != "" {
			damaged = append(damaged, Damage{Mark: m.ID})
		}
		for _, f := range m.Files {
			if !f.Kept() {
				continue
			}
			ok, known := good[f.Sum]
			if !known {
				_, err := s.Bytes(f)
				ok, checked = err == nil, checked+1
				good[f.Sum] = ok
			}
			if !ok {
				damaged = append(damaged, Damage{m.ID, f.Path})
			}
		}
		if ctx.Err() != nil {
			return checked, damaged, ctx.Err()
		}
	}
	return checked, damaged, err
}

// Drop removes the contents that secret says hold one, and returns how many. Their files stay in the
// marks, which say that the bytes were removed.
func (s *Store) Drop(ctx context.Context, secret func([]byte) bool, dry bool) (n int, err error) {
	if err := s.db.Exec("pragma secure_delete=1"); err != nil { // nothing of it is left in free pages
		return 0, err
	}
	var ids []int64
	err = s.each("select id from blob where sum not in (select manifest from mark)", func(r *sqlite3.Stmt) error {
		ids = append(ids, r.ColumnInt64(0))
		return nil
	})
	gone := map[string]bool{}
	for _, id := range ids {
		if err = errors.Join(err, ctx.Err()); err != nil {
			return 0, err
		}
		err = s.each("select data, sum from blob where id=?", func(r *sqlite3.Stmt) error {
			if text, err := unpack(bytes.Clone(r.ColumnRawBlob(0))); err == nil && secret(text) {
				gone[hex.EncodeToString(r.ColumnRawBlob(1))] = true
			}
			return nil
		}, id)
	}
	if err != nil || dry || len(gone) == 0 {
		return len(gone), err
	}
	err = s.within(func() error { return s.without(gone) })
	return len(gone), errors.Join(err, s.db.Exec("pragma incremental_vacuum"))
}

// without deletes contents, and notes in the marks that they are gone. It runs in a transaction.
func (s *Store) without(gone map[string]bool) error {
	lists := map[string][]byte{} // by sum
	err := s.each("select distinct manifest from mark", func(r *sqlite3.Stmt) error {
		lists[string(r.ColumnRawBlob(0))] = nil
		return nil
	})
	for sum := range lists {
		files, errRead := s.files([]byte(sum))
		if errRead != nil {
			continue // a damaged list names none
		}
		changed := false
		for i, f := range files {
			if f.Kept() && gone[f.Sum] {
				files[i].Lacks, changed = mark.LacksDamaged, true
			}
		}
		if changed {
			err = errors.Join(err, s.relist([]byte(sum), files))
		}
	}
	for sum := range gone {
		raw, errHex := hex.DecodeString(sum)
		err = errors.Join(err, errHex, s.do("delete from blob where sum=?", raw))
	}
	return errors.Join(err, s.do("update mark set whole=0")) // no later mark may rely on the contents of these
}

// relist gives the marks that have a list of files another one.
func (s *Store) relist(old []byte, files []mark.File) error {
	text, err := manifest(files)
	if err != nil {
		return err
	}
	sum, err := s.content(text, time.Now())
	return errors.Join(err, s.do("update mark set manifest=? where manifest=?", sum, old), s.do("delete from blob where sum=?", old))
}

// Forget removes a mark's name, so that it is pruned as the others are.
func (s *Store) Forget(id string) error { return s.do("update mark set name='' where id=?", id) }
