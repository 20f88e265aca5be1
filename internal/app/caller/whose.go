package caller

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client"
	"github.com/piton-project/piton/internal/client/clients"
	"github.com/piton-project/piton/internal/proc"
	"github.com/piton-project/piton/internal/states"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/turn"
)

// MaxSessions bounds the sessions among which one is looked for: the last seen.
const MaxSessions = 200

// Sender is what a server knows of the agent that calls it.
type Sender struct {
	IDs    []string // of the conversation, as the client sends them with the call; the best first
	Client string   // what the client calls itself; empty where it does not say
}

// Session is the session whose agent runs the caller (see whose); for a server it is
// the one that was found (SessionOf). "" outside of one.
func (a *Caller) Session(ctx context.Context) string {
	if a.found != nil {
		return *a.found
	}
	if a.LocalStore == nil {
		return ""
	}
	var s agent.Session
	var err error
	switch names, told := a.commandOf(); {
	case told != "":
		s, err = byClient(ctx, a.LocalStore, names, told)
	case len(names) > 0:
		s, err = a.whose(ctx, a.LocalStore, names, nil)
	}
	if err != nil { // several match: it is never guessed
		return ""
	}
	return s.ID
}

// NoSession says that no agent's session is behind this caller, whatever its
// environment says.
func (a *Caller) NoSession() { a.found, a.Options.Getenv = new(string), notInherited(a.Options.Getenv) }

// commandOf are the clients that may run the caller, by the marks that they put into
// the environment of their commands, else by the nearest client's process above; and
// the conversation that it names there.
func (a *Caller) commandOf() (names []string, told string) {
	marked := inside(a.Options.Getenv)
	for _, c := range marked {
		names = append(names, c.Name())
	}
	if len(marked) == 1 {
		return names, a.Options.Getenv(marked[0].SessionEnv())
	}
	for _, p := range a.Options.Ancestors() {
		if name := clients.Runs(p.Name, p.Argv); name != "" && len(marked) == 0 {
			return []string{name}, ""
		}
	}
	return names, ""
}

// whose is the session that a call of one of these clients belongs to, at every door:
// the only one that is named; else the one whose client's process runs the caller, in
// whatever folder it works; else the only live one of the folder, of those whose process
// nobody knows. None where there is none; Invalid where several fit.
func (a *Caller) whose(ctx context.Context, st store.SessionStore, names []string, named []agent.Session) (agent.Session, error) {
	if len(named) == 1 {
		return named[0], nil
	}
	fit := named
	if len(named) == 0 {
		var err error
		if fit, err = a.live(ctx, st, names, ""); err != nil {
			return agent.Session{}, err
		}
	}
	if s := a.above(fit); s.ID != "" {
		return s, nil
	}
	if len(named) == 0 {
		p, err := a.Project(ctx, "", false)
		if Missing(err) {
			return agent.Session{}, nil
		}
		if err == nil {
			fit, err = a.live(ctx, st, names, p.ID)
		}
		if err != nil {
			return agent.Session{}, err
		}
		seen := len(a.Options.Ancestors()) > 0
		fit = slices.DeleteFunc(fit, func(s agent.Session) bool { return seen && s.Process.PID != 0 }) // it is not above
	}
	switch len(fit) {
	case 0:
		return agent.Session{}, nil
	case 1:
		return fit[0], nil
	}
	return agent.Session{}, piton.Errorf(piton.Invalid, "find the session", "give 'session' with the id of yours", "several live sessions match: %s", a.nameSessions(fit))
}

// inside are the clients that an environment is marked by.
func inside(getenv func(string) string) (list []client.Client) {
	for _, c := range clients.All {
		if c.Inside(getenv) {
			list = append(list, c)
		}
	}
	return list
}

// SessionOf finds the session that a call of an agent belongs to (docs/spec.md,
// "MCP"): by the ids that came with the call, by the environment where that names
// a live session, else it is the folder's only live session. "" where there is
// none; Invalid where several fit: it is never guessed.
//
// A server outlives a conversation, so that its environment may name one that has
// ended. So what the App does after this is for the session found here, or for
// none, whatever the environment says.
func (a *Caller) SessionOf(ctx context.Context, from Sender) (string, error) {
	id, err := a.sessionOf(ctx, from)
	a.found = &id
	return id, err
}

func (a *Caller) sessionOf(ctx context.Context, from Sender) (string, error) {
	may, told := a.maySend(from.Client)
	st, err := a.Local(ctx, true)
	if Missing(err) {
		return cmp.Or(append(from.IDs, told...)...), nil // no session is known yet
	}
	if err != nil {
		return "", err
	}
	if len(from.IDs) > 0 {
		for _, id := range from.IDs {
			s, err := byClient(ctx, st, may, id)
			if err != nil || s.ID != "" {
				return s.ID, err
			}
		}
		return from.IDs[0], nil // a conversation without hooks
	}
	known := false
	var named []agent.Session
	for _, id := range told {
		s, err := byClient(ctx, st, may, id)
		if err != nil {
			return "", err
		}
		known = known || s.ID != ""
		if s.ID != "" && turn.Alive(s, a.Now()) {
			named = append(named, s)
		}
	}
	s, err := a.whose(ctx, st, may, named)
	if err == nil && s.ID == "" && len(told) == 1 && !known {
		return told[0], nil // a conversation without hooks
	}
	return s.ID, err
}

// maySend are the clients that a sender may be, by what it calls itself, else by
// the environment, which a client that was started inside another one inherits;
// and the conversations of theirs that the environment names.
func (a *Caller) maySend(sender string) (names, told []string) {
	for _, c := range clients.All {
		if strings.Contains(strings.ToLower(sender), c.Name()) {
			names = append(names, c.Name())
		}
	}
	for _, c := range clients.All {
		id := a.Options.Getenv(c.SessionEnv())
		if id != "" && (len(names) == 0 || slices.Contains(names, c.Name())) {
			told = append(told, id)
		}
	}
	if len(names) == 0 {
		names = clients.Names()
	}
	return names, told
}

// byClient is the session that one of the clients calls by an id; none where it is
// not known.
func byClient(ctx context.Context, st store.SessionStore, names []string, id string) (agent.Session, error) {
	for _, name := range names {
		if s, err := st.SessionByClient(ctx, name, id); !Missing(err) {
			return s, err
		}
	}
	return agent.Session{}, nil
}

// live are the live sessions of some clients, in a project or, where that is empty, in
// any.
func (a *Caller) live(ctx context.Context, st store.SessionStore, names []string, project string) ([]agent.Session, error) {
	list, err := st.Sessions(ctx, store.SessionQuery{Project: project, Limit: MaxSessions})
	return slices.DeleteFunc(list, func(s agent.Session) bool {
		return s.Damaged || !slices.Contains(names, s.Agent) || !turn.Alive(s, a.Now())
	}), err
}

// above is that of several sessions whose client runs the caller; none where no
// client of theirs does. A process has one conversation at a time: the one that
// began last.
func (a *Caller) above(list []agent.Session) (last agent.Session) {
	for _, p := range a.Options.Ancestors() {
		for _, s := range list {
			if runsIn(s, p) && s.StartedAt.After(last.StartedAt.Time) {
				last = s
			}
		}
		if last.ID != "" {
			break
		}
	}
	return last
}

// runsIn tells whether a process is that of a session's client.
func runsIn(s agent.Session, p proc.Ancestor) bool {
	mayBeSame := p.Start == s.Process.Start || p.Start == "" || s.Process.Start == ""
	return mayBeSame && s.Process.PID != 0 && p.PID == s.Process.PID
}

// maxListed bounds the sessions that an error lists.
const maxListed = 5

func (a *Caller) nameSessions(list []agent.Session) string {
	var rows []string
	for _, s := range list[:min(len(list), maxListed)] {
		rows = append(rows, s.ID+" ("+s.Agent+" "+s.ClientID+", began "+states.Age(a.Now().Sub(s.StartedAt.Time))+" ago)")
	}
	if len(list) > maxListed {
		rows = append(rows, "and more")
	}
	return strings.Join(rows, ", ")
}
