package api

import (
	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app"
)

// Newest chooses the newest checkpoint of a workflow, of a session or of a name.
type Newest struct {
	Workflow string `query:"workflow" doc:"the newest of this workflow, by id or name"`
	Session  string `query:"session" doc:"the newest of this session, by Piton's id or the client's"`
	Name     string `query:"name" doc:"the newest of this name"`
	InFolder
}

func (n Newest) choice() (app.Choice, error) {
	return oneOf(app.Choice{Workflow: n.Workflow, Session: n.Session, Name: n.Name, Dir: n.Project})
}

// oneOf refuses a choice of nothing, and one of both a workflow and a session.
func oneOf(c app.Choice) (app.Choice, error) {
	const hint = "give one of them; 'list' shows what there is"
	switch {
	case c.Workflow != "" && c.Session != "":
		return c, piton.Errorf(piton.Invalid, "", hint, "workflow and session exclude each other")
	case c.Workflow+c.Session+c.Name+c.Ref == "":
		return c, piton.Errorf(piton.Invalid, "", "give an id in the path, workflow or session; 'list' shows what there is", "no checkpoint is named")
	}
	return c, nil
}

// choice is the checkpoint of a path.
func (o Of) choice() app.Choice { return app.Choice{Ref: o.ID, Dir: o.Project} }

type loadOne struct {
	Of
	Nearest bool `query:"nearest" doc:"take the nearest intact ancestor of a damaged checkpoint"`
}

type loadNewest struct {
	Newest
	Nearest bool `query:"nearest" doc:"take the nearest intact ancestor of a damaged checkpoint"`
}
