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
	stub  []byte // stands for the value that is left out; nil: it is shown
}

func (m member) shown() []byte {
	if m.stub != nil {
		return m.stub
	}
	return m.value
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

// Cut cuts a value to a number of bytes, from a member, an item or a byte of a text on. Of
// an object the smallest members stay, of an array and a text what comes first. A bound
// is exceeded by what says that something is left out, and by a number.
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
	all, choose := children(value), smallMembers
	if value[0] == '[' {
		choose = firstItems
	}
	list := choose(all[min(from, len(all)):], most)
	if next := from + len(list); next < len(all) {
		x.Next = next
	}
	x.Value = append(x.Value, value[0])
	for i, m := range list {
		if i > 0 {
			x.Value = append(x.Value, ',')
		}
		if value[0] == '{' {
			x.Value, _ = jsontext.AppendQuote(x.Value, m.name)
			x.Value = append(x.Value, ':')
		}
		if x.Value = append(x.Value, m.shown()...); m.stub != nil {
			x.Out = append(x.Out, m.name)
		}
	}
	x.Value = append(x.Value, value[0]+2) // the bracket that closes
	return x
}

// firstItems are the first items, as many as fit. Where the first does not, its stub stands
// there.
func firstItems(list []member, most int) []member {
	used := 0
	for i := range list {
		if m := &list[i]; used+len(m.value)+1 > most {
			if i > 0 {
				return list[:i]
			}
			m.stub = stub(m.value)
		}
		used += len(list[i].shown()) + 1
	}
	return list
}

// smallMembers are the first members, as many as fit as stubs, the smallest of them whole.
func smallMembers(list []member, most int) []member {
	used := 0
	var bySize []*member
	for i := range list {
		m := &list[i]
		if short := stub(m.value); len(short) < len(m.value) {
			m.stub = short
		}
		if used += len(m.name) + len(m.shown()) + 4; used > most && i > 0 {
			list = list[:i]
			break
		}
		bySize = append(bySize, m)
	}
	slices.SortStableFunc(bySize, func(a, b *member) int { return cmp.Compare(len(a.value), len(b.value)) })
	for _, m := range bySize {
		if grown := used + len(m.value) - len(m.shown()); grown <= most {
			used, m.stub = grown, nil
		}
	}
	return list
}

// stub stands for a value that is left out.
func stub(v []byte) []byte {
	is, has := map[byte]string{'{': "object", '[': "array", '"': "text"}[v[0]], ""
	if n := len(children(v)); n > 0 {
		has = fmt.Sprintf(`"has":%d,`, n)
	}
	return fmt.Appendf(nil, `{"$left_out":{"is":%q,%s"bytes":%d}}`, cmp.Or(is, "number"), has, len(v))
}
