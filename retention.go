package piton

import "time"

// Retention is the policy by which checkpoints leave the store
// (docs/spec.md, "prune"). A zero field sets no bound; DefaultRetention holds
// the defaults.
type Retention struct {
	Warm       int           // checkpoints of a workflow that stay in the database
	WarmFor    time.Duration // and for how long
	DeleteAt   time.Duration // age at which a checkpoint is deleted
	NamedCap   int           // named and phase-completion checkpoints of a workflow that stay for good
	OpenFor    time.Duration // heads of open workflows stay as long
	OpenCap    int           // and this many of a project
	PerSession int           // checkpoints of a session; 0: no bound
}

// DefaultRetention is what applies where nothing is set.
var DefaultRetention = Retention{
	Warm: 10, WarmFor: 7 * day, DeleteAt: 30 * day, NamedCap: 50, OpenFor: 30 * day, OpenCap: 50,
}

const day = 24 * time.Hour

// Kept is a checkpoint as a policy sees it.
type Kept struct {
	Checkpoint Checkpoint
	Head       bool   // of its workflow
	Open       bool   // its workflow is open
	Run        string // the unfinished run that continues from it
}

// Verdict is what a policy says of a checkpoint, and why. Its JSON is a
// contract (docs/json.md).
type Verdict struct {
	ID     string `json:"id"`
	Action Action `json:"action"`
	Reason string `json:"reason"`
}

// Action is what happens to a checkpoint when the store is pruned.
type Action string

// The actions.
const (
	Keep          Action = "keep"
	MoveToCold    Action = "archive"
	DeleteForever Action = "delete"
)
