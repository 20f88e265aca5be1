// Package clienttest is what the tests of the clients share.
package clienttest

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client/rawjson"
)

// Format writes a transcript as text, with all that is not zero.
func Format(t agent.Transcript) string {
	var b strings.Builder
	fmt.Fprintf(&b, "prompt %q at %s\noutput %q\nusage %+v version %s", t.LastPrompt, Clock(t.LastPromptAt), t.LastOutput, t.Usage, t.ClientVersion)
	mark := func(on bool, format string, args ...any) {
		if on {
			fmt.Fprintf(&b, " "+format, args...)
		}
	}
	mark(t.Complete, "complete")
	mark(t.OwnTextLast, "own text last")
	mark(t.Idle != 0, "idle %s", t.Idle)
	mark(!t.Interrupted.IsZero(), "interrupted at %s", Clock(t.Interrupted))
	mark(t.TodosSeen, "todos %v", t.Todos)
	mark(t.TodosWhole, "whole")
	mark(len(t.TodoUpdates) > 0, "updates %v", t.TodoUpdates)
	for _, c := range t.Calls {
		fmt.Fprintf(&b, "\n%s to %s %s %s %s", Clock(c.StartedAt), Clock(c.EndedAt), c.ID, c.Tool, c.Kind)
		mark(c.Command != "", "%q", c.Command)
		mark(len(c.Paths) > 0, "%v", c.Paths)
		mark(true, "in %s", c.Dir)
		mark(c.Created, "created")
		mark(c.Background, "background")
		mark(c.Failed, "failed")
		mark(c.Interrupted, "interrupted")
		mark(c.NeverRan, "never ran")
		mark(c.Cut, "cut")
		mark(c.Task != "", "task %s", c.Task)
		if c.ExitCode != nil {
			mark(true, "exit %d", *c.ExitCode)
		}
		mark(c.Subagent != "", "by %s", c.Subagent)
		out := c.Output
		if len(out) > 120 {
			out = fmt.Sprintf("%s and %d bytes", out[:120], len(out)-120)
		}
		fmt.Fprintf(&b, "\n    %q", out)
	}
	return b.String() + "\n"
}

func Clock(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.UTC().Format("15:04:05.000")
}

// Sound looks at what any log, however broken, must be read as.
func Sound(got agent.Transcript, err error) error {
	var typed *piton.Error
	if err != nil && !errors.As(err, &typed) {
		return fmt.Errorf("got the error %w, want one of Piton's own", err)
	}
	if u := got.Usage; got.Idle < 0 || min(u.Input, u.Output, u.CacheRead, u.CacheWrite) < 0 {
		return fmt.Errorf("got idle %s, usage %+v; want none below zero", got.Idle, got.Usage)
	}
	seen := map[string]bool{}
	for i, c := range got.Calls {
		switch {
		case c.ID == "" || seen[c.ID]:
			return fmt.Errorf("got the call %q again, or without an id", c.ID)
		case len(c.Output) > agent.OutputKept:
			return fmt.Errorf("got %d bytes of output", len(c.Output))
		case c.Kind == "" || c.Failed && c.Interrupted:
			return fmt.Errorf("got call %s of kind %q, failed %v, interrupted %v", c.ID, c.Kind, c.Failed, c.Interrupted)
		case c.NeverRan && !c.Interrupted:
			return fmt.Errorf("got call %s that never ran and was not interrupted", c.ID)
		case i > 0 && c.StartedAt.Before(got.Calls[i-1].StartedAt):
			return fmt.Errorf("got call %s before the one that began before it", c.ID)
		}
		seen[c.ID] = true
	}
	return nil
}

// Mutated is a log with one to four things wrong with it.
func Mutated(r *rand.Rand, log []byte) []byte {
	lines := bytes.SplitAfter(bytes.Clone(log), []byte("\n"))
	for range 1 + r.IntN(4) {
		i, j := r.IntN(len(lines)), r.IntN(len(lines))
		switch r.IntN(10) {
		case 0: // ends anywhere
			lines = append(slices.Clone(lines[:i]), lines[i][:r.IntN(len(lines[i])+1)])
		case 1: // bytes flip
			for range 1 + r.IntN(20) {
				if line := lines[r.IntN(len(lines))]; len(line) > 0 {
					line[r.IntN(len(line))] ^= 1 << r.IntN(8)
				}
			}
		case 2:
			if lines = slices.Delete(slices.Clone(lines), i, i+1); len(lines) == 0 {
				return nil
			}
		case 3:
			lines = slices.Insert(slices.Clone(lines), i, lines[j])
		case 4:
			lines[i], lines[j] = lines[j], lines[i]
		case 5: // two lines in one
			lines[i] = append(bytes.TrimRight(lines[i], "\n"), lines[j]...)
		case 6: // a piece is gone
			if n := len(lines[i]); n > 1 {
				from := r.IntN(n)
				lines[i] = slices.Concat(lines[i][:from], lines[i][min(from+r.IntN(200), n):])
			}
		case 7: // a long one
			lines[i] = slices.Concat(lines[i][:r.IntN(len(lines[i])+1)], bytes.Repeat([]byte("x\\n"), 100_000), lines[j])
		case 8: // values of other types
			lines[i] = retyped(r, lines[i])
		case 9: // a log without line ends
			lines = [][]byte{bytes.ReplaceAll(bytes.Join(lines, nil), []byte("\n"), []byte([]string{"\r\n", "\n\n", "\x00", ""}[r.IntN(4)]))}
		}
	}
	return bytes.Join(lines, nil)
}

// retyped puts other values behind some of a line's colons.
func retyped(r *rand.Rand, line []byte) []byte {
	values := []string{"null", "7", "-1e99", "true", `"x"`, "[]", "{}", `[{"id":"x","text":7}]`, "[[", `{"id":`, `"`, `"2026-13-45T99:00:00Z"`}
	var out []byte
	for i := 0; i < len(line); i++ {
		out = append(out, line[i])
		if line[i] != ':' || i+1 == len(line) || r.IntN(6) > 0 {
			continue
		}
		if end := rawjson.SkipValue(line, i+1); end > 0 {
			out = append(out, values[r.IntN(len(values))]...)
			i = end - 1
		}
	}
	return out
}

// With returns the event after a change.
func With(e agent.Event, change func(*agent.Event)) agent.Event {
	change(&e)
	return e
}

func Commands(t agent.Transcript) string {
	var out []string
	for _, c := range t.Calls {
		out = append(out, c.Subagent+c.Command)
	}
	return strings.Join(out, " ")
}

// FormatCall is a call without its names and times.
func FormatCall(c agent.Call) string {
	s := Format(agent.Transcript{Calls: []agent.Call{{Kind: c.Kind, Command: c.Command, Paths: c.Paths, Created: c.Created,
		Background: c.Background, Failed: c.Failed, ExitCode: c.ExitCode, Interrupted: c.Interrupted, NeverRan: c.NeverRan, Cut: c.Cut, Task: c.Task, Output: c.Output}}})
	_, s, _ = strings.Cut(s, "- to -   ")
	s = strings.Replace(s, " in ", "", 1)
	return strings.Join(strings.Fields(s), " ")
}

var Update = flag.Bool("update", false, "write the wanted files anew")

// LongAgo is a beginning before all recordings.
var LongAgo = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// Project is where the recorded sessions worked.
const Project = "/home/dev/project"

// Edited is an event of an edit that names files.
func Edited(e agent.Event, paths ...string) agent.Event {
	e.Paths = paths
	return e
}

// At is a time of the made-up logs: a second of one minute.
func At(second int) time.Time { return time.Date(2026, 11, 20, 10, 0, second, 0, time.UTC) }
