package redact

// longText is how long a string is, in bytes, that is looked at ahead.
const longText = 256

// free tells whether a string is known to hold no secret, or is noted to be looked at
// later: what stands in it changes nothing around it then.
func (d *document) free(from, to int, escaped bool) bool {
	a := d.ahead
	if a == nil || to-from < longText || !d.top().alone() {
		return false
	}
	if !a.known {
		a.texts = append(a.texts, longOne{from: from, to: to, escaped: escaped})
		return true
	}
	if a.at == len(a.texts) || a.texts[a.at].from != from {
		return false
	}
	a.at++
	return a.texts[a.at-1].free
}

// alone tells whether a string that comes here is a value that means nothing to its
// neighbours, nor they to it.
func (f *frame) alone() bool {
	if f == nil {
		return false
	}
	switch {
	case f.object && f.key, !f.object && f.argv:
		return false
	case f.role == nameRole, f.role == valueRole, f.role == argvRole:
		return false
	}
	return f.says().level == 0
}
