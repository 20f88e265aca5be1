package archive

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
)

// foreign is one form of another program's checkpoint.
type foreign struct {
	name string // goes into the ids
	is   func(o object) bool
	read func(o object, f form) (store.Entry, error)
}

// form is what reading one value needs beside the value.
type form struct {
	name string // the foreign form's
	file string // the file's name without its folder
}

// forms lists them; the first that fits reads the value.
var forms = []foreign{
	{"conductor", isConductor, readConductor},
	{"plan", isPlan, readPlan},
	{"phases", isPhases, readPhases},
}

// errForm is the cause where a value is no checkpoint that is known.
var errForm = errors.New("not a checkpoint in a form that is known")

// errFileStore is the cause where a value is a file of our own file store. As
// another program's it would lose its record: its mark, its step, its project.
var errFileStore = errors.New("it is a file store's own")

// entry reads one value.
func (i *Importer) entry(raw jsontext.Value, file string) (store.Entry, error) {
	raw, err := compacted(raw)
	if err != nil {
		return store.Entry{}, err
	}
	outer := read(raw)
	o, err := unwrap(outer)
	if err != nil {
		return store.Entry{}, err
	}
	if o.has("record_sha256") {
		return store.Entry{}, errFileStore
	}
	for _, f := range forms {
		if !f.is(o) {
			continue
		}
		e, err := f.read(o, form{f.name, file})
		if err != nil {
			return store.Entry{}, err
		}
		w, c := &e.Workflow, &e.Checkpoint
		e.Foreign = true
		w.Project, c.Project, e.Origin = i.Project, i.Project, i.Origin
		c.Tags = append(c.Tags, labels(o, outer)...)
		c.WorkflowID, c.SessionID = w.ID, w.SessionID
		if c.Branch == "" {
			c.Branch = piton.MainBranch
		}
		c.SchemaVersion = 1
		c.StateBytes = int64(len(e.State))
		sum := sha256.Sum256(e.State)
		c.SHA256 = hex.EncodeToString(sum[:])
		return e, nil
	}
	return store.Entry{}, errForm
}

// compacted is a state as it is kept: its bytes without insignificant white
// space. It is a copy.
func compacted(raw jsontext.Value) (jsontext.Value, error) {
	if len(raw) > maxValue || raw.Kind() == '{' && !utf8.Valid(raw) {
		return nil, errors.New("it is not UTF-8, or too large")
	}
	if raw.Kind() != '{' {
		return nil, errors.New("it is not a JSON object")
	}
	v := append(jsontext.Value(nil), raw...)
	err := v.Compact(compactOptions()...)
	return v, err
}

// state is compacted with the bound of a state.
func state(raw jsontext.Value) ([]byte, error) {
	v, err := compacted(raw)
	if err == nil && len(v) > maxState {
		err = fmt.Errorf("a state of %d bytes is more than the limit of %d", len(v), maxState)
	}
	return v, err
}

// workflow is the workflow that another program's id stands for; it bears that
// id as its name, where it can be one.
func workflow(f form, kind, id string) piton.Workflow {
	w := piton.Workflow{ID: piton.ImportedID(piton.WorkflowPrefix, f.name, id), Type: kind}
	if len(id) <= 200 && !strings.HasPrefix(id, piton.WorkflowPrefix) {
		w.Name = id
	}
	return w
}

// session is our id for another program's session; none where it has none.
func session(f form, id string) string {
	if id == "" || id == "unknown" {
		return ""
	}
	return piton.ImportedID(piton.SessionPrefix, f.name, id)
}

// object is a JSON object: its text, and its members in their order.
type object struct {
	text    jsontext.Value
	members []member
}

type member struct {
	name string
	raw  jsontext.Value
}

// maxMembers bounds the members of an object that is taken apart: no checkpoint of
// another program's has as many.
const maxMembers = 10_000

// read takes an object apart; the zero object for anything else, and for one of too
// many members.
func read(raw jsontext.Value) object {
	o := object{text: raw}
	dec := jsontext.NewDecoder(bytes.NewReader(raw), compactOptions()...)
	if t, err := dec.ReadToken(); err != nil || t.Kind() != '{' {
		return object{}
	}
	for dec.PeekKind() == '"' {
		name, err := dec.ReadToken()
		if err != nil {
			return object{}
		}
		m := member{name: name.String()}
		value, err := dec.ReadValue()
		if err != nil {
			return object{}
		}
		if len(o.members) == maxMembers {
			return object{}
		}
		m.raw = value.Clone()
		o.members = append(o.members, m)
	}
	return o
}

// get is the first of the members that is there and not null.
func (o object) get(names ...string) jsontext.Value {
	for _, name := range names {
		for _, m := range o.members {
			if m.name == name && m.raw.Kind() != 'n' {
				return m.raw
			}
		}
	}
	return nil
}

func (o object) has(names ...string) bool { return o.get(names...) != nil }

// sub is a member that is an object; the zero object if it is none.
func (o object) sub(name string) object { return read(o.get(name)) }

// into reads a member; what is not there leaves dst as it is.
func (o object) into(dst any, names ...string) error {
	raw := o.get(names...)
	if raw == nil {
		return nil
	}
	if err := json.Unmarshal(raw, dst); err != nil {
		return fmt.Errorf("the member %q: %.100s is not what belongs there", names[0], raw)
	}
	return nil
}

// when is a moment as other programs write it: RFC 3339, SQLite's form in UTC,
// or milliseconds since 1970.
func (o object) when(names ...string) (piton.Time, error) {
	raw := o.get(names...)
	switch raw.Kind() {
	case '0':
		var ms float64
		err := o.into(&ms, names...)
		return piton.FromMillis(int64(ms)), err
	case '"':
		var s string
		if err := o.into(&s, names...); err != nil {
			return piton.Time{}, err
		}
		for _, layout := range []string{time.RFC3339Nano, time.DateTime} {
			if t, err := time.Parse(layout, s); err == nil {
				return piton.At(t), nil
			}
		}
	}
	if raw == nil {
		return piton.Time{}, nil
	}
	return piton.Time{}, fmt.Errorf("the member %q: %.100s is not a time", names[0], raw)
}

// share is how many of all in percent; nil of none.
func share(done, all int) *int {
	if all <= 0 {
		return nil
	}
	p := min(100*done/all, 100)
	return &p
}
