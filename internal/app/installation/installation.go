// Package installation is what of Piton stands on a machine, as its people set it up: hooks
// and servers in clients' settings, Piton's own settings, rules and test commands, trust in a
// project's file, and the daemon's service. What only a person may loosen is refused here.
package installation

import (
	"github.com/piton-project/piton/internal/app/caller"
)

// Setup is the installation that a caller works with.
type Setup struct{ *caller.Caller }
