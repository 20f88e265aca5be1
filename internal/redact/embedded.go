package redact

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unsafe"
)

// bracket notes an object or a list, and looks at a list of strings: its elements may
// be the words of a command or the lines of a key.
func (w *walker) bracket() {
	s, at := w.text, w.at
	w.at++
	next := byteAt(s, run(s, at+1, at+looked, &blank))
	if w.json == nil || w.known || w.places != nil || next == 0 {
		return
	}
	list := s[at] == '['
	if list && beforeIndex.has(byteAt(s, at-1)) || !list && next != '"' {
		return
	}
	if w.opened == nil {
		w.opened = new(opened)
	}
	o := w.opened
	o.at[o.n%len(o.at)] = at
	o.n++
	if list && next == '"' {
		w.document(at)
	}
}

// beforeIndex are the bytes before a [ that is an index of a program.
var beforeIndex = chars("A-Za-z0-9_)]-")

// document looks at the JSON document around a place as what it is, where there is
// one: what a text does not show, as the words of a command in a list, is seen then.
// Texts that look like documents and are none cost no more than twice their length.
func (w *walker) document(around int) {
	o := w.opened
	if o == nil {
		return
	}
	b := unsafe.Slice(unsafe.StringData(w.text), len(w.text))
	for i := max(0, o.n-len(o.at)); i < o.n && around >= o.until && o.waste <= 2*len(b); i++ {
		at := o.at[i%len(o.at)]
		if at < w.copied {
			continue
		}
		end, ok := documentEnd(b, at)
		if ok && end > around {
			w.opened.until = end
			w.cleaned(at, end, nil)
			continue
		}
		o.waste += end - at
		if closing := closed(b[at:]); !ok && closing != nil {
			o.waste, o.until = o.waste+len(b)-at, len(b)
			if comma := strings.LastIndexByte(w.text, ','); !w.cleaned(at, len(b), closing) && comma > around {
				w.cleaned(at, comma, closed(b[at:comma]))
			}
		}
	}
}

// cleaned takes the secrets out of a document, which lacks what closes it where the text is
// cut off; false: it is none.
func (w *walker) cleaned(at, end int, closing []byte) bool {
	clean, found, err := w.json(w.reader, slices.Concat([]byte(w.text[at:end]), closing))
	clean, ends := bytes.CutSuffix(clean, closing)
	if err != nil || !ends {
		return false
	}
	if found > 0 {
		w.out.WriteString(w.text[w.copied:at])
		w.out.Write(clean)
		w.copied, w.at = end, end
		w.found += found
	}
	return true
}

// closed is what a document lacks that is cut off somewhere; nil: it is none.
func closed(b []byte) (closing []byte) {
	for i := 0; i < len(b); i++ {
		switch c := b[i]; c {
		case '"':
			end, _, err := stringEnd(b, i)
			if err != nil {
				end, closing = len(b), append(closing, c)
			}
			if bytes.IndexByte(b[i:end], '\n') >= 0 {
				return nil
			}
			i = end - 1
		case '{', '[':
			closing = append(closing, c+2) // } or ]
		case '}', ']':
			closing = closing[:max(0, len(closing)-1)]
		default:
			if !betweenStrings.has(c) {
				return nil
			}
		}
	}
	slices.Reverse(closing)
	return closing
}

// betweenStrings are the characters that JSON has outside of strings, but for brackets.
var betweenStrings = chars(" \t\r\n,:+.Etruefalsn0-9-")

// documentEnd is where a document ends that begins at a place, or where it turns out
// to be none: outside of strings JSON has few characters.
func documentEnd(b []byte, at int) (end int, ok bool) {
	depth := 0
	for i := at; i < len(b); i++ {
		switch c := b[i]; c {
		case '"':
			end, _, err := stringEnd(b, i)
			if err != nil || bytes.IndexByte(b[i:end], '\n') >= 0 {
				return max(i, end), false
			}
			i = end - 1
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1, true
			}
		default:
			if !betweenStrings.has(c) {
				return i, false
			}
		}
	}
	return len(b), false
}

// errNotJSON is what JSON returns for a document that is none.
var errNotJSON = errors.New("not a JSON document")

// stringEnd is where the string that begins at i ends, and whether it has
// escapes.
func stringEnd(b []byte, i int) (end int, escaped bool, err error) {
	for at := i + 1; ; {
		n := bytes.IndexByte(b[at:], '"')
		if n < 0 {
			return 0, false, fmt.Errorf("byte %d: a string without end: %w", i, errNotJSON)
		}
		at += n
		first := at
		for b[first-1] == '\\' {
			first--
		}
		if (at-first)%2 == 0 {
			return at + 1, escaped || bytes.IndexByte(b[i:at], '\\') >= 0, nil
		}
		escaped = true
		at++
	}
}
