package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// node is the process that runs LangGraph's savers.
type node struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Scanner
}

type request struct {
	Op      string   `json:"op"`
	Saver   string   `json:"saver,omitempty"`
	Kind    string   `json:"kind,omitempty"`
	Where   string   `json:"where,omitempty"`
	Sync    string   `json:"sync,omitempty"`
	Name    string   `json:"name,omitempty"`
	Thread  string   `json:"thread,omitempty"`
	Path    string   `json:"path,omitempty"`
	Task    string   `json:"task,omitempty"`
	Message *message `json:"message,omitempty"`
	Limit   int      `json:"limit,omitempty"`
}

type answer struct {
	MS       float64 `json:"ms"`
	Sum      string  `json:"sum"`
	Count    int     `json:"count"`
	Bytes    int64   `json:"bytes"`
	Settings string  `json:"settings"`
	Error    string  `json:"error"`
}

func startNode(ctx context.Context) (*node, error) {
	dir := filepath.Join("bench", "peers", "langgraph")
	if _, err := os.Stat(filepath.Join(dir, "node_modules")); err != nil {
		return nil, fmt.Errorf("LangGraph is not installed: run %s", filepath.Join(dir, "install"))
	}
	c := exec.CommandContext(ctx, "node", filepath.Join(dir, "savers.mjs"))
	c.Stderr = os.Stderr
	in, err := c.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := c.StdoutPipe()
	if err != nil {
		return nil, err
	}
	n := &node{cmd: c, in: in, out: bufio.NewScanner(out)}
	return n, c.Start()
}

// ask has one thing done and waits for it, so that only one side is at work.
func (n *node) ask(r request) (answer, error) {
	if _, err := n.in.Write(append(encode(r), '\n')); err != nil {
		return answer{}, err
	}
	if !n.out.Scan() {
		return answer{}, fmt.Errorf("node has ended: %v", n.out.Err())
	}
	var a answer
	err := json.Unmarshal(n.out.Bytes(), &a)
	if err == nil && a.Error != "" {
		err = fmt.Errorf("%s %s: %s", r.Op, r.Saver, a.Error)
	}
	return a, err
}

func (n *node) close() error {
	n.in.Close()
	return n.cmd.Wait()
}

// theirs is one of LangGraph's savers.
type theirs struct {
	node *node
	name string
}

func (t theirs) timed(r request) (time.Duration, answer, error) {
	r.Saver = t.name
	a, err := t.node.ask(r)
	return time.Duration(a.MS * float64(time.Millisecond)), a, err
}

func (t theirs) put(_ context.Context, thread, path string) (time.Duration, error) {
	took, _, err := t.timed(request{Op: "put", Thread: thread, Path: path})
	return took, err
}

func (t theirs) grow(_ context.Context, thread, task string, m message) (time.Duration, error) {
	took, _, err := t.timed(request{Op: "grow", Thread: thread, Task: task, Message: &m})
	return took, err
}

func (t theirs) get(_ context.Context, thread string) (time.Duration, string, error) {
	took, a, err := t.timed(request{Op: "get", Thread: thread})
	return took, a.Sum, err
}

func (t theirs) raw(_ context.Context, thread string) (time.Duration, string, error) {
	took, a, err := t.timed(request{Op: "bytes", Thread: thread})
	if err == nil && a.Sum == "" {
		err = errNoBytes
	}
	return took, a.Sum, err
}

func (t theirs) list(_ context.Context, thread string, limit int) (time.Duration, int, error) {
	took, a, err := t.timed(request{Op: "list", Thread: thread, Limit: limit})
	return took, a.Count, err
}

func (t theirs) close() error {
	_, _, err := t.timed(request{Op: "close"})
	return err
}
