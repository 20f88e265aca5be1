package api

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/piton-project/piton/internal/app/planruns"
)

// TestSameRequestAgain: under a key a fork is made once and a run goes on once, however often
// it is asked for, also at the same time; another body under it is refused.
func TestSameRequestAgain(t *testing.T) {
	url, s := serve(t, Socket)
	s.o.Runs = here{s}
	s.o.App.Getenv = func(name string) string { return map[string]string{"PATH": os.Getenv("PATH")}[name] }
	dir := t.TempDir()
	from := save(t, s, dir, "w")
	fork := func(key, body string) (int, string) {
		return call(t, "POST", url+"/v1/checkpoints/"+from+"/fork", body, "Idempotency-Key", key)
	}
	made := make([]string, 4)
	var all sync.WaitGroup
	for i := range made {
		all.Go(func() {
			if status, text := fork("one", `{"name":"x"}`); status == 201 {
				made[i] = member(t, text, "id") + " " + member(t, text, "branch")
			} else {
				t.Errorf("fork: got %d %s", status, text)
			}
		})
	}
	all.Wait()
	for _, got := range made {
		if got != made[0] {
			t.Errorf("got %q, want one fork", made)
		}
	}
	if status, text := fork("one", `{"name":"y"}`); status != 409 || !strings.Contains(text, "with another body") {
		t.Errorf("another body: got %d %s", status, text)
	}
	if status, text := fork("two", `{"name":"x"}`); status != 201 || strings.HasPrefix(made[0], member(t, text, "id")) {
		t.Errorf("another key: got %d %s, want another fork", status, text)
	}
	if status, text := fork(" ", `{}`); status != 422 {
		t.Errorf("an empty key: got %d %s", status, text)
	}

	count := filepath.Join(dir, "count")
	plan := fmt.Sprintf(`{"name":"p","steps":[{"id":"a","run":"echo x >>%s; exit 3"}]}`, count)
	status, text := call(t, "POST", url+"/v1/runs", fmt.Sprintf(`{"project":%q,"plan":%s}`, dir, plan))
	var begun planruns.RunView
	if err := json.Unmarshal([]byte(text), &begun); err != nil || status != 202 {
		t.Fatalf("got %d, %s", status, text)
	}
	goOn := func(key, body string) (int, string) {
		return call(t, "POST", url+"/v1/runs/"+begun.Run.ID+"/continue", body, "Idempotency-Key", key)
	}
	tried := func() int {
		text, err := os.ReadFile(count)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Count(string(text), "x")
	}
	for _, c := range []struct {
		name, key, body string
		status, tried   int
	}{
		{"the first", "k1", `{"max_time":"2h"}`, 202, 2},
		{"again", "k1", `{"max_time":"2h"}`, 202, 2},
		{"with another body", "k1", `{"max_time":"3h"}`, 409, 2},
		{"another key", "k2", `{}`, 202, 3},
		{"the first key again", "k1", `{"max_time":"2h"}`, 202, 3},
		{"a key that is too long", strings.Repeat("k", 201), `{}`, 422, 3},
	} {
		status, text := goOn(c.key, c.body)
		if n := tried(); status != c.status || n != c.tried {
			t.Errorf("%s: got %d %s and %d tries, want %d and %d", c.name, status, text, n, c.status, c.tried)
		}
		if c.status == 202 && !strings.Contains(text, `"status":"failed"`) {
			t.Errorf("%s: got %s, want how the run stands", c.name, text)
		}
	}
	before := tried()
	for range 4 {
		all.Go(func() {
			if status, text := goOn("k3", `{}`); status != 202 {
				t.Errorf("at once: got %d %s", status, text)
			}
		})
	}
	all.Wait()
	if n := tried(); n != before+1 {
		t.Errorf("at once: got %d tries, want one more than %d", n, before)
	}
	if status, text := call(t, "POST", url+"/v1/runs/"+begun.Run.ID+"/cancel", ""); status != 200 {
		t.Fatalf("cancel: got %d %s", status, text)
	}
	if status, text := goOn("k3", `{}`); status != 202 || !strings.Contains(text, `"status":"cancelled"`) {
		t.Errorf("after the end: got %d %s, want how it stands", status, text)
	}
}
