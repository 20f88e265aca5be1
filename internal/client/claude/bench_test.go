package claude

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

// generated writes a transcript of about size bytes in the recordings' forms,
// whose newest turn is the last 300 KB, and returns when that turn began. Calls
// and results stand among api-request lines and snapshots of 40 to 60 KB, as
// they do in real ones.
func generated(tb testing.TB, size int) (path string, since time.Time) {
	tb.Helper()
	at := time.Date(2026, 11, 20, 8, 0, 0, 0, time.UTC)
	n := 0
	frame := func() string {
		at = at.Add(700 * time.Millisecond)
		return fmt.Sprintf(`"uuid":"%036d","timestamp":"%s","userType":"external","entrypoint":"cli","cwd":"/home/dev/project","sessionId":"6152e381-4c21-432b-8da3-8b6a5782ebeb","version":"2.1.328","gitBranch":"master"}`, n, at.Format("2006-01-02T15:04:05.000Z"))
	}
	var b bytes.Buffer
	schema := strings.Repeat(`{"name":"Agent","description":"What it does, \"in words\".\n","input_schema":{"type":"object","properties":{"a":{"type":"string"}}}},`, 300)
	source := strings.Repeat(`\tif err != nil {\n\t\treturn fmt.Errorf(\"read: %w\", err)\n\t}\n`, 40)
	prompt := func() {
		fmt.Fprintf(&b, `{"parentUuid":"%036d","isSidechain":false,"promptId":"p","type":"user","message":{"role":"user","content":"go on"},"origin":{"kind":"human"},"turnOrigin":"human",%s`+"\n", n, frame())
	}
	step := func() {
		n++
		switch n % 12 {
		case 0:
			fmt.Fprintf(&b, `{"parentUuid":"%036d","isSidechain":false,"attachment":{"type":"prompt_snapshot","tools":[%s{}]},"type":"attachment",%s`+"\n", n, schema, frame())
		case 6:
			fmt.Fprintf(&b, `{"type":"api-request-shape","sessionId":"6152e381","timestamp":"2026-11-20T09:43:40.254Z","shape":{"tools":[%s{}]}}`+"\n", schema)
		}
		b.WriteString(`{"type":"api-request","sessionId":"6152e381","params":{"model":"claude-opus-5-5"}}` + "\n")
		fmt.Fprintf(&b, `{"parentUuid":"%036d","isSidechain":false,"message":{"id":"msg_%d","type":"message","role":"assistant","model":"claude-opus-5-5","content":[{"type":"tool_use","id":"toolu_%d","name":"Edit","input":{"replace_all":false,"file_path":"/home/dev/project/f%d.go","old_string":"%s","new_string":"%s"}}],"stop_reason":"tool_use","usage":{"input_tokens":100,"cache_creation_input_tokens":7,"cache_read_input_tokens":9000,"output_tokens":20}},"type":"assistant",%s`+"\n", n, n, n, n, source[:600], source[:620], frame())
		fmt.Fprintf(&b, `{"parentUuid":"%036d","isSidechain":false,"type":"user","message":{"role":"user","content":[{"tool_use_id":"toolu_%d","type":"tool_result","content":"The file has been updated.\n%s","is_error":false}]},"toolUseResult":{"filePath":"/home/dev/project/f.go","originalFile":"%s"},%s`+"\n", n, n, source[:300], source, frame())
	}
	prompt()
	for b.Len() < size-300<<10 {
		step()
	}
	start := b.Len()
	prompt()
	since = at.Add(40 * time.Millisecond)
	for b.Len()-start < 300<<10 {
		step()
	}
	path = filepath.Join(tb.TempDir(), "session.jsonl")
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

// BenchmarkReadTail is the floor: the same bytes read, and nothing done.
func BenchmarkReadTail(b *testing.B) {
	path, _ := generated(b, 50<<20)
	for b.Loop() {
		f, size, err := logfile.Open(path)
		if err != nil {
			b.Fatal(err)
		}
		buf := make([]byte, 300<<10)
		if _, err := f.ReadAt(buf, size-int64(len(buf))); err != nil {
			b.Fatal(err)
		}
		f.Close()
	}
}

func BenchmarkDecode(b *testing.B) {
	in := Payload(b, "Stop.background")
	big := append([]byte(`{"hook_event_name":"PostToolUse","tool_response":{"stdout":"`), bytes.Repeat([]byte(`a line of output, 32 bytes long\n`), 50<<20/33)...)
	big = append(big, `"},"tool_name":"Bash"}`...)
	for name, in := range map[string][]byte{"a stop": in, "50 MB": big} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(in)))
			for b.Loop() {
				if _, err := (Client{}).Decode(in, environment); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
