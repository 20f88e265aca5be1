package redact

import (
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Rules say what stays although it looks like a secret: what the user knows to
// be harmless. Tokens of known vendors never stay. The zero value and nil keep
// nothing.
type Rules struct {
	Names    []string // names whose values stay, in any case; * stands for any characters
	Patterns []string // patterns of values that stay; * stands for any characters
}

// Text is Text by these rules.
func (r *Rules) Text(s string) (string, int) {
	s, found := r.text(s)
	return s, found
}

// JSON is JSON by these rules.
func (r *Rules) JSON(doc []byte) ([]byte, int, error) {
	d := document{src: doc, rules: r}
	if err := d.walk(); err != nil {
		return nil, 0, err
	}
	if len(d.edits) == 0 {
		return doc, 0, nil
	}
	return d.apply(), d.found, nil
}

// Find is JSON by these rules; instead of a count it returns where each secret
// stood, as a JSON pointer.
func (r *Rules) Find(doc []byte) ([]byte, []string, error) {
	d := document{src: doc, rules: r, find: true}
	if err := d.walk(); err != nil {
		return nil, nil, err
	}
	if len(d.edits) == 0 {
		return doc, nil, nil
	}
	var paths []string
	for _, e := range d.edits {
		for range e.found {
			paths = append(paths, e.path)
		}
	}
	return d.apply(), paths, nil
}

// keepsName tells whether the values under a name stay.
func (r *Rules) keepsName(name string) bool {
	if r == nil || len(r.Names) == 0 {
		return false
	}
	name = strings.ToLower(name)
	for _, n := range r.Names {
		if glob(strings.ToLower(n), name) {
			return true
		}
	}
	return false
}

// keeps tells whether a value stays.
func (r *Rules) keeps(value, kind string) bool {
	if r == nil || len(r.Patterns) == 0 || ofVendor(kind) {
		return false
	}
	for _, p := range r.Patterns {
		if glob(p, value) {
			return true
		}
	}
	return false
}

// ofVendor tells whether a kind is a vendor's.
func ofVendor(kind string) bool {
	for _, v := range vendors {
		if v.kind == kind {
			return true
		}
	}
	for _, h := range webhooks {
		if h.kind == kind {
			return true
		}
	}
	return strings.HasSuffix(kind, "-token")
}

// glob tells whether a text fits a pattern in which * stands for any
// characters.
func glob(pattern, s string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return pattern == s
	}
	if !strings.HasPrefix(s, parts[0]) {
		return false
	}
	s = s[len(parts[0]):]
	for _, p := range parts[1 : len(parts)-1] {
		i := strings.Index(s, p)
		if i < 0 {
			return false
		}
		s = s[i+len(p):]
	}
	return strings.HasSuffix(s, parts[len(parts)-1])
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
	clean, _ := Text(string(key))
	if len(clean) > maxStep {
		clean = strings.ToValidUTF8(clean[:maxStep], "") + "…"
	}
	b.WriteString(strings.NewReplacer("~", "~0", "/", "~1").Replace(clean))
}

// maxStep bounds a key in a path, in bytes, maxSteps the containers.
const (
	maxStep  = 80
	maxSteps = 64
)
