package proc

import "strings"

// Ancestor is our parent process, or an ancestor of it.
type Ancestor struct {
	Identity
	Name string   // the program's own name of itself, as the system keeps it
	Argv []string // what it was started with; empty where that cannot be read
	Env  []string // and with which environment
}

// Getenv returns a variable of its environment, "" when it is not known.
func (a Ancestor) Getenv(name string) string {
	for _, line := range a.Env {
		if v, ok := strings.CutPrefix(line, name+"="); ok {
			return v
		}
	}
	return ""
}

// maxAncestors bounds the walk: a list that changes while it is read may contain a loop.
const maxAncestors = 128

// process is what the system knows of one process.
type process struct {
	parent int
	name   string
	argv   []string
	env    []string
}

// ancestors walks up from pid; look reads one process.
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
