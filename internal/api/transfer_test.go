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

// TestMetrics: what the store has counted, by names that the linter of Prometheus takes.
func TestMetrics(t *testing.T) {
	url, s := serve(t, Socket)
	save(t, s, t.TempDir(), "w")
	status, text := call(t, "GET", url+"/metrics", "")
	if status != 200 {
		t.Fatalf("got %d, %s", status, text)
	}
	for _, want := range []string{
		"piton_checkpoint_saves_total 1", "piton_checkpoint_resumes_total 0", "piton_run_steps_recovered_total 0", `piton_checkpoint_save_size_bytes_bucket{le="1024"} 1`, "piton_checkpoint_save_size_bytes_sum 2",
		"piton_checkpoint_save_duration_seconds_count 1", `piton_checkpoint_save_duration_seconds_bucket{le="0.001"} `, "piton_outbox_letters 0", "piton_outbox_oldest_age_seconds 0",
		`piton_runs{status="queued"} 0`, `piton_runs{status="waiting"} 0`, "piton_runs_waiting_oldest_age_seconds 0", `piton_run_steps_total{outcome="failed"} 0`, "piton_run_duration_seconds_count 0", "process_resident_memory_bytes", "go_goroutines",
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
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
}
