package runner

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/run/action"
	"github.com/piton-project/piton/internal/run/plan"
)

// leaving is a desk whose step a leaves the file app, which b is given.
func leaving(t *testing.T) (d *desk, dir string, p plan.Plan) {
	d, dir = newDesk(t), t.TempDir()
	logs := t.TempDir()
	d.Logs = func(run string) string { return filepath.Join(logs, run) }
	p = steps("a", "b <- a")
	p.Steps[0].Artifacts = map[string]string{"app": "dist/app"}
	p.Steps[1].Parameters = map[string]any{"file": "${{ steps.a.artifacts.app }}"}
	d.do["a"] = func(context.Context, action.Call) (action.Result, error) {
		return action.Result{}, errors.Join(os.MkdirAll(filepath.Join(dir, "dist"), 0o700), os.WriteFile(filepath.Join(dir, "dist", "app"), []byte("made"), 0o700))
	}
	d.do["b"] = reads
	return d, dir, p
}

// reads is a step that brings what is in the file that it is given, and tries to change it.
func reads(_ context.Context, c action.Call) (action.Result, error) {
	file, _ := c.Parameters["file"].(string)
	text, err := os.ReadFile(file)
	info, _ := os.Stat(file)
	if err == nil && info.Mode().Perm() != 0o500 {
		err = errors.New("got the mode " + info.Mode().String())
	}
	return action.Result{Output: string(text)}, errors.Join(err, os.Chmod(file, 0o700), os.WriteFile(file, []byte("other"), 0o700))
}

// TestArtifacts: a step is given what an earlier one has left, from the store, whatever has
// become of the work tree and of what other steps were given.
func TestArtifacts(t *testing.T) {
	d, dir, p := leaving(t)
	p.Steps = append(p.Steps, p.Steps[1])
	p.Steps[2].ID, p.Steps[2].Dependencies = "c", []string{"b"}
	d.do["c"] = func(ctx context.Context, c action.Call) (action.Result, error) {
		if err := os.RemoveAll(dir); err != nil {
			return action.Result{}, err
		}
		return reads(ctx, c)
	}
	o := d.start(Request{Plan: p, Dir: dir})
	a := o.State.result("a").Artifacts
	if !o.Success || len(a) != 1 || a[0].Name != "app" || a[0].Size != 4 || a[0].Mode != "0700" || o.State.result("b").Output != "made" || o.State.result("c").Output != "made" {
		t.Errorf("got %+v, %v", o.State.Results, o.Error)
	}
	if _, err := os.Stat(filepath.Join(d.Logs(o.RunID), "artifacts")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v, want what steps were given to be gone", err)
	}
	// A run that goes on from an older checkpoint has them as its own.
	page, err := d.Keeper.Store.List(t.Context(), piton.Query{Workflow: o.Run.WorkflowID})
	if err != nil {
		t.Fatal(err)
	}
	delete(d.do, "c")
	f := d.resume(Again{Checkpoint: page.Checkpoints[2].ID, Redo: []string{"b"}})
	if text, err := d.Keeper.Store.Runs().Artifact(t.Context(), f.RunID, a[0].Sum); !f.Success || f.State.result("b").Output != "made" || string(text) != "made" {
		t.Errorf("got %+v, %s, %v", f, text, err)
	}
}

// TestArtifactsAreThere: a step whose files are not there has failed, and one of which a
// person says that it took effect stays in doubt.
func TestArtifactsAreThere(t *testing.T) {
	d, dir, p := leaving(t)
	d.do["a"] = nil
	o := d.start(Request{Plan: p, Dir: dir})
	if x := o.State.Plan[0]; x.Status != Failed || !strings.Contains(x.Reason, "its artifact dist/app: there is no such file") || o.Run.Status != piton.RunFailed {
		t.Errorf("got %+v", x)
	}
	d, dir, p = leaving(t)
	leave := d.do["a"]
	d.do["a"] = func(context.Context, action.Call) (action.Result, error) { panic("no answer") }
	o = d.start(Request{Plan: p, Dir: dir})
	o = d.resume(Again{Run: o.RunID, Took: []string{"a"}})
	if x := o.State.Plan[0]; x.Status != InDoubt || !strings.Contains(x.Reason, "what it has left is not there") {
		t.Errorf("got %+v, want it in doubt", x)
	}
	if _, err := leave(t.Context(), action.Call{}); err != nil {
		t.Fatal(err)
	}
	if o = d.resume(Again{Run: o.RunID, Took: []string{"a"}}); !o.Success || o.State.result("b").Output != "made" {
		t.Errorf("got %+v", o)
	}
}

// TestArtifactsHaveABound of all steps together; what a step has left before does not count.
func TestArtifactsHaveABound(t *testing.T) {
	e := &engine{state: State{Results: []Result{{StepID: "a", Artifacts: []piton.Artifact{{Size: action.MaxArtifacts}}}}}}
	one := []action.Artifact{{Artifact: piton.Artifact{Size: 1}}}
	_, more := e.keep("b", one)
	_, again := e.keep("a", one)
	_, none := e.keep("b", nil)
	if more == nil || again != nil || none != nil || len(e.left) != 1 {
		t.Errorf("got %v, %v, %v, want a refusal of one byte more", more, again, none)
	}
}
