package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// currentTurn is how much of a transcript belongs to the current turn, bytes.
const currentTurn = 300 << 10

// turn measures the prompt hook, which takes the baseline, and the stop hook,
// which holds with a debrief, in a repository of 10,000 files.
func (l lab) turn(context.Context) ([]row, error) {
	repo, err := l.repo("big", 10_000)
	if err != nil {
		return nil, err
	}
	edited := filepath.Join(repo, "dir1", "file100.go")
	const floor = "git status -uall"
	prompt := row{what: "prompt hook (baseline), 10,000 files", against: floor, bar: 1.5}
	stops := []row{
		{what: "stop hook with debrief, 10,000 files, 1 MB", against: floor, bar: 1.5},
		{what: "stop hook with debrief, 10,000 files, 50 MB", against: floor, bar: 1.5},
	}
	scripts := []string{filepath.Join(l.dir, "1.jsonl"), filepath.Join(l.dir, "50.jsonl")}
	for i, size := range []int{1 << 20, 50 << 20} {
		if err := writeTranscript(scripts[i], size, repo, edited); err != nil {
			return nil, err
		}
	}
	status := func() (time.Duration, error) {
		return l.process(repo, "", nil, "git", "--no-optional-locks", "status", "--porcelain=v2", "-uall")
	}
	for i := range l.n + 3 {
		for j, script := range scripts {
			session := fmt.Sprintf("bench-%d-%d", i, j)
			common := map[string]any{"session_id": session, "cwd": repo, "transcript_path": script}
			p, err := l.payload("prompt", with(common, map[string]any{"hook_event_name": "UserPromptSubmit", "prompt": "make it work"}))
			if err != nil {
				return nil, err
			}
			s, err := l.payload("stop", with(common, map[string]any{"hook_event_name": "Stop", "stop_hook_active": false, "last_assistant_message": "Done.", "background_tasks": []any{}}))
			if err != nil {
				return nil, err
			}
			base, err := status()
			if err != nil {
				return nil, err
			}
			began, err := l.process(repo, p, nil, l.bin("piton-hook"), "claude")
			if err != nil {
				return nil, err
			}
			if err := os.WriteFile(edited, fmt.Appendf(nil, "package dir1\n\nvar X = %d\n", 2*i+j), 0o600); err != nil {
				return nil, err
			}
			base2, err := status()
			if err != nil {
				return nil, err
			}
			held, err := l.process(repo, s, []string{"PITON_DEBRIEF_MIN_TURN=0s"}, l.bin("piton-hook"), "claude")
			if err != nil {
				return nil, err
			}
			if i < 3 {
				continue
			}
			prompt.got, prompt.floor = append(prompt.got, began), append(prompt.floor, base)
			stops[j].got, stops[j].floor = append(stops[j].got, held), append(stops[j].floor, base2)
		}
	}
	if err := l.checkHeld(); err != nil {
		return nil, err
	}
	return append([]row{prompt}, stops...), nil
}

func with(a, b map[string]any) map[string]any {
	m := map[string]any{}
	for _, x := range []map[string]any{a, b} {
		for k, v := range x {
			m[k] = v
		}
	}
	return m
}

// writeTranscript writes a log in Claude Code's form: old turns, then the
// current one, whose lines are dated ahead so that it belongs to every turn
// that is measured.
func writeTranscript(path string, size int, repo, edited string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	written, n := 0, 0
	line := func(v any) {
		b, _ := json.Marshal(v)
		written += len(b) + 1
		w.Write(append(b, '\n'))
	}
	call := func(at time.Time, tool string, input map[string]any, result string) {
		n++
		id := fmt.Sprintf("toolu_%06d", n)
		common := map[string]any{"sessionId": "bench", "cwd": repo, "version": "2.1.328", "isSidechain": false, "userType": "external"}
		line(with(common, map[string]any{"type": "assistant", "timestamp": at, "message": map[string]any{"id": fmt.Sprintf("msg_%d", n), "role": "assistant",
			"content": []any{map[string]any{"type": "tool_use", "id": id, "name": tool, "input": input}}, "usage": map[string]any{"input_tokens": 100, "output_tokens": 20}}}))
		line(with(common, map[string]any{"type": "user", "timestamp": at.Add(time.Second), "message": map[string]any{"role": "user",
			"content": []any{map[string]any{"type": "tool_result", "tool_use_id": id, "content": result, "is_error": false}}}}))
		line(map[string]any{"type": "api-request", "sessionId": "bench", "timestamp": at, "params": map[string]any{"tail": strings.Repeat("f", 900)}})
	}
	old, now := time.Now().Add(-24*time.Hour).UTC(), time.Now().Add(time.Hour).UTC()
	read := strings.Repeat("\tfunc line() { return } // of a file that was read\n", 40)
	for written < size-currentTurn {
		call(old, "Read", map[string]any{"file_path": filepath.Join(repo, "dir2", "file200.go")}, read)
	}
	until := written + currentTurn
	call(now, "Read", map[string]any{"file_path": edited}, read)
	for written < until-8<<10 {
		call(now, "Bash", map[string]any{"command": "grep -rn F100 . | head -20"}, read)
	}
	call(now, "Edit", map[string]any{"file_path": edited, "old_string": "a", "new_string": "b"}, "The file has been updated.")
	line(map[string]any{"type": "assistant", "timestamp": now, "sessionId": "bench", "cwd": repo, "version": "2.1.328", "isSidechain": false,
		"message": map[string]any{"id": "msg_last", "role": "assistant", "content": []any{map[string]any{"type": "text", "text": "Done."}}}})
	return w.Flush()
}
