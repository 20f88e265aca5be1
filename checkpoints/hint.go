package checkpoints

import (
	"errors"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/verbs"
)

// calls are the verbs that hints name, as a program calls them.
var calls = map[string]string{
	"save": "Store.Save", "load": "Store.Load", "list": "Store.List", "resume": "Store.Resume", "diff": "Store.Diff", "fork": "Store.Fork",
	"complete": "Store.Complete", "delete": "Store.Delete", "prune": "Store.Prune", "inspect": "Store.Load",
	"project": "Options.Dir", "store": "Options.Store",
}

// inGo rewrites the hint of an error for a program that calls this package: verbs are
// calls or commands, and options are fields.
func inGo(err error) error {
	var e *piton.Error
	if !errors.As(err, &e) {
		return err
	}
	mine := *e
	mine.Hint = verbs.Rewrite(e.Hint, func(command bool, first, rest string) (string, bool) {
		field, isOption := verbs.Option(first)
		if strings.ToUpper(rest) == rest { // a placeholder
			rest = ""
		}
		switch {
		case calls[first] != "":
			return calls[first], true
		case verbs.IsVerb(first):
			return "'piton " + first + "'", !command
		case isOption:
			return field.Go + rest, true
		}
		return "", false
	})
	return &mine
}
