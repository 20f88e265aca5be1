// Package clients lists the clients that Piton knows.
package clients

import (
	"github.com/piton-project/piton/internal/client"
	"github.com/piton-project/piton/internal/client/claude"
	"github.com/piton-project/piton/internal/client/codex"
	"github.com/piton-project/piton/internal/client/gemini"
)

// All are the clients Piton knows.
var All = []client.Client{claude.Client{}, gemini.Client{}, codex.Client{}}

// Names are the names of all clients.
func Names() []string {
	var names []string
	for _, a := range All {
		names = append(names, a.Name())
	}
	return names
}

// ByName finds a client.
func ByName(name string) (client.Client, bool) {
	for _, a := range All {
		if a.Name() == name {
			return a, true
		}
	}
	return nil, false
}
