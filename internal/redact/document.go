package redact

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// document goes once over a JSON text.
type document struct {
	reader
	src     []byte
	found   int
	edits   []edit // of the text, each place once, in order
	stack   []frame
	find    bool    // somebody asks where the secrets stood
	plain   []byte  // the decoded string that is looked at
	waiting []piece // members "result", of which a member "type" around may say more
	ahead   *ahead  // nil: its long texts are looked at where they stand
	walker  *walker // for its texts
}

// edit is what is written in a place of the text.
type edit struct {
	from, to int
	text     string // decoded
	found    int
	path     string
}

// ahead are the long texts of a large document that the names around do not judge, in
// their order. Most hold no secret, and then nothing else depends on them: they are
// looked at on several cores, and the walk leaves out those that are free.
type ahead struct {
	texts []longOne
	at    int // in the walk: the next one
	known bool
}

// longOne is a string of the document.
type longOne struct {
	from, to int
	escaped  bool
	free     bool // no secret is in it
}

// frame is an object or an array that is open.
type frame struct {
	object  bool
	key     bool  // the next string is a key
	argv    bool  // the array may be a command line
	pair    bool  // the array may be a name and its value
	pem     bool  // the array is inside of a private key
	results int32 // of those that wait, how many came before
	others  bool  // it has elements that are not strings
	role    role  // what the last key is to its neighbours
	index   int32 // of the element, in an array
	keyFrom int   // where the last key stands
	keyTo   int
	member  meaning // what the last key says of its value
	inherit meaning // what the name of a container around says
	more    *extra
}

// extra is what few containers need.
type extra struct {
	used    map[string]bool // keys that redaction wrote
	pair    meaning         // what the member "name" says of the member "value"
	value   piece           // the member "value", where it came first
	command string          // the member "command"
	stdin   piece           // what it reads
	typed   string          // the kind of secret that the member "type" names
	secret  bool            // the member "sensitive" is true
	strings []piece         // the elements of a command line
	line    []byte          // the key of the members that are a private key's lines
}

// with is for what few containers need.
func (f *frame) with() *extra {
	if f.more == nil {
		f.more = &extra{}
	}
	return f.more
}

// piece is a string that may have to be looked at again.
type piece struct {
	from, to int
	text     string
	path     string
	index    int
}

func (d *document) top() *frame {
	if len(d.stack) == 0 {
		return nil
	}
	return &d.stack[len(d.stack)-1]
}

// takeOut notes that a whole string or number is taken out; false where the
// rules keep it.
func (d *document) takeOut(p piece, kind string) bool {
	if d.rules.keeps(p.text, kind) {
		return false
	}
	if p.path == "" {
		p.path = d.path()
	}
	d.edit(edit{p.from, p.to, mark(kind), 1, p.path})
	return true
}

// edit notes what is to be written in a place; one that was noted before for
// the same place gives way.
func (d *document) edit(e edit) {
	i, same := slices.BinarySearchFunc(d.edits, e.from, func(a edit, from int) int { return a.from - from })
	if same {
		d.found -= d.edits[i].found
		d.edits[i] = e
	} else {
		d.edits = slices.Insert(d.edits, i, e)
	}
	d.found += e.found
}

// unique numbers a key that redaction has already written in this object.
func (f *frame) unique(key string) string {
	a := f.with()
	if a.used == nil {
		a.used = map[string]bool{}
	}
	name := key
	for i := 2; a.used[name]; i++ {
		name = key + "#" + strconv.Itoa(i)
	}
	a.used[name] = true
	return name
}

// apply writes the document with the edits.
func (d *document) apply() []byte {
	out, copied := make([]byte, 0, len(d.src)), 0
	for _, e := range d.edits {
		out = append(out, d.src[copied:e.from]...)
		out = appendString(out, e.text)
		copied = e.to
	}
	return append(out, d.src[copied:]...)
}

func appendString(out []byte, s string) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.Encode(s) // a string always can be
	return append(out, bytes.TrimRight(b.Bytes(), "\n")...)
}

// path is where the walk stands, as a JSON pointer.
func (d *document) path() string {
	if !d.find {
		return ""
	}
	var b strings.Builder
	for i := range d.stack {
		if i == maxSteps {
			b.WriteString("/…")
			break
		}
		d.step(&b, &d.stack[i])
	}
	return b.String()
}

// step writes where the walk stands in a container.
func (d *document) step(b *strings.Builder, f *frame) {
	b.WriteByte('/')
	if !f.object {
		b.WriteString(strconv.Itoa(int(f.index)))
		return
	}
	if f.keyTo == 0 {
		return
	}
	key, err := jsontext.AppendUnquote(nil, d.src[f.keyFrom:f.keyTo])
	if err != nil {
		key = d.src[f.keyFrom+1 : f.keyTo-1]
	}
	w := walker{reader: reader{tables: d.tables}}
	clean, _ := w.clean(string(key))
	if len(clean) > maxStep {
		clean = strings.ToValidUTF8(clean[:maxStep], "") + "…"
	}
	escape.WriteString(b, clean)
}

// maxStep bounds a key in a path, in bytes, maxSteps the containers.
const (
	maxStep  = 80
	maxSteps = 64
)

// escape writes a step of a JSON pointer.
var escape = strings.NewReplacer("~", "~0", "/", "~1")
