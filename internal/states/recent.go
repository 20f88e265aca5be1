package states

import (
	"encoding/json"
	"slices"
	"sync"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
)

// Clean is a state that is ready to be saved.
type Clean struct {
	JSON     redact.Document // compact
	TakenOut []string        // where each secret stood, as a JSON pointer into the state
	scanned  *scanned
}

// Said is the state decoded, or as much of it as Describe looks at.
func (c Clean) Said() (map[string]any, error) {
	doc := []byte(c.JSON.Get())
	if c.scanned != nil {
		doc = c.scanned.outline()
	}
	s, err := Read(doc)
	if err != nil {
		return nil, &piton.Error{Code: piton.Invalid, Op: "read the state", Err: err}
	}
	return s, nil
}

// Line is what states follow each other in.
type Line struct{ Workflow, Session, Branch string }

// maxRecent bounds the states that are remembered.
const maxRecent = 2

// Recent remembers the states that were cleaned last, so that the next one of
// the same workflow costs what has changed in it. It is safe for concurrent use
// and holds two states at most; a nil one remembers nothing.
//
// It checks no other things than the long way, but the same on less: each
// changed place is taken with the containers around it, under their keys, as a
// small document of its own. Whenever anything is out of the ordinary (a place
// that is large, a secret, a key that may be there already, an error of any
// kind) the whole state is cleaned the long way.
type Recent struct {
	mu   sync.Mutex
	last []remembered // the newest last
}

type remembered struct {
	line Line
	*scanned
}

// get returns the last state of a line; nil when there is none.
func (r *Recent) get(l Line) *scanned {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.last {
		if s.line == l {
			return s.scanned
		}
	}
	return nil
}

func (r *Recent) put(l Line, k *scanned) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last = append(slices.DeleteFunc(r.last, func(s remembered) bool { return s.line == l }), remembered{l, k})
	if n := len(r.last) - maxRecent; n > 0 {
		r.last = slices.Delete(r.last, 0, n)
	}
}

// Clean compacts a state and takes the secrets out of it. Invalid when it is
// not acceptable (Compact).
func (r *Recent) Clean(l Line, state []byte, rules *redact.Rules) (Clean, error) {
	if was := r.get(l); was != nil && len(state) <= MaxBytes {
		if k := was.grown(state, rules); k != nil {
			r.put(l, k)
			return Clean{JSON: redact.Unchecked(json.RawMessage(k.state)), scanned: k}, nil // each changed part was searched
		}
	}
	compact, err := Compact(state)
	if err != nil {
		return Clean{}, err
	}
	c := Clean{}
	if c.JSON, c.TakenOut, err = rules.Find(compact); err != nil {
		return Clean{}, &piton.Error{Code: piton.Internal, Op: "take secrets out", Err: err}
	}
	doc := c.JSON.Get()
	if len(doc) >= minOutlined {
		c.scanned = look(doc)
	}
	if c.scanned != nil && len(doc) >= minScanned && len(c.TakenOut) == 0 {
		r.put(l, c.scanned)
	}
	return c, nil
}

// Verbatim is a state that its owner keeps with the secrets in it: it is compacted and
// nothing is taken out. Invalid when it is not acceptable (Compact).
func Verbatim(state []byte) (c Clean, err error) {
	compact, err := Compact(state)
	if err != nil {
		return c, err
	}
	c.JSON = redact.Unchecked(json.RawMessage(compact)) // its owner has said so
	if len(compact) >= minOutlined {
		c.scanned = look(compact)
	}
	return c, nil
}
