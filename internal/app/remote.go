package app

import "github.com/piton-project/piton/internal/client/clients"

// notInherited is an environment without what says which session and episode the
// process was started in: that says nothing about a caller that is another process.
func notInherited(getenv func(string) string) func(string) string {
	left := map[string]bool{"PITON_EPISODE": true, "PITON_PROJECT": true}
	for _, c := range clients.All {
		left[c.SessionEnv()] = true
	}
	return func(name string) string {
		if left[name] {
			return ""
		}
		return getenv(name)
	}
}
