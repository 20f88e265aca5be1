package store

import (
	"context"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
)

// Prepared is a checkpoint that is ready to be appended: validated, redacted
// and summed outside the transaction. Record carries what the caller decides;
// the store fills id-independent fields (seq, ordinal, parent, sizes).
type Prepared struct {
	Record piton.Checkpoint
	State  []byte // compact JSON, an object
	Parent string // the branch head the caller expects; empty: whatever it is
	Fork   bool   // Record.ParentID is any checkpoint and Record.Branch is new
	Packed any    // what the store's Ready made of State; nil: nothing yet
	// TakenOut is where each secret stood that was taken out, as a JSON pointer;
	// nothing of it is stored.
	TakenOut []string
	// Close and Keep say what the save does to its workflow; by default a
	// save opens it again unless the record finishes it.
	Close bool
	Keep  bool // leave the workflow as open or closed as it was
}

// Reader reads checkpoints. Every method returns NotFound for what is not
// there and Unavailable when the store cannot be reached.
type Reader interface {
	// Workflow finds a workflow by id, by an id's unambiguous beginning
	// (Invalid with the candidates if ambiguous), or by its name in a project.
	Workflow(ctx context.Context, ref, project string) (piton.Workflow, error)
	// Checkpoint finds a checkpoint by id or an id's unambiguous beginning.
	Checkpoint(ctx context.Context, ref string) (piton.Checkpoint, error)
	// Head is the newest checkpoint of a branch; of all branches if it is "".
	Head(ctx context.Context, workflow, branch string) (piton.Checkpoint, error)
	// List returns what fits, newest first. It never reads a state.
	List(ctx context.Context, q piton.Query) (piton.Page, error)
	// CountOpen is how many heads of open workflows a project has, by the session
	// that made the head ("" for none).
	CountOpen(ctx context.Context, project string) (map[string]int, error)
	// Children are the checkpoints whose parent this is, oldest first.
	Children(ctx context.Context, id string) ([]piton.Checkpoint, error)
	// Branches of a workflow, in the order they began.
	Branches(ctx context.Context, workflow string) ([]Branch, error)
	// State returns the compact state of a checkpoint, byte for byte as it was
	// saved. Corrupt when a sum does not fit; never a wrong state. NotFound with
	// the archive's file in the hint when the state lies in an archive only
	// (Checkpoint.Archive).
	State(ctx context.Context, id string) ([]byte, error)
}

// Branch is a line of checkpoints within a workflow.
type Branch struct {
	Name   string `json:"name"`
	HeadID string `json:"head_id,omitempty"`
	FromID string `json:"from_id,omitempty"` // the checkpoint it was forked from
	Count  int    `json:"count"`             // checkpoints that are there
}

// Searcher finds checkpoints by their words.
type Searcher interface {
	// Search returns the checkpoints that hold every one of the words and fit
	// the query, newest first. text gives the words a checkpoint is found by;
	// the store asks for it, with the state, once for each checkpoint that came
	// since the last search. What is damaged is found by its record alone.
	Search(ctx context.Context, words string, q piton.Query, text func(piton.Checkpoint, []byte) string) (piton.Page, error)
}

// Upkeep is what keeps a store whole and small.
type Upkeep interface {
	// WouldFree is what Archive of cold and Delete of doomed would set free,
	// found by reading alone. file is as long as the name of the archive's file.
	// Those that are gone meanwhile are left out.
	WouldFree(ctx context.Context, doomed, cold []piton.Checkpoint, file string) (int64, error)
	// Check looks at what belongs to the store itself rather than to one
	// checkpoint: pages, indexes, references. It returns one line per fault;
	// an error only where it could not look.
	Check(ctx context.Context) ([]string, error)
	// Raw returns what can still be read of a damaged state: fragments in
	// order, nil for what is lost.
	Raw(ctx context.Context, id string) ([][]byte, error)
	// Repair makes again what can be derived from the rest, such as indexes and
	// heads, and returns one line for each thing it mended. It loses nothing.
	Repair(ctx context.Context) ([]string, error)
	// Purge takes secrets out of all texts that are no checkpoint's, and sees to
	// it that what was overwritten, by Rewrite too, is gone from the store's
	// files. It returns how many it took out and what it cannot reach. dry: it
	// counts and writes nothing.
	Purge(ctx context.Context, c Cleaner, dry bool) (taken int, beyond []string, err error)
	// Reclaim gives freed space back to the file system, in steps that keep
	// other savers waiting for at most 100 ms each, and returns the bytes.
	// progress may be nil.
	Reclaim(ctx context.Context, progress func(done, total int64)) (int64, error)
}

// Cleaner takes secrets out of texts and says how many there were.
type Cleaner struct {
	Text func(string) (string, int)
	// Known is for names and paths by which things are found: it takes out only
	// what is a secret by itself.
	Known func(string) (string, int)
	JSON  func([]byte) ([]byte, int, error)
}

// Checkpoints keeps workflows and their checkpoints.
type Checkpoints interface {
	Reader
	Searcher
	Upkeep
	// Ready does the slow part of an Append ahead of its transaction; Append
	// does it itself for what was not made ready.
	Ready(p Prepared) (Prepared, error)
	// Save runs fn in one durable transaction: when it returns nil all that fn
	// wrote survives any crash, else nothing of it was written. The one
	// exception is an Unavailable that says so: the answer to the commit was
	// lost. fn runs again from its beginning when the database broke the
	// transaction off before anything was written (a deadlock, a lost
	// connection), so what it reads from or keeps outside must allow for that.
	Save(ctx context.Context, fn func(CheckpointTx) error) error
	// SetAside marks a checkpoint as damaged, with the reason, and logs it as
	// an event. Marking twice changes nothing; an empty reason takes the mark
	// away again.
	SetAside(ctx context.Context, id, why string) error
}

// CheckpointTx is one transaction over checkpoints. Its reads see its writes.
// Append, Import, Complete, Archive and Checkpoints.SetAside log an event each
// for what they change (checkpoint_created, _imported, _completed, _archived,
// _damaged, _repaired); of a deletion only the caller knows why, and logs it.
type CheckpointTx interface {
	Reader
	// PutWorkflow adds a workflow, or changes the closed mark and session of
	// the one with this id. Conflict when the name is taken in its project.
	PutWorkflow(ctx context.Context, w piton.Workflow) error
	// Append adds a checkpoint under the next sequence number and makes it the
	// head of its branch. Conflict when the branch head is not the expected
	// parent, NotFound for an unknown workflow or parent.
	Append(ctx context.Context, p Prepared) (piton.Checkpoint, error)
	// Complete marks a checkpoint as completed and closes its workflow.
	// Completing twice changes nothing.
	Complete(ctx context.Context, id string, at piton.Time) error
	// Delete removes checkpoints; their children get the nearest surviving
	// ancestor as parent and stay loadable. It returns the bytes set free.
	Delete(ctx context.Context, ids []string) (int64, error)
	// Import adds a checkpoint of another store under its own id, number and
	// times, and its workflow where it is missing. It returns false and changes
	// nothing when the id is there already. A number that another checkpoint
	// of the workflow holds is a Conflict, and nothing was written: the caller
	// may go on, with another number. One without a number gets the next. A
	// workflow's name that is taken in its project gets a number behind it. A
	// parent that is not there is imported as none, and linked when it is
	// imported later. The head of a branch is its highest number, that of the
	// workflow the highest that is not on a branch set aside (IsAside); the
	// workflow is as closed as the entry's where this is the head there too,
	// else as the new head finishes it. The next save's number is behind all
	// that both stores gave out.
	Import(ctx context.Context, e Entry) (bool, error)
	// Archive notes that the checkpoints' states lie in a file of the archive
	// now and drops them here; the records stay. One that is archived already
	// is in this file from now on. It returns the bytes set free. Branches are
	// locked as in Delete.
	Archive(ctx context.Context, ids []string, file string) (int64, error)
	// Rewrite puts other texts and another state with its sum in the place of a
	// checkpoint's; of one in the archive the record alone. It is the one
	// exception to "never changes", for taking secrets out. Conflict when the
	// state lies elsewhere by now than Record.Archive says.
	Rewrite(ctx context.Context, p Prepared) error
	// Log adds an event to the stream.
	Log(ctx context.Context, e LogEvent) error
	// Count adds n to a counter that `piton stats` shows.
	Count(ctx context.Context, name string, n int64) error
}

// NumberTaken is the Conflict of an import whose number is held by another
// checkpoint of the workflow.
func NumberTaken(op string, w piton.Workflow, seq int64, holder string) error {
	return piton.Errorf(piton.Conflict, op, "'piton export --workflow "+w.ID+"' on each side and 'piton import' bring the two lines together; nothing is overwritten",
		"%s holds number %d of workflow %s here", holder, seq, w.Label())
}

// SessionQuery selects sessions, newest first.
type SessionQuery struct {
	Project string
	Limit   int
}

// Local keeps what belongs to this machine: projects, sessions, turns,
// decisions and letters. It is always the SQLite file, so that a hook never
// waits for a network.
type Local interface {
	// Project finds the project of any of the aliases, in their order, or makes
	// one; aliases that are new are added to it.
	Project(ctx context.Context, name string, aliases []piton.Alias) (piton.Project, error)
	// KnownProject finds it only: NotFound when no alias is known.
	KnownProject(ctx context.Context, aliases []piton.Alias) (piton.Project, error)
	// Session finds a session by our id or its beginning, or by the client's.
	Session(ctx context.Context, ref string) (agent.Session, error)
	// SessionByClient finds the session of a client's conversation.
	SessionByClient(ctx context.Context, agent, clientID string) (agent.Session, error)
	// Sessions lists sessions, the last seen first.
	Sessions(ctx context.Context, q SessionQuery) ([]agent.Session, error)
	// Turn returns a turn's beginning; the zero Turn when it was not seen.
	Turn(ctx context.Context, session string, n int) (agent.Turn, error)
	// Decisions of a session ("" for all), newest first.
	Decisions(ctx context.Context, session string, limit int) ([]agent.Decision, error)
	// Projects lists the projects of this machine with their origins.
	Projects(ctx context.Context) ([]piton.Project, error)
	// Events are those whose number is behind after, oldest first.
	Events(ctx context.Context, after int64, limit int) ([]LogEvent, error)
	// Mark is a number kept under a name, 0 when there is none.
	Mark(ctx context.Context, name string) (int64, error)
	// Mirrored are the open heads that another store, by its name, has in a
	// project, as they were when it was last reached, without the sessions whose
	// workflow lies here.
	Mirrored(ctx context.Context, store, project string) ([]piton.Checkpoint, error)
	// Verified is what a command that Piton ran itself gave under this key;
	// NotFound when it has not run, or too long ago.
	Verified(ctx context.Context, key string) (agent.Verified, error)
	// Letters are those that wait and are due at a time, the longest due first.
	// The zero Time: all that wait.
	Letters(ctx context.Context, due piton.Time, limit int) ([]agent.Letter, error)
	// Expire deletes decisions and letters that are done from before a time,
	// and events from before it: of those of checkpoints only what every store
	// that was flushed to has got. It does so in steps that keep other savers
	// waiting for at most 100 ms each; what it has done when ctx ends stays
	// done.
	Expire(ctx context.Context, before piton.Time) error
	// Update runs fn in one durable transaction, as Checkpoints.Save does.
	Update(ctx context.Context, fn func(LocalTx) error) error
}

// LocalTx is one transaction over everything in the local file.
type LocalTx interface {
	CheckpointTx
	// Session finds a session as Local does, inside the transaction.
	Session(ctx context.Context, ref string) (agent.Session, error)
	// SessionByClient finds the session of a client's conversation.
	SessionByClient(ctx context.Context, agent, clientID string) (agent.Session, error)
	// PutSession adds a session or replaces the one with this id.
	PutSession(ctx context.Context, s agent.Session) error
	// PutTurn adds a turn or replaces the one with this number.
	PutTurn(ctx context.Context, t agent.Turn) error
	// Decide records a decision, and drops all but the newest DecisionsKept.
	Decide(ctx context.Context, d agent.Decision) error
	// SetMark keeps a number under a name.
	SetMark(ctx context.Context, name string, n int64) error
	// SetMirror keeps the open heads that another store has in a project, in
	// the place of those kept before.
	SetMirror(ctx context.Context, store, project string, heads []piton.Checkpoint) error
	// PutVerified keeps what a command gave under a key, in the place of what was
	// there, and drops all but the newest VerifiedKept.
	PutVerified(ctx context.Context, key string, v agent.Verified) error
	// Post adds a letter; posting the same id again changes nothing.
	Post(ctx context.Context, l agent.Letter) error
	// Claim takes a letter that waits and is due at a time: it counts an
	// attempt and makes it due again at until, in case its carrier dies. false:
	// another has it, or it is done.
	Claim(ctx context.Context, id string, at, until piton.Time) (agent.Letter, bool, error)
	// PutLetter keeps when a letter is due again, or that it is done, and its
	// outcome. NotFound for an unknown id.
	PutLetter(ctx context.Context, l agent.Letter) error
}
