package main

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

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/proc"
)

// demoStep is one thing that happened in the recorded session
// (demo/README.md).
type demoStep struct {
	AtMS int64           `json:"at_ms"`
	Hook json.RawMessage `json:"hook"` // what the client told its hooks
	Line json.RawMessage `json:"line"` // what it added to its transcript
	Edit *struct {
		Path, Old, New string
	} `json:"edit"` // what the agent's tool did to a file
	Run string `json:"run"` // the command the agent's shell ran
}

// player plays the recorded session.
type player struct {
	*demo
	zero       time.Time // when the recording began, on our clock
	session    string
	transcript string
	lines      []demoStep // those written so far
	edited     map[string]int64
	vars       map[string]string // placeholders
	stops      int
	last       string // what the agent said before it stopped
}

// turn plays the session through the real hook program.
func (d *demo) turn(ctx context.Context) error {
	p := &player{demo: d, zero: time.Now(), session: newUUID(), edited: map[string]int64{}}
	dir := filepath.Join(d.homeDir, ".claude", "projects", strings.Map(dashes, d.repo))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return &piton.Error{Code: piton.Unavailable, Op: "play the session", Err: err}
	}
	p.transcript = filepath.Join(dir, p.session+".jsonl")
	p.vars = map[string]string{"SESSION": p.session, "TRANSCRIPT": p.transcript, "PROJECT": d.repo, "HOOK": quote([]string{d.hook})}
	text, err := demoFiles.ReadFile("demo/session.jsonl")
	if err != nil {
		return &piton.Error{Code: piton.Internal, Op: "play the session", Err: err}
	}
	for dec := json.NewDecoder(bytes.NewReader(text)); dec.More(); {
		var s demoStep
		if err := dec.Decode(&s); err != nil {
			return &piton.Error{Code: piton.Internal, Op: "read the recording", Err: err}
		}
		if err := p.step(ctx, s); err != nil {
			return err
		}
	}
	if p.stops != 2 {
		return d.broken("the recording has %d stops, not 2", p.stops)
	}
	return nil
}

func (p *player) step(ctx context.Context, s demoStep) error {
	switch {
	case s.Hook != nil:
		return p.hook(ctx, s)
	case s.Line != nil:
		s.Line = p.fill(s.Line)
		p.lines = append(p.lines, s)
		p.tellLine(s.Line)
	case s.Edit != nil:
		path := filepath.Join(p.repo, s.Edit.Path)
		text, err := os.ReadFile(path)
		if err == nil && strings.Count(string(text), s.Edit.Old) != 1 {
			err = fmt.Errorf("the edit does not fit into %s", s.Edit.Path)
		}
		if err == nil {
			err = os.WriteFile(path, []byte(strings.Replace(string(text), s.Edit.Old, s.Edit.New, 1)), 0o600)
		}
		if err != nil {
			return &piton.Error{Code: piton.Internal, Op: "play the session", Err: err}
		}
		p.edited[path] = s.AtMS
	case s.Run != "":
		return p.runTests(ctx, s.Run)
	}
	return nil
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
	output := strings.TrimRight(string(r.Stdout), "\n")
	p.vars["OUTPUT"] = output
	p.shell(command, output)
	return nil
}

// hook hands an event to the real hook program, at its time.
func (p *player) hook(ctx context.Context, s demoStep) error {
	var e struct {
		Event  string `json:"hook_event_name"`
		Prompt string
		Last   string `json:"last_assistant_message"`
	}
	payload := p.fill(s.Hook)
	if err := json.Unmarshal(payload, &e); err != nil {
		return &piton.Error{Code: piton.Internal, Op: "read the recording", Err: err}
	}
	switch e.Event {
	case "UserPromptSubmit":
		p.title("An agent is asked for a fix, and makes it")
		p.says("user", e.Prompt)
	case "Stop":
		p.last = e.Last // its line comes later than the hook
		p.says("agent", e.Last)
	}
	if err := p.passTo(ctx, s.AtMS); err != nil {
		return err
	}
	start := time.Now()
	r, err := p.must(ctx, proc.Command{
		Argv: []string{p.demo.hook, "claude"}, Stdin: payload,
		Env: p.env("CLAUDE_PROJECT_DIR="+p.repo, "CLAUDE_CODE_SESSION_ID="+p.session, fmt.Sprintf("CLAUDE_PID=%d", os.Getpid())),
	})
	if err != nil {
		return err
	}
	took := time.Since(start)
	p.seen.HookMS = append(p.seen.HookMS, took.Milliseconds())
	if e.Event != "Stop" {
		return nil
	}
	p.stops++
	if p.stops == 1 {
		return p.held(ctx, r.Stdout, took)
	}
	return p.letGo(ctx, r.Stdout, took)
}

// fill puts this machine's values in the place of a recording's; the time is
// left for when the line is written.
func (p *player) fill(text json.RawMessage) json.RawMessage {
	var pairs []string
	for name, value := range p.vars {
		pairs = append(pairs, "${"+name+"}", inJSON(value))
	}
	return json.RawMessage(strings.NewReplacer(pairs...).Replace(string(text)))
}

// inJSON is a text as it stands inside a JSON string.
func inJSON(s string) string {
	b, _ := json.Marshal(s) // a string always can
	return string(b[1 : len(b)-1])
}

// dashes is how the client makes a folder's name of a path.
func dashes(r rune) rune {
	if r == '/' || r == '\\' || r == '.' || r == ':' {
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
