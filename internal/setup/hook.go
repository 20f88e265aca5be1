package setup

import (
	"fmt"

	"github.com/piton-project/piton/internal/edit"
)

// hook is one entry that a client needs in its settings. An event has at most one.
type hook struct {
	event   string
	matcher string // which tools, or which causes; "" for all
	timeout int    // in the client's unit
	name    string // as the client shows it; "" where it shows none
}

func (w hook) group(command string) string {
	name := ""
	if w.name != "" {
		name = fmt.Sprintf(`"name":%s,`, edit.Quote(w.name))
	}
	hooks := fmt.Sprintf(`"hooks":[{%s"type":"command","command":%s,"timeout":%d}]`, name, edit.Quote(command), w.timeout)
	if w.matcher == "" {
		return "{" + hooks + "}"
	}
	return fmt.Sprintf(`{"matcher":%s,%s}`, edit.Quote(w.matcher), hooks)
}

// anyTool unifies the spellings of "every tool".
func anyTool(matcher string) string {
	if matcher == "*" || matcher == ".*" {
		return ""
	}
	return matcher
}

// place is a hook in a settings file.
type place struct {
	event   string
	matcher string // "" for all tools, however that is spelled
	command string
	name    string  // as the client shows it; "" where it has none
	program string  // of a command of ours; "" of others
	timeout float64 // 0: none
	inForce bool    // false in an object that a later one of the same name hides
	at      *edit.Node
}

func (w hook) matches(p place) bool {
	return p.inForce && p.event == w.event && p.matcher == anyTool(w.matcher)
}

// coveredBy reports whether a hook hears all that w would, and maybe more.
func (w hook) coveredBy(p place) bool {
	all := hook{event: w.event}
	return w.matches(p) || all.matches(p)
}
