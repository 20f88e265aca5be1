package sqlstore

import (
	"context"
	"fmt"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

const letterColumns = `id, session_id, recipient, kind, key, critical, due, expires, body, attempts, done_at, outcome, claim, sent_at`

// queueKey is the expression of the index letters_queue. No session's id has a
// space.
const queueKey = `session_id || ' ' || recipient`

func scanLetter(scan scanner) (agent.Letter, error) {
	var l agent.Letter
	var critical, due, expires, done, sent int64
	err := scan(&l.ID, &l.SessionID, &l.To, &l.Kind, &l.Key, &critical, &due, &expires, &l.Body, &l.Attempts, &done, &l.Outcome, &l.Claim, &sent)
	l.Critical = critical != 0
	l.Due, l.Expires, l.DoneAt, l.SentAt = piton.FromMillis(due), piton.FromMillis(expires), piton.FromMillis(done), piton.FromMillis(sent)
	return l, err
}

// Letters are those that wait and are due, the longest due first.
func (s *Store) Letters(ctx context.Context, due piton.Time, limit int) ([]agent.Letter, error) {
	query, args := `SELECT `+letterColumns+` FROM letters WHERE done_at = 0`, []any{}
	if !due.IsZero() {
		query, args = query+` AND due <= $1`, append(args, due.Millis())
	}
	query += ` ORDER BY due, n, id`
	if limit > 0 {
		query += fmt.Sprintf(` LIMIT %d`, limit)
	}
	return collect(ctx, s.reader, "list letters", scanLetter, query, args...)
}

// WaitingLetters is how many letters wait.
func (s *Store) WaitingLetters(ctx context.Context) (n int, err error) {
	err = s.row(ctx, "count letters", `SELECT COUNT(*) FROM letters WHERE done_at = 0`, nil, &n)
	return n, err
}

// ParkedLetters are those that were given up, the last first.
func (s *Store) ParkedLetters(ctx context.Context, limit int) ([]agent.Letter, error) {
	query := `SELECT ` + letterColumns + ` FROM letters WHERE done_at <> 0 AND outcome LIKE '` + agent.LetterParked + `%' ORDER BY done_at DESC, id`
	if limit > 0 {
		query += fmt.Sprintf(` LIMIT %d`, limit)
	}
	return collect(ctx, s.reader, "list parked letters", scanLetter, query)
}

// Queues are the queues in which letters wait. It goes from one queue to the next
// in the index, so that the length of a queue does not matter.
func (s *Store) Queues(ctx context.Context) ([]store.Queue, error) {
	return collect(ctx, s.reader, "list the queues of letters", func(scan scanner) (q store.Queue, err error) {
		var due int64
		err = scan(&q.Session, &q.To, &due, &q.Claimer)
		q.Due = piton.FromMillis(due)
		return q, err
	}, `WITH RECURSIVE queues (name) AS (
		SELECT MIN(`+queueKey+`) FROM letters WHERE done_at = 0
		UNION ALL
		SELECT (SELECT MIN(`+queueKey+`) FROM letters WHERE done_at = 0 AND `+queueKey+` > queues.name) FROM queues WHERE name IS NOT NULL
	) SELECT session_id, recipient, CAST(due AS BIGINT), CASE WHEN `+isClaimed+` THEN claimer ELSE '' END FROM queues JOIN letters ON id = `+firstOf(`queues.name`)+` ORDER BY due, session_id, recipient`)
}

// firstOf is a query for the id of the first letter of a queue.
func firstOf(queue string) string {
	return `(SELECT x.id FROM letters x WHERE x.done_at = 0 AND x.session_id || ' ' || x.recipient = ` + queue + ` ORDER BY x.n, x.id LIMIT 1)`
}

// Posts tells that a letter was posted.
func (s *Store) Posts() (posted <-chan struct{}, stop func(), err error) {
	const op = "listen for letters"
	if s.D.Bell.Listen == nil {
		return nil, nil, piton.Errorf(piton.Unavailable, op, "look from time to time", "this store tells of no letters")
	}
	if posted, stop, err = s.D.Bell.Listen(); err != nil {
		return nil, nil, &piton.Error{Code: piton.Unavailable, Op: op, Hint: "look from time to time", Err: err}
	}
	return posted, stop, nil
}

// Attended reports whether a process listens to Posts.
func (s *Store) Attended() bool { return s.D.Bell.Attended != nil && s.D.Bell.Attended() }

// Expired are the letters that nobody needs any more.
func (s *Store) Expired(ctx context.Context, at piton.Time, limit int) ([]agent.Letter, error) {
	return collect(ctx, s.reader, "list letters that have expired", scanLetter,
		fmt.Sprintf(`SELECT `+letterColumns+` FROM letters WHERE done_at = 0 AND expires <> 0 AND expires <= $1 AND (claimed = 0 OR due <= $1) ORDER BY due, n, id LIMIT %d`, limit), at.Millis())
}

// Post adds a letter, in the place of the one with its key that waits.
func (t *tx) Post(ctx context.Context, clean redact.Clean[agent.Letter]) error {
	const op = "post a letter"
	l := clean.Get()
	t.posted = true
	if l.Key != "" && !l.Critical {
		// The time before which it is not tried again stays: a recipient that is away
		// is not asked more often for a letter that changes.
		var had agent.Letter
		var due int64
		found, err := t.get(ctx, op, `DELETE FROM letters WHERE id = (SELECT id FROM letters WHERE done_at = 0 AND `+queueKey+` = $1 AND key = $2 AND critical = 0 AND claimed = 0 AND id <> $3 ORDER BY n LIMIT 1)
			RETURNING due, attempts, outcome`, params{queueOf(l), l.Key, l.ID}, &due, &had.Attempts, &had.Outcome)
		if err != nil {
			return err
		}
		if found {
			l.Attempts, l.Outcome = had.Attempts, had.Outcome
			if had.Due = piton.FromMillis(due); had.Attempts > 0 || had.Due.Before(l.Due.Time) {
				l.Due = had.Due
			}
		}
	}
	return t.exec(ctx, op, `INSERT INTO letters (id, session_id, recipient, n, kind, key, critical, due, expires, body, attempts, outcome)
		VALUES ($1, $2, $3, (SELECT COALESCE(MAX(n), 0) + 1 FROM letters WHERE done_at = 0 AND `+queueKey+` = $4), $5, $6, $7, $8, $9, $10, $11, $12) ON CONFLICT (id) DO NOTHING`,
		l.ID, l.SessionID, l.To, queueOf(l), l.Kind, l.Key, boolInt(l.Critical), l.Due.Millis(), l.Expires.Millis(), l.Body, l.Attempts, l.Outcome)
}

func queueOf(l agent.Letter) string { return l.SessionID + " " + l.To }

// isClaimed is the condition of a letter of which it is known who has claimed it last.
const isClaimed = `claimed = 1 AND claimer LIKE CAST(claim AS TEXT) || ' %'`

// Claim takes the first letter of a queue if it is due.
func (t *tx) Claim(ctx context.Context, c store.Claim) (agent.Letter, bool, error) {
	found, err := collect(ctx, t.reader, "claim a letter of "+c.Session, scanLetter,
		`UPDATE letters SET due = $1, attempts = attempts + 1, claim = claim + 1, claimed = 1, claimer = CAST(claim + 1 AS TEXT) || ' ' || $2
		WHERE id = `+firstOf(`$3`)+` AND (due <= $4 OR claimer = $5 AND `+isClaimed+`) RETURNING `+letterColumns,
		c.Until.Millis(), c.By, c.Session+" "+c.To, c.At.Millis(), c.Dead)
	if err != nil || len(found) == 0 {
		return agent.Letter{}, false, err
	}
	return found[0], true, nil
}

// Renew keeps a claimed letter.
func (t *tx) Renew(ctx context.Context, l agent.Letter, until piton.Time) error {
	return t.exec(ctx, "keep letter "+l.ID, `UPDATE letters SET due = $1 WHERE id = $2 AND done_at = 0 AND claim = $3 AND claimed = 1`, until.Millis(), l.ID, l.Claim)
}

// Sending notes that what cannot be taken back begins.
func (t *tx) Sending(ctx context.Context, l agent.Letter, at piton.Time) (bool, error) {
	n, err := t.changed(ctx, "note that letter "+l.ID+" is being sent", `UPDATE letters SET sent_at = $1 WHERE id = $2 AND done_at = 0 AND claim = $3`, at.Millis(), l.ID, l.Claim)
	return n > 0, err
}

// Settle keeps what became of a letter.
func (t *tx) Settle(ctx context.Context, clean redact.Clean[agent.Letter]) (bool, error) {
	l := clean.Get()
	op := "write letter " + l.ID
	n, err := t.changed(ctx, op,
		`UPDATE letters SET due = $1, attempts = $2, done_at = $3, outcome = $4, body = CASE WHEN $5 = '' THEN body ELSE $5 END, claimed = 0,
		sent_at = CASE WHEN $6 = 0 THEN 0 ELSE sent_at END WHERE id = $7 AND done_at = 0 AND claim = $8`,
		l.Due.Millis(), l.Attempts, l.DoneAt.Millis(), l.Outcome, l.Body, l.SentAt.Millis(), l.ID, l.Claim)
	if err == nil && n == 0 && strings.HasPrefix(l.Outcome, agent.LetterDelivered) {
		err = t.exec(ctx, op, `UPDATE letters SET done_at = $1, outcome = $2, body = '{}' WHERE id = $3 AND done_at = 0`, l.DoneAt.Millis(), l.Outcome, l.ID)
	}
	return n > 0, err
}

const hintLetters = "'letters' shows those that wait and those that were given up"

// Letter finds a letter.
func (s *Store) Letter(ctx context.Context, id string) (agent.Letter, error) {
	op := "find letter " + id
	list, err := collect(ctx, s.reader, op, scanLetter, `SELECT `+letterColumns+` FROM letters WHERE id = $1`, id)
	if err == nil && len(list) == 0 {
		err = piton.Errorf(piton.NotFound, op, hintLetters, "no such letter")
	}
	if err != nil {
		return agent.Letter{}, err
	}
	return list[0], nil
}

// Retry has a letter carried again.
func (t *tx) Retry(ctx context.Context, id string, at piton.Time) error {
	t.posted = true
	return t.open(ctx, "retry letter "+id, id, `UPDATE letters SET due = $1, done_at = 0, attempts = 0, claimed = 0 WHERE id = $2`+isOpen, at.Millis(), id)
}

// Drop ends a letter.
func (t *tx) Drop(ctx context.Context, id string, at piton.Time, why redact.Clean[string]) error {
	return t.open(ctx, "drop letter "+id, id, `UPDATE letters SET done_at = $1, claimed = 0, body = '{}', outcome = $2 WHERE id = $3`+isOpen, at.Millis(), agent.LetterDropped+": "+why.Get(), id)
}

// isOpen is the condition of a letter that waits or is parked; $1 is the time.
const isOpen = ` AND (done_at = 0 AND (claimed = 0 OR due <= $1) OR done_at <> 0 AND outcome LIKE '` + agent.LetterParked + `%')`

// open changes a letter that waits or is parked.
func (t *tx) open(ctx context.Context, op, id, change string, args ...any) error {
	n, err := t.changed(ctx, op, change, args...)
	if err != nil || n > 0 {
		return err
	}
	var done int64
	found, err := t.get(ctx, op, `SELECT done_at FROM letters WHERE id = $1`, params{id}, &done)
	switch {
	case err != nil:
		return err
	case !found:
		return piton.Errorf(piton.NotFound, op, hintLetters, "no such letter")
	case done != 0:
		return piton.Errorf(piton.Conflict, op, hintLetters, "it was delivered or dropped")
	}
	return piton.Errorf(piton.Conflict, op, "try again in a moment", "it is being carried")
}
