package runner

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/run/action"
	"github.com/piton-project/piton/internal/run/plan"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/localfs"
)

// given are the artifacts that a step names.
func (e *engine) given(i int) (list []piton.Artifact) {
	for _, r := range e.state.Results {
		if len(r.Artifacts) > 0 && plan.NeedsArtifacts(e.own, e.plan.Steps[i], undone(r.StepID)) {
			list = append(list, r.Artifacts...)
		}
	}
	return list
}

// hand writes artifacts where the steps that are given them look for them.
func (e *engine) hand(ctx context.Context, list []piton.Artifact) error {
	for _, a := range list {
		if err := e.place(ctx, a, placeIn(e.artifactsDir(e.id), a)); err != nil {
			return &action.Failed{Err: fmt.Errorf("the artifact %s: %w", a.Name, err), Final: piton.CodeOf(err) == piton.NotFound, Known: action.Before}
		}
	}
	return nil
}

// place writes an artifact. What lies there already, and is whole, stays: another step may
// read it.
func (e *engine) place(ctx context.Context, a piton.Artifact, to string) error {
	if there, err := os.ReadFile(to); err == nil && fmt.Sprintf("%x", sha256.Sum256(there)) == a.Sum {
		return nil
	}
	content, err := e.Keeper.Store.Runs().Artifact(ctx, e.id, a.Sum)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(to), 0o700)
	}
	if err != nil {
		return err
	}
	mode, _ := strconv.ParseUint(a.Mode, 8, 32)
	return localfs.Replace(to, content, os.FileMode(mode)&0o500|0o400, nil)
}

// keep has the next save write what a step has left. An error where those of the run would be
// too many bytes.
func (e *engine) keep(step string, left []action.Artifact) (list []piton.Artifact, err error) {
	var all int64
	for _, r := range e.state.Results {
		for _, a := range r.Artifacts {
			if r.StepID != step {
				all += a.Size
			}
		}
	}
	for _, a := range left {
		all += a.Size
		list = append(list, a.Artifact)
	}
	if all > action.MaxArtifacts {
		return nil, fmt.Errorf("with its artifacts those of the run's steps have %d bytes, more than %d", all, action.MaxArtifacts)
	}
	e.left = append(e.left, left...)
	return list, nil
}

// keepFiles keeps what steps have left, but for what was kept where the step ran.
func keepFiles(ctx context.Context, tx store.Tx, run string, left []action.Artifact) error {
	for _, a := range left {
		if a.Size > 0 && len(a.Content.Get()) == 0 {
			continue
		}
		if err := tx.Runs.PutArtifact(ctx, run, a.Content); err != nil {
			return err
		}
	}
	return nil
}

// takeBack removes what steps were given, of a run that has ended.
func (e *engine) takeBack() {
	if dir := e.artifactsDir(e.id); dir != "" && e.run.Status.Ended() {
		if err := os.RemoveAll(dir); err != nil {
			e.log().Warn("the artifacts that steps were given cannot be removed", "run", e.id, "err", err)
		}
	}
}
