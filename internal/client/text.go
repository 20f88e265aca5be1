package client

import (
	"bytes"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/piton-project/piton/internal/agent"
)

// text decodes a JSON string; what is no string is empty. Invalid UTF-8 and
// lone surrogates, which clients do write, become U+FFFD.
func text(raw []byte) string {
	if len(raw) < 2 || raw[0] != '"' {
		return ""
	}
	if in := raw[1 : len(raw)-1]; bytes.IndexByte(in, '\\') < 0 && utf8.Valid(in) {
		return string(in)
	}
	out, _ := jsontext.AppendUnquote(nil, raw) // in doubt what it could read
	return string(out)
}

// yes tells whether raw is the JSON value true.
func yes(raw []byte) bool { return string(raw) == "true" }

// count decodes a JSON number that counts something: whole, not negative;
// anything else is 0.
func count(raw []byte) int64 {
	f, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || !(f > 0) {
		return 0
	}
	return int64(min(f, 1<<53))
}

// moment decodes a JSON string with an RFC 3339 time; anything else is zero.
func moment(raw []byte) time.Time {
	if len(raw) < 2 || raw[0] != '"' {
		return time.Time{}
	}
	t, err := time.Parse(time.RFC3339, string(raw[1:len(raw)-1]))
	if err != nil {
		return time.Time{}
	}
	return t
}

// cut keeps the beginning and the end of an output, at most
// piton.OutputKept bytes with the mark between them.
func cut(s string) string {
	if len(s) <= agent.OutputKept {
		return s
	}
	const room = 48 // for the mark
	half := (agent.OutputKept - room) / 2
	front, back := half, len(s)-half
	for front > half-utf8.UTFMax && !utf8.RuneStart(s[front]) {
		front--
	}
	for back < len(s)-half+utf8.UTFMax && !utf8.RuneStart(s[back]) {
		back++
	}
	return s[:front] + "\n[... " + strconv.Itoa(back-front) + " bytes left out ...]\n" + s[back:]
}
