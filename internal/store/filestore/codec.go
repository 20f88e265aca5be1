package filestore

import (
	"encoding/binary"
	"math"
	"time"

	"github.com/piton-project/piton"
)

// codec writes values into a block of the cache, or reads them from one: each
// list of fields below serves both ways. JSON would take ten times as long.
type codec struct {
	raw  []byte
	at   int
	read bool
	bad  bool // what was read is no block of ours
}

func (c *codec) num(p *int64) {
	if !c.read {
		c.raw = binary.AppendVarint(c.raw, *p)
		return
	}
	v, n := binary.Varint(c.raw[c.at:])
	if n <= 0 {
		c.bad = true
		v, n = 0, 0
	}
	*p, c.at = v, c.at+n
}

func (c *codec) int(p *int) {
	n := int64(*p)
	c.num(&n)
	*p = int(n)
}

func (c *codec) flag(p *bool) {
	var n int64
	if *p {
		n = 1
	}
	c.num(&n)
	*p = n == 1
}

// count is how many things follow; none where there cannot be so many.
func (c *codec) count(n int) int {
	c.int(&n)
	if c.read && (n < 0 || n > len(c.raw)-c.at) {
		c.bad = true
		return 0
	}
	return n
}

func str[S ~string](c *codec, p *S) {
	n := c.count(len(*p))
	if c.read {
		*p = S(c.raw[c.at : c.at+n])
		c.at += n
		return
	}
	c.raw = append(c.raw, *p...)
}

func (c *codec) strings(list ...*string) {
	for _, p := range list {
		str(c, p)
	}
}

// time keeps the zero Time apart from the year 1970.
func (c *codec) time(p *piton.Time) {
	ms := int64(math.MinInt64)
	if !p.IsZero() {
		ms = p.UnixMilli()
	}
	c.num(&ms)
	if c.read && ms != math.MinInt64 {
		*p = piton.Time{Time: time.UnixMilli(ms).UTC()}
	}
}

// maybe reads or writes what is there only sometimes.
func maybe[V any](c *codec, p **V, visit func(*V)) {
	there := *p != nil
	if c.flag(&there); !there {
		return
	}
	if c.read {
		*p = new(V)
	}
	visit(*p)
}

func each[V any](c *codec, list *[]V, visit func(*V)) {
	n := c.count(len(*list))
	if c.read && n > 0 {
		*list = make([]V, n)
	}
	for i := range *list {
		if visit(&(*list)[i]); c.bad {
			return
		}
	}
}

func keyed[V any](c *codec, m *map[string]V, visit func(*V)) {
	if !c.read {
		c.count(len(*m))
		for k, v := range *m {
			str(c, &k)
			visit(&v)
		}
		return
	}
	n := c.count(0)
	if n > 0 {
		*m = make(map[string]V, n)
	}
	for range n {
		var k string
		var v V
		str(c, &k)
		if visit(&v); c.bad {
			return
		}
		(*m)[k] = v
	}
}

func (c *codec) stamp(s *stamp) {
	c.num(&s.size)
	c.num(&s.changed)
	c.num(&s.inode)
}

// entry is a checkpoint's file; what follows from its place is not kept.
func (c *codec) entry(e *entry) {
	c.strings(&e.name, &e.alias, &e.why)
	c.stamp(&e.stamp)
	c.num(&e.size)
	c.flag(&e.own)
	c.flag(&e.ours)
	r := &e.c
	c.strings(&r.ID, &r.WorkflowID, &r.Workflow, &r.WorkflowType, &r.SessionID, &r.SessionName, &r.Project, &r.Branch, &r.ParentID,
		&r.StepName, &r.Name, &r.Description, &r.TaskSummary, &r.SHA256, &r.Damaged, &r.Archive, &r.File,
		&r.Origin.Agent, &r.Origin.ClientVersion, &r.Origin.Host, &r.Origin.GitHead, &r.Origin.GitBranch)
	str(c, &r.Trigger)
	for _, n := range []*int64{&r.Seq, &r.Ordinal, &r.DurationMS, &r.StateBytes, &r.StoredBytes} {
		c.num(n)
	}
	for _, n := range []*int{&r.PhaseNumber, &r.PhaseTotal, &r.SchemaVersion} {
		c.int(n)
	}
	maybe(c, &r.StepNumber, c.int)
	maybe(c, &r.Progress, c.int)
	maybe(c, &r.TokenUsage, func(u *piton.TokenUsage) {
		c.num(&u.Input)
		c.num(&u.Output)
		c.num(&u.CacheRead)
		c.num(&u.CacheWrite)
	})
	each(c, &r.Tags, func(s *string) { str(c, s) })
	c.time(&r.CreatedAt)
	c.time(&r.ImportedAt)
	c.time(&r.CompletedAt)
	c.flag(&r.Completed)
	c.flag(&r.BadRecord)
}

// flow is a workflow: as its file has it, where it has one, and as its
// checkpoints make it.
func (c *codec) flow(f *wfFile, w *workflow) {
	maybe(c, &f.w, func(w *workflow) {
		c.stamp(&f.stamp)
		c.workflow(w)
	})
	c.workflow(w)
}

func (c *codec) workflow(w *workflow) {
	c.strings(&w.ID, &w.Name, &w.Type, &w.Project, &w.SessionID, &w.HeadID, &w.Sum)
	c.time(&w.CreatedAt)
	c.num(&w.Seq)
	c.num(&w.ClosedAt)
	c.flag(&w.Closed)
	c.flag(&w.Foreign)
	c.flag(&w.lost)
	each(c, &w.Branches, func(b *branch) {
		id := b.headID
		if b.head != nil {
			id = b.head.c.ID
		}
		c.strings(&b.Name, &b.From, &b.Base, &id)
		b.headID = id
		c.int(&b.count)
	})
	keyed(c, &w.Marks, func(n *note) {
		c.strings(&n.Damaged, &n.Waits)
		maybe(c, &n.Parent, func(s *string) { str(c, s) })
		c.time(&n.CompletedAt)
	})
	keyed(c, &w.Numbers, func(n *number) {
		c.num(&n.Seq)
		c.num(&n.Ordinal)
	})
}
