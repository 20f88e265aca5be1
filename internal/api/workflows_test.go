package api

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/piton-project/piton/internal/app"
)

// TestWorkflows: each workflow once, with its head, page by page.
func TestWorkflows(t *testing.T) {
	url, s := serve(t, Socket)
	dir := t.TempDir()
	heads := map[string]string{}
	for _, w := range []string{"a", "b", "a", "c", "b", "b"} {
		heads[w] = save(t, s, dir, w)
	}
	if status, text := call(t, "POST", url+"/v1/complete", fmt.Sprintf(`{"workflow":"c","project":%q}`, dir)); status != 200 {
		t.Fatalf("complete: got %d, %s", status, text)
	}
	list := func(query string) (names []string, next string) {
		t.Helper()
		status, text := call(t, "GET", url+"/v1/workflows?"+query, "")
		var x app.WorkflowList
		if err := json.Unmarshal([]byte(text), &x); err != nil || status != 200 {
			t.Fatalf("%s: got %d, %s", query, status, text)
		}
		for _, w := range x.Workflows {
			if names = append(names, w.Name); w.Head.ID != heads[w.Name] {
				t.Errorf("%s: got the head %s, want %s", w.Name, w.Head.ID, heads[w.Name])
			}
		}
		return names, x.Next
	}
	for query, want := range map[string]string{"limit=0": "b c a", "open=true": "b a", "project=" + dir: "b c a", "project=" + t.TempDir(): ""} {
		if got, _ := list(query); strings.Join(got, " ") != want {
			t.Errorf("%s: got %q, want %q", query, got, want)
		}
	}
	var paged []string
	for query := "limit=1"; len(paged) < 9; {
		names, next := list(query)
		if paged = append(paged, names...); next == "" {
			break
		}
		query = "limit=1&cursor=" + next
	}
	if got := strings.Join(paged, " "); got != "b c a" {
		t.Errorf("page by page: got %q", got)
	}
}
