package codex

import (
	"slices"
	"testing"

	"github.com/piton-project/piton/internal/agent"
)

func TestReadScript(t *testing.T) {
	for _, tt := range []struct {
		name, source string
		want         []scriptCall
	}{
		{"one call", `const r = await tools.exec_command({cmd: "go test ./...", workdir: "/w", yield_time_ms: 1000}); text(r.output);`, []scriptCall{{command: "go test ./...", dir: "/w"}}},
		{"names in quotes", `text(await tools.exec_command({"cmd":"ls","workdir":"/w"}))`, []scriptCall{{command: "ls", dir: "/w"}}},
		{"several at once", `const [a, b] = await Promise.all([tools.exec_command({cmd: 'ls'}), tools.exec_command({cmd: "pwd"})]);`, []scriptCall{{command: "ls"}, {command: "pwd"}}},
		{"escapes", `await tools.exec_command({cmd: "printf \"a\\n\"\n\x41\u0042\u{43}"})`, []scriptCall{{command: "printf \"a\\n\"\nABC"}}},
		{"a name for the command", `const cmd = "go vet ./..."; await tools.exec_command({cmd, workdir: "/w"})`, []scriptCall{{command: "go vet ./...", dir: "/w"}}},
		{"joined", `const where = "/w"; await tools.exec_command({cmd: ["set -e", "make"].join("\n"), workdir: where})`, []scriptCall{{command: "set -e\nmake", dir: "/w"}}},
		{"added", `await tools.exec_command({cmd: "go test " + "./a"})`, []scriptCall{{command: "go test ./a"}}},
		{"template", "const p = \"./a\"; await tools.exec_command({cmd: `go test ${p}`})", []scriptCall{{command: "go test ./a"}}},
		{"raw template", "await tools.exec_command({cmd: String.raw`grep '\\d' a`})", []scriptCall{{command: `grep '\d' a`}}},
		{"unknown in a template", "await tools.exec_command({cmd: `go test ${x.y}`})", []scriptCall{{command: "go test ${x.y}"}}},
		{"over a list", `const cmds = ["a", "b"]; const rs = await Promise.all(cmds.map(cmd => tools.exec_command({cmd, workdir: "/w"})));`, []scriptCall{{command: "a", dir: "/w"}, {command: "b", dir: "/w"}}},
		{"over pairs", `await Promise.all([["x", "a", "/w"], ["y", "b", "/v"]].map(async ([name, cmd, dir]) => tools.exec_command({cmd, workdir: dir})))`, []scriptCall{{command: "a", dir: "/w"}, {command: "b", dir: "/v"}}},
		{"over arguments", `const l = [["x", {cmd: "a", workdir: "/w"}]]; await Promise.all(l.map(async ([n, args]) => [n, await tools.exec_command(args)]))`, []scriptCall{{command: "a", dir: "/w"}}},
		{"over objects", `for (const {cmd} of [{cmd: "a"}, {cmd: "b"}]) { const r = await tools.exec_command({cmd}); text(r.output) }`, []scriptCall{{command: "a"}, {command: "b"}}},
		{"over numbers", "const n = [1, 2]; await Promise.all(n.map(i => tools.exec_command({cmd: `make t${i}`})))", []scriptCall{{command: "make t1"}, {command: "make t2"}}},
		{"the other shell", `text(await tools.shell_command({command: "npm test", workdir: "/w"}))`, []scriptCall{{command: "npm test", dir: "/w"}}},
		{"parts of objects", `const l = [{n: "x", command: "a"}, {n: "y", command: "b"}]; for (const x of l) text(await tools.shell_command({command: x.command, workdir: l[0].n}))`, []scriptCall{{command: "a", dir: "x"}, {command: "b", dir: "x"}}},
		{"parts of lists", `await Promise.all([["x", "a"]].map(p => tools.exec_command({cmd: p[1]})))`, []scriptCall{{command: "a"}}},
		{"a question to a process", `const r = await tools.write_stdin({session_id: 84, chars: ""}); text(r)`, []scriptCall{{process: "84"}}},
		{"a process without number", `let r = await tools.exec_command({cmd: "make"}); r = await tools.write_stdin({session_id: r.session_id})`, []scriptCall{{command: "make"}}},
		{"in a comment or a text", "// tools.exec_command({cmd: \"a\"})\ntext('tools.exec_command({cmd: \"b\"})')", nil},
		{"after a pattern", `const q = /["'{]/.test(x); await tools.exec_command({cmd: "a"})`, []scriptCall{{command: "a"}}},
		{"a command that must be computed", `await tools.exec_command({cmd: build()})`, nil},
		{"another tool", `await tools.apply_patch("*** Begin Patch")`, nil},
		{"broken off", `await tools.exec_command({cmd: "a`, []scriptCall{{command: "a"}}},
	} {
		if got := readScript(tt.source); !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %+v, want %+v", tt.name, got, tt.want)
		}
	}
}

func FuzzReadScript(f *testing.F) {
	f.Add("const cmds = [`a`]; cmds.map(([cmd]) => tools.exec_command({cmd}))")
	f.Add("tools.exec_command({cmd:\"\\u{41}\"")
	f.Fuzz(func(t *testing.T, source string) {
		if got := readScript(source + " tools.exec_command({cmd})"); len(got) > maxScripted {
			t.Errorf("%d calls", len(got))
		}
	})
}

// A script's commands end with what it prints.
func TestScriptCalls(t *testing.T) {
	const (
		prompt = `event_msg {"type":"user_message","message":"go on"}`
		said   = `{"type":"input_text","text":"Script completed\nWall time 0.1 seconds\nOutput:\n"}`
	)
	call := func(id, source string) string {
		return `response_item {"type":"custom_tool_call","call_id":"` + id + `","name":"exec","input":"` + source + `"}`
	}
	answer := func(id, parts string) string {
		return `response_item {"type":"custom_tool_call_output","call_id":"` + id + `","output":` + parts + `}`
	}
	type end struct {
		command, output      string
		exit                 int // -1: not told
		failed, unsure, open bool
		broken               bool
	}
	const two = `const rs = await Promise.all(['a','b'].map(cmd => tools.exec_command({cmd}))); for (const r of rs) text(r.output);`
	for _, tt := range []struct {
		name  string
		lines []string
		want  []end
	}{
		{"the whole result", []string{call("c", `text(JSON.stringify(await tools.exec_command({cmd:'a'})))`), answer("c", `[`+said+`,{"type":"input_text","text":"{\"exit_code\":1,\"output\":\"no\"}"}]`)},
			[]end{{command: "a", output: "no", exit: 1, failed: true}}},
		{"its output alone", []string{call("c", `text((await tools.exec_command({cmd:'a'})).output)`), answer("c", `[`+said+`,{"type":"input_text","text":"ok"}]`)},
			[]end{{command: "a", output: "ok", exit: -1, unsure: true}}},
		{"its status beside it", []string{call("c", `text('exit='+r.exit_code+r.output);tools.exec_command({cmd:'a'})`), answer("c", `[`+said+`,{"type":"input_text","text":"exit=2\nno"}]`)},
			[]end{{command: "a", output: "exit=2\nno", exit: 2, failed: true}}},
		{"the other shell's", []string{call("c", `text(await tools.shell_command({command:'a'}))`), answer("c", `[`+said+`,{"type":"input_text","text":"Exit code: 1\nWall time: 2 seconds\nOutput:\nno"}]`)},
			[]end{{command: "a", output: "no", exit: 1, failed: true}}},
		{"the other shell's, which breaks the script off", []string{call("c", `await tools.shell_command({command:'a'}); await tools.shell_command({command:'b'})`),
			answer("c", `[{"type":"input_text","text":"Script failed\nWall time 0.1 seconds\nOutput:\n"},{"type":"input_text","text":"Script error:\nExit code: 1\nWall time: 2 seconds\nOutput:\nFAIL"}]`)},
			[]end{{command: "a", output: "FAIL", exit: 1, failed: true}, {command: "b", output: "FAIL", exit: 1, failed: true}}},
		{"each its own", []string{call("c", two), answer("c", `[`+said+`,{"type":"input_text","text":"1"},{"type":"input_text","text":"2"}]`)},
			[]end{{command: "a", output: "1", exit: -1, unsure: true}, {command: "b", output: "2", exit: -1, unsure: true}}},
		{"all in one list", []string{call("c", two), answer("c", `[`+said+`,{"type":"input_text","text":"[{\"exit_code\":0,\"output\":\"1\"},{\"exit_code\":3,\"output\":\"2\"}]"}]`)},
			[]end{{command: "a", output: "1"}, {command: "b", output: "2", exit: 3, failed: true}}},
		{"all in one text", []string{call("c", two), answer("c", `[`+said+`,{"type":"input_text","text":"1 2"}]`)},
			[]end{{command: "a", output: "1 2", exit: -1, unsure: true}, {command: "b", output: "1 2", exit: -1, unsure: true}}},
		{"a script that broke off", []string{call("c", `text((await tools.exec_command({cmd:'a'})).output)`), answer("c", `"Script failed\nWall time 0.1 seconds\nOutput:\nSyntaxError"`)},
			[]end{{command: "a", output: "SyntaxError", exit: -1, unsure: true, broken: true}}},
		{"still running", []string{call("c", `text((await tools.exec_command({cmd:'a'})).output)`), answer("c", `"Script running with cell ID 7\nWall time 10 seconds\nOutput:\n"`)},
			[]end{{command: "a", exit: -1, open: true}}},
		{"waited for", []string{call("c", `text((await tools.exec_command({cmd:'a'})).output)`), answer("c", `"Script running with cell ID 7\nWall time 10 seconds\nOutput:\n"`),
			`response_item {"type":"function_call","call_id":"w","name":"wait","arguments":"{\"cell_id\":\"7\"}"}`,
			`response_item {"type":"function_call_output","call_id":"w","output":[` + said + `,{"type":"input_text","text":"ok"}]}`},
			[]end{{command: "a", output: "ok", exit: -1, unsure: true}}},
		{"asked about later", []string{call("c", `text(await tools.exec_command({cmd:'a'}))`), answer("c", `[`+said+`,{"type":"input_text","text":"{\"session_id\":9,\"output\":\"1\"}"}]`),
			call("d", `text(await tools.write_stdin({session_id:9}))`), answer("d", `[`+said+`,{"type":"input_text","text":"{\"exit_code\":0,\"output\":\"2\"}"}]`)},
			[]end{{command: "a", output: "12"}}},
		{"told by the client too", []string{call("c", `text((await tools.exec_command({cmd:'a'})).output)`),
			`event_msg {"type":"item_completed","item":{"type":"CommandExecution","id":"exec-1","command":["bash","-lc","a"],"status":"completed","exit_code":0,"aggregated_output":"ok"}}`,
			answer("c", `[`+said+`,{"type":"input_text","text":"ok"}]`)},
			[]end{{command: "a", output: "ok"}}},
	} {
		got := fold_(t, append([]string{prompt}, tt.lines...)...)
		var ends []end
		for _, c := range got.Calls {
			if c.Kind != agent.CallShell {
				continue
			}
			e := end{command: c.Command, output: c.Output, exit: -1, failed: c.Failed, unsure: c.Unstated, open: c.Background, broken: c.Interrupted}
			if c.ExitCode != nil {
				e.exit = *c.ExitCode
			}
			ends = append(ends, e)
		}
		if !slices.Equal(ends, tt.want) {
			t.Errorf("%s: got %+v, want %+v", tt.name, ends, tt.want)
		}
	}
}
