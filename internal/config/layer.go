package config

import (
	"errors"
	"fmt"
)

// layer is a place that sets keys.
type layer struct {
	from    string
	mine    bool // the user's file or the environment: any key
	trusted bool // a project's file that somebody has looked at
	stood   bool // as it was before: it adds what it asked for more
	lines   bool // problems name the line
}

// adds tells whether the layer may only ask for more than those before it.
func (l layer) adds() bool { return l.stood || !l.mine && !l.trusted }

// errOwn is in that of what only the user's file may set.
var errOwn = errors.New("can be set by your own settings file only")

// ErrUntrusted is in the problem of what only a trusted project's file may set:
// nothing is broken, somebody has to look at it.
var ErrUntrusted = errors.New("cannot be set by a project's file that is not trusted; look at it and run 'piton trust'")

// errWeaker is in that of what would ask for less than without the file.
var errWeaker = fmt.Errorf("may ask for less than without it, and %w", ErrUntrusted)

// besideError is the problem of the rule of this name, which would replace
// another.
type besideError string

func (name besideError) Error() string {
	return fmt.Sprintf("the rule %q counts beside the one of its name, and takes its place only in a file that is trusted; look at it and run 'piton trust'", string(name))
}

func (besideError) Is(target error) bool { return target == ErrUntrusted }
