// Package clients lists the clients that Piton knows.
package clients

import (
	"github.com/piton-project/piton/internal/client"
	"github.com/piton-project/piton/internal/client/claude"
	"github.com/piton-project/piton/internal/client/codex"
	"github.com/piton-project/piton/internal/client/gemini"
)

// All are the clients that Piton knows, in the order in which they are shown.
var All = []client.Client{
	claude.Client{},
	gemini.Client{},
	codex.Client{},
}

// Names are the names of all clients.
func Names() []string {
	var names []string
	for _, c := range All {
		names = append(names, c.Name())
	}
	return names
}

// ByName finds a client.
func ByName(name string) (client.Client, bool) {
	for _, c := range All {
		if c.Name() == name {
			return c, true
		}
	}
	return nil, false
}
