package api

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/piton-project/piton/internal/app/planruns"
)

// exampled are the requests whose answers are the examples, in their order. A name in braces
// is a member of an answer before: {save-checkpoint.id}.
var exampled = []struct{ id, method, path, body string }{
	{"healthz", "GET", "/healthz", ""},
	{"readyz", "GET", "/readyz", ""},
	{"save-checkpoint", "POST", "/v1/checkpoints", `{"project":"{dir}","workflow":"import","name":"first","step_name":"Parse","progress":30,"state":{"step":"parse","rows":120,"next":["check"]}}`},
	{"load-checkpoint", "GET", "/v1/checkpoints/{save-checkpoint.id}/state", ""},
	{"fork-checkpoint", "POST", "/v1/checkpoints/{save-checkpoint.id}/fork", `{"branch":"faster"}`},
	{"save-checkpoint-2", "POST", "/v1/checkpoints", `{"project":"{dir}","workflow":"import","step_name":"Check","progress":60,"state":{"step":"check","rows":120}}`},
	{"load-newest", "GET", "/v1/state?workflow=import&project={dir}", ""},
	{"list-checkpoints", "GET", "/v1/checkpoints?project={dir}&limit=2", ""},
	{"search-checkpoints", "GET", "/v1/search?words=check", ""},
	{"list-workflows", "GET", "/v1/workflows?project={dir}", ""},
	{"list-branches", "GET", "/v1/workflows/import/branches?project={dir}", ""},
	{"inspect-checkpoint", "GET", "/v1/checkpoints/{save-checkpoint-2.id}?state=true", ""},
	{"raw-checkpoint", "GET", "/v1/checkpoints/{save-checkpoint.id}/raw", ""},
	{"diff-checkpoints", "GET", "/v1/checkpoints/{save-checkpoint.id}/diff?to={save-checkpoint-2.id}", ""},
	{"resume-checkpoint", "POST", "/v1/checkpoints/{save-checkpoint-2.id}/resume", `{"project":"{dir}"}`},
	{"resume-newest", "POST", "/v1/resume", `{"project":"{dir}"}`},
	{"NotFound", "GET", "/v1/checkpoints/chk_0000000000000000", ""},
	{"Conflict", "POST", "/v1/checkpoints", `{"project":"{dir}","workflow":"import","parent":"{save-checkpoint.id}","state":{}}`},
	{"UnprocessableEntity", "GET", "/v1/checkpoints?limit=many", ""},
	{"Forbidden", "POST", "/v1/runs/x/approve", ""},
	{"UnsupportedMediaType", "POST", "/v1/prune", "-"},
	{"ServiceUnavailable", "POST", "/v1/page", ""},
	{"complete-checkpoint", "POST", "/v1/checkpoints/{save-checkpoint-2.id}/complete", ""},
	{"complete-newest", "POST", "/v1/complete", `{"project":"{dir}","workflow":"import"}`},
	{"preview-run", "POST", "/v1/plan", `{"project":"{dir}","plan":{"name":"release","steps":[{"id":"build","run":"echo built | tee report.txt","artifacts":{"report":"report.txt"}},{"id":"agree","needs":"build","approval":"Ship it?"}]}}`},
	{"start-run", "POST", "/v1/runs", `{"project":"{dir}","plan":{"name":"release","steps":[{"id":"build","run":"echo built | tee report.txt","artifacts":{"report":"report.txt"}},{"id":"agree","needs":"build","approval":"Ship it?"}]}}`},
	{"list-runs", "GET", "/v1/runs?project={dir}", ""},
	{"show-run", "GET", "/v1/runs/{start-run.run.id}", ""},
	{"run-logs", "GET", "/v1/runs/{start-run.run.id}/logs", ""},
	{"list-artifacts", "GET", "/v1/runs/{start-run.run.id}/artifacts", ""},
	{"list-waiting", "GET", "/v1/waiting?project={dir}", ""},
	{"continue-run", "POST", "/v1/runs/{start-run.run.id}/continue", `{"max_time":"2h"}`},
	{"cancel-run", "POST", "/v1/runs/{start-run.run.id}/cancel", ""},
	{"prune", "POST", "/v1/prune", `{"dry_run":true}`},
	{"verify", "POST", "/v1/verify", ""},
	{"purge", "POST", "/v1/purge", `{"secrets":true,"dry_run":true}`},
	{"delete-checkpoint", "DELETE", "/v1/checkpoints/{save-checkpoint-2.id}?dry_run=true", ""},
	{"delete-checkpoints", "DELETE", "/v1/checkpoints?workflow=import&project={dir}&dry_run=true", ""},
	{"list-undos", "GET", "/v1/undos?project={dir}", ""},
	{"list-sessions", "GET", "/v1/sessions", ""},
	{"explain", "GET", "/v1/decisions", ""},
	{"list-rules", "GET", "/v1/rules?project={dir}", ""},
	{"stats", "GET", "/v1/stats?since=1d", ""},
	{"list-letters", "GET", "/v1/letters", ""},
	{"retry-letters", "POST", "/v1/letters/retry", ""},
	{"drop-letters", "POST", "/v1/letters/drop", ""},
}

// unexampled are the operations with JSON answers of which there is no example, and why.
var unexampled = map[string]string{
	"approve-run": "it is always refused", "open-page": "the address lets in who opens it first", "import": "its answer is that of an import of real files",
	"list-schedules": "a schedule is made on a terminal", "show-schedule": "likewise", "pause-schedule": "likewise", "trigger-schedule": "likewise",
	"preview-undo": "an agent must have taken something away", "mark-files": "a mark needs a repository", "preview-restore": "likewise", "compare-files": "likewise",
	"pause-run": "it answers as a cancel does", "signal-run": "a step of the run must wait for it", "show-session": "it is one of list-sessions", "session-timeline": "it needs an agent's log", "stats-cost": "likewise", "restart-agent": "it needs a pane",
}

// here works on a run until nothing more can be done.
type here struct{ s *Server }

func (r here) Start(ctx context.Context, dir string, q planruns.RunRequest) (string, error) {
	a := r.s.app(dir, false)
	defer a.Close()
	x, err := a.Run(ctx, q)
	return x.RunID, err
}

// TestExamples: the examples of the document are answers of this server, of all operations
// with JSON answers that can be had here. With -update they are made again.
func TestExamples(t *testing.T) {
	address, s := serve(t, Socket)
	s.o.Runs = here{s}
	s.o.App.Getenv = func(name string) string { return map[string]string{"PATH": os.Getenv("PATH")}[name] }
	host, _ := os.Hostname()
	mask := masked{host: host, dir: t.TempDir(), home: s.o.App.Home, ids: map[string]string{}}
	got, raw := map[string]any{}, map[string]any{}
	for _, x := range exampled {
		fill := func(text, dir string) string {
			text = strings.ReplaceAll(text, "{dir}", dir)
			return regexp.MustCompile(`\{[a-z0-9.-]+\}`).ReplaceAllStringFunc(text, func(name string) string {
				path := strings.Split(strings.Trim(name, "{}"), ".")
				v := raw[path[0]]
				for _, m := range path[1:] {
					v = v.(map[string]any)[m]
				}
				return v.(string)
			})
		}
		var headers []string
		body := fill(x.body, mask.dir)
		if body == "-" {
			headers = []string{"Content-Type", "text/plain"}
		}
		status, text := call(t, x.method, address+fill(x.path, url.QueryEscape(mask.dir)), body, headers...)
		var v, again any
		_ = json.Unmarshal([]byte(text), &again)
		if err := json.Unmarshal([]byte(text), &v); err != nil || (status >= 400) != (strings.ToUpper(x.id[:1]) == x.id[:1]) {
			t.Fatalf("%s: got %d, %s", x.id, status, text)
		}
		raw[x.id], got[x.id] = v, mask.value("", again)
	}
	delete(got, "save-checkpoint-2")
	if *update {
		var out bytes.Buffer
		enc := json.NewEncoder(&out)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", " ")
		if err := enc.Encode(got); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile("examples.json", out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	var kept map[string]any
	if err := json.Unmarshal(examplesText, &kept); err != nil {
		t.Fatal(err)
	}
	for _, id := range slices.Sorted(maps.Keys(got)) {
		if a, b := fmt.Sprint(form("", kept[id])), fmt.Sprint(form("", got[id])); a != b {
			t.Errorf("%s: the example is not what is answered: go test ./internal/api -run TestExamples -update makes it again\nkept %s\nnow  %s", id, a, b)
		}
	}
	for op := range operations(s.api.OpenAPI()) {
		for status, r := range op.Responses {
			if body := r.Content[jsonType]; body != nil && status < "3" && (body.Example == nil) != (unexampled[op.OperationID] != "") {
				t.Errorf("%s: has no example and no reason, or both", op.OperationID)
			}
		}
	}
}

// form are the places of an answer that have a value, of lists that of the first item.
func form(at string, v any) (list []string) {
	switch x := v.(type) {
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(x)) {
			list = append(list, form(at+"/"+anID.ReplaceAllString(k, "ID"), x[k])...)
		}
	case []any:
		if len(x) > 0 {
			return form(at+"/0", x[0])
		}
		return []string{at + "/-"}
	default:
		return []string{at}
	}
	return list
}

// masked are answers without what is of this machine and this moment.
type masked struct {
	dir, home, host string
	ids             map[string]string
}

var (
	anID   = regexp.MustCompile(`\b(chk|wf|run|prj|ses|ltr|mrk)_[0-9a-hjkmnp-tv-z]{16}\b`)
	aTime  = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`)
	aDay   = regexp.MustCompile(`^\d{4}-\d\d-\d\d$`)
	aSum   = regexp.MustCompile(`^[0-9a-f]{64}$`)
	ofHere = map[string]any{"pid": 4711, "start": "8132", "boot": "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0", "space": "4026531836", "host": "desk", "namespace": "path:/home/me/work", "version": "1.4.0", "machine": "mch_2f6h8k1m3p5r7t9w"}
)

func (m masked) value(name string, v any) any {
	switch x := v.(type) {
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(x)) {
			x[k] = m.value(k, x[k])
		}
	case []any:
		x = slices.Clone(x[:min(len(x), 2)]) // two show what a list is
		for i := range x {
			x[i] = m.value(name, x[i])
		}
		return x
	case float64:
		switch {
		case ofHere[name] != nil:
			return ofHere[name]
		case strings.HasSuffix(name, "_ms"):
			return 12
		}
	case string:
		if fixed, ok := ofHere[name].(string); ok {
			return fixed
		}
		if aSum.MatchString(x) {
			return strings.Repeat("3f6c0a9d", 8)
		}
		if aDay.MatchString(x) {
			return "2026-05-04"
		}
		x = strings.NewReplacer(m.dir, "/home/me/work", m.home, "/home/me/.local/state/piton", "on "+m.host, "on desk").Replace(aTime.ReplaceAllString(x, "2026-05-04T09:43:40.112Z"))
		return anID.ReplaceAllStringFunc(x, func(id string) string {
			kind, _, _ := strings.Cut(id, "_")
			if m.ids[id] == "" {
				m.ids[id] = fmt.Sprintf("%s_7m2k9x4q0v8r%04d", kind, len(m.ids)+1)
			}
			return m.ids[id]
		})
	}
	return v
}
