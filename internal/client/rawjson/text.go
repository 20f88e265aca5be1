package rawjson

import (
	"bytes"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Text decodes a JSON string; what is not a string is empty. Invalid UTF-8 and
// lone surrogates, which clients do write, become U+FFFD.
func Text(raw []byte) string {
	if len(raw) < 2 || raw[0] != '"' {
		return ""
	}
	if in := raw[1 : len(raw)-1]; bytes.IndexByte(in, '\\') < 0 && utf8.Valid(in) {
		return string(in)
	}
	out, _ := jsontext.AppendUnquote(nil, raw) // in doubt what it could read
	return string(out)
}

// FirstText is the first of the named members that is a text and not empty; "" where
// there is none.
func FirstText(object []byte, names ...string) string {
	for _, raw := range Values(object, names...) {
		if s := Text(raw); s != "" {
			return s
		}
	}
	return ""
}

// IsTrue reports whether raw is the JSON value true.
func IsTrue(raw []byte) bool { return string(raw) == "true" }

// Count decodes a JSON number that counts something: whole, not negative;
// anything else is 0.
func Count(raw []byte) int64 {
	f, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || !(f > 0) {
		return 0
	}
	return int64(min(f, 1<<53))
}

// Time decodes a JSON string with an RFC 3339 time; anything else is zero.
func Time(raw []byte) time.Time {
	if len(raw) < 2 || raw[0] != '"' {
		return time.Time{}
	}
	t, err := time.Parse(time.RFC3339, string(raw[1:len(raw)-1]))
	if err != nil {
		return time.Time{}
	}
	return t
}

// Stamp is the time that a line of a log bears: its own member "timestamp". It is
// zero where there is none, and where the line is not a whole object.
func Stamp(line []byte) (at time.Time) {
	o := Object{B: line}
	for {
		key, ok := o.Next()
		if !ok {
			break
		}
		if string(key) == "timestamp" {
			at = Time(o.Value())
		}
	}
	if !o.Whole() {
		return time.Time{}
	}
	return at
}
