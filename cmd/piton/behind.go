package main

import (
	"context"
	"fmt"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store/sqlite"
)

// behind says on stderr when the store that was just opened is older than what
// was acknowledged. Where the file is gone, opened is NotFound, there is
// nothing to go on with: the error is returned.
func (a *app) behind(ctx context.Context, path string, opened error) error {
	if a.accepting || opened != nil && !missing(opened) {
		return nil
	}
	err := sqlite.Behind(ctx, path, a.store)
	if piton.CodeOf(err) != piton.Corrupt {
		return nil // what cannot be read now is said by the command itself
	}
	if opened != nil {
		return err
	}
	e := wrap(err)
	if a.json {
		type body struct {
			Code    piton.Code `json:"code"`
			Message string     `json:"message"`
			Hint    string     `json:"hint"`
		}
		_ = writeJSON(a.err, map[string]body{"warning": {e.Code, message(e), e.Hint}})
		return nil
	}
	fmt.Fprintf(a.err, "piton: warning: %s\nhint: %s\n", clean(e.Error()), clean(e.Hint))
	return nil
}
