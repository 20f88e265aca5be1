package api

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/piton-project/piton/internal/app/caller"
)

// serve serves a home of its own and returns its address and its server.
func serve(t *testing.T, via Via) (string, *Server) {
	t.Helper()
	s := New(Options{App: caller.Options{Home: t.TempDir(), Getenv: func(string) string { return "" }, Environ: []string{}}, Token: "secret"})
	h := httptest.NewServer(documented(t, s, s.Handler(via)))
	t.Cleanup(h.Close)
	return h.URL, s
}

// call sends a request and returns the status and the body of its answer.
func call(t *testing.T, method, url, body string, headers ...string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if body != "" {
		req.Header.Set("Content-Type", typeFor(req.URL.Path))
	}
	for i := 0; i+1 < len(headers); i += 2 {
		if req.Header.Set(headers[i], headers[i+1]); headers[i] == "Host" {
			req.Host = headers[i+1]
		}
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(text)
}

// TestRefused: what is wrong with a request, and how the answer says so.
func TestRefused(t *testing.T) {
	url, _ := serve(t, Socket)
	for _, c := range []struct {
		name, method, path, body string
		status                   int
		want                     string
	}{
		{"no folder to save in", "POST", "/v1/checkpoints", `{"state":{}}`, 422, "the folder that you work in is not known here"},
		{"a part of a path", "POST", "/v1/checkpoints", `{"project":".","state":{}}`, 422, "not a whole path"},
		{"an empty choice", "POST", "/v1/checkpoints", `{"workflow":"","state":{}}`, 422, "workflow is empty"},
		{"an empty parent", "POST", "/v1/checkpoints", `{"parent":"","state":{}}`, 422, "parent is empty"},
		{"a member of another kind", "POST", "/v1/checkpoints", `{"step":"3","state":{}}`, 422, "step is a JSON string"},
		{"a number for a name", "POST", "/v1/checkpoints", `{"workflow":3,"state":{}}`, 422, "workflow is a JSON number"},
		{"an unknown member", "POST", "/v1/checkpoints", `{"flow":"x","state":{}}`, 422, "there is no member"},
		{"a member given twice", "POST", "/v1/checkpoints", `{"name":"x","name":"y"}`, 422, "duplicate"},
		{"no JSON", "POST", "/v1/checkpoints", `{"state":{`, 422, "not acceptable JSON"},
		{"a limit that is not a number", "GET", "/v1/checkpoints?limit=x", "", 422, "limit"},
		{"a negative limit", "GET", "/v1/checkpoints?limit=-1", "", 422, "limit"},
		{"an unknown parameter", "GET", "/v1/checkpoints?lim=1", "", 422, "there is no parameter"},
		{"an empty parameter", "DELETE", "/v1/checkpoints?workflow=w&older_than=", "", 422, "older_than is empty"},
		{"a parameter given twice", "GET", "/v1/checkpoints?workflow=a&workflow=b", "", 422, "workflow is given twice"},
		{"a parameter that cannot be read", "DELETE", "/v1/checkpoints?workflow=wf_1&dry_run=true%zz", "", 422, "cannot be read"},
		{"parameters with another separator", "DELETE", "/v1/checkpoints?workflow=wf_1;dry_run=true", "", 422, "cannot be read"},
		{"a body where none is read", "DELETE", "/v1/checkpoints?workflow=wf_1", `{"dry_run":true}`, 422, "takes no body"},
		{"a body with a GET", "GET", "/v1/checkpoints", `{"limit":1}`, 422, "takes no body"},
		{"nothing to complete", "POST", "/v1/complete", "", 422, "no checkpoint is named"},
		{"nothing to delete", "DELETE", "/v1/checkpoints", "", 422, "no checkpoint is named"},
		{"a name to delete", "DELETE", "/v1/checkpoints/before", "", 422, "is not an id"},
		{"two choices", "GET", "/v1/state?workflow=w&session=s", "", 422, "exclude each other"},
		{"another method", "PUT", "/v1/verify", "", 405, "does not take PUT"},
		{"an unknown path", "GET", "/v1/nothing", "", 404, "there is no path"},
		{"an unknown id", "GET", "/v1/checkpoints/chk_0", "", 404, "nothing has this id"},
		{"a body that is too long", "POST", "/v1/prune", strings.Repeat(" ", maxBody+1), 413, "at most"},
	} {
		t.Run(c.name, func(t *testing.T) {
			status, text := call(t, c.method, url+c.path, c.body)
			if status != c.status || !strings.Contains(text, c.want) || !strings.Contains(text, `"code":"`) {
				t.Errorf("got %d, %s\nwant %d, %s", status, text, c.status, c.want)
			}
		})
	}
}

// TestKeyGiven: an empty key is none, and of two nobody knows which counts: neither is
// taken for another request.
func TestKeyGiven(t *testing.T) {
	url, _ := serve(t, Socket)
	for _, path := range []string{"/v1/checkpoints", "/v1/runs"} {
		for head, want := range map[string]string{
			"Idempotency-Key:\r\n":                         "the parameter Idempotency-Key is empty",
			"Idempotency-Key: \t\r\n":                      "the parameter Idempotency-Key is empty",
			"Idempotency-Key: a\r\nidempotency-key: a\r\n": "key is given twice",
		} {
			status, kind, text := raw(t, url, "POST "+path+" HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"+head+"Content-Length: 2\r\n\r\n{}")
			if status != 422 || kind != problemType || !strings.Contains(text, want) {
				t.Errorf("%s, %q: got %d, %s %.200s, want 422 and %q", path, head, status, kind, text, want)
			}
		}
	}
}
