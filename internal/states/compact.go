package states

import (
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/piton-project/piton"
)

// Compact returns a state without its insignificant white space; the order of
// keys, numbers and escapes stay as given. Invalid when it is not a JSON
// object in UTF-8 without duplicate keys, or too large.
func Compact(state []byte) ([]byte, error) {
	const op = "read the state"
	if len(state) > MaxBytes {
		return nil, TooLarge(op, int64(len(state)))
	}
	if !utf8.Valid(state) {
		return nil, piton.Errorf(piton.Invalid, op, "write the state as UTF-8", "invalid UTF-8 at byte %d", invalidUTF8(state))
	}
	v := jsontext.Value(append([]byte(nil), state...))
	// Escaped lone surrogates are JSON and stay as written; the bytes were
	// checked above.
	err := v.Compact(jsontext.AllowDuplicateNames(false), jsontext.AllowInvalidUTF8(true), jsontext.PreserveRawStrings(true))
	if err != nil {
		hint, cause := Fault(state, err)
		return nil, &piton.Error{Code: piton.Invalid, Op: op, Hint: hint, Err: cause}
	}
	if kind := v.Kind(); kind != '{' {
		name := map[jsontext.Kind]string{'[': "an array", '"': "a string", '0': "a number", 't': "a boolean", 'f': "a boolean", 'n': "null"}[kind]
		return nil, piton.Errorf(piton.Invalid, op, `wrap it: {"value": …}`, "a state is a JSON object, this is %s", name)
	}
	return v, nil
}

// invalidUTF8 is the place of the first byte that is not UTF-8.
func invalidUTF8(b []byte) int {
	at := 0
	for at < len(b) {
		r, n := utf8.DecodeRune(b[at:])
		if r == utf8.RuneError && n == 1 {
			break
		}
		at += n
	}
	return at
}
