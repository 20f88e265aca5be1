package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/edit"
)

// File is a settings file that a person changes by 'piton config' or an editor.
type File struct {
	Path    string
	Within  string // the folder in which the file must lie, also where its name is a link
	Project bool   // a project's, which may set fewer keys
	Getenv  func(string) string
	Wrote   func(before, after []byte) // told of each change, where it is set
}

// Text is what the file says; nil where there is none.
func (f File) Text() ([]byte, error) {
	if err := f.InPlace(); err != nil {
		return nil, err
	}
	text, err := read(f.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, &piton.Error{Code: piton.Unavailable, Op: "read " + f.Path, Err: err}
	}
	return text, nil
}

// Set sets one key. The value is text as in the environment: of a key that holds a
// list [a, b] or one value. It is checked before anything is written, the rest of the
// file stays as it is, and setting what is set changes nothing.
func (f File) Set(name, value string) (changed bool, err error) {
	const op = "set a key"
	k, err := f.key(op, name)
	if err != nil {
		return false, err
	}
	written, n, err := spelled(k, value)
	if err != nil {
		return false, piton.Errorf(piton.Invalid, op, seeKeys, "%s: %w", name, err)
	}
	if err := f.check(op, []setting{{name, n}}); err != nil {
		return false, err
	}
	var want any
	if err := n.Decode(&want); err != nil {
		return false, piton.Errorf(piton.Invalid, op, seeKeys, "%s: %w", name, err)
	}
	ways := func(y edit.YAML) []string { return y.Set(strings.Split(name, "."), written) }
	return f.change(op, keyEdit{name, decoded, only(name, want), ways})
}

// Unset removes one key, with what belongs to it alone.
func (f File) Unset(name string) (changed bool, err error) {
	const op = "unset a key"
	if _, err := f.key(op, name); err != nil {
		return false, err
	}
	ways := func(y edit.YAML) []string { return y.Remove(strings.Split(name, ".")) }
	return f.change(op, keyEdit{name, decoded, only(name), ways})
}

// Replace puts a text in the place of the one that was read, if all of it can be used.
func (f File) Replace(was, text []byte) (changed bool, err error) {
	const op = "change the settings"
	d := documentOf(text)
	if d.err != nil {
		return false, piton.Errorf(piton.Invalid, op, "", "%w", d.err)
	}
	if err := f.check(op, d.settings); err != nil || bytes.Equal(was, text) {
		return false, err
	}
	if err := f.InPlace(); err != nil {
		return false, err
	}
	return true, replace(f.Path, was, text)
}

const seeKeys = "docs/config.md lists the keys with their values; 'config' shows what is in force"

// key is the key of a name that this file may set.
func (f File) key(op, name string) (key, error) {
	k, ok := find(name)
	if o, other := findOther(name); other && o.ours != "" {
		return k, piton.Errorf(piton.Invalid, op, "give "+o.ours+", which means the same", "%s is the spelling of another program", name)
	}
	if name == projectsKey || strings.HasPrefix(name, projectsKey+".") {
		return k, piton.Errorf(piton.Invalid, op, f.opens(), "entries of projects cannot be set one by one")
	}
	if !ok {
		return k, piton.Errorf(piton.Invalid, op, seeKeys, "%s", unknown(setting{name, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str"}}))
	}
	if f.Project && k.scope != needsTrust && k.scope != stricter {
		return k, piton.Errorf(piton.Invalid, op, "leave 'scope project' out: your own file can set it", "%s %w", name, (layer{trusted: true}).may(k))
	}
	return k, nil
}

// check applies settings to nothing, as this file would: what cannot be used is an
// error.
func (f File) check(op string, list []setting) error {
	c := builtIn(f.Getenv)
	d := document{there: true, settings: list}
	c.layer(d, layer{from: f.Path, fromUser: !f.Project, trusted: f.Project})
	if !f.Project {
		c.projectEntries(d, Places{UserFile: f.Path, Getenv: f.Getenv})
	}
	var said []string
	for _, err := range c.Problems {
		var e *piton.Error
		if errors.As(err, &e) {
			err = e.Err
		}
		said = append(said, err.Error())
	}
	if len(said) == 0 {
		return nil
	}
	return piton.Errorf(piton.Invalid, op, seeKeys, "%s", strings.Join(said, "; "))
}

// tries is how often the file is read again when another program writes it too.
const tries = 20

// change writes the text that is there with an edit of a key. Where another program
// writes too, it begins again.
func (f File) change(op string, e keyEdit) (changed bool, err error) {
	for range tries {
		old, err := f.Text()
		if err != nil {
			return false, err
		}
		text, err := e.into(old)
		if err != nil {
			return false, &piton.Error{Code: piton.Invalid, Op: op + " in " + f.Path, Hint: "change " + e.name + " there by hand: " + f.opens(), Err: err}
		}
		if bytes.Equal(text, old) {
			return false, nil
		}
		if old == nil {
			text = append(f.Begin(), text...)
		}
		err = replace(f.Path, old, text)
		if err == nil && f.Wrote != nil {
			f.Wrote(old, text)
		}
		if !errors.Is(err, errChanged) {
			return err == nil, err
		}
	}
	return false, errChanged
}

// opens names the command that opens the file.
func (f File) opens() string {
	if f.Project {
		return "'config edit scope project' opens it"
	}
	return "'config edit' opens it"
}

// InPlace refuses a name that leads out of the folder where the file belongs: a
// repository could hold a link to any file of the user's.
func (f File) InPlace() error {
	real, err := filepath.EvalSymlinks(f.Path)
	if errors.Is(err, fs.ErrNotExist) {
		info, err := os.Lstat(f.Path)
		if err != nil {
			return nil // there is nothing yet
		}
		if info.Mode().Type() != fs.ModeSymlink {
			return f.InPlace() // it was made just now
		}
		return piton.Errorf(piton.Invalid, "change "+f.Path, "remove the link", "it is a link to a file that does not exist")
	}
	within, err2 := filepath.EvalSymlinks(f.Within)
	if err := errors.Join(err, err2); err != nil {
		return &piton.Error{Code: piton.Unavailable, Op: "change " + f.Path, Err: err}
	}
	if rest, err := filepath.Rel(within, real); err == nil && filepath.IsLocal(rest) {
		return nil
	}
	return piton.Errorf(piton.Invalid, "change "+f.Path, "change that file by hand, or put a plain file in the link's place", "it is a link to %s, outside of %s", real, f.Within)
}

// spelled is a value as a file has it, on one line, and the node that it means.
func spelled(k key, value string) (string, *yaml.Node, error) {
	if strings.ContainsAny(value, "\n\r") {
		return "", nil, errors.New("a value stands on one line")
	}
	n, err := variable(k, value)
	if err != nil {
		return "", nil, err
	}
	ways := []string{value, flow(value)}
	switch {
	case k.list != nil && n.Kind != yaml.ScalarNode:
		ways = []string{strings.TrimSpace(value)}
	case k.list != nil:
		ways = []string{"[" + flow(value) + "]"}
	case strings.Contains(value, "#"):
		ways = []string{flow(value)}
	}
	for _, way := range ways {
		root, _ := parse([]byte("x: " + way + "\n"))
		all := pairs(root)
		if len(all) != 1 {
			continue
		}
		got := all[0].node
		same := got.Kind == yaml.ScalarNode && got.Tag != "!!null" && plain(got) == value
		if same || k.list != nil {
			return way, got, nil
		}
	}
	return "", nil, fmt.Errorf("%q cannot be written on one line", value)
}

// keyEdit is a change of what a text says of one key.
type keyEdit struct {
	name string
	// read is what the key's nodes say.
	read func([]*yaml.Node) ([]any, error)
	// wanted is what they may say after the change; nothing where they say it already.
	wanted func(was []any) ([][]any, error)
	ways   func(edit.YAML) []string
}

// into is the text with the change. Each way to write it is tried and read again: it must
// say what was said before, and what is wanted of the key.
func (e keyEdit) into(old []byte) ([]byte, error) {
	root, err := parse(old)
	if err != nil {
		return nil, err
	}
	was, rest, err := e.says(old)
	if err != nil {
		return nil, err
	}
	wanted, err := e.wanted(was)
	if err != nil || len(wanted) == 0 {
		return old, err
	}
	for _, next := range e.ways(edit.ParseYAML(old, root)) {
		is, now, err := e.says([]byte(next))
		found := slices.ContainsFunc(wanted, func(want []any) bool { return reflect.DeepEqual(is, want) })
		if err == nil && found && reflect.DeepEqual(now, rest) {
			return []byte(next), nil
		}
	}
	return nil, errors.New("its form leaves no safe place for the change")
}

// says is what a text says of the key, and what it says of all others.
func (e keyEdit) says(text []byte) (values, rest []any, err error) {
	nodes, rest, err := apart(text, e.name)
	if err == nil {
		values, err = e.read(nodes)
	}
	return values, rest, err
}

// only wants one value of a key that stands there once at most, or none.
func only(name string, want ...any) func([]any) ([][]any, error) {
	return func(was []any) ([][]any, error) {
		switch {
		case reflect.DeepEqual(was, want):
			return nil, nil
		case len(was) > 1:
			return nil, fmt.Errorf("%s stands there %d times", name, len(was))
		}
		return [][]any{want}, nil
	}
}

// decoded are the values of nodes.
func decoded(nodes []*yaml.Node) (values []any, err error) {
	for _, n := range nodes {
		var v any
		if err = n.Decode(&v); err != nil {
			return nil, err
		}
		values = append(values, v)
	}
	return values, nil
}

// apart are the values of one key, which a text may have more than once, and the names
// and values of all others in order.
func apart(text []byte, name string) (of []*yaml.Node, rest []any, err error) {
	root, err := parse(text)
	if err != nil || root == nil {
		return nil, nil, err
	}
	if root.Kind != yaml.MappingNode {
		return nil, nil, errors.New("it wants keys with values, not " + kindOf(root))
	}
	all := flatten("", root)
	slices.SortStableFunc(all, func(x, y setting) int { return strings.Compare(x.name, y.name) })
	for _, s := range all {
		if s.name == name {
			of = append(of, s.node)
			continue
		}
		v, err := decoded([]*yaml.Node{s.node})
		if err != nil {
			return nil, nil, err
		}
		rest = append(rest, s.name, v[0])
	}
	return of, rest, nil
}

// Begin is what a new file begins with.
func (f File) Begin() []byte { return []byte(schemaComment(f.Project)) }

// UnknownKey is the error for a key that does not exist; it suggests the near ones.
func UnknownKey(name string) error {
	return piton.Errorf(piton.NotFound, "read the setting "+name, seeKeys, "%s", unknown(setting{name, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str"}}))
}
