package api

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil"
)

// TestTransfer: what one server exports another imports, once.
func TestTransfer(t *testing.T) {
	from, s := serve(t, Socket)
	dir := t.TempDir()
	first, second := save(t, s, dir, "w"), save(t, s, dir, "w")
	res, err := http.Get(from + "/v1/export?lines=true&project=" + dir)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	export, err := io.ReadAll(res.Body)
	if err != nil || !strings.Contains(string(export), first) || !strings.Contains(string(export), second) {
		t.Fatalf("the export: got %v, %s", err, export)
	}
	if got := res.Trailer.Get(trailerCount) + "/" + res.Trailer.Get(trailerLeftOut); got != "2/0" {
		t.Errorf("the trailers: got %s, want 2/0", got)
	}
	to, _ := serve(t, Socket)
	here := t.TempDir()
	for _, want := range []string{`"added":2,"known":0`, `"added":0,"known":2`} {
		if status, text := call(t, "POST", to+"/v1/import?project="+here, string(export)); status != 200 || !strings.Contains(text, want) {
			t.Errorf("the import: got %d, %s, want %s", status, text, want)
		}
	}
	if status, text := call(t, "GET", to+"/v1/checkpoints/"+second, ""); status != 200 {
		t.Errorf("what was imported: got %d, %s", status, text)
	}
	if status, text := call(t, "POST", to+"/v1/import?project="+here, "no checkpoint"); status != 422 {
		t.Errorf("what is not an export: got %d, %s, want 422", status, text)
	}
	if status, text := call(t, "GET", to+"/v1/export?workflow=nix&project="+here, ""); status != 404 || !strings.Contains(text, `"code":"not_found"`) {
		t.Errorf("an unknown workflow: got %d, %s, want 404", status, text)
	}
}

// TestMetrics: what the store has counted, by the names of the specification.
func TestMetrics(t *testing.T) {
	url, s := serve(t, Socket)
	save(t, s, t.TempDir(), "w")
	status, text := call(t, "GET", url+"/metrics", "")
	if status != 200 {
		t.Fatalf("got %d, %s", status, text)
	}
	for _, want := range []string{
		"checkpoint_save_count 1", "checkpoint_resume_count 0", "steps_recovered 0", `checkpoint_save_size_bytes_bucket{le="1024"} 1`, "checkpoint_save_size_bytes_sum 2",
		"checkpoint_save_latency_ms_count 1", "outbox_depth 0", "outbox_oldest_age_ms 0", "process_resident_memory_bytes", "go_goroutines",
	} {
		if !strings.Contains(text, "\n"+want) {
			t.Errorf("%s is missing", want)
		}
	}
	if t.Failed() {
		t.Log(text)
	}
	problems, err := testutil.GatherAndLint(registered(s))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		if !strings.HasPrefix(p.Text, "counter metrics should have") && !strings.Contains(p.Text, "base unit") && !strings.Contains(p.Text, "abbreviated") && !strings.Contains(p.Text, "non-histogram and non-summary") {
			t.Errorf("%s: %s", p.Metric, p.Text)
		}
	}
}
