package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/piton-project/piton"
)

// maxSlips bounds how many mistakes an error names.
const maxSlips = 20

// slip is a mistake in a plan, with its line; 0 where there is none.
type slip struct {
	line int
	text string
}

// slips collects the mistakes of a file.
type slips struct {
	file string
	list []slip
}

func (s *slips) add(line int, format string, args ...any) {
	s.list = append(s.list, slip{line, fmt.Sprintf(format, args...)})
}

// err is the error that names them, in the order of their lines; nil where there
// are none.
func (s *slips) err() error {
	slices.SortStableFunc(s.list, func(a, b slip) int { return cmp.Compare(a.line, b.line) })
	list := slices.Compact(s.list)
	if len(list) == 0 {
		return nil
	}
	var rows []string
	for _, x := range list[:min(len(list), maxSlips)] {
		rows = append(rows, s.at(x.line)+x.text)
	}
	if n := len(list) - maxSlips; n > 0 {
		rows = append(rows, fmt.Sprintf("and %d more", n))
	}
	hint := "'piton schema plan' shows the form of a plan"
	if len(list) == 1 {
		return piton.Errorf(piton.Invalid, "read the plan", hint, "%s", rows[0])
	}
	return piton.Errorf(piton.Invalid, "read the plan", hint, "%d mistakes\n%s", len(list), strings.Join(rows, "\n"))
}

// at is the place of a line, as compilers write it.
func (s *slips) at(line int) string {
	switch {
	case s.file == "" && line == 0:
		return ""
	case s.file == "":
		return fmt.Sprintf("line %d: ", line)
	case line == 0:
		return s.file + ": "
	}
	return fmt.Sprintf("%s:%d: ", s.file, line)
}
