package plan

import (
	"bytes"
	"io"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// source reads the text of a plan into a tree. What is wrong goes to slips; nil
// where nothing can be read.
func source(file string, data []byte, s *slips) *node {
	switch {
	case len(data) > maxBytes:
		s.add(0, "the plan is %d bytes; at most %d are read", len(data), maxBytes)
		return nil
	case bytes.IndexByte(data, 0) >= 0:
		s.add(1+bytes.Count(data[:bytes.IndexByte(data, 0)], []byte("\n")), "the plan holds a NUL byte; it is not a text file")
		return nil
	case !utf8.Valid(data):
		s.add(0, "the plan is not UTF-8")
		return nil
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	text := bytes.TrimLeft(data, " \t\r\n")
	if len(text) == 0 {
		s.add(0, "the plan is empty; it wants 'steps'")
		return nil
	}
	isJSON := strings.EqualFold(filepath.Ext(file), ".json")
	if text[0] == '{' || isJSON {
		own := &slips{}
		n := sourceJSON(data, own)
		if n != nil || isJSON || looksJSON(text) {
			s.list = append(s.list, own.list...)
			return n
		}
	}
	return sourceYAML(data, s)
}

// looksJSON tells whether a text that begins with a brace means JSON: a key in
// quotes follows. YAML's own form in braces mostly has none.
func looksJSON(text []byte) bool {
	rest := bytes.TrimLeft(text[1:], " \t\r\n")
	return len(rest) == 0 || rest[0] == '"'
}

// yamlReader turns YAML's nodes into ours.
type yamlReader struct {
	slips *slips
	left  int
	over  bool
}

var yamlLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^yaml: line (\d+): `) })

func sourceYAML(data []byte, s *slips) *node {
	in := yaml.NewDecoder(bytes.NewReader(data))
	r := yamlReader{slips: s, left: maxNodes}
	var root *node
	plans := objectNode(0)
	for {
		var doc yaml.Node
		err := in.Decode(&doc)
		if err != nil && err != io.EOF {
			yamlSlip(data, err, s)
			return nil
		}
		if err != nil || len(doc.Content) == 0 {
			break
		}
		n := r.node(doc.Content[0], 0)
		switch {
		case root == nil:
			root = n
		case n.get("name") != nil && plans.get(n.get("name").text) != nil:
			s.add(n.line, "two plans behind '---' have the name %q", n.get("name").text)
		case n.get("name") != nil:
			plans.pairs = append(plans.pairs, pair{n.get("name").text, n.line, n})
		case n.kind != isNull:
			s.add(n.line, "the plan behind '---' wants a 'name', by which a step runs it: plan: NAME")
		}
	}
	switch {
	case root == nil:
		s.add(0, "the plan is empty; it wants 'steps'")
	case len(plans.pairs) > 0 && root.get("plans") != nil:
		s.add(root.line, "plans stand under 'plans' and behind '---'; write them in one place")
	case len(plans.pairs) > 0:
		root.pairs = append(root.pairs, pair{"plans", plans.pairs[0].line, plans})
	}
	return root
}

// yamlSlip says what YAML finds wrong.
func yamlSlip(data []byte, err error, s *slips) {
	text, line := err.Error(), 0
	if m := yamlLine().FindStringSubmatch(text); m != nil {
		line, _ = strconv.Atoi(m[1])
		text = text[len(m[0]):]
	}
	text = strings.TrimPrefix(text, "yaml: ")
	if strings.Contains(text, "cannot start any token") && bytes.ContainsRune(data, '\t') {
		text += "; YAML is indented with blanks, not with tabs"
	}
	if strings.Contains(text, "mapping values are not allowed") {
		text += "; a text with ': ' in it wants quotes, or '|' and a line of its own"
	}
	s.add(line, "%s", text)
}

func (r *yamlReader) node(n *yaml.Node, depth int) *node {
	r.left--
	switch {
	case r.over:
	case r.left < 0:
		r.slips.add(n.Line, "the plan holds more than %d keys and values", maxNodes)
	case depth > maxDepth:
		r.slips.add(n.Line, "the plan is more than %d levels deep", maxDepth)
	}
	if r.over = r.over || r.left < 0 || depth > maxDepth; r.over {
		return &node{kind: isNull, line: n.Line}
	}
	switch n.Kind {
	case yaml.AliasNode:
		return r.node(n.Alias, depth+1)
	case yaml.MappingNode:
		return r.object(n, depth)
	case yaml.SequenceNode:
		out := &node{kind: isList, line: n.Line}
		r.tag(n, "!!seq")
		for _, x := range n.Content {
			out.items = append(out.items, r.node(x, depth+1))
		}
		return out
	}
	return r.scalar(n)
}

func (r *yamlReader) object(n *yaml.Node, depth int) *node {
	out := &node{kind: isObject, line: n.Line}
	r.tag(n, "!!map")
	own := map[string]int{} // the lines of the keys
	var merged []*node
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if key.Kind == yaml.AliasNode {
			key = key.Alias
		}
		line, twice := own[key.Value]
		switch {
		case key.Kind != yaml.ScalarNode, key.Tag == "!!null":
			r.slips.add(key.Line, "a key must be a text")
		case key.Tag == "!!merge":
			merged = append(merged, r.node(value, depth+1).list()...)
		case key.Tag == "!!bool":
			r.slips.add(key.Line, "the key %s is read as true or false; put it in quotes", quoted(key.Value))
		case twice:
			r.slips.add(key.Line, "the key %s stands here twice; the first is in line %d", quoted(key.Value), line)
		default:
			own[key.Value] = key.Line
			out.pairs = append(out.pairs, pair{key.Value, key.Line, r.node(value, depth+1)})
		}
	}
	for _, m := range merged {
		if m.kind != isObject && !r.over {
			r.slips.add(m.line, "'<<' takes in keys with values, not %s", m.kind)
		}
		for _, p := range m.pairs {
			if _, have := own[p.name]; !have {
				own[p.name] = p.line
				out.pairs = append(out.pairs, p)
			}
		}
	}
	return out
}

// tag refuses YAML's tags other than the plain ones.
func (r *yamlReader) tag(n *yaml.Node, want string) {
	if n.Tag != "" && n.Tag != want {
		r.slips.add(n.Line, "the tag %s is not understood; leave it out", quoted(n.Tag))
	}
}

func (r *yamlReader) scalar(n *yaml.Node) *node {
	out := &node{line: n.Line, text: n.Value}
	switch n.Tag {
	case "!!str", "!!timestamp", "":
		out.kind, out.value = isText, n.Value
	case "!!null":
		out.kind = isNull
	case "!!bool":
		out.kind, out.value = isBool, strings.EqualFold(n.Value, "true")
	case "!!int", "!!float":
		out.kind = isNumber
		f, err := number(n.Value)
		if err != nil {
			r.slips.add(n.Line, "%v", err)
		}
		out.value = f
	default:
		r.tag(n, "")
		out.kind, out.value = isText, n.Value
	}
	if out.kind == isText && strings.ContainsRune(n.Value, 0) {
		r.slips.add(n.Line, "a text holds a NUL character")
	}
	return out
}
