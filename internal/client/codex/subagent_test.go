package codex

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Where the client tells of no command's end, a subagent's are read from what its
// model was told. What its rollout has copied of the session's is not its own.
func TestSubagentsOwnCalls(t *testing.T) {
	const (
		session = "019d7d08-0000-7000-8000-000000000001"
		child   = "019d7e36-0000-7000-8000-000000000002"
		earlier = "019d7d09-0000-7000-8000-000000000003" // turns of the session
		now     = "019d7e30-0000-7000-8000-000000000004"
		its     = "019d7e36-0001-7000-8000-000000000005" // the subagent's turn
	)
	line := func(at, kind, payload string) string {
		return `{"timestamp":"2026-04-11T20:` + at + `Z","type":"` + kind + `","payload":` + payload + "}\n"
	}
	shell := func(at, id, command string) string {
		return line(at, "response_item", `{"type":"function_call","call_id":"`+id+`","name":"exec_command","arguments":"{\"cmd\":\"`+command+`\"}"}`) +
			line(at, "response_item", `{"type":"function_call_output","call_id":"`+id+`","output":"Process exited with code 0\nOutput:\nok"}`)
	}
	patch := func(at, id, turn, file string) string {
		return line(at, "event_msg", `{"type":"patch_apply_end","call_id":"`+id+`","turn_id":"`+turn+`","success":true,"changes":{"/w/`+file+`":{"type":"update"}}}`)
	}
	begin := func(at, turn string) string {
		return line(at, "event_msg", `{"type":"task_started","turn_id":"`+turn+`"}`)
	}
	dir := t.TempDir()
	write := func(thread string, lines ...string) string {
		path := filepath.Join(dir, "rollout-2026-04-11T20-00-00-"+thread+".jsonl")
		if err := os.WriteFile(path, []byte(strings.Join(lines, "")), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	head := line("00:00.000", "session_meta", `{"id":"`+session+`","source":"cli","cwd":"/w"}`)
	main := write(session, head, begin("00:01.000", earlier), line("00:01.100", "event_msg", `{"type":"user_message","message":"before"}`),
		shell("00:02.000", "c1", "make old"), patch("00:03.000", "c2", earlier, "old.go"),
		begin("20:00.000", now), line("20:00.100", "event_msg", `{"type":"user_message","message":"delegate it"}`))
	write(child, line("23:03.843", "session_meta", `{"id":"`+child+`","source":{"subagent":{"thread_spawn":{"parent_thread_id":"`+session+`"}}},"cwd":"/w"}`),
		line("23:03.843", "session_meta", `{"id":"`+session+`","source":"cli","cwd":"/w"}`),
		begin("23:03.843", earlier), shell("23:03.843", "c1", "make old"), patch("23:03.844", "c2", earlier, "old.go"), begin("23:03.844", now),
		begin("23:03.900", its), patch("23:05.000", "d1", its, "new.go"), shell("23:06.000", "d2", "make test"))
	got, err := Client{}.Transcript(main, time.Time{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Calls) != 2 || got.Calls[0].Paths[0] != "/w/new.go" || got.Calls[1].Command != "make test" || got.Calls[1].ExitCode == nil || got.Calls[1].Subagent != child {
		t.Errorf("got %+v, want the subagent's patch and its test run", got.Calls)
	}
}
