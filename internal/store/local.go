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
	LetterStore
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
	// Projects lists the projects of this machine with their origins, once for each of their folders.
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
}

// LetterStore reads the outbox.
type LetterStore interface {
	// Letters are those that wait and are due at a time, the longest due first.
	// The zero Time: all that wait.
	Letters(ctx context.Context, due piton.Time, limit int) ([]agent.Letter, error)
	// WaitingLetters is how many letters wait.
	WaitingLetters(ctx context.Context) (int, error)
	// ParkedLetters are those that were given up, the last first.
	ParkedLetters(ctx context.Context, limit int) ([]agent.Letter, error)
	// Letter finds a letter by its id; NotFound for an unknown one.
	Letter(ctx context.Context, id string) (agent.Letter, error)
	// Queues are the queues in which letters wait, the one whose first letter has
	// been due longest first.
	Queues(ctx context.Context) ([]Queue, error)
	// Posts tells that a process of this machine has posted a letter, until stop is
	// called: several may be told as one, and where several processes listen, one
	// of them is told. Who posts never waits for it. Unavailable where the file
	// system has no pipes: look from time to time.
	Posts() (posted <-chan struct{}, stop func(), err error)
	// Attended reports whether a process listens to Posts.
	Attended() bool
	// Expired are the letters that wait, are carried by nobody, and have expired at
	// a time.
	Expired(ctx context.Context, at piton.Time, limit int) ([]agent.Letter, error)
}

// Queue is the letters of one session to one recipient that wait. Only the first
// can be claimed.
type Queue struct {
	Session, To string
	Due         piton.Time // of the first
	// Claimer is who carries the first, or has carried it and died: the number of the
	// claim, a space, and Claim.By. Empty: nobody does, or it is not known.
	Claimer string
}

// Claim is what a courier asks for: the first letter of a session to a recipient, if it
// is due at a time.
type Claim struct {
	Session, To string
	At          piton.Time
	Until       piton.Time // when it is due again, in case its carrier dies
	By          string     // the courier
	Dead        string     // a Queue.Claimer that is known to have died: what it has is taken too
}

// SessionQuery selects sessions, newest first.
type SessionQuery struct {
	Project string
	Agent   string
	Limit   int
}

// ArchivedMark and a file's name are the mark of a file of the archive that this store
// has written (history, "orphans"). Whoever restores a store without all of its
// records removes these marks.
const ArchivedMark = "archived:"

// Marks of the event stream: GoneMark is the newest event of a checkpoint that has
// expired, ReachedMark and the name of a store's mark when that store was reached
// last, in milliseconds since 1970.
const (
	GoneMark    = "events_gone"
	ReachedMark = "reached:"
)

// EventStore reads the event stream, and how far it was carried to other stores.
type EventStore interface {
	// Events are those whose number is behind after, oldest first.
	Events(ctx context.Context, after int64, limit int) ([]LogEvent, error)
	// HookTimes are how long hooks took, from a time on.
	HookTimes(ctx context.Context, from piton.Time) ([]HookTime, error)
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
	// Expire deletes decisions and letters that are done from before a time, what was
	// counted longer before it (MetricsFor),
	// and events from before it: of those of checkpoints only what every store
	// has got that was flushed to and reached within 60 days before it; what has
	// gone is noted (GoneMark). It does so in steps that keep other savers
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
	// Post adds a letter behind those of its queue; posting the same id again
	// changes nothing. It takes the place of the one with its key that waits, is
	// not critical and is carried by nobody: it keeps that one's attempts, and is
	// due when that one was, if that is earlier or an attempt has failed.
	Post(ctx context.Context, l redact.Clean[agent.Letter]) error
	// Claim takes a letter and counts an attempt. false: nothing is due, or another
	// has it.
	Claim(ctx context.Context, c Claim) (agent.Letter, bool, error)
	// Renew makes a claimed letter due again at a later time. It changes nothing if
	// another has the letter by now.
	Renew(ctx context.Context, l agent.Letter, until piton.Time) error
	// Sending notes that the carrier of a claimed letter begins what cannot be
	// taken back. false: another has the letter by now, and it must not.
	Sending(ctx context.Context, l agent.Letter, at piton.Time) (bool, error)
	// Retry has a letter carried again from the first attempt on, due at a time: one
	// that is parked, or that waits for its next attempt. Conflict: it is done, or it
	// is being carried.
	Retry(ctx context.Context, id string, at piton.Time) error
	// Drop ends such a letter, with the reason.
	Drop(ctx context.Context, id string, at piton.Time, why redact.Clean[string]) error
	// Settle keeps what became of a letter at an attempt: when it is due again, how
	// often it was tried, or that it is done; its body, if it is not empty; its
	// outcome. What is under way stays so if SentAt is not zero. false: the letter is done already, or
	// has been claimed again; then only its delivery is kept.
	Settle(ctx context.Context, l redact.Clean[agent.Letter]) (bool, error)
}

// MarkWriter keeps numbers: how far the event stream was carried to other stores, and
// which files of the archive were written.
type MarkWriter interface {
	// SetMark keeps a number under a name.
	SetMark(ctx context.Context, name string, n int64) error
	// ClearMark removes a number; removing what is not there changes nothing.
	ClearMark(ctx context.Context, name string) error
	// Mark is a number kept under a name, as no other writer changes it before the
	// transaction ends; 0 when there is none.
	Mark(ctx context.Context, name string) (int64, error)
	// SetMirror keeps the open heads that another store has in a project, in
	// the place of those kept before.
	SetMirror(ctx context.Context, store, project string, heads redact.Clean[[]piton.Checkpoint]) error
}
