package keep

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
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
	err = s.each("select count(*), count(nullif(name, '')), min(at), (select count(*) from blob) - count(distinct manifest) from mark", func(r *sqlite3.Stmt) {
		x = Stats{Marks: r.ColumnInt(0), Named: r.ColumnInt(1), Oldest: column(r, 2), Contents: r.ColumnInt(3), Bytes: s.Size()}
	})
	return x, err
}

// Try writes to the file, which syncs it, and takes back what it has written.
func (s *Store) Try() error {
	return s.within(func() error {
		if err := s.do("create table doctor (n)"); err != nil {
			return err
		}
		return s.do("drop table doctor")
	})
}

// Size is how many bytes of the file are in use; 0 where that cannot be told.
func (s *Store) Size() int64 {
	n, _ := s.number("select (p.page_count - f.freelist_count) * s.page_size from pragma_page_count p, pragma_freelist_count f, pragma_page_size s")
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
	h, err := t.holdings(ctx)
	if err != nil {
		return p, err
	}
	slices.SortStableFunc(marks, func(a, b mark.Mark) int { return cmp.Compare(b.Name, a.Name) }) // the named ones, then the newest
	_, before := h.fitting(marks, math.MaxInt64)
	current := slices.DeleteFunc(slices.Clone(marks), func(m mark.Mark) bool {
		old := t.Limits.For > 0 && now.Sub(m.At) >= t.Limits.For
		return m.Name == "" && old && (m.Checkpoint == "" || !kept(m.Checkpoint))
	})
	stay, bytes := h.fitting(current, math.MaxInt64)
	if bytes > t.Limits.All { // a tenth is left, so that the next mark does not prune again
		stay, bytes = h.fitting(current, t.Limits.All/10*9)
	}
	var gone []string
	for _, m := range marks {
		if !stay[m.ID] {
			gone = append(gone, m.ID)
		}
	}
	p = Pruned{len(gone), before - bytes}
	if dry {
		return p, nil
	}
	return p, t.remove(ctx, gone, now)
}

// remove deletes marks, and the contents that no mark uses.
func (s *Store) remove(ctx context.Context, marks []string, now time.Time) error {
	if err := s.stepwise(ctx, "delete from mark where id=?", marks); err != nil {
		return err
	}
	h, err := s.holdings(ctx) // a mark that has come meanwhile may share contents with these
	if err != nil {
		return err
	}
	held := map[string]bool{}
	for id := range h.manifest {
		h.add(held, id)
	}
	var unused []string
	err = s.each("select sum from blob where at < ?", func(r *sqlite3.Stmt) {
		if sum := r.ColumnText(0); !held[sum] {
			unused = append(unused, sum)
		}
	}, now.Add(-beingTaken).Unix())
	if err == nil {
		err = s.stepwise(ctx, "delete from blob where sum=? and not exists(select 1 from mark where manifest=blob.sum)", unused)
	}
	return errors.Join(err, s.db.Exec("pragma incremental_vacuum"), ctx.Err())
}

// stepwise runs a statement for each of many values, in short transactions, so that no hook waits.
func (s *Store) stepwise(ctx context.Context, sql string, values []string) error {
	for some := range slices.Chunk(values, 200) {
		err := s.within(func() (err error) {
			for _, v := range some {
				err = errors.Join(err, s.do(sql, v))
			}
			return err
		})
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
	}
	return nil
}

// holdings say which contents marks have.
type holdings struct {
	manifest map[string]string   // by a mark's id
	of       map[string][]string // by a manifest: the sums of its contents, and its own
	size     map[string]int64    // by sum
}

func (s *Store) holdings(ctx context.Context) (h holdings, err error) {
	h = holdings{map[string]string{}, map[string][]string{}, map[string]int64{}}
	err = errors.Join(
		s.each("select sum, length(data) from blob", func(r *sqlite3.Stmt) { h.size[r.ColumnText(0)] = r.ColumnInt64(1) }),
		s.each("select id, manifest from mark", func(r *sqlite3.Stmt) { h.manifest[r.ColumnText(0)] = r.ColumnText(1) }))
	for _, sum := range h.manifest {
		if h.of[sum] != nil {
			continue
		}
		h.of[sum] = []string{sum}
		files, _ := s.files(sum) // of a damaged list nothing is known, and its contents are nobody's
		for _, f := range files {
			if f.Kept() {
				h.of[sum] = append(h.of[sum], f.Sum)
			}
		}
		if ctx.Err() != nil {
			break
		}
	}
	return h, errors.Join(err, ctx.Err())
}

// add adds a mark's contents to those that are held, and returns the bytes of those that were not.
func (h holdings) add(held map[string]bool, id string) (bytes int64) {
	for _, sum := range h.of[h.manifest[id]] {
		if !held[sum] {
			held[sum], bytes = true, bytes+h.size[sum]
		}
	}
	return bytes
}

// fitting are the ids of the first marks that fit into a room together, and of those with a name.
func (h holdings) fitting(marks []mark.Mark, room int64) (stay map[string]bool, bytes int64) {
	stay, held := map[string]bool{}, map[string]bool{}
	for _, m := range marks {
		more := h.add(held, m.ID)
		if m.Name == "" && bytes+more > room {
			break
		}
		stay[m.ID], bytes = true, bytes+more
	}
	return stay, bytes
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
			if _, known := good[f.Sum]; f.Kept() && !known {
				_, err := s.Bytes(f)
				good[f.Sum] = err == nil
			}
			if f.Kept() && !good[f.Sum] {
				damaged = append(damaged, Damage{m.ID, f.Path})
			}
		}
		if ctx.Err() != nil {
			break
		}
	}
	return len(good), damaged, errors.Join(err, ctx.Err())
}

// Drop removes the contents that secret says hold one, and returns how many. Their files stay in the
// marks, which say that the bytes were removed.
func (s *Store) Drop(ctx context.Context, secret func([]byte) bool, dry bool) (n int, err error) {
	var all []string
	err = s.each("select sum from blob where sum not in (select manifest from mark)", func(r *sqlite3.Stmt) { all = append(all, r.ColumnText(0)) })
	gone := map[string]bool{}
	for _, sum := range all {
		if err = errors.Join(err, ctx.Err()); err != nil {
			return 0, err
		}
		if text, err := s.stored(sum); err == nil && secret(text) {
			gone[sum] = true
		}
	}
	if err != nil || dry || len(gone) == 0 {
		return len(gone), err
	}
	err = s.db.Exec("pragma secure_delete=1") // nothing of it is left in free pages
	if err == nil {
		err = s.within(func() error { return s.without(gone) })
	}
	return len(gone), errors.Join(err, s.db.Exec("pragma incremental_vacuum"))
}

// without deletes contents, and notes in the marks that they are gone. It runs in a transaction.
func (s *Store) without(gone map[string]bool) error {
	var lists []string
	err := s.each("select distinct manifest from mark", func(r *sqlite3.Stmt) { lists = append(lists, r.ColumnText(0)) })
	for _, sum := range lists {
		files, _ := s.files(sum) // a damaged list names none
		changed := false
		for i, f := range files {
			if f.Kept() && gone[f.Sum] {
				files[i].Lacks, changed = mark.LacksDamaged, true
			}
		}
		if changed {
			err = errors.Join(err, s.relist(sum, files))
		}
	}
	for sum := range gone {
		err = errors.Join(err, s.do("delete from blob where sum=?", sum))
	}
	return errors.Join(err, s.do("update mark set whole=0")) // no later mark may rely on the contents of these
}

// relist gives the marks that have a list of files another one.
func (s *Store) relist(old string, files []mark.File) error {
	text, err := manifest(files)
	if err != nil {
		return err
	}
	sum, err := s.list(text, time.Now())
	return errors.Join(err, s.do("update mark set manifest=? where manifest=?", sum, old), s.do("delete from blob where sum=?", old))
}

// Forget removes a mark's name, so that it is pruned as the others are.
func (s *Store) Forget(id string) error { return s.do("update mark set name='' where id=?", id) }
