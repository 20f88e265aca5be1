package plan

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// jsonReader reads JSON with the lines of its values.
type jsonReader struct {
	slips *slips
	dec   *jsontext.Decoder
	data  []byte
	left  int
	read  int64 // up to here lines are counted
	line  int
}

func sourceJSON(data []byte, s *slips) *node {
	r := jsonReader{slips: s, data: data, left: maxNodes, line: 1, dec: jsontext.NewDecoder(bytes.NewReader(data), jsontext.AllowDuplicateNames(true))}
	n, err := r.node(0)
	if err == nil {
		if _, err = r.dec.ReadToken(); err == io.EOF {
			return n
		}
		if err == nil {
			err = errors.New("there is something behind the end of the plan")
		}
	}
	var bad *jsontext.SyntacticError
	text, at := err.Error(), r.dec.InputOffset()
	if errors.As(err, &bad) {
		text, at = "not JSON: "+bad.Err.Error(), bad.ByteOffset
	}
	if err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF) {
		text = "the JSON ends too early"
	}
	s.add(r.lineAt(at), "%s", text)
	return nil
}

// lineAt is the line of an offset; offsets only rise.
func (r *jsonReader) lineAt(offset int64) int {
	offset = min(offset, int64(len(r.data)))
	if offset > r.read {
		r.line += bytes.Count(r.data[r.read:offset], []byte("\n"))
		r.read = offset
	}
	return r.line
}

var errDeep = errors.New("the plan is too deep or holds too many values")

func (r *jsonReader) node(depth int) (*node, error) {
	r.left--
	if r.left < 0 || depth > maxDepth {
		return nil, errDeep
	}
	t, err := r.dec.ReadToken()
	if err != nil {
		return nil, err
	}
	n := &node{line: r.lineAt(r.dec.InputOffset())}
	switch t.Kind() {
	case '{':
		return r.object(n, depth)
	case '[':
		n.kind = isList
		for r.dec.PeekKind() != ']' {
			x, err := r.node(depth + 1)
			if err != nil {
				return nil, err
			}
			n.items = append(n.items, x)
		}
		_, err := r.dec.ReadToken()
		return n, err
	case '"':
		n.kind, n.text = isText, t.String()
		n.value = n.text
		if strings.ContainsRune(n.text, 0) {
			r.slips.add(n.line, "a text holds a NUL character")
		}
	case '0':
		n.kind, n.text = isNumber, t.String()
		f, err := number(n.text)
		if err != nil {
			r.slips.add(n.line, "%v", err)
		}
		n.value = f
	case 't', 'f':
		n.kind, n.text, n.value = isBool, t.String(), t.Bool()
	default:
		n.kind = isNull
	}
	return n, nil
}

func (r *jsonReader) object(n *node, depth int) (*node, error) {
	n.kind = isObject
	lines := map[string]int{}
	for {
		t, err := r.dec.ReadToken()
		if err != nil {
			return nil, err
		}
		if t.Kind() == '}' {
			return n, nil
		}
		name, line := t.String(), r.lineAt(r.dec.InputOffset())
		value, err := r.node(depth + 1)
		if err != nil {
			return nil, err
		}
		if first, twice := lines[name]; twice {
			r.slips.add(line, "the key %s stands here twice; the first is in line %d", quoted(name), first)
			continue
		}
		lines[name] = line
		n.pairs = append(n.pairs, pair{name, line, value})
	}
}
