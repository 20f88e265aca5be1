package proc

import (
	"os"
	"strings"
)

// Ancestor is a process that has started us, or one that has started that.
type Ancestor struct {
	Identity
	Name string   // the program's own name of itself, as the system keeps it
	Argv []string // what it was started with; empty where that cannot be read
	Env  []string // and with which environment
}

// Getenv is a variable of its environment; "" where that is not known.
func (a Ancestor) Getenv(name string) string {
	for _, line := range a.Env {
		if v, ok := strings.CutPrefix(line, name+"="); ok {
			return v
		}
	}
	return ""
}

// maxAncestors bounds the walk: a list that changes while it is read may run in a circle.
const maxAncestors = 128

// Ancestors are the processes above us, our parent first, as far up as the system lets us see.
func Ancestors() []Ancestor { return ancestors(os.Getppid(), processes()) }

// process is what one look at a process tells.
type process struct {
	parent int
	name   string
	argv   []string
	env    []string
}

func ancestors(pid int, look func(pid int) (process, bool)) []Ancestor {
	var list []Ancestor
	for pid > 0 && len(list) < maxAncestors {
		p, ok := look(pid)
		if !ok {
			break
		}
		id, err := Identify(pid)
		if err != nil {
			id = Identity{PID: pid}
		}
		list = append(list, Ancestor{Identity: id, Name: p.name, Argv: p.argv, Env: p.env})
		pid = p.parent
	}
	return list
}
