// Package redact takes secrets out of text and of JSON before they are stored,
// logged or sent (docs/spec.md, "Never stored").
//
// It walks a text once. Words are held against a table of prefixes that
// vendors give their tokens; '=' and ':' against the name before them. No
// regular expression is compiled, because the package is linked into the
// program that runs at every event of an agent.
package redact

// Text returns s with each secret replaced by [REDACTED:kind], and how many
// were taken out; s itself when there was none. Applying it twice changes
// nothing more.
func Text(s string) (string, int) { return (*Rules)(nil).Text(s) }

// Known takes out only what is a secret by itself: tokens of known vendors, keys
// in PEM. Paths and names by which things are found are cleaned so, both where
// they are kept and where they are looked up.
func Known(s string) (string, int) {
	w := walker{reader: reader{tables: table()}, known: true}
	return w.clean(s)
}

// JSON returns a JSON document with the secrets taken out of every decoded
// string, keys and values, and how many there were; doc itself when there was
// none. Strings without a secret keep their bytes, numbers, order and white
// space theirs. A string under a name such as db_password is a secret unless
// it is plainly none; so is a number under one such as pin. What a name says
// holds for all below it, and for the value in {"name": …, "value": …}; arrays
// that are command lines are read as such. Keys that become equal are numbered.
func JSON(doc []byte) ([]byte, int, error) { return (*Rules)(nil).JSON(doc) }

// JSON is JSON by these rules.
func (r *Rules) JSON(doc []byte) ([]byte, int, error) {
	return cleanJSON(newReader(r), doc)
}

// Text is Text by these rules.
func (r *Rules) Text(s string) (string, int) {
	w := walker{reader: newReader(r)}
	return w.clean(s)
}

func newReader(r *Rules) reader { return reader{rules: r, tables: table(), json: cleanJSON} }

func cleanJSON(r reader, doc []byte) (clean []byte, found int, err error) {
	d := document{reader: r, src: doc}
	clean, err = d.clean()
	return clean, d.found, err
}

// clean is the document without its secrets.
func (d *document) clean() ([]byte, error) {
	d.look()
	if err := d.walk(); err != nil || len(d.edits) == 0 {
		return d.src, err
	}
	return d.apply(), nil
}
