package config

import (
	"time"

	"github.com/piton-project/piton/internal/judge/debrief"
	"go.yaml.in/yaml/v3"
)

// scope says which layers may set a key, beside the user's file and the
// environment (docs/spec.md, "Configuration and trust").
type scope int

const (
	userOnly   scope = iota // the user's file alone, not the environment either
	sameForAll              // no other: it is the same for all projects
	needsTrust              // a project's file that is trusted, and the user's word about a project
	stricter                // any project's file, as far as it then asks for no less than without it
)

// key is one setting: its name in a file; in the environment it is PITON_ and
// the name in capitals with _.
type key struct {
	name  string
	scope scope
	codec
	// keeps reports whether the second of two settings asks for no less than the
	// first; of a key whose scope is stricter and that is not a list.
	keeps func(was, is *debrief.Settings) bool
}

// codec is how a key's value is read and shown.
type codec struct {
	set func(c *Config, v string) error // one value
	// list reads a list; it reports whether anything was set, and what could not
	// be.
	list func(c *Config, n *yaml.Node, l layer) (bool, []error)
	adds bool // a later layer adds to the list, it does not replace it
	get  func(c *Config) any
	// choices are the values of a key that takes one of a few, as an editor offers them.
	choices []any
}

// offering is the codec with choices.
func (c codec) offering(choices ...any) codec {
	c.choices = choices
	return c
}

// choice is the codec of one of some values.
func choice[S ~string](field func(*Config) *S, values ...S) codec {
	return one(field, oneOf(values...)).offering(anyOf(values)...)
}

// one is the codec of a single value: where it is kept, and how it is read. A
// value that cannot be read changes nothing.
func one[T any](field func(*Config) *T, read func(string) (T, error)) codec {
	return codec{
		set: func(c *Config, v string) error {
			x, err := read(v)
			if err == nil {
				*field(c) = x
			}
			return err
		},
		get: func(c *Config) any {
			if d, ok := any(*field(c)).(time.Duration); ok {
				return formatDuration(d)
			}
			return *field(c)
		},
	}
}

// may tells why a layer may not set a key; nil if it may.
func (l layer) may(k key) error {
	trusted := l.trusted && (!l.earlier || k.name == verifyKey)
	if l.fromUser || k.scope == needsTrust && trusted {
		return nil
	}
	return map[scope]error{userOnly: errOwn, sameForAll: errSameForAll, needsTrust: ErrUntrusted}[k.scope]
}

// verifyKey is where commands stand that Piton runs.
const verifyKey = "debrief.verify"
