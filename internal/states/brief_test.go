package states

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/piton-project/piton"
)

// TestBrief: what a brief says, by the cases of testdata/briefs.txt: a name, what is
// resumed as JSON on a line, and the brief. UPDATE=1 writes the briefs anew.
func TestBrief(t *testing.T) {
	t.Parallel()
	const name = "testdata/briefs.txt"
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for part := range strings.SplitSeq(string(want), "=== ") {
		if part == "" {
			continue
		}
		title, rest, _ := strings.Cut(part, "\n")
		doc, _, _ := strings.Cut(rest, "\n")
		var r struct {
			Resumed
			State json.RawMessage
		}
		if err := json.Unmarshal([]byte(doc), &r); err != nil {
			t.Fatalf("%s: %v", title, err)
		}
		r.Resumed.State = r.State
		brief, err := Brief(r.Resumed, piton.At(r.Checkpoint.CreatedAt.Add(90*time.Minute)))
		if err != nil {
			t.Fatalf("%s: %v", title, err)
		}
		got.WriteString("=== " + title + "\n" + doc + "\n" + brief)
	}
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(name, []byte(got.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got.String(), "\n")); diff != "" {
		t.Errorf("want (-), got (+):\n%s", diff)
	}
}

func TestBriefOfADamagedState(t *testing.T) {
	t.Parallel()
	_, err := Brief(Resumed{Checkpoint: piton.Checkpoint{ID: "chk_1"}, State: []byte("{")}, piton.Time{})
	if piton.CodeOf(err) != piton.Corrupt || !strings.Contains(err.Error(), "read the state of chk_1") {
		t.Errorf("got %v, want corrupt", err)
	}
}

// TestQuoted: a prompt that is a brief is known, also one that was quoted or indented.
func TestQuoted(t *testing.T) {
	t.Parallel()
	const brief = Heading + "\n\n**Task**: mend it \n**Workflow**: w (custom)\n\nThe whole state as it was saved: 'piton load chk_7m2k9x4q'.\n"
	for _, c := range []struct {
		name, prompt, id, task string
		whole, ok              bool
	}{
		{"as it is", brief, "chk_7m2k9x4q", "mend it", true, true},
		{"quoted, with words before it", "Go on:\n> " + strings.ReplaceAll(brief, "\n", "\r\n> "), "chk_7m2k9x4q", "mend it", true, true},
		{"what is left of one", "a " + Heading + "\n**Task**: mend it\n", "", "mend it", false, true},
		{"without a task", Heading + "\nThe whole state as it was saved: 'piton load chk_7'", "chk_7", "", true, true},
		{"a task before it", "**Task**: other\n" + Heading + " and more", "", "", false, false},
		{"none", "**Task**: mend it", "", "", false, false},
	} {
		id, task, ok := Quoted(c.prompt)
		if id != c.id || ok != c.whole || ok && task != c.task {
			t.Errorf("%s: got %q %q %t", c.name, id, task, ok)
		}
		if task, ok := QuotedTask(c.prompt); task != c.task || ok != c.ok {
			t.Errorf("%s: got the task %q %t, want %q %t", c.name, task, ok, c.task, c.ok)
		}
	}
	record := piton.Checkpoint{Described: piton.Described{TaskSummary: "of the record"}}
	for state, want := range map[string]string{`{"query":"q"}`: "q", `{"task_summary":"t","query":"q"}`: "t", `{}`: "of the record", `{`: "of the record"} {
		if got := Task(record, []byte(state)); got != want {
			t.Errorf("%s: got the task %q, want %q", state, got, want)
		}
	}
}

func TestAge(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		-time.Second: "0s", 59 * time.Second: "59s", time.Minute: "1m", time.Hour - 1: "59m", time.Hour: "1h", 48*time.Hour - 1: "47h", 48 * time.Hour: "2d", 80 * time.Hour: "3d",
	} {
		if got := Age(d); got != want {
			t.Errorf("%s: got %s, want %s", d, got, want)
		}
	}
	for task, want := range map[string]string{"": "", " a\nb ": "a b", "1 2 3 4 5 6 7 8": "1 2 3 4 5 6 7 8", "1 2 3 4 5 6 7 8 9": "1 2 3 4 5 6 7 8 …"} {
		if got := Summary(task); got != want {
			t.Errorf("%q: got %q, want %q", task, got, want)
		}
	}
	for n, want := range map[int]string{maxLine: strings.Repeat("ä", maxLine), maxLine + 1: strings.Repeat("ä", maxLine) + " …"} {
		if got := oneLine(strings.Repeat("ä", n)); got != want {
			t.Errorf("a line of %d: got %d bytes, want %d", n, len(got), len(want))
		}
	}
}
