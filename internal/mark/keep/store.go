package keep

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/ncruces/go-sqlite3"

	"github.com/piton-project/piton/internal/mark"
)

// info is what of a mark nobody asks for by.
type info struct {
	mark.Origin
	Head    string `json:",omitempty"`
	Branch  string `json:",omitempty"`
	Partial string `json:",omitempty"`
	Took    time.Duration
}

// left is mark.Left with its path, whose bytes need not be UTF-8.
type left struct {
	Path []byte
	mark.Left
}

const columns = "id, root, at, kind, client, call, name, checkpoint, info, looked_at, lefts, manifest, whole"

// put writes a mark and the contents that it names. It runs in a transaction.
func (s *Store) put(m mark.Mark, manifest []byte) error {
	about, err := json.Marshal(info{m.Origin, m.Head, m.Branch, m.Partial, m.Took})
	if err != nil {
		return err
	}
	looked, lefts, err := looks(m)
	if err != nil {
		return err
	}
	sum, err := s.content(manifest, m.At)
	if err != nil {
		return err
	}
	return s.do("insert into mark("+columns+") values(?,?,?,?,?,?,?,?,?,?,?,?,?)", m.ID, m.Root, m.At.UnixNano(), string(m.Kind), m.Client, m.Call,
		m.Name, m.Checkpoint, string(about), looked, string(lefts), sum, flag(m.Whole))
}

func looks(m mark.Mark) (at int64, text []byte, err error) {
	list := []left{}
	for path, l := range m.Left {
		list = append(list, left{[]byte(path), l})
	}
	text, err = json.Marshal(list)
	return nanoseconds(m.LookedAt), text, err
}

// nanoseconds are a time's, 0 of the zero one.
func nanoseconds(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

// Look keeps what a command has left.
func (s *Store) Look(m mark.Mark) error {
	at, text, err := looks(m)
	if err != nil {
		return err
	}
	return s.do("update mark set looked_at=?, lefts=? where id=?", at, string(text), m.ID)
}

// Join notes the checkpoint that was saved with a mark.
func (s *Store) Join(id, checkpoint string) error {
	return s.do("update mark set checkpoint=? where id=?", checkpoint, id)
}

// Query chooses marks; what is zero chooses all.
type Query struct {
	ID, Root, Client, Call, Checkpoint string
	Kind                               mark.Kind
	Since                              time.Time
	Until                              time.Time // taken before
	LookedSince                        time.Time // commands whose end was seen then, or later
	Open                               bool      // commands whose end was not seen
	Whole                              bool      // those that have all that was dirty
	Limit                              int
	Bare                               bool // without Files
}

// List gives marks, newest first. One whose list of files is damaged has none, and says so in Partial.
func (s *Store) List(ctx context.Context, q Query) (all []mark.Mark, err error) {
	var manifests [][]byte
	limit := q.Limit
	if limit == 0 {
		limit = -1
	}
	err = s.each("select "+columns+` from mark where (?1='' or id=?1) and (?2='' or root=?2) and (?3='' or client=?3) and (?4='' or call=?4)
  and (?5='' or checkpoint=?5) and (?6='' or kind=?6) and at>=?7 and (?8=0 or looked_at=0) and looked_at>=?9 and (?10=0 or whole=1)
  and (?11=0 or at<?11) order by at desc, rowid desc limit ?12`,
		func(r *sqlite3.Stmt) error {
			m, sum, err := read(r)
			all, manifests = append(all, m), append(manifests, sum)
			return errors.Join(err, ctx.Err())
		}, q.ID, q.Root, q.Client, q.Call, q.Checkpoint, string(q.Kind), nanoseconds(q.Since), flag(q.Open), nanoseconds(q.LookedSince), flag(q.Whole), nanoseconds(q.Until), limit)
	if err != nil || q.Bare {
		return all, err
	}
	for i := range all {
		if all[i].Files, err = s.files(manifests[i]); err != nil {
			all[i].Partial = "its list of files is damaged"
		}
	}
	return all, ctx.Err()
}

func flag(on bool) int {
	if on {
		return 1
	}
	return 0
}

func read(r *sqlite3.Stmt) (m mark.Mark, manifest []byte, err error) {
	var about info
	var lefts []left
	err = errors.Join(json.Unmarshal(r.ColumnRawText(8), &about), json.Unmarshal(r.ColumnRawText(10), &lefts))
	m = mark.Mark{ID: r.ColumnText(0), Root: r.ColumnText(1), At: time.Unix(0, r.ColumnInt64(2)), Kind: mark.Kind(r.ColumnText(3)), Origin: about.Origin,
		Name: r.ColumnText(6), Checkpoint: r.ColumnText(7), Whole: r.ColumnInt(12) == 1, Head: about.Head, Branch: about.Branch, Partial: about.Partial, Took: about.Took}
	if at := r.ColumnInt64(9); at != 0 {
		m.LookedAt = time.Unix(0, at)
	}
	m.Left = make(map[string]mark.Left, len(lefts))
	for _, l := range lefts {
		m.Left[string(l.Path)] = l.Left
	}
	return m, r.ColumnBlob(11, nil), err
}

// Last is the newest whole mark of a tree; zero where there is none.
func (s *Store) Last(ctx context.Context, root string) (mark.Mark, error) {
	if s.last.Root == root && root != "" {
		return s.last, nil
	}
	all, err := s.List(ctx, Query{Root: root, Whole: true, Limit: 1})
	if err != nil || len(all) == 0 {
		return mark.Mark{}, err
	}
	s.last = all[0]
	return all[0], nil
}
