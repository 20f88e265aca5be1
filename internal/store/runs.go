package store

import (
	"context"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
)

// RunReader reads runs. NotFound for what is not there.
type RunReader interface {
	// Run finds a run by id or an id's unambiguous beginning.
	Run(ctx context.Context, ref string) (piton.Run, error)
	// Runs lists what fits, newest first.
	Runs(ctx context.Context, q piton.RunQuery) ([]piton.Run, error)
	// RunPlan is the plan of a run, as it was checked: JSON.
	RunPlan(ctx context.Context, id string) ([]byte, error)
	// StartKey is what has begun under a key.
	StartKey(ctx context.Context, scope, key string) (piton.StartKey, error)
	// MadeBy is the run whose owner has written a checkpoint of this store, under its
	// fence; "" where it came here in another way.
	MadeBy(ctx context.Context, checkpoint string) (run string, err error)
	// Artifact is the content of a file that a step of a run has left, by its sha256 in
	// hex. Corrupt where it does not match.
	Artifact(ctx context.Context, run, sum string) ([]byte, error)
	// Answers are what people have said to a run's approvals, oldest first.
	Answers(ctx context.Context, run string) ([]piton.Answer, error)
}

// RunWriter changes runs. A write that names a fence which is no longer the
// row's is a Conflict, and its whole transaction writes nothing, whatever the
// caller makes of the error. The same holds for a write by an owner that has given
// the run back, until ClaimRun gives it a new fence. NotFound for a run that is not
// there.
type RunWriter interface {
	// PutStartKey notes what begins under a key. Conflict where something has already.
	PutStartKey(ctx context.Context, k redact.Clean[piton.StartKey]) error
	// AddRun adds a run with its plan, as it stands: with an owner, a lease and a
	// fence where the process that adds it goes on with it. Conflict where the
	// branch has a run that has not ended, or the namespace one of the same workflow's
	// name on a branch of this name; NotFound for an unknown workflow. The
	// branch need not be there.
	AddRun(ctx context.Context, r redact.Clean[piton.Run], plan redact.Document) error
	// PutPlan replaces the plan of a run under its fence.
	PutPlan(ctx context.Context, run string, fence int64, sum string, plan redact.Document) error
	// PutArtifact keeps the content of a file that a step of a run has left, by its sum, as
	// long as a checkpoint of the run is there. It is written with PutRun, which holds the fence.
	PutArtifact(ctx context.Context, run string, content redact.Clean[[]byte]) error
	// TakeArtifacts gives a run what another one, of which it goes on, has kept.
	TakeArtifacts(ctx context.Context, run, from string) error
	// ClaimRun makes owner the owner of a run whose fence is still this one, whoever
	// owns it, and returns it with the next fence, running. WishPause is taken back:
	// who asks for the run to continue comes after who asked for a pause. WishCancel
	// stays: it was promised, and the new owner carries it out. Conflict where the
	// fence is another or the run has ended.
	ClaimRun(ctx context.Context, id string, fence int64, owner redact.Clean[piton.Owner], at, until piton.Time) (piton.Run, error)
	// RenewRun renews the lease and returns what the row says now.
	RenewRun(ctx context.Context, id string, fence int64, until piton.Time) (piton.Run, error)
	// PutRun writes what changes of a run, under its fence: status, checkpoint,
	// UpdatedAt and EndedAt, progress, error, usage. Its wish is not written, so that none is lost. A
	// status other than running gives the run back: its owner and lease are emptied,
	// and so is the wish, which has been carried out; but WishCancel stays while the
	// run has not ended.
	PutRun(ctx context.Context, r redact.Clean[piton.Run]) error
	// WishRun asks something of the owner that a run has under this fence. Conflict
	// where the run has ended, or has another owner or none by now, who would never
	// hear of it; and for WishPause where it is being cancelled.
	WishRun(ctx context.Context, id string, fence int64, w piton.RunWish) error
	// AnswerRun records a person's word. A later word on the same thing shown
	// replaces the earlier one, and is dated after it (AnsweredAt).
	AnswerRun(ctx context.Context, a redact.Clean[piton.Answer]) error
}
