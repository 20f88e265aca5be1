package edit_test

import (
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/piton-project/piton/internal/edit"
)

func TestPutAndRemove(t *testing.T) {
	for _, c := range []struct {
		name, before, after string
		path                []string
		element             bool
	}{
		{"nothing", "", "{\n  \"a\": 1\n}\n", []string{"a"}, false},
		{"containers on the way", "{\n\t\"x\": 2\n}", "{\n\t\"x\": 2,\n\t\"a\": {\n\t\t\"b\": [\n\t\t\t1\n\t\t]\n\t}\n}", []string{"a", "b"}, true},
		{"spelled as its neighbours", `{"a":[0]}`, `{"a":[0,1]}`, []string{"a"}, true},
		{"null for an object", `{"a":null}`, `{"a":{"b":1}}`, []string{"a", "b"}, false},
		{"null for a list", `{"a": null}`, `{"a": [1]}`, []string{"a"}, true},
		{"null for the value", `{"a": null, "b": 2}`, `{"a": 1, "b": 2}`, []string{"a"}, false},
		{"of two with one name the last", `{"a":{},"a":{"x":0}}`, `{"a":{},"a":{"x":0,"b":1}}`, []string{"a", "b"}, false},
		{"a comment beside the last", "{\n \"x\": 2 // two\n}", "{\n \"x\": 2, // two\n \"a\": 1\n}", []string{"a"}, false},
		{"a comment in an empty list", "{\n \"a\": [ /* none */ ]\n}", "{\n \"a\": [ /* none */\n  1\n ]\n}", []string{"a"}, true},
		{"line ends and the mark of bytes", "\xef\xbb\xbf{\r\n  \"x\": 2\r\n}", "\xef\xbb\xbf{\r\n  \"x\": 2,\r\n  \"a\": 1\r\n}", []string{"a"}, false},
	} {
		d := parse(t, c.before)
		if err := d.Put(c.path, c.element, "1"); err != nil || string(d.Bytes()) != c.after {
			t.Errorf("%s: got %q, %v, want %q", c.name, d.Bytes(), err, c.after)
			continue
		}
		n := d.Root().At(c.path...)
		if c.element {
			n = n.Items()[len(n.Items())-1]
		}
		if d.Remove(n); string(d.Bytes()) != c.before {
			t.Errorf("%s, removed: got %q, want %q", c.name, d.Bytes(), c.before)
		}
	}
}

// What is taken out leaves what stands beside it, comments above all.
func TestRemove(t *testing.T) {
	for _, c := range []struct{ name, before, after string }{
		{"all there is", `{"x": [{"y": ["gone"]}]}`, ""},
		{"an element with the list in it", `{"b": 1, "a": [{"x": ["gone"]}, 2]}`, `{"b": 1, "a": [2]}`},
		{"beside a comment", `{ /* ours */ "a": "gone" }`, `{ /* ours */  }`},
		{"the first, with comments", "{\n  // one\n  \"a\": \"gone\", // a\n  \"b\": 2\n}", "{\n  // one\n   // a\n  \"b\": 2\n}"},
		{"the last, with a comment before it", "[\n  1, // one\n  \"gone\"\n]", "[\n  1 // one\n]"},
		{"the last, with a comment behind it", "[\n  1, // one\n  \"gone\" /* two */ ]", "[\n  1 // one\n /* two */ ]"},
	} {
		d := parse(t, c.before)
		d.Remove(leaf(d.Root()))
		if got := string(d.Bytes()); got != c.after {
			t.Errorf("%s: got %q, want %q", c.name, got, c.after)
		}
	}
	hidden := parse(t, `{"a": {"x": 1}, "a": {"x": 2}}`).Root()
	if hidden.List[0].List[0].InForce() || !hidden.List[1].List[0].InForce() || hidden.At("a", "x").Raw() != "2" || hidden.At("b", "x").Raw() != "" {
		t.Error("of two members with one name, the first is in force")
	}
}

// leaf is the value "gone".
func leaf(n *edit.Node) *edit.Node {
	if n.Str() == "gone" {
		return n
	}
	for _, c := range n.List {
		if found := leaf(c); found != nil {
			return found
		}
	}
	return nil
}

func TestSet(t *testing.T) {
	for _, c := range []struct{ name, before, of, member, after string }{
		{"in the place of another", `{"a": 1, "b": 2}`, "", "a", `{"a": {"x":1,"y":2}, "b": 2}`},
		{"beside another", `{"b": 1}`, "", "a", `{"b": 1, "a": {"x": 1, "y": 2}}`},
		{"on a line with the bracket", "{\n  \"b\": 1}", "", "a", "{\n  \"b\": 1,\n  \"a\": {\n    \"x\": 1,\n    \"y\": 2\n  }}"},
		{"within a line", `{"b":{}}`, "b", "a", `{"b":{"a":{"x":1,"y":2}}}`},
	} {
		d := parse(t, c.before)
		of := d.Root()
		if c.of != "" {
			of = of.At(c.of)
		}
		if d.Set(of, c.member, `{"x":1,"y":2}`); string(d.Bytes()) != c.after {
			t.Errorf("%s: got %q, want %q", c.name, d.Bytes(), c.after)
		}
	}
}

// What is not JSON is refused with the line of the fault.
func TestNotJSON(t *testing.T) {
	for text, want := range map[string]string{
		"{\n\"a\": x}": "not JSON, at line 2: ", "{}\n{}": "not JSON, at line 2: unexpected EOF", "[1,\n2,\n": "not JSON, at line 3: ",
		"{a: 1}": "not JSON, at line 1: ", "{\"a\": [1}": "not JSON, at line 1: ", "// one\n]": "not JSON, at line 2: ",
	} {
		if _, err := edit.ParseJSON([]byte(text), true); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
	if _, err := edit.ParseJSON([]byte("{} // one"), false); err == nil {
		t.Error("a comment where none may stand: got no error")
	}
}

func parse(t *testing.T, text string) *edit.JSON {
	t.Helper()
	d, err := edit.ParseJSON([]byte(text), true)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestPutIntoAnotherKind(t *testing.T) {
	for text, want := range map[string]string{`[]`: `"/" is not an object`, `{"a":1}`: `"/a" is not an object`, `{"a":{"b":{}}}`: `"/a/b" is not an array`} {
		d := parse(t, text)
		if err := d.Put([]string{"a", "b"}, true, "1"); err == nil || err.Error() != want || string(d.Bytes()) != text {
			t.Errorf("%s: got %s, %v, want %s", text, d.Bytes(), err, want)
		}
	}
}

// What YAML says in lines, in brackets, in one word and in more keeps its form.
func TestYAML(t *testing.T) {
	for _, c := range []struct{ name, before, path, set, removed, appended string }{
		{"a line", "a:\n  b: 1  # one\n  c: 2\n", "a.b", "a:\n  b: X  # one\n  c: 2\n", "a:\n  c: 2\n", ""},
		{"the only one of its group", "a:\n  b: 1\nc: 2\n", "a.b", "a:\n  b: X\nc: 2\n", "c: 2\n", ""},
		{"in one word", "a.b: 1\n", "a.b", "a.b: X\n", "", ""},
		{"in quotes", "\"a\": {'b': 'it''s, ]', c: 2}\n", "a.b", "\"a\": {'b': X, c: 2}\n", "\"a\": {c: 2}\n", ""},
		{"a list in lines", "a:\n  b:\n  - 1 # one\n  - 2\n# end\n", "a.b", "a:\n  b: X\n# end\n", "# end\n", "a:\n  b:\n  - 1 # one\n  - 2\n  - X\n# end\n"},
		{"a list in brackets over lines", "a: {b: [1, # ]\n  2], c: 3} # all\n", "a.b", "a: {b: X, c: 3} # all\n", "a: {c: 3} # all\n", "a: {b: [1, # ]\n  2, X], c: 3} # all\n"},
		{"a value of several lines", "a:\n  b: |\n    one\n\n    two\n  c: 2\n", "a.b", "a:\n  b: X\n  c: 2\n", "a:\n  c: 2\n", ""},
		{"wide characters", "ä: {ö: ü, b: [é]}\n", "ä.b", "ä: {ö: ü, b: X}\n", "ä: {ö: ü}\n", "ä: {ö: ü, b: [é, X]}\n"},
		{"no value", "a:\n  b:\nc: 2\n", "a.b", "a:\n  b: X\nc: 2\n", "c: 2\n", "a:\n  b:\n    - X\nc: 2\n"},
		{"not there", "a:\n    c: 2\nd: 3\n", "a.b", "a:\n    c: 2\n    b: X\nd: 3\n", "", "a:\n    b:\n      - X\n    c: 2\nd: 3\n"},
		{"not there in brackets", "{c: 2}\n", "a.b", "{\"a.b\": X, c: 2}\n", "", "{\"a.b\": [X], c: 2}\n"},
		{"nothing there", "# mine", "a.b", "# mine\na:\n  b: X\n", "", "# mine\na:\n  b:\n    - X\n"},
		{"no line end", "b: 1\na: 2", "a", "b: 1\na: X\n", "b: 1\n", ""},
		{"a list without a line end", "a:\n  - 1", "a", "a: X\n", "", "a:\n  - 1\n  - X\n"},
		{"an empty list", "a: []\n", "a", "a: X\n", "", "a: [X]\n"},
		{"not there in brackets within", "{a: {c: 2}}\n", "a.b", "{a: {b: X, c: 2}}\n", "", "{a: {b: [X], c: 2}}\n"},
		{"not there in empty brackets", "a: {}\n", "a.b", "a: {b: X}\n", "", "a: {b: [X]}\n"},
		{"an apostrophe in brackets", "{c: it's, a: 1}\n", "a", "{c: it's, a: X}\n", "{c: it's}\n", ""},
		{"line ends", "a:\r\n  c: 2\r\n", "a.b", "a:\r\n  c: 2\r\n  b: X\r\n", "", "a:\r\n  b:\r\n    - X\r\n  c: 2\r\n"},
	} {
		y, path := edit.ParseYAML([]byte(c.before), rootOf(t, c.before)), strings.Split(c.path, ".")
		for _, x := range []struct {
			op, want string
			ways     []string
		}{{"set", c.set, y.Set(path, "X")}, {"removed", c.removed, y.Remove(path)}, {"appended", c.appended, y.Append(path, "X", "X")}} {
			if got := strings.Join(x.ways[:min(len(x.ways), 1)], ""); got != x.want {
				t.Errorf("%s, %s: got %q, want %q", c.name, x.op, got, x.want)
			}
		}
	}
}

func rootOf(t *testing.T, text string) *yaml.Node {
	t.Helper()
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
		t.Fatal(err)
	}
	if len(doc.Content) == 0 {
		return nil
	}
	return doc.Content[0]
}

func TestTables(t *testing.T) {
	for _, c := range []struct{ name, before, own string }{
		{"none", "a = 1\n[x.other]\nb = 2\n", ""},
		{"a table and one in it", "a = 1\r\n[x.y]\r\nb = 2\r\n[x.y.z]\r\nc = 3\r\n\r\n# next\r\n[d]\r\n", "[x.y]\r\nb = 2\r\n[x.y.z]\r\nc = 3\r\n"},
		{"names in quotes", "[ x . \"y\" ] # head", "[ x . \"y\" ] # head"},
		{"what looks like one", "a = '''\n[x.y]\n'''\nb = [\n[1],\n]\n[[x.y]]\nc = 3\n", ""},
		{"in two places", "[x.y]\nb = 2\n[d]\n[x.y.z]\n", "[x.y]\nb = 2\n[x.y.z]\n"},
		{"nothing", "", ""},
	} {
		if got := string(edit.TableText([]byte(c.before), "x", "y")); got != c.own {
			t.Errorf("%s: got %q, want %q", c.name, got, c.own)
		}
		with := edit.AppendTable([]byte(c.before), "[new.one]\na = 1\n")
		if got := edit.RemoveTable(with, "new", "one"); string(got) != c.before {
			t.Errorf("%s: got %q from %q, want %q", c.name, got, with, c.before)
		}
	}
	if got := string(edit.TableText([]byte("a = 1\n[x]\nb = 2\n[x.y]\nc = 3\n[d]\n"), "x")); got != "[x]\nb = 2\n[x.y]\nc = 3\n" {
		t.Errorf("got %q, want the table of one name and what is in it", got)
	}
	if got := string(edit.RemoveTable([]byte("\n[x]\nb = 2\n[d]\n"), "x")); got != "[d]\n" {
		t.Errorf("got %q, want no empty line at the beginning", got)
	}
	if got := string(edit.AppendTable(nil, "[x]\n")); got != "[x]\n" {
		t.Errorf("got %q, want no empty line before the only table", got)
	}
}
