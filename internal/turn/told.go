package turn

import (
	"context"
	"crypto/sha256"
	"fmt"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
)

// A finding that a person reads at a stop is told once for a project: a mark of the
// store remembers it.

// told are the findings that a project's people were told of. It reads the mark of
// each that is asked for, once.
func told(ctx context.Context, local *store.Local, projectID string) func(finding string) bool {
	known := map[string]bool{}
	return func(finding string) bool {
		is, asked := known[finding]
		if !asked {
			at, err := local.Mark(ctx, toldMark(projectID, finding))
			is = err == nil && at > 0
			known[finding] = is
		}
		return is
	}
}

// toldMark is the name of the mark that a project's people were told of a finding.
func toldMark(projectID, finding string) string {
	return "told:" + projectID + ":" + fmt.Sprintf("%x", sha256.Sum256([]byte(strings.ToValidUTF8(finding, ""))))[:16]
}

// tell notes what a project's people are told.
func tell(ctx context.Context, tx store.LocalTx, projectID string, findings []string, at piton.Time) error {
	for _, f := range findings {
		if err := tx.SetMark(ctx, toldMark(projectID, f), at.Millis()); err != nil {
			return err
		}
	}
	return nil
}
