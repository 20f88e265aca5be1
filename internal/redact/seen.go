package redact

import "strings"

// secretName is what a name says by the walk's rules.
func (w *walker) secretName(name string) meaning {
	if len(name) == 0 || len(name) > 128 || !w.tables.mayBeSecret(name) {
		return meaning{}
	}
	if w.names == nil {
		w.names = new(names)
	}
	n := len(name)
	known := &w.names[(int(name[0])*7+int(name[n/2])*5+int(name[n-1])*3+n)%len(w.names)]
	if known.name != name {
		*known = knownName{name: strings.Clone(name)} // the text may be gone before the name is
		if m := secretName(name); m.level > 0 && !w.rules.keepsName(name) {
			known.meaning = m
		}
	}
	return known.meaning
}
