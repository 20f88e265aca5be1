package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"
)

// documented fails a test for an answer of an operation whose status the document does not
// have for it. The servers of all tests here, and the fuzzer's, are held to it.
func documented(t testing.TB, s *Server, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		x := &answered{ResponseWriter: w, status: http.StatusOK}
		h.ServeHTTP(x, r)
		_, pattern := s.mux.Handler(r)
		if op := operationAt(s, pattern); op != nil && op.Responses[strconv.Itoa(x.status)] == nil {
			t.Errorf("%s answers %d, and the document does not say so", pattern, x.status)
		}
	})
}

// answered is an answer whose status is kept.
type answered struct {
	http.ResponseWriter
	status int
}

func (a *answered) WriteHeader(status int) {
	a.status = status
	a.ResponseWriter.WriteHeader(status)
}

func (a *answered) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// operationAt is the operation of a pattern; nil where the document has none.
func operationAt(s *Server, pattern string) *huma.Operation {
	method, path, _ := strings.Cut(pattern, " ")
	for op := range operations(s.api.OpenAPI()) {
		if op.Method == method && op.Path == path {
			return op
		}
	}
	return nil
}

// TestStatuses: the document says of each operation what can come, and every failure has a
// text, a problem and an example.
func TestStatuses(t *testing.T) {
	_, s := serve(t, Socket)
	d := s.api.OpenAPI()
	for op := range operations(d) {
		for _, status := range []string{"403", "422", "500"} {
			if op.Responses[status] == nil && op.OperationID != "metrics" {
				t.Errorf("%s: has no %s", op.OperationID, status)
			}
		}
		if names := strings.Contains(op.Path, "{"); names && op.Responses["404"] == nil {
			t.Errorf("%s: has no 404", op.OperationID)
		}
		if writes := op.Method != "GET"; writes && op.Responses["409"] == nil {
			t.Errorf("%s: has no 409", op.OperationID)
		}
		for status, r := range op.Responses {
			if r.Ref != "" && d.Components.Responses[strings.TrimPrefix(r.Ref, "#/components/responses/")] == nil {
				t.Errorf("%s: %s is %s, which is not there", op.OperationID, status, r.Ref)
			}
		}
	}
	for _, status := range statuses {
		if failureTexts[status] == "" {
			t.Errorf("the status %d has no text", status)
		}
	}
}

// TestTags: who has an answer is told that it is right, as long as it is there and the same.
func TestTags(t *testing.T) {
	url, _ := serve(t, Socket)
	dir := t.TempDir()
	save := func(state string) string {
		_, text := call(t, "POST", url+"/v1/checkpoints", fmt.Sprintf(`{"project":%q,"workflow":"w","state":%s}`, dir, state))
		return member(t, text, "id")
	}
	tag := func(path string) string {
		res, err := http.Get(url + path)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		return res.Header.Get("ETag")
	}
	one := save(`{"n":1}`)
	state, record, part, newest := "/v1/checkpoints/"+one+"/state", "/v1/checkpoints/"+one, "/v1/checkpoints/"+one+"/state?path=/n", "/v1/state?workflow=w&project="+dir
	tags := map[string]string{}
	for _, path := range []string{state, record, part, newest} {
		tags[path] = tag(path)
	}
	if len(tags[state]) != 66 || tags[state] != tags[newest] || tags[part] == tags[state] {
		t.Errorf("got the tags %v", tags)
	}
	for _, c := range []struct {
		name, path, tag string
		want            int
		body            string
	}{
		{"the state", state, tags[state], 304, ""},
		{"among others, as a weak one", state, `"x", W/` + tags[state], 304, ""},
		{"any", state, "*", 304, ""},
		{"another", state, `"x"`, 200, `{"n":1}`},
		{"without quotation marks", state, strings.Trim(tags[state], `"`), 200, `{"n":1}`},
		{"a part", part, tags[part], 304, ""},
		{"a part, by the tag of all", part, tags[state], 200, `1`},
		{"the record", record, tags[record], 304, ""},
		{"the newest", newest, tags[newest], 304, ""},
		{"a workflow that is not there", "/v1/state?workflow=x&project=" + dir, tags[newest], 404, ""},
	} {
		if status, text := call(t, "GET", url+c.path, "", "If-None-Match", c.tag); status != c.want || status < 400 && text != c.body {
			t.Errorf("%s: got %d %s, want %d %s", c.name, status, text, c.want, c.body)
		}
	}
	two := save(`{"n":2}`)
	for path, want := range map[string]int{newest: 200, record: 200, state: 304} { // a child has come
		if status, text := call(t, "GET", url+path, "", "If-None-Match", tags[path]); status != want {
			t.Errorf("%s after another save: got %d %s, want %d", path, status, text, want)
		}
	}
	for _, id := range []string{two, one} {
		if status, text := call(t, "DELETE", url+"/v1/checkpoints/"+id, ""); status != 200 {
			t.Fatalf("delete: got %d %s", status, text)
		}
	}
	if status, text := call(t, "GET", url+state, "", "If-None-Match", tags[state]); status != 404 {
		t.Errorf("deleted: got %d %s, want 404", status, text)
	}
}

// member is a member of an answer that is a text.
func member(t *testing.T, text, name string) string {
	t.Helper()
	var x map[string]any
	if err := json.Unmarshal([]byte(text), &x); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	s, _ := x[name].(string)
	return s
}
