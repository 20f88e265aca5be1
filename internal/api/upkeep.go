package api

import (
	"context"
	"net/http"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/history"
)

type pruneRequest struct {
	BodyFolder
	Session chosen   `json:"session,omitempty" doc:"of this session only, by Piton's id or the client's"`
	MaxTime chosen   `json:"max_time,omitempty" doc:"stop archiving and deleting after this time: 30s, 5m"`
	DryRun  bool     `json:"dry_run,omitempty" doc:"say what would be done and do nothing"`
	_       struct{} `additionalProperties:"false"`
}

type verifyRequest struct {
	BodyFolder
	Workflow chosen   `json:"workflow,omitempty" doc:"only this workflow, by id or name"`
	Repair   bool     `json:"repair,omitempty" doc:"create again what can be derived from the rest"`
	_        struct{} `additionalProperties:"false"`
}

type purgeRequest struct {
	Secrets bool     `json:"secrets" doc:"remove secrets; nothing else is purged"`
	DryRun  bool     `json:"dry_run,omitempty" doc:"count them and change nothing"`
	_       struct{} `additionalProperties:"false"`
}

func (purgeRequest) folder() string { return "" }

// upkeep adds what keeps the store small and whole.
func (s *Server) upkeep() {
	add(s, route{method: http.MethodPost, path: "/v1/prune", id: "prune", tag: "store", says: "Archive and delete checkpoints by the retention policy", more: "Where it is stopped, the problem's member done says what was done before."},
		func(ctx context.Context, a *app.App, in *with[pruneRequest]) (history.Pruning, error) {
			b := body(in.Body)
			r := app.PruneRequest{Dir: b.folder(), Session: string(b.Session), DryRun: b.DryRun, Progress: silently}
			if b.MaxTime != "" {
				var err error
				if r.MaxTime, err = app.ParseSpan(string(b.MaxTime)); err != nil {
					return history.Pruning{}, err
				}
			}
			p, err := a.Prune(ctx, r)
			if p.Stopped != "" {
				err = partly(p, err)
			}
			return p, err
		})
	add(s, route{method: http.MethodPost, path: "/v1/verify", id: "verify", tag: "store", says: "Read everything again and check every sum", more: "Damage that was found is an answer and no failure."},
		func(ctx context.Context, a *app.App, in *with[verifyRequest]) (history.Verification, error) {
			b := body(in.Body)
			v, err := a.Verify(ctx, app.VerifyRequest{Workflow: string(b.Workflow), Dir: b.folder(), Repair: b.Repair, Progress: silently})
			if v.Stopped != "" || len(v.Repaired) > 0 {
				err = partly(v, err)
			}
			return v, err
		})
	add(s, route{method: http.MethodPost, path: "/v1/purge", id: "purge", tag: "store", says: "Remove secrets from what is already stored", more: "It rewrites what is stored, so it is done on the socket only.", local: true},
		func(ctx context.Context, a *app.App, in *with[purgeRequest]) (history.Purged, error) {
			b := body(in.Body)
			if !b.Secrets {
				return history.Purged{}, piton.Errorf(piton.Invalid, "", "give secrets: true; 'delete' and 'prune' remove whole checkpoints", "nothing to purge is named")
			}
			p, err := a.Purge(ctx, b.DryRun, func(string) func(done, total int64) { return silently })
			if p.Stopped != "" {
				err = partly(p, err)
			}
			return p, err
		})
}
