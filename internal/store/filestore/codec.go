package filestore

import (
	"encoding/binary"
	"math"
	"reflect"
	"time"

	"github.com/piton-project/piton"
)

// codec writes values into a block of the cache, or reads them from one. It takes
// the exported fields of a struct in their order, so that both ways always fit and
// no field is forgotten. JSON would take ten times as long.
type codec struct {
	raw  []byte
	at   int
	read bool
	bad  bool // what was read is not a block of ours
}

// values writes or reads what the pointers point to.
func (c *codec) values(pointers ...any) {
	for _, p := range pointers {
		c.value(reflect.ValueOf(p).Elem())
	}
}

func (c *codec) value(v reflect.Value) {
	switch v.Kind() {
	case reflect.Int, reflect.Int64:
		if n := c.num(v.Int()); c.read {
			v.SetInt(n)
		}
	case reflect.Bool:
		if yes := c.flag(v.Bool()); c.read {
			v.SetBool(yes)
		}
	case reflect.String:
		if s := c.text(v.String()); c.read {
			v.SetString(s)
		}
	case reflect.Pointer:
		if !c.flag(!v.IsNil()) {
			return
		}
		if c.read {
			v.Set(reflect.New(v.Type().Elem()))
		}
		c.value(v.Elem())
	case reflect.Slice:
		n := c.count(v.Len())
		if c.read && n > 0 {
			v.Set(reflect.MakeSlice(v.Type(), n, n))
		}
		for i := 0; i < n && !c.bad; i++ {
			c.value(v.Index(i))
		}
	case reflect.Map:
		c.keyed(v)
	case reflect.Struct:
		if v.Type() == timeType {
			c.time(v.Addr().Interface().(*piton.Time))
			return
		}
		for i := range v.NumField() {
			if f := v.Field(i); f.CanSet() {
				c.value(f)
			}
		}
	default:
		panic("the cache cannot hold a " + v.Type().String())
	}
}

var timeType = reflect.TypeFor[piton.Time]()

// keyed writes or reads a map whose keys are strings.
func (c *codec) keyed(m reflect.Value) {
	n, value := c.count(m.Len()), reflect.New(m.Type().Elem()).Elem()
	if !c.read {
		for all := m.MapRange(); all.Next(); {
			c.text(all.Key().String())
			value.Set(all.Value())
			c.value(value)
		}
		return
	}
	if n > 0 {
		m.Set(reflect.MakeMapWithSize(m.Type(), n))
	}
	for i := 0; i < n && !c.bad; i++ {
		key := c.text("")
		value.SetZero()
		c.value(value)
		m.SetMapIndex(reflect.ValueOf(key), value)
	}
}

func (c *codec) num(n int64) int64 {
	if !c.read {
		c.raw = binary.AppendVarint(c.raw, n)
		return n
	}
	n, size := binary.Varint(c.raw[c.at:])
	if size <= 0 {
		c.bad = true
		return 0
	}
	c.at += size
	return n
}

func (c *codec) flag(yes bool) bool {
	if yes {
		return c.num(1) == 1
	}
	return c.num(0) == 1
}

// count writes or reads how many elements follow; 0 where there cannot be so many.
func (c *codec) count(n int) int {
	n = int(c.num(int64(n)))
	if c.read && (n < 0 || n > len(c.raw)-c.at) {
		c.bad = true
		return 0
	}
	return n
}

func (c *codec) text(s string) string {
	n := c.count(len(s))
	if !c.read {
		c.raw = append(c.raw, s...)
		return s
	}
	c.at += n
	return string(c.raw[c.at-n : c.at])
}

// time keeps the zero Time apart from the year 1970.
func (c *codec) time(p *piton.Time) {
	ms := int64(math.MinInt64)
	if !p.IsZero() {
		ms = p.UnixMilli()
	}
	if ms = c.num(ms); c.read && ms != math.MinInt64 {
		*p = piton.Time{Time: time.UnixMilli(ms).UTC()}
		c.bad = c.bad || p.Year() < 0 || p.Year() > 9999
	}
}

// entry is a checkpoint's file.
func (c *codec) entry(e *entry) {
	c.values(&e.name, &e.alias, &e.why, &e.stamp, &e.size, &e.own, &e.ours, &e.c)
	c.bad = c.bad || c.read && e.fits() != nil
}

// flow is a workflow: as its file has it, where it has one, and as its
// checkpoints make it.
func (c *codec) flow(f *flowRecord) {
	if c.read {
		f.w = &workflow{}
	}
	if c.flag(f.file.w != nil) {
		if c.read {
			f.file.w = &workflow{}
		}
		c.values(&f.file.stamp)
		c.workflow(f.file.w)
	}
	c.workflow(f.w)
	c.bad = c.bad || c.read && (f.w.fits() != nil || f.file.w != nil && (f.file.w.fits() != nil || f.file.w.ID != f.w.ID))
}

func (c *codec) workflow(w *workflow) {
	c.values(w, &w.lost)
	for i := range w.Branches {
		b := &w.Branches[i]
		if b.head != nil {
			b.headID = b.head.c.ID
		}
		c.values(&b.headID, &b.count)
	}
}
