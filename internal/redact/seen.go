package redact

import "strings"

// reader is what the names in a text are read by.
type reader struct {
	rules  *Rules
	tables *tables
	names  *names // that were taken apart already; nil: none
	// json takes the secrets out of a document that stands in a text; nil: nobody looks for one.
	json func(r reader, doc []byte) (clean []byte, found int, err error)
}

// names are the names that were taken apart last by the same rules, each in its own
// place. Texts hold few names many times.
type names [64]knownName

// knownName is a name and what it says.
type knownName struct {
	name string
	meaning
}

func (r *reader) known() *names {
	if r.names == nil {
		r.names = new(names)
	}
	return r.names
}

// secretName is what a name says by these rules.
func (r *reader) secretName(name string) meaning {
	if len(name) == 0 || len(name) > 128 || !r.tables.mayBeSecret(name) {
		return meaning{}
	}
	n := len(name)
	known := &r.known()[(int(name[0])*7+int(name[n/2])*5+int(name[n-1])*3+n)%len(r.names)]
	if known.name != name {
		*known = knownName{name: strings.Clone(name)} // the text may be gone before the name is
		if m := secretName(name); m.level > 0 && !r.rules.keepsName(name) {
			known.meaning = m
		}
	}
	return known.meaning
}

// inName are the bytes of names in documents.
var inName = chars("A-Za-z0-9_./ :@\x80-\xff-")

// nameMeans is secretName for a text that may be no name at all.
func (r *reader) nameMeans(text string) meaning {
	m := r.secretName(text)
	if m.level > 0 && (strings.EqualFold(text, "key") || !all(text, &inName)) {
		return meaning{}
	}
	return m
}
