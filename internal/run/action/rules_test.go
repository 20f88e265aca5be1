package action

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/piton-project/piton/internal/proc"
	"github.com/piton-project/piton/internal/run/plan"
)

// rows compares what some questions come to with what is wanted; an error is its text.
func rows(t *testing.T, list ...[2]any) {
	t.Helper()
	for i, row := range list {
		if got, want := fmt.Sprint(row[0]), fmt.Sprint(row[1]); got != want {
			t.Errorf("row %d:\ngot  %s\nwant %s", i+1, got, want)
		}
	}
}

// both are a value and an error in one: the error, where there is one.
func both[T any](v T, err error) any {
	if err != nil {
		return err
	}
	return v
}

func TestValues(t *testing.T) {
	t.Parallel()
	holding := func(v any) (all []Kind) {
		for _, k := range []Kind{Text, Bool, Number, List, Map, Time} {
			if k.holds(v) {
				all = append(all, k)
			}
		}
		return all
	}
	rows(t,
		[2]any{holding("x"), []Kind{Text}}, [2]any{holding("90s"), []Kind{Text, Time}}, [2]any{holding(true), []Kind{Bool}}, [2]any{holding(1.5), []Kind{Number, Time}},
		[2]any{holding(1), []Kind{Number, Time}}, [2]any{holding(int64(1)), []Kind{Number, Time}}, [2]any{holding(uint64(1)), []Kind{Number, Time}}, [2]any{holding(0), []Kind{Number}},
		[2]any{holding([]any{}), []Kind{List}}, [2]any{holding(p{}), []Kind{Map}}, [2]any{len(holding(nil)), 0},
	)
	for v, want := range map[any]string{nil: "empty", "x": "a text", true: "true or false", 1: "a number"} {
		rows(t, [2]any{described(v), want})
	}
	rows(t,
		[2]any{described([]any{}), "a list"}, [2]any{described(p{}), "a map"},
		[2]any{kinds([]Kind{Bool, Time, Text}), string(Bool) + ` or a time such as "90s" or a ` + string(Text)},
		[2]any{nearest("x", nil), "; it has none"}, [2]any{nearest("comand", []string{"command"}), `; did you mean "command"?`},
		[2]any{open("${{ x }}"), true}, [2]any{open("${env:X}"), true}, [2]any{open("${X}"), false}, [2]any{open(7), false},
	)
	for _, c := range []struct {
		how  any
		text string
		cut  bool
		want any
	}{
		{nil, "7\n", false, 7.0}, {"auto", `{"a":1}`, false, p{"a": 1.0}}, {"auto", "x\r\n", false, "x"}, {"auto", "x\n\n", false, "x\n"}, {"auto", "7", true, "7"},
		{"auto", "1.10", false, "1.10"}, {"auto", " 7 ", false, 7.0}, {"auto", "12e4567", false, "12e4567"}, {"auto", "12345678901234567891", false, "12345678901234567891"},
		{"auto", "9007199254740993", false, int64(9007199254740993)}, {"auto", "a\xff", false, "a\uFFFD"}, {"text", "7\n", false, "7"}, {"json", "1.10", false, 1.1},
		{"json", "x", false, "the output is not JSON: invalid character 'x' looking for beginning of value"},
		{"json", "7", true, "the output is longer than 983040 bytes, so it was not read as JSON; write it to a file, or take its two ends with 'output: text'"},
		{"auto", `[1, {"a": "b`, true, "the output is longer than 983040 bytes, so it was not read as JSON; write it to a file, or take its two ends with 'output: text'"},
		{"auto", "[INFO] a", true, "[INFO] a"}, {"auto", "{\"a\":1}\n{\"a\":2", true, "{\"a\":1}\n{\"a\":2"}, {"text", "[1, 2", true, "[1, 2"},
	} {
		rows(t, [2]any{both(readOutput([]byte(c.text), c.cut, c.how)), c.want})
	}
	for n, want := range map[string]any{
		"-9007199254740992": float64(-1 << 53), "-9007199254740993": int64(-9007199254740993), "1e3": 1000.0, "9223372036854775807": int64(math.MaxInt64),
	} {
		if got := both(ReadJSON([]byte(n))); got != want {
			t.Errorf("%s: got %T %v, want %T %v", n, got, got, want, want)
		}
	}
	long := strings.Repeat("a", 600) + strings.Repeat("b", 600)
	rows(t,
		[2]any{ends(long, 1200), long}, [2]any{ends(long, 1000), "[... all left out ...]"},
		[2]any{ends(long, 1100), strings.Repeat("a", 550) + "\n[... 100 bytes left out ...]\n" + strings.Repeat("b", 550)},
		[2]any{len(fitting(strings.Repeat("a", maxKept-2))), maxKept - 2},
		[2]any{ending([]byte(" a\n")), "a"}, [2]any{ending([]byte(strings.Repeat("a", 1999) + "\n")), strings.Repeat("a", 1999)},
		[2]any{ending([]byte("first\n" + strings.Repeat("b\n", 1000))), "... " + strings.TrimSpace(strings.Repeat("b\n", 1000))},
		[2]any{ending([]byte(strings.Repeat("c", 2001))), "... " + strings.Repeat("c", 2000)},
	)
	if got, _ := compact(fitting(strings.Repeat("\x01", maxKept))); len(got) > maxKept {
		t.Errorf("got %d bytes", len(got))
	}
	step := func(action string, output any) plan.Step {
		return plan.Step{Action: action, Parameters: p{"output": output}}
	}
	rows(t,
		[2]any{Fits(step("http", nil), p{"status": 200.0}), nil}, [2]any{Fits(step("http", nil), p{"status": "200"}), "it is a map, and the action http brings an object with status, a number, and body"},
		[2]any{Fits(step("http", nil), "x"), "it is a text, and the action http brings an object with status, a number, and body"},
		[2]any{Fits(step("agent", nil), p{"text": "x"}), nil}, [2]any{Fits(step("agent", nil), p{}), "it is a map, and the action agent brings an object with text"},
		[2]any{Fits(step("agent", nil), nil), "it is empty, and the action agent brings an object with text"},
		[2]any{Fits(step("checkpoint", nil), nil), nil}, [2]any{Fits(step("checkpoint", nil), true), "it is true or false, and the action checkpoint brings null"},
		[2]any{Fits(step("shell", "text"), "x"), nil}, [2]any{Fits(step("shell", "text"), 1), "it is a number, and the action shell brings a text"},
		[2]any{Fits(step("mcp", "text"), 1), "it is a number, and the action mcp brings a text"}, [2]any{Fits(step("shell", "auto"), 1), nil}, [2]any{Fits(step("x", "text"), 1), nil},
	)
}

func TestCommands(t *testing.T) {
	t.Parallel()
	rows(t,
		[2]any{both(argv("x y", nil)), "[sh -c x y]"}, [2]any{both(argv("x", "bash -eo pipefail")), "[bash -eo pipefail -c x]"}, [2]any{both(argv("x", []any{"env", "sh"})), "[env sh x]"},
		[2]any{both(argv([]any{"a", 7.0, true}, nil)), "[a 7 true]"}, [2]any{both(argv("", nil)), "the command is empty"}, [2]any{both(argv(7, nil)), `the parameter "command" is a number, and must be a text or a list`},
		[2]any{both(argv("x", " ")), "the shell is empty"}, [2]any{both(argv("x", 7)), `the parameter "shell" is a number, and must be a text or a list`}, [2]any{both(argv("x", []any{})), "the shell: no program is named"},
		[2]any{both(argv([]any{""}, nil)), "the command: no program is named"}, [2]any{both(argv([]any{"a", nil}, nil)), "the command: word 2 is empty, and must be a text or a number"},
		[2]any{both(argv([]any{"a", []any{}}, nil)), "the command: word 2 is a list, and must be a text or a number"}, [2]any{both(argv([]any{"a\x00"}, nil)), "the command: word 1: it has a zero byte, which no program can be given"},
		[2]any{failure(proc.Result{}), nil}, [2]any{failure(proc.Result{Code: 3}), "exit status 3"}, [2]any{failure(proc.Result{Code: 3, Stdout: []byte("out")}), "exit status 3: out"},
		[2]any{failure(proc.Result{Code: 3, Stdout: []byte("out"), Stderr: []byte("err\n")}), "exit status 3: err"},
	)
	for code, want := range map[int]Failed{
		1: {Known: Answered}, 124: {}, 126: {Final: true, Known: Answered}, 127: {Final: true, Known: Answered}, 128: {Known: Answered}, 129: {}, 192: {}, 193: {Known: Answered},
	} {
		var f *Failed
		if errors.As(failure(proc.Result{Code: code}), &f); f.Final != want.Final || f.Known != want.Known {
			t.Errorf("exit status %d: got %+v", code, f)
		}
	}
	c := Call{Run: "r", Step: "s", Attempt: 2, Key: "k", Env: []string{"A=1", "MARK=x", "PITON_WORDS=outer"}, Words: "w", Dir: "/d", Parameters: p{"dir": "x", "abs": "/y/../z", "n": 7, "nil": nil}}
	rows(t,
		[2]any{both(Tools{Marks: []string{"MARK"}}.Environ(c, p{"B": 2.0, "C": nil})), "[A=1 B=2 C= PITON_RUN_ID=r PITON_STEP_ID=s PITON_ATTEMPT=2 PITON_WORDS=w PITON_IDEMPOTENCY_KEY=k]"},
		[2]any{both(Tools{}.Environ(c, p{"": 1})), `"" in env is not a name of a variable`}, [2]any{both(Tools{}.Environ(c, p{"a=b": 1})), `"a=b" in env is not a name of a variable`},
		[2]any{both(Tools{}.Environ(c, p{"a": "\x00"})), "the variable a of env: it has a zero byte, which no program can be given"},
		[2]any{both(c.Folder("dir")), "/d/x"}, [2]any{both(c.Folder("abs")), "/z"}, [2]any{both(c.Folder("none")), "/d"}, [2]any{both(c.Folder("nil")), "/d"}, [2]any{both(c.Folder("n")), `the parameter "n" is a number, and must be a text`},
	)
}

func TestRequests(t *testing.T) {
	t.Parallel()
	status := func(v any) any { return both(statuses(v)) }
	expects := func(v any) (all []int) {
		is, err := expected(v)
		for code := 100; err == nil && code < 600; code++ {
			if is(code) && (code%100 == 0 || code%100 == 99) {
				all = append(all, code)
			}
		}
		return all
	}
	at := func(s string) *url.URL { u, _ := url.Parse(s); return u }
	query := func(v any) any {
		u := at("http://h/?a=1")
		err := addQuery(u, v)
		return both(u.RawQuery, err)
	}
	sent := func(v p) any {
		body, kind, err := content(v)
		return both(body+" "+kind, err)
	}
	const noStatus = ` is not a status; write 200 or "2xx"`
	rows(t,
		[2]any{status(100.0), "[100 100]"}, [2]any{status(599), "[599 599]"}, [2]any{status(" 204 "), "[204 204]"}, [2]any{status("5XX"), "[500 599]"}, [2]any{status("1xx"), "[100 199]"},
		[2]any{status(99), "99" + noStatus}, [2]any{status(600), "600" + noStatus}, [2]any{status("0xx"), "0xx" + noStatus}, [2]any{status("6xx"), "6xx" + noStatus}, [2]any{status("22xx"), "22xx" + noStatus},
		[2]any{status("99"), "99" + noStatus}, [2]any{status("600"), "600" + noStatus}, [2]any{status("xx"), "xx" + noStatus}, [2]any{status(true), "true" + noStatus},
		[2]any{expects(nil), "[200 299]"}, [2]any{expects([]any{}), "[200 299]"}, [2]any{expects([]any{"1xx", 599.0}), "[100 199 599]"}, [2]any{expects("5xx"), "[500 599]"},
		[2]any{query(nil), "a=1"}, [2]any{query(p{"b": "x y", "c": []any{1.0, nil}, "a": true}), "a=1&a=true&b=x+y&c=1&c="}, [2]any{query("x"), `the parameter "query" is a text, and must be a map`},
		[2]any{sent(p{}), " "}, [2]any{sent(p{"body": "x"}), "x text/plain; charset=utf-8"}, [2]any{sent(p{"body": p{"a": "<"}}), `{"a":"<"} application/json`}, [2]any{sent(p{"json": "x", "body": nil}), `"x" application/json`},
		[2]any{method(p{}), "GET"}, [2]any{method(p{"json": 1}), "POST"}, [2]any{method(p{"body": "x"}), "POST"}, [2]any{method(p{"method": "put", "body": "x"}), "PUT"},
		[2]any{[]bool{safe("GET"), safe("HEAD"), safe("OPTIONS"), safe("POST"), safe("DELETE")}, "[true true true false false]"},
		[2]any{both(target("http://h")), "http://h"}, [2]any{both(target("HTTPS://h")), "https://h"}, [2]any{both(target("ftp://h")), "it must begin with http:// or https://"}, [2]any{both(target("http:///x")), "it names no host"}, [2]any{both(target(":")), "it cannot be read as a URL"},
		[2]any{headerFits("A", "b"), nil}, [2]any{headerFits("A:", "b"), "this is not a name of a header"}, [2]any{headerFits("A", "b\n"), "its value has characters that no header can have"},
		[2]any{shown(at("http://u:p@h:1/x?q=1#f")), "http://h:1/x"},
		[2]any{[]bool{isText(""), isText("text/html; charset=x"), isText("application/problem+json"), isText("application/xml"), isText("image/png")}, "[true true true true false]"},
	)
	for _, c := range []struct {
		first, next string
		same        bool
	}{
		{"http://h/a", "http://H:80/b", true}, {"https://h", "https://h:443", true}, {"http://h", "https://h", true}, {"http://h:8080", "https://h", false}, {"http://h", "https://h:8443", false},
		{"https://h", "http://h", false}, {"http://h", "http://h:81", false}, {"http://h", "http://i", false},
	} {
		if got := sameServer(at(c.first), at(c.next)); got != c.same {
			t.Errorf("%s and %s: got %t", c.first, c.next, got)
		}
	}
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for v, want := range map[string]time.Duration{
		"": 0, "x": 0, " 7 ": 7 * time.Second, "0": 0, "-1": 0, "86401": maxAfter, "9999999999": maxAfter,
		now.Add(time.Minute).Format(http.TimeFormat): time.Minute, now.Add(-time.Minute).Format(http.TimeFormat): 0, now.Add(48 * time.Hour).Format(http.TimeFormat): maxAfter,
	} {
		if got := retryAfter(v, now); got != want {
			t.Errorf("%q: got %v, want %v", v, got, want)
		}
	}
	for _, c := range []struct {
		code  int
		after string
		want  Failed
	}{
		{400, "7", Failed{Final: true, Known: Answered}}, {404, "", Failed{Final: true, Known: Answered}}, {408, "7", Failed{Known: Before, After: 7 * time.Second}}, {425, "", Failed{Known: Before}}, {429, "7", Failed{Known: Before, After: 7 * time.Second}},
		{499, "", Failed{Final: true, Known: Answered}}, {500, "", Failed{}}, {501, "7", Failed{Final: true, Known: Before}}, {502, "7", Failed{After: 7 * time.Second}}, {503, "", Failed{}}, {503, "7", Failed{Known: Before, After: 7 * time.Second}}, {505, "", Failed{Final: true, Known: Before}},
	} {
		resp := &http.Response{StatusCode: c.code, Status: "x", Header: http.Header{}, Request: &http.Request{Method: "GET", URL: at("http://h/")}}
		if c.after != "" {
			resp.Header.Set("Retry-After", c.after)
		}
		var f *Failed
		if errors.As(refused(resp, []byte("why"), now), &f); f.Final != c.want.Final || f.Known != c.want.Known || f.After != c.want.After || f.Error() != "GET http://h/: status x: why" {
			t.Errorf("status %d, %q: got %+v", c.code, c.after, f)
		}
		resp.Header.Set("Content-Type", "image/png")
		if err := refused(resp, []byte("why"), now); err.Error() != "GET http://h/: status x" {
			t.Errorf("got %v, want no picture in it", err)
		}
	}
	own := &http.Transport{}
	if (Tools{Transport: own}).transport("POST") != http.RoundTripper(own) || (Tools{}).transport("GET") != nil {
		t.Error("got another transport than the one that is given, or that of all")
	}
	if kept, ok := (Tools{}).transport("POST").(*http.Transport); !ok || !kept.DisableKeepAlives {
		t.Error("got a transport that keeps connections, for a request that changes something")
	}
}

// What an error tells of the effect.
func TestKnown(t *testing.T) {
	t.Parallel()
	fails := errors.New("x")
	for _, c := range []struct {
		err  error
		want Knowledge
	}{
		{fails, Answered}, {&Failed{Err: fails, Known: Before}, Before}, {&Failed{Err: fails}, Answered}, {&CouldNot{}, Answered}, {context.Canceled, Unknown}, {context.DeadlineExceeded, Unknown},
		{io.EOF, Unknown}, {io.ErrUnexpectedEOF, Unknown}, {io.ErrClosedPipe, Unknown}, {net.ErrClosed, Unknown}, {syscall.ECONNRESET, Unknown}, {syscall.ECONNABORTED, Unknown}, {syscall.EPIPE, Unknown},
		{exec.ErrNotFound, Before}, {proc.ErrNotStarted, Before}, {&net.DNSError{}, Before}, {&tls.CertificateVerificationError{Err: fails}, Before}, {tls.RecordHeaderError{}, Before},
		{&net.OpError{Op: "dial", Err: fails}, Before}, {&net.OpError{Op: "read", Err: fails}, Answered}, {&net.OpError{Op: "read", Err: os.ErrDeadlineExceeded}, Unknown},
	} {
		if got := KnownOf(Told(fmt.Errorf("wrapped: %w", c.err))); got != c.want {
			t.Errorf("%v: got %v, want %v", c.err, got, c.want)
		}
	}
	if Told(nil) != nil || KnownOf(nil) != Unknown {
		t.Error("got something of no error")
	}
	var f *Failed
	if errors.As(Told(&Failed{Err: fails, Final: true}), &f); !f.Final || f.Known != Answered {
		t.Errorf("got %+v, want the failure with what is known", f)
	}
}

// What an approval shows is bounded, and the sum of the whole stands beside it.
func TestBoard(t *testing.T) {
	t.Parallel()
	exhibit := func(v any) any { return both(exhibits(v)) }
	rows(t,
		[2]any{exhibit(nil), "[]"}, [2]any{exhibit("a"), "[{a  <nil>}]"}, [2]any{exhibit([]any{"a", p{"file": "b"}, p{"run": "c"}, p{"run": []any{"d"}}, p{"text": 7.0}, 8.0, []any{9.0}}), "[{a  <nil>} { b <nil>} {  c} {  [d]} {7  <nil>} {8  <nil>} {[9]  <nil>}]"},
		[2]any{exhibit(p{}), `a map has one of "text", "file" and "run"`}, [2]any{exhibit(p{"file": "["}), `"[" is not a pattern of files`}, [2]any{exhibit(p{"file": 7}), `"file" is a number, and must be a text`},
		[2]any{exhibit(p{"file": ""}), `"file" is a text, and must be a text`}, [2]any{exhibit(p{"run": "${{ x }}"}), `a value would be run as code in "run"; write the command as a list`}, [2]any{exhibit(p{"run": ""}), "no program is named"},
		[2]any{exhibit(p{"fiel": "x"}), `"fiel" can not be shown; did you mean "file"?`}, [2]any{exhibit(p{"file": "${{ x }}["}), "[{ ${{ x }}[ <nil>}]"},
	)
	b := board{left: maxShown}
	b.add("", 0)
	b.add("a\n\n", 0)
	b.add("b", 0)
	if got := b.text.String(); got != "a\n\nb" || b.left != maxShown-2 {
		t.Errorf("got %q, %d left", got, b.left)
	}
	b = board{left: maxShown}
	b.add(strings.Repeat("a", maxExhibit), 0)
	if got := b.text.Len(); got != maxExhibit || b.left != maxShown-maxExhibit {
		t.Errorf("got %d bytes, %d left", got, b.left)
	}
	b = board{left: maxShown}
	b.add(strings.Repeat("a", maxExhibit+1), 7)
	if got := b.text.String(); !strings.Contains(got, fmt.Sprintf("[shortened; %d bytes, sha256 of the whole ", maxExhibit+1)) || !strings.Contains(got, "[... 1 bytes left out ...]") {
		t.Errorf("got %s", got)
	}
	b.add(strings.Repeat("a", maxExhibit), 1<<20)
	b.add(strings.Repeat("a", maxExhibit), 1<<20)
	if got := b.text.String(); b.left != 0 || !strings.Contains(got, "[shortened; 1048576 bytes, ") {
		t.Errorf("got %d left and %d bytes", b.left, len(got))
	}
	dir := t.TempDir()
	if err := errors.Join(os.Mkdir(filepath.Join(dir, ".git"), 0o755), os.Mkdir(filepath.Join(dir, "sub"), 0o755), os.WriteFile(filepath.Join(dir, "sub", "a.txt"), []byte("A"), 0o644), os.WriteFile(filepath.Join(dir, "b.txt"), []byte("B"), 0o644)); err != nil {
		t.Fatal(err)
	}
	for pattern, want := range map[string]string{
		"a.txt": "a.txt (1 bytes)\nA", "../b.txt": "b.txt (1 bytes)\nB", "../*/*.txt": "a.txt (1 bytes)\nA", "c.txt": "c.txt: there is no such file",
		filepath.Join(dir, "b.txt"): "b.txt (1 bytes)\nB", "../../x": "show the files ../../x: they are not in the project, " + dir,
	} {
		b := board{left: maxShown}
		err := found(filepath.Join(dir, "sub"), pattern, &b)
		rows(t, [2]any{both(b.text.String(), err), want})
	}
	rows(t, [2]any{projectOf(filepath.Join(dir, "sub")), dir}, [2]any{projectOf("/nowhere/x"), "/nowhere/x"}, [2]any{commandLine([]any{"a", 7.0}), `["a",7]`}, [2]any{commandLine("a b"), "a b"})
}
