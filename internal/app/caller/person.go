package caller

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/client/clients"
	"github.com/piton-project/piton/internal/proc"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/turn"
)

// CallingAgent tells which agent the caller runs in: by what the clients put
// into the environment, the caller's or that of a process above it, by these
// processes, and by those of the sessions that are alive. "" where there is no sign
// of one.
func (a *Caller) CallingAgent(ctx context.Context) string {
	if name := markedBy(a.Options.Getenv); name != "" {
		return name
	}
	above := a.Options.Ancestors()
	for _, p := range above {
		if name := clients.Runs(p.Name, p.Argv); name != "" {
			return name
		}
		if name := markedBy(p.Getenv); name != "" { // it was taken out on the way, as by env -i
			return name
		}
	}
	st, err := a.Local(ctx, true)
	if err != nil {
		return "" // no session is known
	}
	list, err := st.Sessions(ctx, store.SessionQuery{Limit: MaxSessions})
	if err != nil {
		return ""
	}
	for _, s := range list {
		if slices.ContainsFunc(above, func(p proc.Ancestor) bool { return runsIn(s, p) }) && turn.Alive(s, a.Now()) {
			return cmp.Or(s.Agent, "an agent")
		}
	}
	return ""
}

// markedBy tells which client has put its variables into an environment.
func markedBy(getenv func(string) string) string {
	if list := inside(getenv); len(list) > 0 {
		return list[0].Name()
	}
	return ""
}

// AsksNobody reports whether an agent or a step of a run has started the caller: then
// nothing asks a question, though there may be a terminal.
func (a *Caller) AsksNobody(ctx context.Context) bool {
	return a.NotPerson(ctx) != ""
}

// ByPerson is nil where a person calls. Else it is Invalid, with what shows that none does and
// why only a person may do it.
func (a *Caller) ByPerson(ctx context.Context, op, why string) error {
	if seen := a.NotPerson(ctx); seen != "" {
		return piton.Errorf(piton.Invalid, op, "a person does this, in a terminal of their own", "%s, and %s", seen, why)
	}
	return nil
}

// NotPerson is what shows that no person calls; "" where nothing does.
func (a *Caller) NotPerson(ctx context.Context) string {
	if a.Options.Remote {
		return "it was asked for over a connection, which does not show that a person asks"
	}
	if name := a.CallingAgent(ctx); name != "" {
		return name + " runs this program"
	}
	switch {
	case a.Options.Model:
		return "a model asks for it"
	case a.InsideStep():
		return "a step of a run starts this program"
	}
	return ""
}

// InsideStep tells whether a step of a run, or a check of a turn, has started the caller:
// by its environment, that of a process above it, or by such a process that works on
// runs: what a step takes out of its environment does not hide Piton above it.
func (a *Caller) InsideStep() bool {
	marked := func(getenv func(string) string) bool {
		return getenv("PITON_STEP_ID") != "" || getenv("PITON_VERIFYING") != ""
	}
	return marked(a.Options.Getenv) || slices.ContainsFunc(a.Options.Ancestors(), func(p proc.Ancestor) bool { return marked(p.Getenv) || WorksOnRuns(p.Argv) })
}

// WorksOnRuns tells whether a command line is that of a program of Piton that starts the
// steps of runs.
func WorksOnRuns(argv []string) bool {
	works := func(word string) bool { return slices.Contains(runWords, word) }
	return len(argv) > 1 && filepath.Base(argv[0]) == "piton" && slices.ContainsFunc(argv[1:], works)
}

// runWords stand in the command lines of programs of Piton that start steps of runs.
var runWords = []string{"run", "serve", "continue", "undo", "--when-limit-ends", "demo", "init"}

// OwnProject refuses to let anybody but a person end the work of another project than the
// caller's.
func (a *Caller) OwnProject(ctx context.Context, op, project, namespace string) error {
	if a.NotPerson(ctx) == "" || !a.Elsewhere(ctx)(project, namespace) {
		return nil
	}
	return a.ByPerson(ctx, op, "it is the work of another project")
}

// Elsewhere tells whether a project, or where a run belongs, is another than the
// caller's; nothing is for a caller without a folder.
func (a *Caller) Elsewhere(ctx context.Context) func(project, namespace string) bool {
	p, _ := a.Project(ctx, "", false) // in an unknown project nothing was saved
	return func(project, namespace string) bool {
		if !a.Placed() || project == "" || project == p.ID {
			return false
		}
		dir, err := a.Dir()
		return err != nil || namespace == "" || a.StandingOf(dir).Namespace != namespace
	}
}
