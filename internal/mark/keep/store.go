package keep

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/ncruces/go-sqlite3"

	"github.com/piton-project/piton/internal/mark"
)

// left is mark.Left with its path, whose bytes need not be UTF-8.
type left struct {
	Path []byte
	mark.Left
}

// put writes a mark, of which it is not known yet what is left, and its manifest. It runs in a transaction.
func (s *Store) put(m mark.Mark, manifest []byte) error {
	info, err := json.Marshal(m)
	if err != nil {
		return err
	}
	sum, err := s.list(manifest, m.At)
	return errors.Join(err, s.do(`insert into mark(id, root, at, kind, client, call, turn, name, checkpoint, info, looked_at, lefts, manifest, whole)
  values(?,?,?,?,?,?,?,?,?,?,0,'[]',?,?)`, m.ID, m.Root, m.At, string(m.Kind), m.Client, m.Call, m.Turn, m.Name, m.Checkpoint, string(info), sum, m.Whole))
}

// list writes a manifest where it is not there yet, and returns its sum.
func (s *Store) list(manifest []byte, at time.Time) (sum string, err error) {
	sum = sumOf(manifest)
	known, err := s.number("select count(*) from blob where sum=?", sum)
	if err == nil && known == 0 {
		err = s.add(sum, len(manifest), pack(manifest), at)
	}
	return sum, err
}

// Look keeps what a command has left.
func (s *Store) Look(m mark.Mark) error {
	lefts := []left{}
	for path, l := range m.Left {
		lefts = append(lefts, left{[]byte(path), l})
	}
	text, err := json.Marshal(lefts)
	if err != nil {
		return err
	}
	return s.do("update mark set looked_at=?, lefts=? where id=?", m.LookedAt, string(text), m.ID)
}

// Join notes the checkpoint that was saved with a mark.
func (s *Store) Join(id, checkpoint string) error {
	return s.do("update mark set checkpoint=? where id=?", checkpoint, id)
}

// Query chooses marks; what is zero chooses all.
type Query struct {
	ID, Root, Client, Call, Name, Checkpoint string
	Kind                                     mark.Kind
	Since                                    time.Time
	Until                                    time.Time // taken before
	Beside                                   time.Time // commands that ran then or later: whose end was seen since, or that began since
	Open                                     bool      // commands whose end was not seen
	Whole                                    bool      // those that have all that was dirty
	Limit                                    int
	Bare                                     bool // without Files
}

// conditions are a query's, as SQL and its arguments.
func (q Query) conditions() (text string, args []any) {
	all := []string{"1=1"}
	for _, c := range []struct {
		sql   string
		value any
	}{
		{"id=?", q.ID}, {"root=?", q.Root}, {"client=?", q.Client}, {"call=?", q.Call}, {"name=?", q.Name}, {"checkpoint=?", q.Checkpoint}, {"kind=?", string(q.Kind)},
		{"at>=?", q.Since}, {"at<?", q.Until}, {"case looked_at when 0 then at else looked_at end >= ?", q.Beside}, {"(looked_at=0)=?", q.Open}, {"whole=?", q.Whole},
	} {
		if !reflect.ValueOf(c.value).IsZero() {
			all, args = append(all, c.sql), append(args, c.value)
		}
	}
	return strings.Join(all, " and "), args
}

// List gives marks, newest first. One whose list of files is damaged has none, and says so in Partial.
func (s *Store) List(ctx context.Context, q Query) (all []mark.Mark, err error) {
	var manifests []string
	if q.Limit == 0 {
		q.Limit = -1
	}
	where, args := q.conditions()
	var damaged error
	err = s.each(`select root, at, name, checkpoint, info, looked_at, lefts, manifest, whole,
  (select turn from mark p where p.client=mark.client and p.client<>'' and p.kind='prompt' and p.at<=mark.at order by p.at desc limit 1)
  from mark where `+where+" order by at desc, rowid desc limit ?", func(r *sqlite3.Stmt) {
		m, err := read(r)
		all, manifests, damaged = append(all, m), append(manifests, r.ColumnText(7)), errors.Join(damaged, err)
	}, append(args, q.Limit)...)
	if err = errors.Join(err, damaged, ctx.Err()); err != nil || q.Bare {
		return all, err
	}
	for i := range all {
		if all[i].Files, err = s.files(manifests[i]); err != nil {
			all[i].Partial = "its list of files is damaged"
		}
	}
	return all, ctx.Err()
}

func read(r *sqlite3.Stmt) (m mark.Mark, err error) {
	var lefts []left
	err = errors.Join(json.Unmarshal(r.ColumnRawText(4), &m), json.Unmarshal(r.ColumnRawText(6), &lefts))
	m.Root, m.At, m.Name, m.Checkpoint, m.LookedAt = r.ColumnText(0), column(r, 1), r.ColumnText(2), r.ColumnText(3), column(r, 5)
	m.Whole, m.Turn, m.Left = r.ColumnBool(8), r.ColumnInt(9), make(map[string]mark.Left, len(lefts))
	for _, l := range lefts {
		m.Left[string(l.Path)] = l.Left
	}
	return m, err
}

// Filled is a mark that was listed bare with its files; as it is where it was removed meanwhile.
func (s *Store) Filled(ctx context.Context, m mark.Mark) (mark.Mark, error) {
	all, err := s.List(ctx, Query{ID: m.ID})
	if err != nil || len(all) == 0 {
		return m, err
	}
	return all[0], nil
}

// Fill gives marks that were listed bare: those of a tree whose commands changed a file that others' did have their files.
func (s *Store) Fill(ctx context.Context, bare []mark.Mark, root string, others ...mark.Mark) (all []mark.Mark, err error) {
	changed := map[string]bool{}
	for _, m := range others {
		for path := range m.Left {
			changed[path] = true
		}
	}
	all = slices.Clone(bare)
	for i, m := range all {
		touches := slices.ContainsFunc(slices.Collect(maps.Keys(m.Left)), func(path string) bool { return changed[path] })
		if m.Root == root && touches {
			var errOne error
			all[i], errOne = s.Filled(ctx, m)
			err = errors.Join(err, errOne)
		}
	}
	return all, err
}

// Last is the newest whole mark of a tree; zero where there is none.
func (s *Store) Last(ctx context.Context, root string) (m mark.Mark, err error) {
	if s.last.Root == root && root != "" {
		return s.last, nil
	}
	all, err := s.List(ctx, Query{Root: root, Whole: true, Limit: 1})
	for _, m = range all {
		s.last = m
	}
	return m, err
}
