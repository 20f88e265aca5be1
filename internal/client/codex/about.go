package codex

import "github.com/piton-project/piton/internal/client"

// About is what the rollout's first line says.
func (Client) About(path string) (client.About, error) {
	h, err := readHead(path)
	x := client.About{Wrote: h.id != "", ID: h.id, Dir: h.cwd, Origin: h.origin, Branch: h.branch, Version: h.version, Subagent: h.subagent()}
	return x.Checked(), err
}
