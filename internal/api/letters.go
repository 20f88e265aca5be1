package api

import (
	"context"
	"net/http"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app"
)

type lettersRequest struct {
	Letters *[]chosen `json:"letters,omitempty" doc:"ids of letters; all that were given up where it is left out"`
	_       struct{}  `additionalProperties:"false"`
}

func (lettersRequest) folder() string { return "" }

// ids are those that are named; none where it is left out. An empty list is refused: a
// caller that has filtered all away does not mean all.
func (r lettersRequest) ids() ([]string, error) {
	if r.Letters == nil {
		return nil, nil
	}
	if len(*r.Letters) == 0 {
		return nil, piton.Errorf(piton.Invalid, "", "name at least one, or leave the member out for all that were given up", "letters is empty")
	}
	var ids []string
	for _, id := range *r.Letters {
		if id == "" {
			return nil, piton.Errorf(piton.Invalid, "", "'letters' shows the ids", "an id in letters is null")
		}
		ids = append(ids, string(id))
	}
	return ids, nil
}

// letters adds the verbs of letters.
func (s *Server) letters() {
	add(s, route{method: http.MethodGet, path: "/v1/letters", id: "list-letters", tag: "letters", says: "List messages that were given up, and those that wait for delivery"},
		func(ctx context.Context, a *app.App, _ *nothing) (app.LetterList, error) { return a.Letters(ctx) })
	for _, x := range []struct {
		verb, says string
		change     func(*app.App, context.Context, []string) (app.LetterList, error)
	}{
		{"retry", "Try again to deliver letters: those that are named, or all that were given up", (*app.App).RetryLetters},
		{"drop", "Drop letters, which are then not delivered: those that are named, or all that were given up", (*app.App).DropLetters},
	} {
		add(s, route{method: http.MethodPost, path: "/v1/letters/" + x.verb, id: x.verb + "-letters", tag: "letters", says: x.says},
			func(ctx context.Context, a *app.App, in *with[lettersRequest]) (app.LetterList, error) {
				ids, err := body(in.Body).ids()
				if err != nil {
					return app.LetterList{Letters: []app.Letter{}}, err
				}
				return x.change(a, ctx, ids)
			})
	}
}
