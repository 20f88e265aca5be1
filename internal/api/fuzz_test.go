package api

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/piton-project/piton/internal/app/caller"
)

// FuzzRequest: whatever is sent, the answer is JSON and no defect, and a failure is a
// problem with a code.
func FuzzRequest(f *testing.F) {
	for _, x := range []struct{ method, path, body string }{
		{"POST", "/v1/checkpoints", `{"project":"/tmp","state":{"a":[1,{"b":null}]},"token_usage":{"input":1},"tags":["x"]}`},
		{"POST", "/v1/checkpoints/chk_0/fork", `{"branch":"x","state":{}}`},
		{"POST", "/v1/plan", `{"project":"/tmp","plan":{"steps":[{"id":"a","action":"shell","parameters":{"command":"true"}}]}}`},
		{"POST", "/v1/plan", `{"project":"/tmp","plan":"steps:\n- id: a\n"}`},
		{"POST", "/v1/resume", `{"agent":"claude","workflow":"w"}`},
		{"POST", "/v1/prune", `{"dry_run":true,"max_time":"1s"}`},
		{"POST", "/v1/import", `{"id":"x","state":{}}`},
		{"DELETE", "/v1/checkpoints?workflow=w&older_than=1d", ``},
		{"GET", "/v1/checkpoints?limit=2&cursor=4&since=1d&completed=true", ``},
		{"GET", "/v1/search?words=%00%ff", ``},
		{"GET", "/v1/checkpoints/%2e%2e/state", ``},
		{"GET", "/v1/runs/x/logs?step=..%2f", ``},
		{"POST", "/v1/runs/x/continue", `{"max_tokens":-1,"from":["a"]}`},
		{"GET", "/v1/export?all=true", ``},
	} {
		f.Add(x.method, x.path, []byte(x.body))
	}
	s := New(Options{App: caller.Options{Home: f.TempDir(), Getenv: func(string) string { return "" }, Environ: []string{}}})
	for path, item := range s.api.OpenAPI().Paths {
		path = strings.NewReplacer("{id}", "chk_0", "{workflow}", "w").Replace(path)
		if item.Get != nil && !strings.HasSuffix(path, "/events") {
			f.Add("GET", path+"?project=/tmp&limit=3&workflow=w&session=s", []byte(nil))
		}
		if item.Post != nil {
			f.Add("POST", path, []byte(`{"project":"/tmp","workflow":"w","session":"s","ids":["ltr_0"],"from":["a"],"parallel":-1}`))
		}
		if item.Delete != nil {
			f.Add("DELETE", path, []byte(nil))
		}
	}
	f.Fuzz(func(t *testing.T, method, path string, body []byte) {
		r, err := http.NewRequestWithContext(t.Context(), method, "http://localhost"+path, bytes.NewReader(body))
		if err != nil || r.URL.Path == "/v1/events" || method == http.MethodConnect {
			return
		}
		w := httptest.NewRecorder()
		documented(t, s, s.Handler(Socket)).ServeHTTP(w, r)
		kind := w.Header().Get("Content-Type")
		if w.Code >= 500 && w.Code != http.StatusServiceUnavailable {
			t.Errorf("%s %q %q: got %d, %s", method, path, body, w.Code, w.Body)
		}
		var p Problem
		if w.Code >= 400 && r.URL.Path != "/mcp" && (kind != problemType || json.Unmarshal(w.Body.Bytes(), &p) != nil || p.Status != w.Code || statuses[p.Code] == 0) {
			t.Errorf("%s %q %q: got %d, %s %s, want a problem", method, path, body, w.Code, kind, w.Body)
		}
		if (kind == "application/json" || kind == problemType) && !json.Valid(w.Body.Bytes()) {
			t.Errorf("%s %q %q: got no JSON: %s", method, path, body, w.Body)
		}
	})
}
