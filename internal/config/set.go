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
	return f.change(op, name, func(old []byte) ([]byte, error) { return withKey(old, name, written, n) })
}

// Unset removes one key, with what belongs to it alone.
func (f File) Unset(name string) (changed bool, err error) {
	const op = "unset a key"
	if _, err := f.key(op, name); err != nil {
		return false, err
	}
	return f.change(op, name, func(old []byte) ([]byte, error) { return withKey(old, name, "", nil) })
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

// change writes what edit makes of the text that is there, for a key's sake. Where
// another program writes too, it begins again.
func (f File) change(op, key string, edit func(old []byte) ([]byte, error)) (changed bool, err error) {
	for range tries {
		old, err := f.Text()
		if err != nil {
			return false, err
		}
		text, err := edit(old)
		if err != nil {
			return false, &piton.Error{Code: piton.Invalid, Op: op + " in " + f.Path, Hint: "change " + key + " there by hand: " + f.opens(), Err: err}
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
	if n == nil {
		return "", nil, fmt.Errorf("%q says nothing", value)
	}
	ways := []string{value, flow(value)}
	switch {
	case k.list != nil && n.Kind != yaml.ScalarNode:
		ways = []string{strings.TrimSpace(value)}
	case k.list != nil:
		ways = []string{"[" + flow(value) + "]"}
	case n.Kind == yaml.ScalarNode && strings.Contains(value, "#"):
		ways = []string{flow(value)}
	}
	for _, way := range ways {
		root, err := parse([]byte("x: " + way + "\n"))
		if err != nil || root == nil || len(root.Content) != 2 {
			continue
		}
		got := target(root.Content[1])
		same := got.Kind == yaml.ScalarNode && got.Tag != "!!null" && plain(got) == value
		if same || n.Kind != yaml.ScalarNode || k.list != nil {
			return way, got, nil
		}
	}
	return "", nil, fmt.Errorf("%q cannot be written on one line", value)
}

// withKey is the text with the key set to a value, or without the key where value is
// nil. Each way to write it is tried and read again: it must say what was said before,
// and the value.
func withKey(old []byte, name, written string, value *yaml.Node) ([]byte, error) {
	root, err := parse(old)
	if err != nil {
		return nil, err
	}
	was, rest, err := valuesBut(old, name)
	if err != nil {
		return nil, err
	}
	var want []any
	if value != nil {
		var v any
		if err := value.Decode(&v); err != nil {
			return nil, err
		}
		want = []any{v}
	}
	if reflect.DeepEqual(was, want) {
		return old, nil
	}
	if len(was) > 1 {
		return nil, fmt.Errorf("%s stands there %d times", name, len(was))
	}
	e := edit{string(old)}
	for _, next := range e.keyCandidates(root, name, written) {
		is, now, err := valuesBut([]byte(next), name)
		if err == nil && reflect.DeepEqual(is, want) && reflect.DeepEqual(now, rest) {
			return []byte(next), nil
		}
	}
	return nil, errors.New("its form leaves no safe place for the change")
}

// valuesBut is what a text says of one key, and what it says of all others.
func valuesBut(text []byte, name string) (values, rest []any, err error) {
	nodes, rest, err := apart(text, name)
	for _, n := range nodes {
		var v any
		if err = n.Decode(&v); err != nil {
			break
		}
		values = append(values, v)
	}
	return values, rest, err
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
		var v any
		if s.name == name {
			of = append(of, s.node)
		} else if err := s.node.Decode(&v); err != nil {
			return nil, nil, err
		} else {
			rest = append(rest, s.name, v)
		}
	}
	return of, rest, nil
}

// Begin is what a new file begins with.
func (f File) Begin() []byte { return []byte(schemaComment(f.Project)) }

// UnknownKey is the error for a key that does not exist; it suggests the near ones.
func UnknownKey(name string) error {
	return piton.Errorf(piton.NotFound, "read the setting "+name, seeKeys, "%s", unknown(setting{name, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str"}}))
}
