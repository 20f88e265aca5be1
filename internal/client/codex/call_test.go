package codex

import (
	"bytes"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client/logfile"
)

func TestCommandLines(t *testing.T) {
	for _, tt := range []struct{ raw, want string }{
		{`"go test ./..."`, "go test ./..."},
		{`["/bin/bash","-lc","go test ./... && echo ok"]`, "go test ./... && echo ok"},
		{`["bash","-c","ls"]`, "ls"},
		{`["C:\\Program Files\\PowerShell\\pwsh.exe","-NoProfile","-Command","dir"]`, "dir"},
		{`["python3","-c","print(1)"]`, "python3 -c 'print(1)'"},
		{`["bash","-lc","ls $0","x"]`, "bash -lc 'ls $0' x"},
		{`["git","commit","-m","it's done"]`, `git commit -m 'it'\''s done'`},
		{`["go","test",""]`, "go test ''"},
		{`["make"]`, "make"}, {`[]`, ""}, {`null`, ""}, {`7`, ""}, {``, ""},
	} {
		if got := commandLine([]byte(tt.raw)); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.raw, got, tt.want)
		}
	}
}

func TestShellsOfLines(t *testing.T) {
	for _, tt := range []struct{ line, named, dir, want string }{
		{`"make"`, ``, "/home/ann", "Bash"},
		{`"make"`, ``, `d:\app`, "PowerShell"},
		{`"make"`, `"bash"`, `d:\app`, "Bash"},
		{`"make"`, `"C:\\bin\\pwsh.exe"`, "/home/ann", "PowerShell"},
		{`["powershell.exe","-Command","make"]`, ``, "/home/ann", "PowerShell"},
		{`["bash","-lc","make"]`, ``, `d:\app`, "Bash"},
	} {
		if got := shellTool([]byte(tt.line), []byte(tt.named), tt.dir); got != tt.want {
			t.Errorf("%s in %s: got %s, want %s", tt.line, tt.dir, got, tt.want)
		}
	}
}

func TestHandsPatch(t *testing.T) {
	const patch = "*** Begin Patch\n*** Update File: a.ts\n*** End Patch\n"
	for line, want := range map[string]bool{
		"apply_patch <<'E'\n" + patch + "E":       true,
		"@'\n" + patch + "'@ | apply_patch\n":     true,
		"@\"\n" + patch + "\"@ |apply_patch":      true,
		"@'\n" + patch + "'@ | Set-Content p.txt": false,
		"@'\nmake test\n'@ | apply_patch":         false,
		"make test":                               false,
	} {
		if got := handsPatch(line); got != want {
			t.Errorf("%q: got %v", line, got)
		}
	}
}

// fold_ folds lines, given without their frames, at 10:00:00 and a second
// later each.
func fold_(t *testing.T, lines ...string) agent.Transcript {
	t.Helper()
	var b bytes.Buffer
	at := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	for _, l := range lines {
		kind, payload, _ := strings.Cut(l, " ")
		b.WriteString(`{"timestamp":"` + at.Format("2006-01-02T15:04:05.000Z") + `","type":"` + kind + `","payload":` + payload + "}\n")
		at = at.Add(time.Second)
	}
	got, err := transcriptOf(b.Bytes(), long)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func transcriptOf(b []byte, since time.Time) (agent.Transcript, error) {
	turn := turn{since: since}
	if err := turn.from(bytes.NewReader(b), int64(len(b)), logfile.NewBudget()); err != nil {
		return agent.Transcript{}, err
	}
	fold := newFold()
	fold.turn(turn.lines, turn.ids())
	t := fold.finish()
	t.Complete = turn.complete
	return t, nil
}

func TestCallEnds(t *testing.T) {
	zero, three := 0, 3
	ran := `event_msg {"type":"item_completed","turn_id":"t","item":{"type":"CommandExecution","id":"a","command":["bash","-lc","make"],`
	asked := `response_item {"type":"function_call","name":"exec_command","arguments":"{\"cmd\":\"make\"}","call_id":"a"}`
	answered := `response_item {"type":"function_call_output","call_id":"a","output":`
	poll := func(id string) string {
		return `response_item {"type":"function_call","name":"write_stdin","arguments":"{\"session_id\":5,\"chars\":\"\"}","call_id":"` + id + `"}`
	}
	polled := func(id, said string) string {
		return strings.Replace(answered, `"a"`, `"`+id+`"`, 1) + `"` + said + `"}`
	}
	for _, tt := range []struct {
		name  string
		lines []string
		want  agent.Call
	}{
		{"well", []string{ran + `"status":"completed","exit_code":0}}`}, agent.Call{ExitCode: &zero}},
		{"failed", []string{ran + `"status":"failed","exit_code":3}}`}, agent.Call{ExitCode: &three, Failed: true}},
		{"failed, by its code alone", []string{ran + `"exit_code":3}}`}, agent.Call{ExitCode: &three, Failed: true}},
		{"refused", []string{ran + `"status":"declined"}}`}, agent.Call{Interrupted: true, NeverRan: true}},
		{"the client's word counts", []string{asked, ran + `"status":"failed","exit_code":3}}`, answered + `"Process exited with code 0\nOutput:\n"}`},
			agent.Call{ExitCode: &three, Failed: true}},
		{"goes on behind", []string{asked, answered + `"Wall time: 1\nProcess running with session ID 5\nOutput:\nExit code: 0\n"}`}, agent.Call{Background: true, Task: "5", Output: "Exit code: 0\n"}},
		{"ended behind", []string{asked, answered + `"Process running with session ID 5\nOutput:\n"}`, ran + `"status":"completed","exit_code":0}}`}, agent.Call{ExitCode: &zero, Task: "5"}},
		{"polled twice", []string{asked, answered + `"Process running with session ID 5\nOutput:\none\n"}`, poll("p1"), polled("p1", `Process running with session ID 5\nOutput:\ntwo\n`), poll("p2"), polled("p2", `Process exited with code 3\nOutput:\nthree\n`)},
			agent.Call{ExitCode: &three, Failed: true, Task: "5", Output: "one\ntwo\nthree\n"}},
		{"polled, and still going", []string{asked, answered + `"Process running with session ID 5\nOutput:\none\n"}`, poll("p1"), polled("p1", `Process running with session ID 5\nOutput:\ntwo\n`)},
			agent.Call{Background: true, Task: "5", Output: "one\ntwo\n"}},
		{"a poll of another command", []string{asked, answered + `"Process running with session ID 5\nOutput:\none\n"}`, strings.Replace(poll("p1"), "5", "6", 1), polled("p1", `Process exited with code 3\nOutput:\n`)},
			agent.Call{Background: true, Task: "5", Output: "one\n"}},
		{"refused in an older version", []string{asked, answered + `"exec command rejected by user"}`}, agent.Call{Interrupted: true, NeverRan: true, Output: "exec command rejected by user"}},
		{"a call that the client cannot read", []string{asked, answered + `"failed to parse function arguments: invalid type"}`}, agent.Call{Interrupted: true, NeverRan: true, Output: "failed to parse function arguments: invalid type"}},
		{"cut in the middle", []string{asked, answered + `"Exit code: 3\nOutput:\nTotal output lines: 900\n\none\n[... omitted 500 of 900 lines ...]\n\nlast\n"}`},
			agent.Call{ExitCode: &three, Failed: true, Cut: true, Output: "Total output lines: 900\n\none\n[... omitted 500 of 900 lines ...]\n\nlast\n"}},
		{"cut, in tokens", []string{asked, answered + `"Exit code: 3\nOutput:\none…4500 tokens truncated…last\n"}`},
			agent.Call{ExitCode: &three, Failed: true, Cut: true, Output: "one…4500 tokens truncated…last\n"}},
		{"cut in its item", []string{ran + `"status":"completed","exit_code":0,"aggregated_output":"one\n... command output truncated for persistence ...\nlast\n"}}`},
			agent.Call{ExitCode: &zero, Cut: true, Output: "one\n... command output truncated for persistence ...\nlast\n"}},
		{"the program's words are not the client's", []string{asked, answered + `"Process exited with code 3\nOutput:\nProcess exited with code 0\n"}`},
			agent.Call{ExitCode: &three, Failed: true, Output: "Process exited with code 0\n"}},
		{"could not be started", []string{asked, answered + `"no such shell"}`}, agent.Call{Failed: true, Output: "no such shell"}},
		{"stopped", []string{asked, answered + `"Wall time: 1.9 seconds\naborted by user"}`}, agent.Call{Interrupted: true, Output: "Wall time: 1.9 seconds\naborted by user"}},
		{"in parts", []string{asked, answered + `[{"type":"input_text","text":"Exit code: 0\nOutput:\nfine"}]}`}, agent.Call{ExitCode: &zero, Output: "fine"}},
	} {
		got := fold_(t, tt.lines...)
		got.Calls = slices.DeleteFunc(got.Calls, func(c agent.Call) bool { return c.Tool == "write_stdin" })
		if len(got.Calls) != 1 {
			t.Errorf("%s: got %d calls, want one", tt.name, len(got.Calls))
			continue
		}
		c := got.Calls[0]
		if ended := !c.EndedAt.IsZero(); ended == tt.want.Background || c.Command != "make" || c.Kind != agent.CallShell {
			t.Errorf("%s: got %+v, want a command that ended unless it goes on", tt.name, c)
		}
		c = agent.Call{ExitCode: c.ExitCode, Failed: c.Failed, Interrupted: c.Interrupted, Background: c.Background, NeverRan: c.NeverRan, Cut: c.Cut, Task: c.Task, Output: c.Output}
		if !reflect.DeepEqual(c, tt.want) {
			t.Errorf("%s: got %+v, want %+v", tt.name, c, tt.want)
		}
	}
}

// What a person runs, or types into a command that runs, is not a call.
func TestCallsOfOthers(t *testing.T) {
	for _, source := range []string{"user_shell", "unified_exec_interaction"} {
		got := fold_(t, `event_msg {"type":"item_completed","item":{"type":"CommandExecution","id":"a","command":["bash","-lc","go test"],"source":"`+source+`","exit_code":0}}`)
		if len(got.Calls) != 0 {
			t.Errorf("%s: got %+v, want no call", source, got.Calls)
		}
	}
}

func TestOwnText(t *testing.T) {
	const own = `[Piton Checkpoint] - Verify.`
	prompt := `event_msg {"type":"item_completed","turn_id":"t","item":{"type":"UserMessage","content":[{"type":"text","text":"fix it"}]}}`
	for _, tt := range []struct {
		name  string
		lines []string
		want  bool
	}{
		{"a hold", []string{prompt, `event_msg {"type":"item_completed","turn_id":"t","item":{"type":"HookPrompt","fragments":[{"text":"` + own + `"}]}}`}, true},
		{"another's hold", []string{prompt, `event_msg {"type":"item_completed","turn_id":"t","item":{"type":"HookPrompt","fragments":[{"text":"Lint."}]}}`}, false},
		{"a letter that was typed", []string{prompt, `event_msg {"type":"item_completed","turn_id":"u","item":{"type":"UserMessage","content":[{"type":"text","text":"` + own + `"}]}}`}, true},
		{"a letter in an older form", []string{prompt, `event_msg {"type":"user_message","message":"` + own + `"}`}, true},
		{"a prompt after it", []string{`event_msg {"type":"user_message","message":"` + own + `"}`, prompt}, false},
	} {
		if got := fold_(t, tt.lines...); got.OwnTextLast != tt.want || got.LastPrompt != "fix it" {
			t.Errorf("%s: got own %v, prompt %q; want %v, fix it", tt.name, got.OwnTextLast, got.LastPrompt, tt.want)
		}
	}
}

func TestInterruptions(t *testing.T) {
	prompt := `event_msg {"type":"user_message","message":"fix it"}`
	stopped := `event_msg {"type":"turn_aborted","reason":"interrupted"}`
	if got := fold_(t, prompt, stopped); got.Interrupted.IsZero() {
		t.Errorf("got no interruption, want one")
	}
	if got := fold_(t, prompt, `event_msg {"type":"turn_aborted","reason":"replaced"}`); !got.Interrupted.IsZero() {
		t.Errorf("replaced: got an interruption at %s, want none", got.Interrupted)
	}
	if got := fold_(t, prompt, stopped, prompt); !got.Interrupted.IsZero() || got.Idle != time.Second {
		t.Errorf("a prompt after it: got interrupted at %s, idle %s; want none, a second", got.Interrupted, got.Idle)
	}
}

// A question stands open until it is answered or a person says something else.
func TestQuestions(t *testing.T) {
	prompt := `event_msg {"type":"user_message","message":"ask me"}`
	asks := `response_item {"type":"function_call","status":"completed","id":"fc_1","name":"request_user_input","arguments":"{\"questions\":[{\"header\":\"One\",\"id\":\"which\",\"question\":\"Which one?\"}]}","call_id":"call_1"}`
	answer := `response_item {"type":"function_call_output","call_id":"call_1","output":"{\"answers\":{\"which\":{\"answers\":[\"One\"]}}}"}`
	other := `response_item {"type":"function_call_output","call_id":"call_2","output":"done"}`
	for _, c := range []struct {
		name  string
		lines []string
		want  agent.Wait
	}{
		{"open", []string{prompt, asks}, agent.WaitAnswer},
		{"another call has ended", []string{prompt, asks, other}, agent.WaitAnswer},
		{"answered", []string{prompt, asks, answer}, ""},
		{"a person has said something", []string{prompt, asks, prompt}, ""},
	} {
		if got := fold_(t, c.lines...).Broke.Wait; got != c.want {
			t.Errorf("%s: it waits for %q, want %q", c.name, got, c.want)
		}
	}
}
