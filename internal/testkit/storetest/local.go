package storetest

import (
	"fmt"
	"sync"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

// update runs fn in a transaction and fails the test on an error.
func update(s *suite, st *store.Local, fn func(store.LocalTx) error) {
	s.Helper()
	if err := st.Update(s.ctx, fn); err != nil {
		s.Fatalf("update: got %v, want no error", err)
	}
}

func put(s *suite, st *store.Local, sessions ...agent.Session) {
	s.Helper()
	update(s, st, func(tx store.LocalTx) error {
		for _, x := range sessions {
			if err := tx.PutSession(s.ctx, redact.Value(x)); err != nil {
				return err
			}
		}
		return nil
	})
}

// at is a moment n seconds after the start.
func at(n int) piton.Time { return piton.At(start.Add(time.Duration(n) * time.Second)) }

// full is a session with every field set.
func full(id string) agent.Session {
	return agent.Session{
		Identity: agent.Identity{ID: id, Agent: "claude", ClientID: "c0ffee-" + id, Project: "prj_0000000000000001", Root: "/w/ü b", Cwd: "/w/ü b/sub", Transcript: "/t.jsonl",
			ClientVersion: "2.1.3", Process: agent.Process{PID: 42, Start: "123", Boot: "b", Space: "s"},
			StartedAt: at(1), SeenAt: at(2), EndedAt: at(3), WorkflowID: "wf_0000000000000001", CurrentID: "wf_0000000000000002"},
		InTurn: agent.InTurn{Turn: 4, TurnOpen: true, LastToolUseAt: at(7),
			FirstToolUseAt: at(8), IdleMS: 10,
			Usage: piton.TokenUsage{Input: 1, Output: 2, CacheRead: 3, CacheWrite: 4}, TurnUsage: piton.TokenUsage{Input: 5}, PromptedAt: at(13), Heard: true}, OnHold: agent.OnHold{Holds: 1, HeldSum: "d1", LastCheckpoint: at(6), LastFeedback: "done", FeedbackSum: "d0"}, Remembers: agent.Remembers{LastMessage: "bau \"es\"\n🧗", LastMessageAt: at(5),
			Outputs: map[string]string{"reviewer": "fine"}}, OnPerson: agent.OnPerson{Notified: true, NotifiedAt: at(10), WaitingSince: at(9), Question: true}, Saves: agent.Saves{SavedAt: at(11),
			SavedFor: map[piton.Trigger]piton.Time{piton.TriggerInterval: at(12)}}, Takeover: agent.Takeover{Offered: true}, Post: agent.Post{Owed: "a brief", Waiting: "ltr_1"},
	}
}

func sessionComesBack(s *suite, st *store.Local) {
	want := full("ses_0000000000000001")
	put(s, st, want, agent.Session{Identity: agent.Identity{ID: "ses_0000000000000002", ClientID: "bare"}})
	got, err := st.Session(s.ctx, want.ID)
	if err != nil {
		s.Fatal(err)
	}
	equal(s, "session", got, want)
	got, err = st.Session(s.ctx, "bare")
	if err != nil {
		s.Fatal(err)
	}
	equal(s, "bare session", got, agent.Session{Identity: agent.Identity{ID: "ses_0000000000000002", ClientID: "bare"}})
}

func sessionReplaced(s *suite, st *store.Local) {
	put(s, st, full("ses_0000000000000001"))
	want := agent.Session{Identity: agent.Identity{ID: "ses_0000000000000001", Agent: "codex", ClientID: "other", Project: "p", SeenAt: at(20)}}
	put(s, st, want)
	got, err := st.Session(s.ctx, want.ID)
	if err != nil {
		s.Fatal(err)
	}
	equal(s, "session", got, want)
	list, err := st.Sessions(s.ctx, store.SessionQuery{})
	if err != nil {
		s.Fatal(err)
	}
	equal(s, "sessions", len(list), 1)
	err = st.Update(s.ctx, func(tx store.LocalTx) error {
		return tx.PutSession(s.ctx, redact.Value(agent.Session{Identity: agent.Identity{ID: "ses_0000000000000009", Agent: "codex", ClientID: "other"}}))
	})
	s.wantCode(err, piton.Conflict)
}

func sessionFound(s *suite, st *store.Local) {
	a, b, c := full("ses_aaaa000000000001"), full("ses_aaab000000000001"), full("ses_b000000000000001")
	// Two clients may use the same id.
	b.ClientID, b.Agent = a.ClientID, "gemini"
	a.SeenAt, b.SeenAt = at(1), at(2)
	put(s, st, a, b, c)
	for ref, want := range map[string]string{a.ID: a.ID, "ses_b": c.ID, "ses_aaaa": a.ID, a.ClientID: b.ID, c.ClientID: c.ID} {
		got, err := st.Session(s.ctx, ref)
		if err != nil {
			s.Fatalf("by %s: got %v, want no error", ref, err)
		}
		equal(s, "by "+ref, got.ID, want)
		update(s, st, func(tx store.LocalTx) error {
			got, err := tx.Session(s.ctx, ref)
			equal(s, "in a transaction by "+ref, got.ID, want)
			return err
		})
	}
	for ref, want := range map[string]piton.Code{"ses_aaa": piton.Invalid, "ses_zz": piton.NotFound, "nobody": piton.NotFound, "": piton.NotFound} {
		_, err := st.Session(s.ctx, ref)
		s.wantCode(err, want)
	}
	got, err := st.SessionByClient(s.ctx, "claude", a.ClientID)
	if err != nil {
		s.Fatal(err)
	}
	equal(s, "by client", got.ID, a.ID)
	for _, x := range []struct{ agent, client string }{{"codex", a.ClientID}, {"", a.ClientID}, {"claude", "nobody"}} {
		_, err := st.SessionByClient(s.ctx, x.agent, x.client)
		s.wantCode(err, piton.NotFound)
	}
}

func sessionsListed(s *suite, st *store.Local) {
	for i, seen := range []int{3, 1, 2} {
		x := full(fmt.Sprintf("ses_000000000000000%d", i))
		x.SeenAt, x.Project = at(seen), fmt.Sprint("p", i%2)
		put(s, st, x)
	}
	for _, c := range []struct {
		name string
		q    store.SessionQuery
		want []string
	}{
		{"all", store.SessionQuery{}, []string{"ses_0000000000000000", "ses_0000000000000002", "ses_0000000000000001"}},
		{"limit", store.SessionQuery{Limit: 1}, []string{"ses_0000000000000000"}},
		{"project", store.SessionQuery{Project: "p0"}, []string{"ses_0000000000000000", "ses_0000000000000002"}},
		{"project that is not", store.SessionQuery{Project: "p9"}, nil},
	} {
		list, err := st.Sessions(s.ctx, c.q)
		if err != nil {
			s.Fatal(err)
		}
		var got []string
		for _, x := range list {
			got = append(got, x.ID)
		}
		equal(s, c.name, got, c.want)
	}
}

func completeClearsCurrent(s *suite, st *store.Local) {
	w := s.plain()
	c := s.append(w, `{}`)
	a, b := full("ses_0000000000000001"), full("ses_0000000000000002")
	a.CurrentID = w.ID
	put(s, st, a, b)
	s.complete(c.ID, s.now)
	for _, x := range []agent.Session{a, b} {
		got, err := st.Session(s.ctx, x.ID)
		if err != nil {
			s.Fatal(err)
		}
		if x.CurrentID == w.ID {
			x.CurrentID = ""
		}
		equal(s, "session", got, x)
	}
}

func projectAliases(s *suite, st *store.Local) {
	path := func(v string) piton.Alias { return piton.Alias{Kind: piton.AliasPath, Value: v} }
	origin := func(v string) piton.Alias { return piton.Alias{Kind: piton.AliasOrigin, Value: v} }
	project := func(aliases ...piton.Alias) string {
		s.Helper()
		p, err := st.Project(s.ctx, redact.Name("name"), redact.Value(aliases))
		if err != nil {
			s.Fatal(err)
		}
		if !piton.IsID(piton.ProjectPrefix, p.ID) || p.Name != "name" {
			s.Errorf("project: got %+v, want an id and the name", p)
		}
		return p.ID
	}
	_, err := st.KnownProject(s.ctx, []piton.Alias{path("/a")})
	s.wantCode(err, piton.NotFound)
	a := project(path("/a"), origin("host/x"))
	equal(s, "again", project(path("/a"), origin("host/x")), a)
	equal(s, "a second path of the origin", project(path("/b"), origin("host/x")), a)
	equal(s, "the second path alone", project(path("/b")), a)
	c := project(path("/c"))
	if c == a {
		s.Errorf("another path: got the project %s again, want a new one", c)
	}
	equal(s, "its path comes before another's origin", project(path("/c"), origin("host/x")), c)
	equal(s, "the origin stays whose it was", project(path("/d"), origin("host/x")), a)
	equal(s, "an origin learned later", project(path("/c"), origin("host/y")), c)
	equal(s, "a path of that origin", project(path("/e"), origin("host/y")), c)
	if x := project(path("host/x")); x == a {
		s.Error("a path that looks like an origin: got the origin's project, want a new one")
	}
	p, err := st.KnownProject(s.ctx, []piton.Alias{path("/zzz"), origin("host/y")})
	if err != nil {
		s.Fatal(err)
	}
	equal(s, "known by the second alias", p.ID, c)
	_, err = st.KnownProject(s.ctx, []piton.Alias{path("/zzz")})
	s.wantCode(err, piton.NotFound)
	_, err = st.Project(s.ctx, redact.Name("name"), redact.Value[[]piton.Alias](nil))
	s.wantCode(err, piton.Invalid)
}

func projectMadeOnce(s *suite, st *store.Local) {
	aliases := []piton.Alias{{Kind: piton.AliasPath, Value: "/a"}, {Kind: piton.AliasOrigin, Value: "host/x"}}
	ids := make([]string, 8)
	var wg sync.WaitGroup
	for i := range ids {
		wg.Go(func() {
			p, err := st.Project(s.ctx, redact.Name("a"), redact.Value(aliases))
			if err != nil {
				s.Errorf("project: got %v, want no error", err)
			}
			ids[i] = p.ID
		})
	}
	wg.Wait()
	for _, id := range ids {
		equal(s, "project", id, ids[0])
	}
}
