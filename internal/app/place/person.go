package place

import (
	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/config"
	"github.com/piton-project/piton/internal/git"
)

// Person is who uses this account: git's name of them, else the system's. "" where the
// settings say that nobody is to be named.
func Person(getenv func(string) string, c config.Config) string {
	if !c.Checkpoints.By {
		return ""
	}
	for _, name := range []string{git.Person(getenv, config.UserHome(getenv)), getenv("USER"), getenv("LOGNAME")} {
		if name != "" {
			const most = 100
			return piton.Cut(piton.Printable(name), most)
		}
	}
	return ""
}
