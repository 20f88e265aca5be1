package demo

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"mvdan.cc/sh/v3/syntax"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/client/claude"
	"github.com/piton-project/piton/internal/proc"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

// step is one thing that happened in the recorded session (README.md).
type step struct {
	AtMS int64           `json:"at_ms"`
	Hook json.RawMessage `json:"hook"` // what the client told its hooks
	Line json.RawMessage `json:"line"` // what it added to its transcript
	Edit *struct {
		Path, Old, New string
	} `json:"edit"` // what the agent's tool did to a file
	Run string `json:"run"` // the command the agent's shell ran
}

// player plays the recorded session through the real hook program.
type player struct {
	*stage
	seen       *Seen
	zero       time.Time // when the recording began, on our clock
	session    string
	transcript string
	lines      []step // those written so far
	edited     map[string]int64
	vars       map[string]string // placeholders
	stops      int
	last       string // what the agent said before it stopped
}

func newPlayer(s *stage, seen *Seen) (*player, error) {
	p := &player{stage: s, seen: seen, zero: time.Now(), session: newUUID(), edited: map[string]int64{}}
	dir := filepath.Join(s.home, ".claude", "projects", strings.Map(dashes, s.repo))
	p.transcript = filepath.Join(dir, p.session+".jsonl")
	hook, err := syntax.Quote(s.hook, syntax.LangPOSIX)
	p.vars = map[string]string{"SESSION": p.session, "TRANSCRIPT": p.transcript, "PROJECT": s.repo, "HOOK": hook}
	if err == nil {
		err = os.MkdirAll(dir, 0o700)
	}
	return p, playing(err)
}

// playing is the error of what the session could not be played with.
func playing(err error) error {
	if err == nil {
		return nil
	}
	return &piton.Error{Code: piton.Unavailable, Op: "play the session", Err: err}
}

// edit does what the agent's tool did to a file.
func (p *player) edit(s step) error {
	path := filepath.Join(p.repo, s.Edit.Path)
	text, err := os.ReadFile(path)
	if err == nil && strings.Count(string(text), s.Edit.Old) != 1 {
		err = fmt.Errorf("the edit does not fit into %s", s.Edit.Path)
	}
	if err == nil {
		err = os.WriteFile(path, []byte(strings.Replace(string(text), s.Edit.Old, s.Edit.New, 1)), 0o600)
	}
	p.edited[path] = s.AtMS
	return playing(err)
}

// runTests really runs what the agent's shell ran; its output stands in the
// transcript in place of the recorded one.
func (p *player) runTests(ctx context.Context, command string) error {
	p.title("The agent runs the tests")
	argv := strings.Fields(command)
	argv[0] = p.gocmd // of "go test ./..."; no shell is needed
	r, err := p.must(ctx, proc.Command{Argv: argv, Env: p.env(p.goEnv...)})
	if err != nil {
		return err
	}
	p.vars["OUTPUT"] = strings.TrimRight(string(r.Stdout), "\n")
	p.shell(command, p.vars["OUTPUT"])
	return nil
}

// event hands an event to the real hook program, at its time.
func (p *player) event(ctx context.Context, payload []byte, atMS int64) (reply []byte, took time.Duration, err error) {
	if err := p.passTo(ctx, atMS); err != nil {
		return nil, 0, err
	}
	start := time.Now()
	r, err := p.must(ctx, proc.Command{
		Argv: []string{p.hook, "claude"}, Stdin: payload,
		Env: p.env("CLAUDE_PROJECT_DIR="+p.repo, "CLAUDE_CODE_SESSION_ID="+p.session, fmt.Sprintf("CLAUDE_PID=%d", os.Getpid())),
	})
	took = time.Since(start)
	p.seen.HookMS = append(p.seen.HookMS, took.Milliseconds())
	return r.Stdout, took, err
}

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
	return playing(err)
}

// age sets the session's times back.
func (p *player) age(ctx context.Context, by time.Duration) error {
	st, err := p.app.Local(ctx, true)
	if piton.CodeOf(err) == piton.NotFound {
		return nil
	}
	if err != nil {
		return err
	}
	s, err := st.SessionByClient(ctx, claude.Client{}.Name(), p.session)
	if err != nil {
		return err
	}
	turn, err := st.Turn(ctx, s.ID, s.Turn)
	if err != nil {
		return err
	}
	for _, t := range []*piton.Time{
		&s.StartedAt, &s.SeenAt, &s.LastMessageAt, &s.LastCheckpoint, &s.LastToolUseAt, &s.FirstToolUseAt, &s.WorkedAt, &s.PromptedAt, &turn.StartedAt,
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

// fillIn puts this machine's values in the place of a recording's; the time is
// left for when the line is written.
func (p *player) fillIn(text json.RawMessage) json.RawMessage {
	var pairs []string
	for name, value := range p.vars {
		b, _ := json.Marshal(value) // a string always can
		pairs = append(pairs, "${"+name+"}", string(b[1:len(b)-1]))
	}
	return json.RawMessage(strings.NewReplacer(pairs...).Replace(string(text)))
}

// dashes is how the client makes a folder's name of a path.
func dashes(r rune) rune {
	if strings.ContainsRune(`/\.:`, r) {
		return '-'
	}
	return r
}

func newUUID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
