package turn_test

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/piton-project/piton/internal/agent"
)

// These write what happens into the transcript, in the client's own form
// (agent/testdata), and tell Piton what its hooks tell.

// line appends a line to the transcript: first the members that differ.
func (w *world) line(members string) {
	w.Helper()
	f, err := os.OpenFile(w.script, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		w.Fatal(err)
	}
	defer f.Close()
	_, err = fmt.Fprintf(f, `{"parentUuid":null,"isSidechain":%v,%s,"uuid":"u%d","timestamp":%q,"userType":"external","cwd":%s,"sessionId":%q,"version":%q,"gitBranch":"main"}`+"\n",
		w.sidechain, members, w.now.UnixNano(), w.now.UTC().Format("2006-01-02T15:04:05.000Z"), quoted(w.root), w.id, w.version)
	if err != nil {
		w.Fatal(err)
	}
}

func quoted(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// asks is a person's prompt: in the transcript first, then in the hook.
func (w *world) asks(text string) {
	w.Helper()
	w.line(`"promptId":"p","type":"user","message":{"role":"user","content":` + quoted(text) + `},"permissionMode":"default","origin":{"kind":"human"},"promptSource":"typed","turnOrigin":"human"`)
	w.after(50 * time.Millisecond)
	w.happens("UserPromptSubmit", map[string]any{"prompt": text})
}

// machine is a prompt that nobody typed.
func (w *world) machine(text string) {
	w.Helper()
	w.line(`"promptId":"p","type":"user","message":{"role":"user","content":` + quoted(text) + `},"origin":{"kind":"task-notification"},"turnOrigin":"task_notification"`)
	w.after(50 * time.Millisecond)
	w.happens("UserPromptSubmit", map[string]any{"prompt": text})
}

// says is the agent's own text.
func (w *world) says(text string) {
	w.Helper()
	w.assistant(`{"type":"text","text":` + quoted(text) + `}`)
}

func (w *world) assistant(block string) {
	w.Helper()
	w.calls++
	w.line(fmt.Sprintf(`"message":{"id":"msg_%d","type":"message","role":"assistant","model":"m","content":[%s],"usage":{"input_tokens":100,"cache_creation_input_tokens":1,"cache_read_input_tokens":2,"output_tokens":20}},"type":"assistant"`, w.calls, block))
}

// call is a tool's use and, two seconds later, its result.
func (w *world) call(tool, input, content string, failed bool, result string) {
	w.Helper()
	w.after(time.Second)
	w.assistant(fmt.Sprintf(`{"type":"tool_use","id":"toolu_%d","name":%q,"input":%s}`, w.calls+1, tool, input))
	id := w.calls
	w.after(2 * time.Second)
	w.line(fmt.Sprintf(`"promptId":"p","type":"user","message":{"role":"user","content":[{"tool_use_id":"toolu_%d","type":"tool_result","content":%s,"is_error":%v}]},"toolUseResult":%s`,
		id, quoted(content), failed, result))
}

// edits reads a file, if it is there, and writes another text into it.
func (w *world) edits(name, text string) {
	w.Helper()
	input := `{"file_path":` + quoted(w.path(name)) + `}`
	kind := "create"
	if _, err := os.Stat(w.path(name)); err == nil {
		w.call("Read", input, "1\tpackage shop", false, `{"type":"text"}`)
		kind = "update"
	}
	w.write(name, text)
	w.call("Write", `{"file_path":`+quoted(w.path(name))+`,"content":`+quoted(text)+`}`, "The file has been updated.", false, `{"type":"`+kind+`","filePath":`+quoted(w.path(name))+`}`)
}

// runs is a shell command that ends well, fails is one that does not.
func (w *world) runs(command, output string) {
	w.Helper()
	w.call("Bash", `{"command":`+quoted(command)+`,"description":"d"}`, output, false, `{"stdout":`+quoted(output)+`,"stderr":"","interrupted":false}`)
}

func (w *world) fails(command, output string) {
	w.Helper()
	output = "Exit code 1\n" + output
	w.call("Bash", `{"command":`+quoted(command)+`}`, output, true, quoted("Error: "+output))
}

// interrupted is a person's Esc. No hook tells of it.
func (w *world) interrupted() {
	w.Helper()
	w.line(`"type":"user","message":{"role":"user","content":[{"type":"text","text":"[Request interrupted by user]"}]}`)
}

// stops ends the turn, two seconds later, and returns Piton's answer: "" when
// the agent is let go in silence, "notice: …" or "held: …".
func (w *world) stops(fields ...map[string]any) string {
	w.Helper()
	w.after(2 * time.Second)
	w.says("Done.")
	all := map[string]any{"stop_hook_active": false, "last_assistant_message": "Done.", "background_tasks": []any{}}
	for _, f := range fields {
		for k, v := range f {
			all[k] = v
		}
	}
	return w.read(w.happens("Stop", all))
}

// read is answer, and a hold comes into the transcript as the client puts it
// there.
func (w *world) read(reply []byte) string {
	w.Helper()
	text := w.answer(reply)
	if reason, ok := strings.CutPrefix(text, "held: "); ok {
		w.line(`"type":"user","isMeta":true,"message":{"role":"user","content":` + quoted("Stop hook feedback:\n"+reason) + `}`)
	}
	return text
}

// answer turns a reply into words.
func (w *world) answer(reply []byte) string {
	w.Helper()
	if len(reply) == 0 {
		return ""
	}
	var r struct {
		Decision, Reason, SystemMessage string
		HookSpecificOutput              struct{ HookEventName, AdditionalContext string }
	}
	if err := json.Unmarshal(reply, &r); err != nil {
		w.Fatalf("the reply %q is not JSON: %v", reply, err)
	}
	text := ""
	switch {
	case r.Decision == "block":
		text = "held: " + r.Reason
	case r.HookSpecificOutput.AdditionalContext != "":
		text = r.HookSpecificOutput.HookEventName + ": " + r.HookSpecificOutput.AdditionalContext
	default:
		return "notice: " + r.SystemMessage
	}
	if !strings.Contains(text, agent.Prefix) || likeATag.MatchString(text) || len(text) > 9000 {
		w.Errorf("got the message %q; want the prefix, nothing like a tag, under 9,000 characters", text)
	}
	return text
}

// likeATag is what a model may take for mark-up; a redirection is none.
var likeATag = regexp.MustCompile(`<[^ ]`)

// want checks an answer: held with these words, or let go for this reason.
func (w *world) want(answer string, reason agent.Reason, words ...string) {
	w.Helper()
	d := w.decision()
	held := strings.HasPrefix(answer, "held: ") || strings.HasPrefix(answer, "Stop: ")
	if d.Reason != reason || d.Held != held {
		w.Fatalf("got %q (held %v, %v, notes %q), want %q\nanswer: %s", d.Reason, d.Held, d.Actions, d.Notes, reason, answer)
	}
	for _, word := range words {
		if !strings.Contains(answer, word) {
			w.Errorf("got the answer %q, want %q in it", answer, word)
		}
	}
}
