package runs

import (
	"errors"
	"strings"

	"github.com/piton-project/piton"
)

// inGo rewrites the hint of an error for a program: verbs and options in quotes are
// calls and fields here.
func inGo(err error) error {
	var e *piton.Error
	if !errors.As(err, &e) || e.Hint == "" {
		return err
	}
	mine := *e
	for _, r := range [][2]string{
		{" accept_plan'", "' with Options.AcceptPlan"}, {" resume'", "' (Store.Resume)"}, {" new'", "' with Options.New"}, {" with 'new'", " with Options.New"}, {" with 'accept_plan'", " with Options.AcceptPlan"},
		{"'input ", "'Options.Inputs: "}, {"'key ", "'Options.Key: "}, {" dir DIR'", "' with Options.Dir"}, {"'runs ", "'piton runs "}, {"'run resume ", "'piton run --resume "},
	} {
		mine.Hint = strings.ReplaceAll(mine.Hint, r[0], r[1])
	}
	return &mine
}
