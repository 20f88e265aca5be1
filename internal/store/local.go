package store

import (
	"context"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/redact"
)

// Local is what belongs to this machine: projects, sessions, turns, decisions
// and letters. It is always the SQLite file, so that a hook never waits for a
// network.
type Local struct {
	ProjectStore
	SessionStore
	EventStore
	Updater
	// Checkpoints are those of the same file, which Update writes to as well.
	Checkpoints Checkpoints
}

// ProjectStore knows the projects of this machine.
type ProjectStore interface {
	// Project finds the project of any of the aliases, in their order, or makes
	// one; aliases that are new are added to it.
	Project(ctx context.Context, name redact.Clean[string], aliases redact.Clean[[]piton.Alias]) (piton.Project, error)
	// KnownProject finds it only: NotFound when no alias is known.
	KnownProject(ctx context.Context, aliases []piton.Alias) (piton.Project, error)
	// Projects lists the projects of this machine with their origins.
	Projects(ctx context.Context) ([]piton.Project, error)
}

// SessionStore reads sessions and what belongs to them.
type SessionStore interface {
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
	// Verified is what a command that Piton ran itself gave under this key;
	// NotFound when it has not run, or too long ago.
	Verified(ctx context.Context, key string) (agent.Verified, error)
	// Letters are those that wait and are due at a time, the longest due first.
	// The zero Time: all that wait.
	Letters(ctx context.Context, due piton.Time, limit int) ([]agent.Letter, error)
}

// SessionQuery selects sessions, newest first.
type SessionQuery struct {
	Project string
	Limit   int
}

// EventStore reads the event stream, and how far it was carried to other stores.
type EventStore interface {
	// Events are those whose number is behind after, oldest first.
	Events(ctx context.Context, after int64, limit int) ([]LogEvent, error)
	// Mark is a number kept under a name, 0 when there is none.
	Mark(ctx context.Context, name string) (int64, error)
	// Mirrored are the open heads that another store, by its name, has in a
	// project, as they were when it was last reached, without the sessions whose
	// workflow lies here.
	Mirrored(ctx context.Context, store, project string) ([]piton.Checkpoint, error)
}

// Updater changes the local file.
type Updater interface {
	// Update runs fn in one durable transaction, as Checkpoints.Save does.
	Update(ctx context.Context, fn func(LocalTx) error) error
	// Expire deletes decisions and letters that are done from before a time,
	// and events from before it: of those of checkpoints only what every store
	// that was flushed to has got. It does so in steps that keep other savers
	// waiting for at most 100 ms each; what it has done when ctx ends stays
	// done.
	Expire(ctx context.Context, before piton.Time) error
}

// LocalTx is one transaction over everything in the local file.
type LocalTx struct {
	Tx
	SessionWriter
	LetterWriter
	MarkWriter
}

// SessionWriter changes sessions and what belongs to them.
type SessionWriter interface {
	// Session finds a session as Local does, inside the transaction.
	Session(ctx context.Context, ref string) (agent.Session, error)
	// SessionByClient finds the session of a client's conversation.
	SessionByClient(ctx context.Context, agent, clientID string) (agent.Session, error)
	// PutSession adds a session or replaces the one with this id.
	PutSession(ctx context.Context, s redact.Clean[agent.Session]) error
	// PutTurn adds a turn or replaces the one with this number.
	PutTurn(ctx context.Context, t redact.Clean[agent.Turn]) error
	// Decide records a decision, and drops all but the newest DecisionsKept.
	Decide(ctx context.Context, d redact.Clean[agent.Decision]) error
	// PutVerified keeps what a command gave under a key, in the place of what was
	// there, and drops all but the newest VerifiedKept.
	PutVerified(ctx context.Context, key string, v redact.Clean[agent.Verified]) error
}

// LetterWriter changes letters.
type LetterWriter interface {
	// Post adds a letter; posting the same id again changes nothing.
	Post(ctx context.Context, l redact.Clean[agent.Letter]) error
	// Claim takes a letter that waits and is due at a time: it counts an
	// attempt and makes it due again at until, in case its carrier dies. false:
	// another has it, or it is done.
	Claim(ctx context.Context, id string, at, until piton.Time) (agent.Letter, bool, error)
	// PutLetter keeps when a letter is due again, or that it is done, and its
	// outcome. NotFound for an unknown id.
	PutLetter(ctx context.Context, l redact.Clean[agent.Letter]) error
}

// MarkWriter notes how far the event stream was carried to other stores.
type MarkWriter interface {
	// SetMark keeps a number under a name.
	SetMark(ctx context.Context, name string, n int64) error
	// SetMirror keeps the open heads that another store has in a project, in
	// the place of those kept before.
	SetMirror(ctx context.Context, store, project string, heads redact.Clean[[]piton.Checkpoint]) error
}
