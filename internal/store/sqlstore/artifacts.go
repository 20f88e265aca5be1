package sqlstore

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/pack"
)

// PutArtifact keeps the content of a file that a step of a run has left.
func (t runWriter) PutArtifact(ctx context.Context, run string, content redact.Clean[[]byte]) error {
	op := "keep an artifact of " + run
	sum := sha256.Sum256(content.Get())
	data, err := pack.Packer{Plain: t.d.Plain}.Blob(content.Get())
	if err != nil {
		return internal(op, err)
	}
	return t.exec(ctx, op, `INSERT INTO run_artifacts (run_id, sum, data) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`, run, hex.EncodeToString(sum[:]), data)
}

// TakeArtifacts gives a run what another one has kept.
func (t runWriter) TakeArtifacts(ctx context.Context, run, from string) error {
	return t.exec(ctx, "take over the artifacts of "+from, `INSERT INTO run_artifacts (run_id, sum, data) SELECT $1, sum, data FROM run_artifacts WHERE run_id = $2 ON CONFLICT DO NOTHING`, run, from)
}

// Artifact is the content of a file that a step of a run has left, checked against its sum.
func (r runs) Artifact(ctx context.Context, run, sum string) ([]byte, error) {
	op := "read an artifact of " + run
	var data []byte
	found, err := r.get(ctx, op, `SELECT data FROM run_artifacts WHERE run_id = $1 AND sum = $2`, params{run, sum}, &data)
	switch {
	case err != nil:
		return nil, err
	case !found:
		return nil, piton.Errorf(piton.NotFound, op, "'from STEP' has the step make it again", "its content is not in this store")
	}
	key, _ := hex.DecodeString(sum) // it is one, because it was found
	content, err := pack.Content(key, data)
	if errors.Is(err, pack.ErrDamaged) {
		err = &piton.Error{Code: piton.Corrupt, Op: op, Hint: r.d.Damaged, Err: err}
	}
	return content, err
}

// dropArtifacts deletes the artifacts of the run whose last checkpoint is deleted.
func (t *tx) dropArtifacts(ctx context.Context, op, checkpoint string) error {
	return t.exec(ctx, op, `DELETE FROM run_artifacts WHERE run_id IN (SELECT run_id FROM run_checkpoints WHERE checkpoint_id = $1)
		AND NOT EXISTS (SELECT 1 FROM run_checkpoints o WHERE o.run_id = run_artifacts.run_id AND o.checkpoint_id <> $1)`, checkpoint)
}

// artifactIDs are all of them, as ids of one word.
const artifactIDs = `SELECT run_id || ' ' || sum FROM run_artifacts ORDER BY run_id, sum`

// cleanArtifact is what becomes of an artifact with secrets, of a text: it is gone.
func cleanArtifact(c store.Cleaner, content []byte) ([]byte, int, error) {
	if !utf8.Valid(content) {
		return content, 0, nil
	}
	_, n := c.Text(string(content))
	return nil, n, nil
}

func dropArtifact(ctx context.Context, t *tx, op, id string, _ []byte) error {
	run, sum, _ := strings.Cut(id, " ")
	return t.exec(ctx, op, `DELETE FROM run_artifacts WHERE run_id = $1 AND sum = $2`, run, sum)
}
