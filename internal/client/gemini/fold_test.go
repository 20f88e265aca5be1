package gemini

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/testkit/clienttest"
)

func TestRealPrompts(t *testing.T) {
	parts := func(content string) string {
		return `{"id":"p","timestamp":"2026-11-20T10:00:01.000Z","type":"user","content":` + content + `}`
	}
	for _, tt := range []struct {
		name, line string
		want       bool
	}{
		{"typed", parts(`[{"text":"fix it"}]`), true},
		{"one text", parts(`"fix it"`), true},
		{"a path", parts(`[{"text":"/etc/hosts is broken"}]`), true},
		{"typed with a file", parts(`[{"text":"see @a"},{"text":"\n--- Content from referenced files ---"}]`), true},
		{"with a hook's words behind", parts(`[{"text":"fix it"},{"text":"<hook_context>x</hook_context>"}]`), true},
		{"with a hook's words before", parts(`[{"text":"<hook_context>x</hook_context>\n\nfix it"}]`), true},
		{"a hook's words alone", parts(`[{"text":"<hook_context>x</hook_context>"}]`), false},
		{"a hook's words, torn", parts(`[{"text":"<hook_context>x"}]`), false},
		{"a tool's answer", parts(`[{"functionResponse":{"id":"t"}}]`), false},
		{"an answer with words", parts(`[{"text":"User steering update:"},{"functionResponse":{"id":"t"}}]`), false},
		{"the session's context", parts(`[{"text":"<session_context>\nx</session_context>"},{"text":"fix it"}]`), false},
		{"the client's nudge", parts(`[{"text":"Please continue."}]`), false},
		{"a loop", parts(`[{"text":"System: Potential loop detected. Details: x"}]`), false},
		{"a person's own command", parts(`[{"text":"I ran the following shell command:\n` + "```" + `sh\nls"}]`), false},
		{"the editor's context", parts(`[{"text":"Here is the user's editor context as a JSON object. This"}]`), false},
		{"a summary", parts(`[{"text":"<state_snapshot><goal>x</goal></state_snapshot>"}]`), false},
		{"an end in the background", parts(`[{"text":"[Background command completed successfully. Output saved to /tmp/x]"}]`), false},
		{"Piton's text", parts(`[{"text":"[Piton Checkpoint] - Go on."}]`), false},
		{"nothing", parts(`[{"text":" "}]`), false},
		{"content of a wrong type", parts(`7`), false},
		{"an answer of the model", strings.Replace(parts(`"fix it"`), `"user"`, `"gemini"`, 1), false},
	} {
		l, _ := parseLine([]byte(tt.line))
		if got := l.prompt(); got != tt.want {
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestIdleAndInterruptions(t *testing.T) {
	own := gAsked("own", agent.Prefix+"Go on.")
	for _, tt := range []struct {
		name        string
		lines       []string
		idle        time.Duration
		interrupted time.Time
		prompt      string
		own         bool
	}{
		{"none", nil, 0, time.Time{}, "go", false},
		{"waits still", []string{"5 " + gCancelled}, 0, clienttest.At(5), "go", false},
		{"in mid-answer", []string{`5 {"id":"i","timestamp":"@","type":"info","content":"User cancelled the request."}`}, 0, clienttest.At(5), "go", false},
		{"went on", []string{"5 " + gCancelled, "9 " + gAsked("q", "on")}, 4 * time.Second, time.Time{}, "on", false},
		{"a machine's words are no going on", []string{"5 " + gCancelled, "9 " + gAsked("q", "Please continue.")}, 0, clienttest.At(5), "go", false},
		{"a copy of the prompt is no going on", []string{"5 " + gCancelled, "5 " + gAsked("n", "go"), "5 " + gSet("n")}, 0, clienttest.At(5), "go", false},
		{"a set does not take it back", []string{"5 " + gCancelled, "6 " + gSet("p")}, 0, clienttest.At(5), "go", false},
		{"Piton's text", []string{"5 " + own}, 0, time.Time{}, "go", true},
		{"a prompt behind it", []string{"5 " + own, "6 " + gAsked("q", "on")}, 0, time.Time{}, "on", false},
		{"shown as it was typed", []string{`5 {"id":"q","timestamp":"@","type":"user","content":[{"text":"Say hello to Bob."}],"displayContent":[{"text":"/greet Bob"}]}`}, 0, time.Time{}, "/greet Bob", false},
		{"a retry is shown as the prompt before", []string{`5 {"id":"q","timestamp":"@","type":"user","content":[{"text":"` + agent.Prefix + `Go on."}],"displayContent":[{"text":"go"}]}`}, 0, time.Time{}, "go", true},
	} {
		got := transcript(t, logOf(t, append([]string{"1 " + gAsked("p", "go")}, tt.lines...)...), clienttest.At(1))
		if got.Idle != tt.idle || !got.Interrupted.Equal(tt.interrupted) || got.LastPrompt != tt.prompt || got.OwnTextLast != tt.own || !got.Complete {
			t.Errorf("%s: got idle %s, interrupted %s, prompt %q, own %v, complete %v; want %s, %s, %q, %v, true", tt.name,
				got.Idle, clienttest.Clock(got.Interrupted), got.LastPrompt, got.OwnTextLast, got.Complete, tt.idle, clienttest.Clock(tt.interrupted), tt.prompt, tt.own)
		}
	}
}

func TestUsageCountsAMessageOnce(t *testing.T) {
	path := logOf(t, "1 "+gAsked("p", "go"), "2 "+gSaid("a", "x"), "2 "+gRan("a", "02", "one"), "3 "+gSaid("b", "y"),
		`4 {"id":"c","timestamp":"@","type":"gemini","content":"","tokens":null}`, `5 {"id":"d","timestamp":"@","type":"gemini","content":"","tokens":{"input":"many","output":-3,"cached":7}}`)
	want := piton.TokenUsage{Input: 2 * (100 + 1 - 40), Output: 2 * (10 + 5), CacheRead: 2*40 + 7}
	if got := transcript(t, path, time.Time{}).Usage; got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestTodos(t *testing.T) {
	wrote := func(id, todos, status string) string {
		return strings.TrimSuffix(gSaid(id, ""), "}") + `,"toolCalls":[{"id":"` + id + `","name":"write_todos","args":{"todos":` + todos + `},"status":"` + status + `","timestamp":"@"}]}`
	}
	two := `[{"description":"one","status":"completed"},{"description":"two","status":"in_progress"},{"status":"pending"},7]`
	for _, tt := range []struct {
		name  string
		lines []string
		seen  bool
		want  string
	}{
		{"none", nil, false, "[]"},
		{"a list", []string{"2 " + wrote("a", two, "success")}, true, "[{ one completed} { two in_progress}]"},
		{"the newest counts", []string{"2 " + wrote("a", two, "success"), "3 " + wrote("b", `[{"description":"three","status":"blocked"}]`, "success")}, true, "[{ three blocked}]"},
		{"cleared", []string{"2 " + wrote("a", two, "success"), "3 " + wrote("b", `[]`, "success")}, true, "[]"},
		{"one that was not taken", []string{"2 " + wrote("a", two, "error")}, false, "[]"},
	} {
		got := transcript(t, logOf(t, append([]string{"1 " + gAsked("p", "go")}, tt.lines...)...), time.Time{})
		if s := fmt.Sprint(got.Todos); s != tt.want || got.TodosSeen != tt.seen || got.TodosWhole != tt.seen {
			t.Errorf("%s: got %s, seen %v, whole %v; want %s, %v", tt.name, s, got.TodosSeen, got.TodosWhole, tt.want, tt.seen)
		}
	}
}

func TestSubagents(t *testing.T) {
	path := logOf(t, "0 "+gHeader, "1 "+gAsked("p", "before"), "10 "+gAsked("q", "go"), "11 "+gRan("a", "30", "one"), "31 "+gSaid("b", "Done."))
	add := func(name string, changed time.Time, lines ...string) {
		file := filepath.Join(filepath.Dir(path), "s1234567-x", name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(logOf(t, lines...), file); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(file, changed, changed); err != nil {
			t.Fatal(err)
		}
	}
	helper := strings.Replace(gHeader, `"main"`, `"subagent","directories":["/x"]`, 1)
	add("x.jsonl", clienttest.At(20), "12 "+helper, "12 "+gSet("s"), "12 "+gAsked("h", "look"), "13 "+gRan("c", "14", "two"), "15 "+gSaid("d", "Found."))
	add("old.jsonl", clienttest.At(2), "12 "+helper, "13 "+gRan("e", "14", "unread"))
	add("notes.txt", clienttest.At(20), "13 "+gRan("e", "14", "unread"))
	got := transcript(t, path, clienttest.At(10))
	if clienttest.Commands(got) != "one xtwo" || got.LastOutput != "Done." || got.LastPrompt != "go" || !got.Complete {
		t.Errorf("got calls %q, output %q, prompt %q, complete %v; want %q, Done., go, true", clienttest.Commands(got), got.LastOutput, got.LastPrompt, got.Complete, "one xtwo")
	}
	if got := transcript(t, path, time.Time{}); clienttest.Commands(got) != "one xtwo" {
		t.Errorf("the newest turn: got calls %q, want %q", clienttest.Commands(got), "one xtwo")
	}
}

// A session's id comes from a file that anybody may have written: it must not
// lead elsewhere.
func TestSubagentsStayBesideTheLog(t *testing.T) {
	for _, id := range []string{"..", "a/b", `a\\b`, "", "a b", "."} {
		path := logOf(t, "0 "+strings.Replace(gHeader, "s1234567-x", id, 1), "1 "+gAsked("p", "go"))
		if got := sessionOf(path); got != "" {
			t.Errorf("%q: got %q, want none", id, got)
		}
	}
}
