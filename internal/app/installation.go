// Package installation is what of Piton stands on a machine, as its people set it up: hooks
// and servers in clients' settings, Piton's own settings, rules and test commands, trust in a
// project's file, and the daemon's service. What only a person may loosen is refused here.
package app

// Setup is the installation that a caller works with.
type Setup struct{ *asker }
