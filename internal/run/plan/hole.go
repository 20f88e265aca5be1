package plan

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"mvdan.cc/sh/v3/syntax"
)

// hole is a place of a shell script where a value belongs.
type hole struct {
	part
	at    int // its mark's offset
	write string
	err   error
	seen  bool
	lead  bool // an argument begins with it: its value may not look like an option
}

// mark stands in a script where a value belongs, while the script is parsed: a
// word that no script contains, of one length.
const (
	markBegin = "piton_hole_"
	markLen   = len(markBegin) + 6
)

func mark(i int) string { return fmt.Sprintf("%s%06d", markBegin, i) }

// shellWalk finds the holes in a parsed script.
type shellWalk struct {
	holes     []hole
	text      string
	file      *syntax.File
	functions map[string][]syntax.Node                   // the bodies of those that it declares
	aliases   map[string]bool                            // the names that it gives to other programs
	tainted   map[string]bool                            // the variables that have a value
	names     []string                                   // the same in order
	reading   map[int]bool                               // where $( ) and <( ) stand that read an input with a value
	entered   map[string]bool                            // the functions that a pass has gone into
	uses      []int                                      // where such variables stand
	err       error                                      // of one of these
	given     map[string]bool                            // those that had one before the script began
	arrays    map[string]bool                            // the variables that are arrays
	exported  map[string]bool                            // those of the environment; "*": all
	inner     func(text string, tainted ...string) error // reads a script that is an argument
}

var (
	errSingle    = errors.New("the shell reads no values inside single quotes; use double quotes around ${{ … }}")
	errHereDoc   = errors.New("the shell reads no values in a here-document whose end is quoted; leave the quotes off: <<END")
	errSum       = errors.New("a value inside $(( )), (( )) or an array's index would be run as code; use expr, or compute it in the expression")
	errCommand   = errors.New("a value is never run as a command; write the program's name itself, as in case ${{ … }} in a) a;; esac")
	errName      = errors.New("a value cannot be the name of a variable or a function")
	errReread    = errors.New("a script with a value of ${{ … }} has no eval, fc, compgen, complete or bind, and no declare behind command or in quotes: they read a text as code; leave it out, or read a file: COMMAND >FILE; . ./FILE")
	errDeclare   = errors.New("in a script with a value of ${{ … }} declare -i and -n would run it, and an array takes none as a text; leave the option off: n=$((m + 1)), a=(\"$x\")")
	errEnd       = errors.New("the end of a here-document cannot be a value")
	errBackslash = errors.New("a backslash takes the meaning off what follows; leave it out before ${{ … }}")
	errOld       = errors.New("inside backquotes values are read differently by each shell; write $( … ) instead")
)

// from is the first hole that does not stand before a place.
func (w *shellWalk) from(at syntax.Pos) int {
	i, _ := slices.BinarySearchFunc(w.holes, int(at.Offset()), func(h hole, at int) int { return cmp.Compare(h.at, at) })
	return i
}

// span calls f for the holes that stand between two places.
func (w *shellWalk) span(from, to syntax.Pos, f func(*hole)) {
	for i := w.from(from); i < len(w.holes) && w.holes[i].at < int(to.Offset()); i++ {
		if h := &w.holes[i]; h.err == nil {
			f(h)
			h.seen = true
		}
	}
}
