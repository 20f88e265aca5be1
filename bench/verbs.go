package main

import (
	"context"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/testkit/filltest"
)

// verb is one thing that is done to a store, measured; before is not.
type verb struct {
	name   string
	bar    float64
	before func(context.Context, *shop) error // may be nil
	do     func(context.Context, *shop) error
}

func (v verb) time(ctx context.Context, s *shop) (time.Duration, error) {
	s.n++
	if v.before != nil {
		if err := v.before(ctx, s); err != nil {
			return 0, err
		}
	}
	start := time.Now()
	err := v.do(ctx, s)
	return time.Since(start), err
}

var verbs = []verb{
	{"save", 2, nil, func(ctx context.Context, s *shop) error { return s.saved(ctx, 1) }},
	{"save to a workflow that is there", 2, nil, func(ctx context.Context, s *shop) error {
		_, err := s.Save(ctx, s.draft(filltest.Workflow(s.last)))
		return err
	}},
	{"load by id", 2, nil, func(ctx context.Context, s *shop) error {
		_, err := s.Load(ctx, history.Selector{ID: s.middle()}, false)
		return err
	}},
	{"load by workflow", 2, nil, func(ctx context.Context, s *shop) error {
		_, err := s.Load(ctx, history.Selector{Workflow: filltest.Workflow(s.last)}, false)
		return err
	}},
	{"list 20", 2, nil, listing(piton.Query{Limit: 20})},
	{"list 20 --open", 2, nil, listing(piton.Query{Limit: 20, Open: true})},
	{"list 20 of a project", 2, nil, func(ctx context.Context, s *shop) error {
		return listing(piton.Query{Limit: 20, Project: filltest.Project(s.last)})(ctx, s)
	}},
	{"list of a workflow", 2, nil, func(ctx context.Context, s *shop) error {
		return listing(piton.Query{Workflow: filltest.Workflow(s.last / 2), Limit: 20})(ctx, s)
	}},
	{"list of a session", 2, nil, func(ctx context.Context, s *shop) error {
		return listing(piton.Query{Session: filltest.Session(s.last / 2), Limit: 20})(ctx, s)
	}},
	{"inspect", 2, nil, func(ctx context.Context, s *shop) error {
		_, err := s.Inspect(ctx, s.middle())
		return err
	}},
	{"resume", 2, nil, func(ctx context.Context, s *shop) error {
		_, err := s.Resume(ctx, history.Selector{ID: s.middle()})
		return err
	}},
	{"what is offered at a session's start", 2, nil, func(ctx context.Context, s *shop) error {
		_, _, err := s.Detect(ctx, filltest.Project(s.last), "", 5)
		return err
	}},
	{"branches", 2, nil, func(ctx context.Context, s *shop) error {
		_, err := s.Branches(ctx, filltest.Workflow(s.last/2), "")
		return err
	}},
	{"fork", 2, nil, func(ctx context.Context, s *shop) error {
		_, err := s.Fork(ctx, history.ForkDraft{ForkRequest: piton.ForkRequest{From: s.middle(), Branch: s.label()}})
		return err
	}},
	{"complete", 2, func(ctx context.Context, s *shop) error { return s.saved(ctx, 2) }, func(ctx context.Context, s *shop) error {
		_, err := s.Complete(ctx, s.own())
		return err
	}},
	{"delete of one", 2, func(ctx context.Context, s *shop) error { return s.saved(ctx, 2) }, func(ctx context.Context, s *shop) error {
		_, err := s.Delete(ctx, s.own(), history.DeleteOptions{})
		return err
	}},
	{"delete --dry-run of one", 2, nil, func(ctx context.Context, s *shop) error {
		_, err := s.Delete(ctx, history.Selector{ID: s.middle()}, history.DeleteOptions{DryRun: true})
		return err
	}},
	{"prune of a session that is bounded", 2, func(ctx context.Context, s *shop) error { return s.saved(ctx, 1) }, func(ctx context.Context, s *shop) error {
		_, err := s.Prune(ctx, history.PruneOptions{Policy: piton.Retention{PerSession: 60, NamedCap: 50}, Session: filltest.Session(s.last)})
		return err
	}},
}

// searches are verbs too, once the index is made.
var searches = []verb{
	{"search for a rare word", 0, nil, searching("digest")},
	{"search for words that are everywhere", 0, nil, searching("part")},
}

func listing(q piton.Query) func(context.Context, *shop) error {
	return func(ctx context.Context, s *shop) error {
		_, err := s.List(ctx, q)
		return err
	}
}

func searching(words string) func(context.Context, *shop) error {
	return func(ctx context.Context, s *shop) error {
		page, err := s.Search(ctx, words, piton.Query{Limit: 20})
		if err == nil {
			_, err = s.Matches(ctx, words, page.Checkpoints)
		}
		return err
	}
}
