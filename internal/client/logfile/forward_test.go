package logfile

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/piton-project/piton"
)

func written(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "log.jsonl")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestReadForward: each line comes with the place of its first byte.
func TestReadForward(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 3*largeBlock+7)
	for name, c := range map[string]struct {
		text  string
		lines []string
		at    []int64
	}{
		"nothing":             {"", nil, nil},
		"ended":               {"a\nbc\n", []string{"a", "bc"}, []int64{0, 2}},
		"not ended":           {"a\nbc", []string{"a", "bc"}, []int64{0, 2}},
		"empty ones, CRLF":    {"\r\na\r\n\r\n\nb\r\n", []string{"a", "b"}, []int64{2, 8}},
		"longer than a block": {"a\n" + long + "\nb\n", []string{"a", long, "b"}, []int64{0, 2, int64(len(long)) + 3}},
		"a long one alone":    {long, []string{long}, []int64{0}},
		"a block to fit":      {strings.Repeat("y", largeBlock-1) + "\nb\n", []string{strings.Repeat("y", largeBlock-1), "b"}, []int64{0, largeBlock}},
	} {
		var lines []string
		var at []int64
		whole, err := ReadForward(written(t, c.text), func(offset int64, line []byte) {
			lines, at = append(lines, string(line)), append(at, offset)
		})
		if !whole || err != nil || !slices.Equal(lines, c.lines) || !slices.Equal(at, c.at) {
			t.Errorf("%s: got %d lines at %d, whole %t (%v), want %d at %d", name, len(lines), at, whole, err, len(c.lines), c.at)
		}
	}
	if _, err := ReadForward("none", nil); piton.CodeOf(err) != piton.NotFound {
		t.Errorf("no file: got %v", err)
	}
}

// TestReadForwardStepsOver: a line beyond the bound is stepped over.
func TestReadForwardStepsOver(t *testing.T) {
	t.Parallel()
	path := written(t, "a\n")
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteAt([]byte("\nb\n"), 2+maxForwardLine); err != nil { // zeros between
		t.Fatal(err)
	}
	var lines []string
	whole, err := ReadForward(path, func(_ int64, line []byte) { lines = append(lines, string(line)) })
	if diff := cmp.Diff([]string{"a", "b"}, lines); whole || err != nil || diff != "" {
		t.Errorf("got whole %t (%v), want (-), got (+):\n%s", whole, err, diff)
	}
	long := 0
	if err := f.Truncate(maxForwardLine); err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt([]byte("xx"), 0); err != nil {
		t.Fatal(err)
	}
	whole, err = ReadForward(path, func(_ int64, line []byte) { long = len(line) })
	if !whole || err != nil || long != maxForwardLine {
		t.Errorf("a line as long as may be: got whole %t (%v), %d bytes", whole, err, long)
	}
}

// TestReadBackFrom: the last line first, up to the one with which the turn began.
func TestReadBackFrom(t *testing.T) {
	t.Parallel()
	path := written(t, "{1\n{2\n\nthree\n{4\n")
	for _, c := range []struct {
		end      int64
		begins   string
		lines    int
		complete bool
		notes    []string
	}{
		{0, "{2", 3, true, []string{"lines of it that are damaged: 1"}},
		{0, "none", 4, true, []string{"lines of it that are damaged: 1"}},
		{6, "none", 2, true, nil},
		{1 << 20, "{4", 1, true, nil},
	} {
		left, lines := NewBudget(), 0
		complete, err := ReadBackFrom(path, c.end, left, func(line []byte) bool { lines++; return string(line) == c.begins })
		if lines != c.lines || complete != c.complete || err != nil || !slices.Equal(left.Notes(), c.notes) {
			t.Errorf("%+v: got %d lines, complete %t (%v), %q", c, lines, complete, err, left.Notes())
		}
	}
	never := func([]byte) bool { return false }
	if complete, err := ReadBackFrom(path, 0, NewBudget().Within(5), never); complete || err != nil {
		t.Errorf("within 5 bytes: got complete %t (%v)", complete, err)
	}
	few := NewBudget()
	few.Lines = 1
	if complete, err := ReadBackFrom(written(t, "{1\n{2\n"), 0, few, never); complete || err != nil {
		t.Errorf("one line of two: got complete %t (%v)", complete, err)
	}
	link := path + " link"
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	if head, err := ReadHead(link, 2); string(head) != "{1" || err != nil {
		t.Errorf("got the head %q (%v) through a link", head, err)
	}
	if got := NewBudget().Within(2 * MaxBytes).Bytes; got != MaxBytes {
		t.Errorf("got %d bytes within more, want the bound", got)
	}
	if complete, err := NewTail(broken{}, 9, NewBudget()).Until(never); complete || piton.CodeOf(err) != piton.Unavailable {
		t.Errorf("unreadable: got complete %t, %v", complete, err)
	}
	if _, err := ReadBackFrom("none", 0, NewBudget(), never); piton.CodeOf(err) != piton.NotFound {
		t.Errorf("no file: got %v", err)
	}
	blank := bytes.Repeat([]byte("\n"), maxBlank+1)
	if tail := NewTail(bytes.NewReader(blank), int64(len(blank)), NewBudget()); len(backwards(tail)) > 0 || tail.Complete() {
		t.Error("got to the beginning of more empty lines than may be read")
	}
	if tail := NewTail(bytes.NewReader(blank), maxBlank-1, NewBudget()); len(backwards(tail)) > 0 || !tail.Complete() {
		t.Error("got not to the beginning of as many empty lines as may be read")
	}
	if head, err := ReadHead(path, 4); string(head) != "{1\n{" || err != nil {
		t.Errorf("got the head %q (%v)", head, err)
	}
	if _, err := ReadHead("none", 4); err == nil {
		t.Error("got the head of no file")
	}
}

// TestUnreadable: why a turn could not be read.
func TestUnreadable(t *testing.T) {
	t.Parallel()
	const long, unknown = "the turn is longer than can be read at a stop: 20000 lines, 64 MiB", "it holds no line in a known form"
	for _, c := range []struct {
		complete, known bool
		want            string
	}{{true, true, ""}, {true, false, unknown}, {false, true, long}, {false, false, long}} {
		if got, _ := Unread(c.complete, c.known, time.Time{}); got != c.want {
			t.Errorf("complete %t, known %t: got %q", c.complete, c.known, got)
		}
	}
}

// TestStray: a line in 64 KiB is looked at, and ends the reading where it is a good deal
// older than the turn.
func TestStray(t *testing.T) {
	t.Parallel()
	since := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	line := make([]byte, strayEvery/2-1)
	ends := func(s *Stray, at time.Time) bool { return s.Ends(line, func([]byte) time.Time { return at }) }
	s := &Stray{Since: since}
	for i, c := range []struct {
		at   time.Time
		want bool
	}{
		{time.Time{}.Add(1), false},         // half of the bytes
		{time.Time{}, false},                // it does not tell
		{since.Add(-StraySlack), false},     // the next one does, and is young enough
		{since.Add(-StraySlack - 1), false}, // half of the bytes again
		{since.Add(-StraySlack - 1), true},
	} {
		if got := ends(s, c.at); got != c.want {
			t.Errorf("line %d: got %t", i, got)
		}
	}
	for n, want := range map[int]bool{strayEvery - 2: false, strayEvery - 1: true} {
		s := &Stray{Since: since}
		if got := s.Ends(make([]byte, n), func([]byte) time.Time { return time.Unix(1, 0) }); got != want {
			t.Errorf("a line of %d bytes: got %t", n, got)
		}
	}
	s = &Stray{}
	for range 3 {
		if ends(s, since) {
			t.Error("got an end of a turn whose beginning is not known")
		}
	}
}

// TestSubagentFiles: the logs that changed since, the newest first.
func TestSubagentFiles(t *testing.T) {
	t.Parallel()
	since := time.Now().Truncate(time.Second)
	dir := t.TempDir()
	put := func(name string, at time.Time) {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.WriteFile(path, nil, 0o600), os.Chtimes(path, at, at)); err != nil {
			t.Fatal(err)
		}
	}
	put("agent-a.jsonl", since)
	put("agent-b.jsonl", since.Add(time.Second))
	put("agent-old.jsonl", since.Add(-ClockSlack-time.Second))
	put("agent-young.jsonl", since.Add(-ClockSlack))
	put("other.jsonl", since)
	put("agent-c.txt", since)
	if err := os.Mkdir(filepath.Join(dir, "agent-d.jsonl"), 0o700); err != nil {
		t.Fatal(err)
	}
	ids := func() (ids []string, whole bool) {
		files, whole := SubagentFiles(dir, "agent-", since, MaxSubagents)
		for _, f := range files {
			if ids = append(ids, f.ID); f.Path != filepath.Join(dir, "agent-"+f.ID+".jsonl") || f.Changed.IsZero() {
				t.Errorf("got %+v", f)
			}
		}
		return ids, whole
	}
	if got, whole := ids(); !slices.Equal(got, []string{"b", "a", "young"}) || !whole {
		t.Errorf("got %q, whole %t", got, whole)
	}
	for i := range MaxSubagents - 3 {
		put("agent-"+strings.Repeat("x", i+1)+".jsonl", since)
	}
	if got, whole := ids(); len(got) != MaxSubagents || !whole {
		t.Errorf("got %d, whole %t, want all", len(got), whole)
	}
	put("agent-z.jsonl", since)
	if got, whole := ids(); len(got) != MaxSubagents || whole {
		t.Errorf("got %d, whole %t, want not all", len(got), whole)
	}
	if files, whole := SubagentFiles(filepath.Join(dir, "none"), "", since, MaxSubagents); files != nil || !whole {
		t.Errorf("no folder: got %v, whole %t", files, whole)
	}
}
