package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/client/claude"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/sqlite"
)

// passTo makes it that much later in the recording. The hook program has no
// clock but the real one, and nobody wants to wait: instead of time going on,
// what has happened so far becomes older, in the transcript, in the edited
// files and in Piton's own session. So the turn really counts as long as the
// recorded one, and no threshold is changed.
func (p *player) passTo(ctx context.Context, atMS int64) error {
	zero := time.Now().Add(-time.Duration(atMS) * time.Millisecond)
	if by := p.zero.Sub(zero); by > 0 {
		p.zero = zero
		if err := p.age(ctx, by); err != nil {
			return err
		}
	}
	return p.write()
}

// at is a moment of the recording on our clock.
func (p *player) at(ms int64) time.Time { return p.zero.Add(time.Duration(ms) * time.Millisecond) }

// write writes transcript and files' times as they are at this moment.
func (p *player) write() error {
	var b bytes.Buffer
	for _, l := range p.lines {
		b.Write(bytes.ReplaceAll(l.Line, []byte("${TIME}"), []byte(piton.At(p.at(l.AtMS)).String())))
		b.WriteByte('\n')
	}
	var err error
	if b.Len() > 0 { // the client makes the file with its first line
		err = os.WriteFile(p.transcript, b.Bytes(), 0o600)
	}
	for path, ms := range p.edited {
		if err == nil {
			err = os.Chtimes(path, p.at(ms), p.at(ms))
		}
	}
	if err != nil {
		return &piton.Error{Code: piton.Unavailable, Op: "play the session", Err: err}
	}
	return nil
}

// age sets the session's times back.
func (p *player) age(ctx context.Context, by time.Duration) error {
	st, err := sqlite.Open(ctx, filepath.Join(p.state, "piton.db"), sqlite.Options{Existing: true})
	if missing(err) {
		return nil
	}
	if err != nil {
		return err
	}
	defer st.Close()
	s, err := st.SessionByClient(ctx, claude.Client{}.Name(), p.session)
	if err != nil {
		return err
	}
	turn, err := st.Turn(ctx, s.ID, s.Turn)
	if err != nil {
		return err
	}
	for _, t := range []*piton.Time{
		&s.StartedAt, &s.SeenAt, &s.LastMessageAt, &s.LastCheckpoint, &s.LastToolUseAt, &s.FirstToolUseAt, &turn.StartedAt,
	} {
		if !t.IsZero() {
			*t = piton.At(t.Add(-by))
		}
	}
	return st.Update(ctx, func(tx store.LocalTx) error {
		if turn.SessionID != "" {
			if err := tx.PutTurn(ctx, redact.Value(turn)); err != nil {
				return err
			}
		}
		return tx.PutSession(ctx, redact.Value(s))
	})
}
