package shell

import (
	"errors"
	"fmt"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Bounds for lines that strangers write. The grammar's parser recurses without
// a limit: 30,000 open brackets cost it up to a second, 500 cost nothing.
const (
	maxLine  = 64 << 10 // bytes of a line
	maxText  = 1 << 20  // bytes parsed in all, a script inside a script counted again
	maxNest  = 500      // open brackets
	maxDepth = 8        // scripts in scripts, functions in functions
	maxSteps = 1 << 14  // statements walked
)

var (
	errLong    = errors.New("shell: line is too long")
	errNested  = errors.New("shell: line is nested too deeply")
	errComplex = errors.New("shell: line runs too many commands")
)

// parse reads src in the first dialect whose grammar it fits.
func parse(src string) (*syntax.File, error) {
	if len(src) > maxLine {
		return nil, errLong
	}
	if !shallow(src) {
		return nil, errNested
	}
	var first error
	for _, lang := range [...]syntax.LangVariant{syntax.LangBash, syntax.LangMirBSDKorn, syntax.LangPOSIX, syntax.LangZsh} {
		file, err := syntax.NewParser(syntax.Variant(lang)).Parse(strings.NewReader(src), "")
		if err == nil {
			return file, nil
		}
		if first == nil {
			first = err
		}
	}
	return nil, fmt.Errorf("shell: %w", first)
}

// shallow counts brackets wherever they stand, which is cheap and errs only
// for texts that no one types.
func shallow(src string) bool {
	depth := 0
	for i := range len(src) {
		switch src[i] {
		case '(', '{', '[':
			if depth++; depth > maxNest {
				return false
			}
		case ')', '}', ']':
			depth = max(0, depth-1)
		}
	}
	return true
}
