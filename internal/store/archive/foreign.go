package archive

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"

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

// forms lists them; the first that fits reads the value.
var forms = []foreign{
	{"conductor", isConductor, readConductor},
	{"plan", isPlan, readPlan},
	{"phases", isPhases, readPhases},
}

// errForm is the cause where a value is not a checkpoint that is known.
var errForm = errors.New("not a checkpoint in a form that is known")

// errFileStore is the cause where a value is a file of our own file store. As
// another program's it would lose its record: its mark, its step, its project.
var errFileStore = errors.New("it is a file store's own")

// Whole reads a state that is another program's whole checkpoint, its record with the
// state in it. ok tells whether it is one.
func Whole(state []byte) (e store.Entry, ok bool) {
	o := read(state)
	if o.get("state").Kind() != '{' || o.has("record_sha256") {
		return e, false
	}
	for _, f := range forms {
		if f.is(o) {
			e, err := f.read(o, form{name: f.name})
			return e, err == nil
		}
	}
	return e, false
}

// entry reads one value of another program's file.
func entry(raw jsontext.Value, file string) (store.Entry, error) {
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
		c.Tags = append(c.Tags, labels(o, outer)...)
		c.WorkflowID, c.SessionID = w.ID, w.SessionID
		c.Branch = cmp.Or(c.Branch, piton.MainBranch)
		c.SchemaVersion = 1
		c.StateBytes = int64(len(e.State))
		c.SHA256 = fmt.Sprintf("%x", sha256.Sum256(e.State))
		return e, nil
	}
	return store.Entry{}, errForm
}
