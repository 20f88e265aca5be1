package states

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/piton-project/piton"
)

// At is the value that a JSON pointer (RFC 6901) names in a state, as it is kept; "" is
// the whole state. Invalid for what is not a pointer, NotFound where nothing is.
func At(state []byte, pointer string) ([]byte, error) {
	const op = "read a part of the state"
	if !jsontext.Pointer(pointer).IsValid() {
		return nil, piton.Errorf(piton.Invalid, op, "begin it with /: /plan/0/status", "%q is not a JSON pointer", pointer)
	}
	at := jsontext.Pointer("")
	for token := range jsontext.Pointer(pointer).Tokens() {
		all := children(state)
		i := slices.IndexFunc(all, func(m member) bool { return m.name == token })
		if i < 0 {
			where := cmp.Or(string(at), "the state")
			return nil, piton.Errorf(piton.NotFound, op, "load "+where+" to see what is there", "%s has no %q", where, token)
		}
		state, at = all[i].value, at.AppendToken(token)
	}
	return state, nil
}

// member is a member of an object or an item of an array.
type member struct {
	name  string
	value []byte
}

// children are the members of an object, or the items of an array by their numbers.
func children(value []byte) (list []member) {
	d := jsontext.NewDecoder(bytes.NewReader(value), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	kind := d.PeekKind()
	if kind != '{' && kind != '[' {
		return nil
	}
	_, _ = d.ReadToken()
	for d.PeekKind() != '}' && d.PeekKind() != ']' {
		name := strconv.Itoa(len(list))
		if kind == '{' {
			t, err := d.ReadToken()
			if err != nil {
				return list
			}
			name = t.String()
		}
		raw, err := d.ReadValue()
		if err != nil {
			return list
		}
		end := int(d.InputOffset())
		list = append(list, member{name: name, value: value[end-len(raw) : end]})
	}
	return list
}

// Excerpt is as much of a value as fits a bound.
type Excerpt struct {
	Value []byte   // JSON; a member that does not fit stands as {"$left_out": …}
	Out   []string // the names of those members
	Next  int      // the member, item or byte of a text that the rest begins with; 0: there is no more
}

// Cut cuts a value to a number of bytes, from a member, an item or a byte of a text on. What
// comes first stays; a member or an item that would take more than half of them is left
// out. A bound is exceeded by what says that something is left out, and by a number.
func Cut(value []byte, from, most int) Excerpt {
	value = bytes.TrimSpace(value)
	if len(value) <= most && from == 0 {
		return Excerpt{Value: value}
	}
	switch value[0] {
	case '"':
		return cutText(value, from, most)
	case '{', '[':
		return cutMembers(value, from, most)
	}
	return Excerpt{Value: value}
}

func cutText(value []byte, from, most int) (x Excerpt) {
	text, _ := jsontext.AppendUnquote(nil, value)
	rest := text[min(from, len(text)):]
	end := min(most, len(rest))
	for end > 0 && end < len(rest) && !utf8.RuneStart(rest[end]) {
		end--
	}
	if end == 0 {
		_, end = utf8.DecodeRune(rest)
	}
	if end < len(rest) {
		x.Next = from + end
	}
	x.Value, _ = jsontext.AppendQuote(nil, rest[:end])
	return x
}

func cutMembers(value []byte, from, most int) (x Excerpt) {
	all := children(value)
	x.Value = append(x.Value, value[0])
	for i := from; i < len(all); i++ {
		name, shown := all[i].name, all[i].value
		short := stub(shown)
		leaveOut := len(shown) > most/2 && len(short) < len(shown)
		if leaveOut {
			shown = short
		}
		if i > from && len(x.Value)+len(name)+len(shown)+len(`"":,`) > most {
			x.Next = i
			break
		}
		if i > from {
			x.Value = append(x.Value, ',')
		}
		if value[0] == '{' {
			x.Value, _ = jsontext.AppendQuote(x.Value, name)
			x.Value = append(x.Value, ':')
		}
		if x.Value = append(x.Value, shown...); leaveOut {
			x.Out = append(x.Out, name)
		}
	}
	x.Value = append(x.Value, value[0]+2) // the bracket that closes
	return x
}

// stub stands for a value that is left out.
func stub(v []byte) []byte {
	is, has := map[byte]string{'{': "object", '[': "array", '"': "text"}[v[0]], ""
	if n := len(children(v)); n > 0 {
		has = fmt.Sprintf(`"has":%d,`, n)
	}
	return fmt.Appendf(nil, `{"$left_out":{"is":%q,%s"bytes":%d}}`, cmp.Or(is, "number"), has, len(v))
}
