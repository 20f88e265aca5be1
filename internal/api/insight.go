package api

import (
	"context"
	"net/http"

	"github.com/piton-project/piton/internal/app"
)

type sessionFilter struct {
	InFolder
	Limit int `query:"limit" default:"20" minimum:"0" doc:"maximum number, 0 for all"`
}

type decisionFilter struct {
	InFolder
	Session string `query:"session" doc:"of this session, by Piton's id or the client's"`
	Limit   int    `query:"limit" default:"5" minimum:"0" doc:"maximum number, 0 for all"`
}

type statsFilter struct {
	InFolder
	Since string `query:"since" default:"30d" doc:"when to begin: so long ago (12h, 7d, 2w), yesterday, a day or a time (RFC 3339)"`
}

// insight adds what tells of agents: their sessions, and what was decided and counted.
func (s *Server) insight() {
	get := func(path, id, tag, says string) route {
		return route{method: http.MethodGet, path: path, id: id, tag: tag, says: says}
	}
	add(s, get("/v1/sessions", "list-sessions", "sessions", "List the agents' sessions, most recent first"), func(ctx context.Context, a *app.App, in *sessionFilter) (app.SessionList, error) {
		return a.Sessions(ctx, in.Project, in.Limit)
	})
	add(s, get("/v1/sessions/{id}", "show-session", "sessions", "Show a session"), func(ctx context.Context, a *app.App, in *Of) (app.Session, error) {
		return a.ShowSession(ctx, in.ID)
	})
	for _, prefix := range []string{"/v1", ""} {
		r := route{method: http.MethodPost, path: prefix + "/sessions/{id}/agent-restart", id: "restart-agent", tag: "sessions", says: "End the session's agent and start it again in its pane", more: "The debrief follows 5 seconds later."}
		r.hidden = prefix == ""
		add(s, r, func(ctx context.Context, a *app.App, in *ofWith[projectRequest]) (app.Restarted, error) {
			return a.Restart(ctx, in.ID)
		})
	}
	add(s, get("/v1/decisions", "explain", "sessions", "Show why agents were held or let go"), func(ctx context.Context, a *app.App, in *decisionFilter) (app.Explanation, error) {
		return a.Explain(ctx, in.Session, in.Limit)
	})
	add(s, get("/v1/rules", "list-rules", "sessions", "List the rules for debriefs in force in a project"), func(ctx context.Context, a *app.App, _ *InFolder) (app.RuleList, error) {
		return a.Rules(ctx)
	})
	add(s, get("/v1/stats", "stats", "store", "Show what was counted"), func(ctx context.Context, a *app.App, in *statsFilter) (app.Stats, error) {
		span, err := a.SpanSince(in.Since)
		if err != nil {
			return app.Stats{}, err
		}
		return a.Stats(ctx, app.StatsRequest{Dir: in.Project, Since: span})
	})
}
