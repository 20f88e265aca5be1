package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// agentMain plays Claude Code for a script: it writes the transcript as the
// client does (agent/testdata) and pipes what its hooks say into the real
// piton-hook, whose answer it prints. The session is $SESSION, the transcript
// $TRANSCRIPT.
//
//	agent SessionStart source=startup
//	agent ask 'the prompt'
//	agent write calc.go 'package calc'          (reads it first)
//	agent run 'go test ./...' output
//	agent fail 'go test ./...' output
//	agent shell 'git clean -fd'                 (runs it, between its two hooks)
//	agent todo '[{"content":"tests","status":"pending"}]'
//	agent Stop last_assistant_message=done
func agentMain() {
	p := fakeClient{session: os.Getenv("SESSION"), transcript: os.Getenv("TRANSCRIPT"), send: func(payload []byte) error {
		x := exec.Command("piton-hook", "claude")
		x.Stdin, x.Stdout, x.Stderr = bytes.NewReader(payload), os.Stdout, os.Stderr
		return x.Run()
	}}
	p.cwd, _ = os.Getwd()
	p.act(os.Args[1], os.Args[2:])
}

// act is one line of what the client does.
func (p fakeClient) act(verb string, args []string) {
	switch verb {
	case "ask":
		p.line(`"type":"user","message":{"role":"user","content":` + text2json(args[0]) + `},"origin":{"kind":"human"},"promptSource":"typed","turnOrigin":"human"`)
		p.hook("UserPromptSubmit", "prompt="+args[0])
	case "write":
		path := filepath.Join(p.cwd, args[0])
		p.call("Read", `{"file_path":`+text2json(path)+`}`, "read", false, `{"type":"text"}`)
		if err := os.WriteFile(path, []byte(args[1]+"\n"), 0o644); err != nil {
			p.fatal(err)
		}
		p.call("Write", `{"file_path":`+text2json(path)+`}`, "written", false, `{"type":"update","filePath":`+text2json(path)+`}`)
	case "run", "fail":
		p.call("Bash", `{"command":`+text2json(args[0])+`}`, args[1], verb == "fail", `{"stdout":`+text2json(args[1])+`,"stderr":"","interrupted":false}`)
	case "shell":
		p.shell(args[0])
	case "todo":
		p.call("TodoWrite", `{"todos":`+args[0]+`}`, "ok", false, `{"oldTodos":[],"newTodos":`+args[0]+`}`)
	default:
		p.hook(verb, args...)
	}
}

type fakeClient struct {
	session, transcript, cwd string
	send                     func(payload []byte) error // hands an event to the hook
}

func (p fakeClient) fatal(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// call is a tool's use and its result.
func (p fakeClient) call(tool, input, output string, failed bool, result string) {
	id := fmt.Sprintf("toolu_%d", time.Now().UnixNano())
	p.line(fmt.Sprintf(`"type":"assistant","message":{"id":"msg_%s","type":"message","role":"assistant","model":"m","content":[{"type":"tool_use","id":%q,"name":%q,"input":%s}],"usage":{"input_tokens":100,"output_tokens":20}}`, id, id, tool, input))
	p.line(fmt.Sprintf(`"type":"user","message":{"role":"user","content":[{"tool_use_id":%q,"type":"tool_result","content":%s,"is_error":%v}]},"toolUseResult":%s`, id, text2json(output), failed, result))
}

// shell runs a command as the client does: a hook before it, and one after it.
func (p fakeClient) shell(line string) {
	id := fmt.Sprintf("toolu_%d", time.Now().UnixNano())
	event := func(name string, more map[string]any) {
		maps.Copy(more, map[string]any{"tool_name": "Bash", "tool_use_id": id, "tool_input": map[string]any{"command": line}})
		p.event(name, more)
	}
	event("PreToolUse", map[string]any{})
	x := exec.Command("sh", "-c", line)
	x.Dir = p.cwd
	out, err := x.CombinedOutput()
	if err != nil {
		p.fatal(fmt.Errorf("%s: %w\n%s", line, err, out))
	}
	event("PostToolUse", map[string]any{"tool_response": map[string]any{"stdout": string(out), "stderr": "", "interrupted": false}})
	p.call("Bash", `{"command":`+text2json(line)+`}`, string(out), false, `{"stdout":`+text2json(string(out))+`,"stderr":"","interrupted":false}`)
}

func (p fakeClient) line(members string) {
	f, err := os.OpenFile(p.transcript, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		p.fatal(err)
	}
	defer f.Close()
	now := time.Now()
	_, err = fmt.Fprintf(f, `{"parentUuid":null,"isSidechain":false,%s,"uuid":"u%d","timestamp":%q,"userType":"external","cwd":%s,"sessionId":%q,"version":"2.1.300","gitBranch":"main"}`+"\n",
		members, now.UnixNano(), now.UTC().Format("2006-01-02T15:04:05.000Z"), text2json(p.cwd), p.session)
	if err != nil {
		p.fatal(err)
	}
}

// hook hands an event over. Fields are name=text.
func (p fakeClient) hook(event string, fields ...string) {
	more := map[string]any{}
	for _, f := range fields {
		name, value, _ := strings.Cut(f, "=")
		more[name] = value
	}
	p.event(event, more)
}

func (p fakeClient) event(name string, more map[string]any) {
	payload := map[string]any{"session_id": p.session, "transcript_path": p.transcript, "cwd": p.cwd, "hook_event_name": name}
	maps.Copy(payload, more)
	b, err := json.Marshal(payload)
	if err != nil {
		p.fatal(err)
	}
	if err := p.send(b); err != nil {
		p.fatal(err)
	}
}

func text2json(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}
