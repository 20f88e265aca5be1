package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/piton-project/piton/internal/api"
	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/app/planruns"
	"github.com/piton-project/piton/internal/verbs"
)

// doors are the command line and the API over one store.
type doors struct {
	t         *testing.T
	home, dir string
	url       string
	ids       map[string]map[string]string // of each door: what a name in braces stands for
}

// worker works on runs that requests begin, in this process.
type worker struct {
	o    caller.Options
	done chan struct{} // closed when the first has ended
	once sync.Once
}

// Start implements api.Runs.
func (r *worker) Start(_ context.Context, dir string, q planruns.RunRequest) (string, error) {
	o := r.o
	o.Dir, o.Remote = dir, true
	ids, errs := make(chan string, 1), make(chan error, 1)
	tell := q.Events
	q.Events = func(e planruns.RunEvent) {
		tell(e)
		select {
		case ids <- e.Run:
		default:
		}
	}
	go func() {
		a := app.New(o)
		defer a.Close()
		_, err := a.Run(context.Background(), q)
		errs <- err
		r.once.Do(func() { close(r.done) })
	}()
	select {
	case id := <-ids:
		return id, nil
	case err := <-errs:
		return "", err
	}
}

func openDoors(t *testing.T) (*doors, *worker) {
	d := &doors{t: t, home: t.TempDir(), dir: t.TempDir(), ids: map[string]map[string]string{"cli": {"w": "aaaa"}, "api": {"w": "bbbb"}}}
	t.Chdir(d.dir)
	o := caller.Options{Home: d.home, Getenv: d.env, Environ: []string{}}
	r := &worker{o: o, done: make(chan struct{})}
	server := api.New(api.Options{App: o, Runs: r})
	h := httptest.NewServer(server.Handler(api.Socket))
	t.Cleanup(h.Close)
	d.url = h.URL
	return d, r
}

func (d *doors) env(name string) string {
	return map[string]string{"PITON_HOME": d.home, "HOME": d.home, "PATH": os.Getenv("PATH")}[name]
}

// fill puts in what a door's names stand for.
func (d *doors) fill(door, text string) string {
	text = strings.ReplaceAll(text, "{dir}", d.dir)
	for name, value := range d.ids[door] {
		text = strings.ReplaceAll(text, "{"+name+"}", value)
	}
	return text
}

// cli runs a command with --json and returns its answer, or its error.
func (d *doors) cli(stdin string, args ...string) (answer any, failed map[string]any) {
	d.t.Helper()
	for i := range args {
		args[i] = d.fill("cli", args[i])
	}
	var out, errOut bytes.Buffer
	status := run(d.t.Context(), append(args, "--json"), strings.NewReader(d.fill("cli", stdin)), &out, &errOut, d.env)
	if out.Len() > 0 {
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		d.read(lines[len(lines)-1], &answer)
		return answer, nil
	}
	var e struct{ Error map[string]any }
	d.read(errOut.String(), &e)
	if status == 0 || e.Error == nil {
		d.t.Fatalf("piton %q: got %d, %s", args, status, &errOut)
	}
	return nil, e.Error
}

// api sends a request and returns its answer, or its problem.
func (d *doors) api(method, path, body string) (answer any, failed map[string]any) {
	d.t.Helper()
	req, err := http.NewRequestWithContext(d.t.Context(), method, d.url+d.fill("api", path), strings.NewReader(d.fill("api", body)))
	if err != nil {
		d.t.Fatal(err)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		d.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		d.t.Fatal(err)
	}
	d.read(string(text), &answer)
	if res.StatusCode < 400 {
		return answer, nil
	}
	if got := res.Header.Get("Content-Type"); got != "application/problem+json" {
		d.t.Errorf("%s %s: got a failure of type %q", method, path, got)
	}
	return nil, answer.(map[string]any)
}

func (d *doors) read(text string, into any) {
	d.t.Helper()
	if err := json.Unmarshal([]byte(text), into); err != nil {
		d.t.Fatalf("%v in %q", err, text)
	}
}

var (
	anyID   = regexp.MustCompile(`\b(chk|wf|ses|prj|run)_[0-9a-z]{16}\b`)
	anyTime = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`)
	anyAge  = regexp.MustCompile(`\b\d+[smh] ago\b`)
)

// alike makes the answers of the two doors comparable. What each has done for itself
// has ids of its own, which are counted, and times and sizes, which are left out; of
// what both have read of the same only the span's ends are.
func (d *doors) alike(door string, same bool, v any) any {
	count := map[string]string{}
	var walk func(key string, v any) any
	walk = func(key string, v any) any {
		switch x := v.(type) {
		case map[string]any:
			for _, k := range slices.Sorted(maps.Keys(x)) {
				x[k] = walk(k, x[k])
			}
		case []any:
			for i := range x {
				x[i] = walk(key, x[i])
			}
		case string:
			if key == "hint" {
				x = verbs.CommandLine(x)
			}
			if key == "message" { // each door names a field in its own spelling
				x = anyFlag.ReplaceAllStringFunc(x, func(flag string) string { return strings.ReplaceAll(flag[2:], "-", "_") })
			}
			if same && (key == "from" || key == "to") {
				return anyTime.ReplaceAllString(x, "T")
			}
			if same {
				return x
			}
			x = strings.ReplaceAll(x, d.ids[door]["w"], "W")
			x = anyAge.ReplaceAllString(anyTime.ReplaceAllString(x, "T"), "AGE")
			return anyID.ReplaceAllStringFunc(x, func(id string) string {
				if count[id] == "" {
					count[id] = fmt.Sprintf("%s%d", id[:strings.Index(id, "_")], len(count))
				}
				return count[id]
			})
		case float64:
			if same {
				return x
			}
			if strings.HasSuffix(key, "_ms") || strings.HasSuffix(key, "stored_bytes") || strings.HasSuffix(key, "freed_bytes") {
				return "N"
			}
		}
		return v
	}
	return walk("", v)
}

// anyFlag is a flag as the command line spells it.
var anyFlag = regexp.MustCompile(`--[a-z][a-z-]*`)

// compare fails where the doors do not answer alike.
func (d *doors) compare(same bool, answer any, failed map[string]any, got any, problem map[string]any) {
	d.t.Helper()
	if diff := cmp.Diff(d.alike("cli", same, answer), d.alike("api", same, got)); diff != "" {
		d.t.Errorf("the API (+) does not answer what the command line (-) prints:\n%s", diff)
	}
	if op, _ := failed["op"].(string); strings.HasPrefix(op, "piton ") {
		failed["op"], problem["op"] = "", "" // each door names the request by its own name
	}
	for _, member := range []string{"code", "op", "message", "hint"} {
		want, is := d.alike("cli", same, map[string]any{member: failed[member]}), d.alike("api", same, map[string]any{member: problem[member]})
		if diff := cmp.Diff(want, is); diff != "" {
			d.t.Errorf("the problem of the API (+) is not the error of the command line (-):\n%s", diff)
		}
	}
}
