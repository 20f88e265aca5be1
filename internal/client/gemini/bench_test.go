package gemini

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton/internal/client/logfile"
)

// generated writes a log of about size bytes in the recordings' forms,
// whose newest turn is the last 300 KB, and returns when that turn's prompt was
// reported. Now and then the client sets all messages anew.
func generated(tb testing.TB, size int) (path string, since time.Time) {
	tb.Helper()
	now := time.Date(2026, 11, 20, 8, 0, 0, 0, time.UTC)
	n := 0
	stamp := func() string {
		now = now.Add(300 * time.Millisecond)
		return now.Format("2006-01-02T15:04:05.000Z")
	}
	var b bytes.Buffer
	source := strings.Repeat(`\tif err != nil {\n\t\treturn fmt.Errorf(\"read: %w\", err)\n\t}\n`, 30)
	touch := func() { fmt.Fprintf(&b, `{"$set":{"lastUpdated":"%s"}}`+"\n", stamp()) }
	prompt := func() {
		n++
		fmt.Fprintf(&b, `{"id":"p%d","timestamp":"%s","type":"user","content":[{"text":"go on"}]}`+"\n", n, stamp())
		touch()
	}
	step := func() {
		n++
		said := fmt.Sprintf(`{"id":"a%d","timestamp":"%s","type":"gemini","content":"I change it.","thoughts":[],"tokens":{"input":100,"output":10,"cached":0,"thoughts":0,"tool":0,"total":110},"model":"gemini-3.1-pro-preview"`, n, stamp())
		b.WriteString(said + "}\n")
		touch()
		result := fmt.Sprintf(`[{"functionResponse":{"id":"replace_%d","name":"replace","response":{"output":"Successfully modified file: /home/dev/project/f%d.go (1 replacements). Here is the updated code:\n%s"}}}]`, n, n, source[:600])
		fmt.Fprintf(&b, `%s,"toolCalls":[{"id":"replace_%d","name":"replace","args":{"file_path":"f%d.go","instruction":"Change it","old_string":"%s","new_string":"%s"},"result":%s,"status":"success","timestamp":"%s","resultDisplay":{"fileDiff":"%s","fileName":"f.go","filePath":"/home/dev/project/f%d.go","originalContent":"%s","newContent":"%s","isNewFile":false},"description":"f.go","displayName":"Edit","renderOutputAsMarkdown":true}]}`+"\n",
			said, n, n, source[:600], source[:640], result, stamp(), source, n, source, source)
		fmt.Fprintf(&b, `{"id":"r%d","timestamp":"%s","type":"user","content":%s}`+"\n", n, stamp(), result)
		touch()
		if n%200 == 0 {
			fmt.Fprintf(&b, `{"$set":{"messages":[%s{"id":"x","timestamp":"%s","type":"user","content":[{"text":"x"}]}],"lastUpdated":"%s"}}`+"\n",
				strings.Repeat(`{"id":"m","timestamp":"2026-11-20T08:00:00.000Z","type":"gemini","content":"`+source[:600]+`"},`, 50), stamp(), stamp())
		}
	}
	b.WriteString(`{"sessionId":"ffce36ee-8b71-47f4-8622-b542a972c132","projectHash":"6f","startTime":"` + stamp() + `","kind":"main"}` + "\n")
	prompt()
	for b.Len() < size-300<<10 {
		step()
	}
	start := b.Len()
	since = now
	prompt()
	for b.Len()-start < 300<<10 {
		step()
	}
	path = filepath.Join(tb.TempDir(), "chats", "session.jsonl")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		tb.Fatal(err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		tb.Fatal(err)
	}
	return path, since
}

func BenchmarkTranscript(b *testing.B) {
	for _, mb := range []int{1, 50} {
		path, since := generated(b, mb<<20)
		for name, since := range map[string]time.Time{"since": since, "newest prompt": {}} {
			b.Run(fmt.Sprintf("%d MB, %s", mb, name), func(b *testing.B) {
				b.ReportAllocs()
				var calls int
				for b.Loop() {
					t, err := Client{}.Transcript(path, since, 0)
					if err != nil || !t.Complete {
						b.Fatal(err, t.Complete)
					}
					calls = len(t.Calls)
				}
				b.ReportMetric(float64(calls), "calls")
			})
		}
	}
}

// A long log with a short turn is read from its end: what stands before the
// turn is not looked at.
func TestReadsTheTurnOnly(t *testing.T) {
	path, since := generated(t, 4<<20)
	for name, since := range map[string]time.Time{"since": since, "newest prompt": {}} {
		left := &logfile.Budget{Bytes: 1 << 20, Lines: logfile.MaxLines}
		turn := turn{since: since}
		if err := turn.read(path, left); err != nil || !turn.complete || len(turn.lines) < 20 {
			t.Errorf("%s: got %d lines, complete %v, %v; want the turn within a megabyte", name, len(turn.lines), turn.complete, err)
		}
	}
}
