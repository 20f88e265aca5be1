package place

import (
	"cmp"
	"os/user"

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
	const most = 100
	name := cmp.Or(git.Person(getenv, config.UserHome(getenv)), getenv("USER"), getenv("LOGNAME"))
	if name == "" {
		name = account()
	}
	return piton.Cut(piton.Printable(name), most)
}

// account is the system's name of who runs this process.
func account() string {
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return ""
}
