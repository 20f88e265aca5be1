package states

import (
	"bytes"
	"cmp"
	"fmt"
	"iter"
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
		found := false
		for name, value := range children(state) {
			if found = name == token; found {
				state = value
				break
			}
		}
		if !found {
			where := "the state"
			if at != "" {
				where = string(at)
			}
			return nil, piton.Errorf(piton.NotFound, op, "load "+where+" to see what is there", "%s has no %q", where, token)
		}
		at = at.AppendToken(token)
	}
	return state, nil
}

// children are the members of an object, or the items of an array by their numbers.
func children(value []byte) iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		d := jsontext.NewDecoder(bytes.NewReader(value), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
		kind := d.PeekKind()
		if kind != '{' && kind != '[' {
			return
		}
		_, _ = d.ReadToken()
		for i := 0; d.PeekKind() != '}' && d.PeekKind() != ']'; i++ {
			name := strconv.Itoa(i)
			if kind == '{' {
				t, err := d.ReadToken()
				if err != nil {
					return
				}
				name = t.String()
			}
			raw, err := d.ReadValue()
			end := int(d.InputOffset())
			if err != nil || !yield(name, value[end-len(raw):end]) {
				return
			}
		}
	}
}

// Excerpt is as much of a value as fits a bound.
type Excerpt struct {
	Value []byte   // JSON; a member that does not fit stands as {"$left_out": …}
	Out   []string // the names of those members
	Next  int      // the member, item or byte of a text that the rest begins with; 0: there is no more
}

// Cut cuts a value to a number of bytes, from a member, an item or a byte of a text on. Of
// an object the smallest members stay, of an array and a text what comes first. A bound
// is exceeded by what says that something is left out, and by a number.
func Cut(value []byte, from, most int) Excerpt {
	value = bytes.TrimSpace(value)
	switch {
	case len(value) <= most && from == 0:
		return Excerpt{Value: value}
	case value[0] == '"':
		return cutText(value, from, most)
	case value[0] != '{' && value[0] != '[':
		return Excerpt{Value: value}
	}
	return cutMembers(value, from, most)
}

func cutText(value []byte, from, most int) Excerpt {
	text, _ := jsontext.AppendUnquote(nil, value)
	from = min(from, len(text))
	end := min(from+most, len(text))
	for end < len(text) && !utf8.RuneStart(text[end]) {
		end--
	}
	if end <= from {
		_, size := utf8.DecodeRune(text[from:])
		end = from + size
	}
	quoted, _ := jsontext.AppendQuote(nil, text[from:end])
	if end == len(text) {
		end = 0
	}
	return Excerpt{Value: quoted, Next: end}
}

// member is a child of what is cut.
type member struct {
	name  string
	value []byte // or its stub
	whole bool
}

func cutMembers(value []byte, from, most int) (x Excerpt) {
	choose := smallMembers
	if value[0] == '[' {
		choose = firstItems
	}
	list, next := choose(value, from, most)
	x.Value, x.Next = append(x.Value, value[0]), next
	for i, m := range list {
		if i > 0 {
			x.Value = append(x.Value, ',')
		}
		if value[0] == '{' {
			x.Value, _ = jsontext.AppendQuote(x.Value, m.name)
			x.Value = append(x.Value, ':')
		}
		if x.Value = append(x.Value, m.value...); !m.whole {
			x.Out = append(x.Out, m.name)
		}
	}
	x.Value = append(x.Value, value[0]+2) // the bracket that closes
	return x
}

// firstItems are the items from one on that fit. Where the first does not, its stub stands
// there.
func firstItems(value []byte, from, most int) (list []member, next int) {
	i, used := -1, 0
	for name, v := range children(value) {
		if i++; i < from {
			continue
		}
		m := member{name, v, true}
		if used+len(v)+1 > most {
			if len(list) > 0 {
				return list, i
			}
			m.value, m.whole = stub(v), false
		}
		list, used = append(list, m), used+len(m.value)+1
	}
	return list, 0
}

// smallMembers are the members from one on whose stubs fit, the smallest of them whole.
func smallMembers(value []byte, from, most int) (list []member, next int) {
	i, used := -1, 0
	var bySize []int
	var whole [][]byte
	for name, v := range children(value) {
		if i++; i < from {
			continue
		}
		m := member{name, stub(v), false}
		if len(v) <= len(m.value) {
			m.value, m.whole = v, true
		}
		if used += len(name) + len(m.value) + 4; used > most && len(list) > 0 {
			next = i
			break
		}
		bySize, whole, list = append(bySize, len(list)), append(whole, v), append(list, m)
	}
	slices.SortStableFunc(bySize, func(a, b int) int { return cmp.Compare(len(whole[a]), len(whole[b])) })
	for _, i := range bySize {
		if grown := used + len(whole[i]) - len(list[i].value); grown <= most {
			used, list[i].value, list[i].whole = grown, whole[i], true
		}
	}
	return list, next
}

// stub stands for a value that is left out.
func stub(v []byte) []byte {
	is, n := "text", 0
	switch v[0] {
	case '{':
		is = "object"
	case '[':
		is = "array"
	case '"':
	default:
		is = "number"
	}
	for range children(v) {
		n++
	}
	if n == 0 {
		return fmt.Appendf(nil, `{"$left_out":{"is":%q,"bytes":%d}}`, is, len(v))
	}
	return fmt.Appendf(nil, `{"$left_out":{"is":%q,"has":%d,"bytes":%d}}`, is, n, len(v))
}
