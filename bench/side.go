package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
)

// threadState is the state that both sides of the comparison save: an object in
// memory, of which LangGraph makes two channels.
type threadState struct {
	Task     string    `json:"task"`
	Messages []message `json:"messages"`
}

// side keeps threads of checkpoints. Each method returns what its own work
// took, from the object in memory until it is kept, and back.
type side interface {
	// put saves the state that lies in a file.
	put(ctx context.Context, thread, path string) (time.Duration, error)
	// grow saves the thread's state with one more message.
	grow(ctx context.Context, thread, task string, m message) (time.Duration, error)
	// get loads the newest state; sum is the sha256 of its JSON.
	get(ctx context.Context, thread string) (took time.Duration, sum string, err error)
	// raw loads the newest state and leaves its JSON as it is; errNoBytes where a side
	// does not keep it in one piece.
	raw(ctx context.Context, thread string) (took time.Duration, sum string, err error)
	// list returns the newest checkpoints of a thread, and how many came.
	list(ctx context.Context, thread string, limit int) (took time.Duration, count int, err error)
	close() error
}

// errNoBytes is of a side whose states lie in several rows.
var errNoBytes = errors.New("it keeps no state in one piece")

// ours is Piton, behind the path that every program takes.
type ours struct {
	k       history.Keeper
	end     func() error
	threads map[string]*threadState
	encoded func(time.Duration) // told what encoding/json took of each put
}

func (o ours) put(ctx context.Context, thread, path string) (time.Duration, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	var s threadState
	if err := json.Unmarshal(text, &s); err != nil {
		return 0, err
	}
	if !bytes.Equal(encode(s), text) {
		return 0, fmt.Errorf("%s is not what is written here", path)
	}
	return o.save(ctx, thread, s)
}

func (o ours) grow(ctx context.Context, thread, task string, m message) (time.Duration, error) {
	s := o.threads[thread]
	if s == nil {
		s = &threadState{Task: task}
		o.threads[thread] = s
	}
	s.Messages = append(s.Messages, m)
	return o.save(ctx, thread, *s)
}

func (o ours) save(ctx context.Context, thread string, s threadState) (time.Duration, error) {
	start := time.Now()
	state := encode(s)
	written := time.Since(start)
	c, err := o.k.Save(ctx, history.Draft{SaveRequest: piton.SaveRequest{Workflow: thread, State: state}})
	took := time.Since(start)
	if err == nil && (c.Redacted != 0 || c.StateBytes != int64(len(state))) {
		err = fmt.Errorf("the state was changed: %d secrets found", c.Redacted)
	}
	o.encoded(written)
	return took, err
}

func (o ours) get(ctx context.Context, thread string) (time.Duration, string, error) {
	start := time.Now()
	l, err := o.k.Load(ctx, history.Selector{Workflow: thread}, false)
	if err != nil {
		return 0, "", err
	}
	var s threadState
	err = json.Unmarshal(l.State, &s)
	took := time.Since(start)
	return took, sumOf(encode(s)), err
}

func (o ours) raw(ctx context.Context, thread string) (time.Duration, string, error) {
	start := time.Now()
	l, err := o.k.Load(ctx, history.Selector{Workflow: thread}, false)
	return time.Since(start), sumOf(l.State), err
}

func (o ours) list(ctx context.Context, thread string, limit int) (time.Duration, int, error) {
	start := time.Now()
	page, err := o.k.List(ctx, piton.Query{Workflow: thread, Limit: limit})
	return time.Since(start), len(page.Checkpoints), err
}

func (o ours) close() error { return o.end() }

func sumOf(b []byte) string {
	return fmt.Sprintf("%x", sha256.Sum256(b))
}
