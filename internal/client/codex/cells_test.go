package codex

import (
	"encoding/json"
	"testing"

	"github.com/piton-project/piton/internal/agent"
)

// celled is a cell with what it printed, part by part.
func celled(id, script string, parts ...string) []string {
	type text struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	var list []text
	for _, p := range parts {
		list = append(list, text{"input_text", p})
	}
	in, _ := json.Marshal(map[string]any{"type": "custom_tool_call", "name": "exec", "call_id": id, "input": script})
	out, _ := json.Marshal(map[string]any{"type": "custom_tool_call_output", "call_id": id, "output": list})
	return []string{"response_item " + string(in), "response_item " + string(out)}
}

func TestCommandsOfScripts(t *testing.T) {
	const done, slow = "Script completed\nWall time 0.3 seconds\nOutput:\n", "Script completed\nWall time 10.2 seconds\nOutput:\n"
	zero, one := 0, 1
	two := `const rs = await Promise.all([
  tools.exec_command({cmd: "go vet ./..."}),
  tools.exec_command({"cmd": 'go test ./...', "workdir": "sub"})]);
for (const r of rs) text(JSON.stringify(r));`
	for _, tt := range []struct {
		name  string
		lines []string
		want  []agent.Call
	}{
		{"output alone", celled("a", `const r = await tools.exec_command({cmd:"go test ./...", yield_time_ms: 1000}); text(r.output);`, done, "ok  a 1s\n"),
			[]agent.Call{{Command: "go test ./...", Output: "ok  a 1s\n", Unsure: true}}},
		{"the whole result", celled("a", `text(JSON.stringify(await tools.exec_command({cmd:"go test ./..."})))`, done, `{"exit_code":1,"output":"FAIL a"}`),
			[]agent.Call{{Command: "go test ./...", Output: "FAIL a", ExitCode: &one, Failed: true}}},
		{"the status in words", celled("a", "const r = await tools.exec_command({cmd:\"make\"}); text(`exit ${r.exit_code}\\n${r.output}`)", done, "exit 0\ndone"),
			[]agent.Call{{Command: "make", Output: "done", ExitCode: &zero}}},
		{"the other shell's text", celled("a", `text(await tools.shell_command({command:"make"}))`, done, "Exit code: 0\nWall time: 1 seconds\nOutput:\ndone"),
			[]agent.Call{{Command: "make", Output: "done", ExitCode: &zero}}},
		{"the other shell, which throws", celled("a", `text(await tools.shell_command({command:"make"}))`, "Script failed\nWall time 0.3 seconds\nOutput:\n", "Script error:\nExit code: 1\nWall time: 1 seconds\nOutput:\nno"),
			[]agent.Call{{Command: "make", Output: "no", ExitCode: &one, Failed: true}}},
		{"two, each with its text", celled("a", two, done, `{"exit_code":0,"output":""}`, `{"exit_code":1,"output":"FAIL"}`),
			[]agent.Call{{Command: "go vet ./...", ExitCode: &zero}, {Command: "go test ./...", Dir: "/p/sub", Output: "FAIL", ExitCode: &one, Failed: true}}},
		{"two, one text", celled("a", two, done, `all is well`),
			[]agent.Call{{Command: "go vet ./...", Unsure: true, Cut: true}, {Command: "go test ./...", Dir: "/p/sub", Unsure: true, Cut: true}}},
		{"nothing printed", celled("a", `await tools.exec_command({cmd:"go test ./..."})`, done),
			[]agent.Call{{Command: "go test ./...", Unsure: true, Cut: true}}},
		{"not over in its time", celled("a", `const r = await tools.exec_command({cmd:"go test ./..."}); text(r.output)`, slow, "# a"),
			[]agent.Call{{Command: "go test ./...", Output: "# a", Unsure: true, Background: true}}},
		{"goes on, and is asked for", append(celled("a", `const r = await tools.exec_command({cmd:"make"}); text(JSON.stringify(r))`, done, `{"session_id":7,"output":"a"}`),
			celled("b", `text(JSON.stringify(await tools.write_stdin({session_id:7, chars:""})))`, done, `{"exit_code":0,"output":"b"}`)...),
			[]agent.Call{{Command: "make", Output: "ab", ExitCode: &zero, Task: "7"}}},
		{"a cell that is waited for", append(celled("a", `const r = await tools.exec_command({cmd:"make"}); text(JSON.stringify(r))`, "Script running with cell ID 3\nWall time 10 seconds\nOutput:\n"),
			`response_item {"type":"function_call","name":"wait","arguments":"{\"cell_id\":\"3\"}","call_id":"w"}`,
			`response_item {"type":"function_call_output","call_id":"w","output":[{"text":"Script completed\nWall time 2 seconds\nOutput:\n"},{"text":"{\"exit_code\":0,\"output\":\"done\"}"}]}`),
			[]agent.Call{{Command: "make", Output: "done", ExitCode: &zero}}},
		{"a loop", celled("a", `for (const d of ["a", "b"]) { const r = await tools.exec_command({cmd:"go test"}); text(r.output) }`, done, "ok  a 1s"),
			[]agent.Call{{Command: "go test", Unsure: true, Cut: true}}},
		{"a command that is not written out", celled("a", "text((await tools.exec_command({cmd:`go test ${d}`})).output)", done, "ok  a 1s"), nil},
		{"only talked of", celled("a", `text("tools.exec_command({cmd:'go test'})") // tools.exec_command({cmd:"make"})`, done, "x"), nil},
		{"told by the client too", append(celled("a", `text((await tools.exec_command({cmd:"make"})).output)`, done, "x"),
			`event_msg {"type":"item_completed","turn_id":"t","item":{"type":"CommandExecution","id":"i","command":["bash","-lc","make"],"status":"completed","exit_code":0,"aggregated_output":"x"}}`),
			[]agent.Call{{Command: "make", Output: "x", ExitCode: &zero}}},
	} {
		lines := append([]string{`turn_context {"cwd":"/p"}`}, tt.lines...)
		var got []agent.Call
		for _, c := range fold_(t, lines...).Calls {
			if c.Kind == agent.CallShell {
				got = append(got, c)
			}
		}
		if len(got) != len(tt.want) {
			t.Errorf("%s: got %+v, want %+v", tt.name, got, tt.want)
			continue
		}
		for i, c := range got {
			want := tt.want[i]
			if want.Dir == "" && want.Command != "" {
				want.Dir = "/p"
			}
			same := c.ExitCode == nil && want.ExitCode == nil || c.ExitCode != nil && want.ExitCode != nil && *c.ExitCode == *want.ExitCode
			if c.Command != want.Command || c.Dir != want.Dir || c.Output != want.Output || !same || c.Failed != want.Failed ||
				c.Unsure != want.Unsure || c.Cut != want.Cut || c.Background != want.Background || c.EndedAt.IsZero() {
				t.Errorf("%s: got %+v, want %+v", tt.name, c, want)
			}
		}
	}
}
