package config

import (
	"errors"
	"fmt"
)

// layer is a place that sets keys.
type layer struct {
	from     string
	fromUser bool // the user's file or the environment: any key
	trusted  bool // a project's file that somebody has looked at
	earlier  bool // as it was before: it adds what it asked for more
	lines    bool // problems name the line
}

// adds reports whether the layer may only ask for more than those before it.
func (l layer) adds() bool { return l.earlier || !l.fromUser && !l.trusted }

// errOwn is wrapped by the problem of a key that only the user's file may set.
var errOwn = errors.New("can be set by your own settings file only")

// errSameForAll is wrapped by the problem of a key that one project cannot have its own value of.
var errSameForAll = errors.New("cannot be set by a project's file or for one project: it is the same for all of them; set it in the user's file or the environment")

// ErrUntrusted is wrapped by the problem of a key that only a trusted project's
// file may set: nothing is broken, but a person has to review the file.
var ErrUntrusted = errors.New("cannot be set by a project's file that is not trusted; look at it and run 'piton trust'")

// errWeaker is wrapped by the problem of a value that would ask for less than
// without the file.
var errWeaker = fmt.Errorf("may ask for less, so it %w", ErrUntrusted)

// notReplacedError is the problem of the rule of this name, which would replace
// another.
type notReplacedError string

func (name notReplacedError) Error() string {
	return fmt.Sprintf("the rule %q counts beside the one of its name, and takes its place only in a file that is trusted; look at it and run 'piton trust'", string(name))
}

func (notReplacedError) Is(target error) bool { return target == ErrUntrusted }
