package api

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/testkit/pgtest"
)

// Requests share the connections to the shared store.
func TestRequestsShareConnections(t *testing.T) {
	line := pgtest.Count(t, pgtest.DSN(t))
	stores := &caller.Stores{}
	defer stores.Close()
	s := New(Options{App: caller.Options{Home: t.TempDir(), Store: line.DSN, Stores: stores, Getenv: func(string) string { return "" }, Environ: []string{}}})
	h := httptest.NewServer(s.Handler(Socket))
	defer h.Close()
	dir, conns := t.TempDir(), 0
	for i := range 6 {
		if status, text := call(t, "POST", h.URL+"/v1/checkpoints", fmt.Sprintf(`{"project":%q,"workflow":"w","state":{"n":%d}}`, dir, i)); status/100 != 2 {
			t.Fatalf("save: got %d, %s", status, text)
		}
		for _, path := range []string{"/v1/checkpoints?project=" + dir, "/v1/state?workflow=w&project=" + dir, "/v1/workflows?project=" + dir, "/readyz"} {
			if status, text := call(t, "GET", h.URL+path, ""); status != http.StatusOK {
				t.Fatalf("%s: got %d, %s", path, status, text)
			}
		}
		if i == 0 {
			conns = line.Conns()
		}
	}
	if got := line.Conns(); got != conns || got > 4 {
		t.Errorf("got %d connections for 30 requests one after another, want the %d of the first five, at most 4", got, conns)
	}
}
