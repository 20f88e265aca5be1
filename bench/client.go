package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// client is how one of the agents' programs tells its hooks what happens, and
// keeps its log.
type client struct {
	name string
	// the names of a finished edit, a prompt and a stop, and what they tell
	// beside the common fields
	edit, prompt, stop map[string]any
	// head begins a turn in the log, call is one finished call, last the
	// agent's last words.
	head func(at time.Time, repo string) []any
	call func(n int, at time.Time, repo string, c done) []any
	last func(n int, at time.Time, repo, words string) []any
}

// done is a call that has ended well.
type done struct {
	command string // of a shell call
	read    string // the file that was read
	edited  string // the file that was changed
	output  string
}

var clients = []client{claude(), gemini(), codex()}

// common are the fields of every event.
func common(session, repo, script string) map[string]any {
	return map[string]any{"session_id": session, "cwd": repo, "transcript_path": script}
}

type fields = map[string]any

func claude() client {
	line := func(at time.Time, repo string, more fields) any {
		return with(fields{"sessionId": "bench", "cwd": repo, "version": "2.1.328", "isSidechain": false, "userType": "external", "timestamp": at}, more)
	}
	assistant := func(n int, block fields) fields {
		return fields{"type": "assistant", "message": fields{"id": fmt.Sprintf("msg_%d", n), "role": "assistant",
			"content": []any{block}, "usage": fields{"input_tokens": 100, "output_tokens": 20}}}
	}
	return client{
		name:   "claude",
		edit:   fields{"hook_event_name": "PostToolUse", "tool_name": "Edit", "tool_use_id": "toolu_1", "duration_ms": 12},
		prompt: fields{"hook_event_name": "UserPromptSubmit", "prompt": "make it work"},
		stop:   fields{"hook_event_name": "Stop", "stop_hook_active": false, "last_assistant_message": "Done.", "background_tasks": []any{}},
		head:   func(time.Time, string) []any { return nil },
		call: func(n int, at time.Time, repo string, c done) []any {
			id, tool, input := fmt.Sprintf("toolu_%06d", n), "Bash", fields{"command": c.command}
			switch {
			case c.read != "":
				tool, input = "Read", fields{"file_path": c.read}
			case c.edited != "":
				tool, input = "Edit", fields{"file_path": c.edited, "old_string": "a", "new_string": "b"}
			}
			return []any{
				line(at, repo, assistant(n, fields{"type": "tool_use", "id": id, "name": tool, "input": input})),
				line(at.Add(time.Second), repo, fields{"type": "user", "message": fields{"role": "user",
					"content": []any{fields{"type": "tool_result", "tool_use_id": id, "content": c.output, "is_error": false}}}}),
				fields{"type": "api-request", "sessionId": "bench", "timestamp": at, "params": fields{"tail": strings.Repeat("f", 900)}},
			}
		},
		last: func(n int, at time.Time, repo, words string) []any {
			return []any{line(at, repo, assistant(n, fields{"type": "text", "text": words}))}
		},
	}
}

func gemini() client {
	said := func(n int, at time.Time, more fields) any {
		return with(fields{"id": fmt.Sprintf("m%06d", n), "timestamp": at, "type": "gemini", "content": "", "thoughts": []any{},
			"tokens": fields{"input": 100, "output": 10, "cached": 0, "thoughts": 0, "tool": 0, "total": 110}, "model": "gemini"}, more)
	}
	return client{
		name:   "gemini",
		edit:   fields{"hook_event_name": "AfterTool", "tool_name": "replace"},
		prompt: fields{"hook_event_name": "BeforeAgent", "prompt": "make it work"},
		stop:   fields{"hook_event_name": "AfterAgent", "prompt": "make it work", "prompt_response": "Done.", "stop_hook_active": false},
		head:   func(time.Time, string) []any { return nil },
		call: func(n int, at time.Time, _ string, c done) []any {
			id, tool, args := fmt.Sprintf("call_%06d", n), "run_shell_command", fields{"command": c.command}
			switch {
			case c.read != "":
				tool, args = "read_file", fields{"file_path": c.read}
			case c.edited != "":
				tool, args = "replace", fields{"file_path": c.edited, "old_string": "a", "new_string": "b"}
			}
			answer := fields{"functionResponse": fields{"id": id, "name": tool, "response": fields{"output": c.output}}}
			call := fields{"id": id, "name": tool, "args": args, "result": []any{answer}, "status": "success", "timestamp": at.Add(time.Second)}
			return []any{
				said(n, at, nil),
				said(n, at, fields{"toolCalls": []any{call}}),
				fields{"id": fmt.Sprintf("r%06d", n), "timestamp": at.Add(time.Second), "type": "user", "content": []any{answer}},
				fields{"$set": fields{"lastUpdated": at}},
			}
		},
		last: func(n int, at time.Time, _, words string) []any { return []any{said(n, at, fields{"content": words})} },
	}
}

func codex() client {
	turn := func(at time.Time) string { return fmt.Sprintf("01a1f840-488c-7d30-8c77-%012d", at.Unix()/3600) }
	line := func(at time.Time, kind string, payload fields) any {
		return fields{"timestamp": at, "type": kind, "payload": payload}
	}
	item := func(at time.Time, item fields) any {
		return line(at, "event_msg", fields{"type": "item_completed", "thread_id": "bench", "turn_id": turn(at), "item": item,
			"started_at_ms": at.UnixMilli(), "completed_at_ms": at.Add(time.Second).UnixMilli()})
	}
	return client{
		name:   "codex",
		edit:   fields{"hook_event_name": "PostToolUse", "tool_name": "apply_patch", "tool_use_id": "call_1", "turn_id": turn(time.Now())},
		prompt: fields{"hook_event_name": "UserPromptSubmit", "prompt": "make it work", "turn_id": turn(time.Now())},
		stop:   fields{"hook_event_name": "Stop", "stop_hook_active": false, "last_assistant_message": "Done.", "turn_id": turn(time.Now())},
		head: func(at time.Time, repo string) []any {
			return []any{
				line(at, "event_msg", fields{"type": "task_started", "turn_id": turn(at)}),
				line(at, "turn_context", fields{"turn_id": turn(at), "cwd": repo, "approval_policy": "never"}),
			}
		},
		call: func(n int, at time.Time, repo string, c done) []any {
			id := fmt.Sprintf("call_%06d", n)
			if c.edited != "" {
				return []any{item(at, fields{"type": "FileChange", "id": id, "changes": fields{c.edited: fields{"type": "update", "unified_diff": "@@\n-a\n+b\n"}}, "status": "completed"})}
			}
			command := c.command
			if c.read != "" {
				command = "cat " + c.read
			}
			return []any{
				line(at, "response_item", fields{"type": "function_call", "name": "exec_command", "arguments": command, "call_id": id}),
				item(at, fields{"type": "CommandExecution", "id": id, "command": []string{"/bin/bash", "-lc", command}, "cwd": "file://" + repo, "status": "completed", "aggregated_output": c.output, "exit_code": 0}),
				line(at, "response_item", fields{"type": "function_call_output", "call_id": id, "output": c.output}),
			}
		},
		last: func(n int, at time.Time, _, words string) []any {
			return []any{item(at, fields{"type": "AgentMessage", "id": fmt.Sprintf("msg_%d", n), "content": []any{fields{"type": "Text", "text": words}}})}
		},
	}
}

// currentTurn is how much of a log belongs to the current turn, bytes.
const currentTurn = 300 << 10

// writeLog writes a log of a size: old turns, then the current one, whose lines
// are dated ahead so that it belongs to every turn that is measured.
func (c client) writeLog(path string, size int, repo, edited string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	written, n := 0, 0
	write := func(lines []any) {
		n++
		for _, v := range lines {
			b, _ := json.Marshal(v)
			written += len(b) + 1
			w.Write(append(b, '\n'))
		}
	}
	old, now := time.Now().Add(-24*time.Hour).UTC(), time.Now().Add(time.Hour).UTC()
	read := strings.Repeat("\tfunc line() { return } // of a file that was read\n", 40)
	write(c.head(old, repo))
	for written < size-currentTurn {
		write(c.call(n, old, repo, done{read: filepath.Join(repo, "dir2", "file200.go"), output: read}))
	}
	until := written + currentTurn
	write(c.head(now, repo))
	write(c.call(n, now, repo, done{read: edited, output: read}))
	for written < until-8<<10 {
		write(c.call(n, now, repo, done{command: "grep -rn F100 . | head -20", output: read}))
	}
	write(c.call(n, now, repo, done{edited: edited, output: "The file has been updated."}))
	write(c.last(n, now, repo, "Done."))
	return w.Flush()
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
