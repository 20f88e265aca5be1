package checkpoints

import (
	"errors"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/verbs"
)

// inGo rewrites the hint of an error for a program that calls this package.
func inGo(err error) error {
	var e *piton.Error
	if !errors.As(err, &e) {
		return err
	}
	mine := *e
	mine.Hint = verbs.InGo(e.Hint)
	return &mine
}
