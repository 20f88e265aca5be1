package claude

import (
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client/logfile"
	"github.com/piton-project/piton/internal/testkit/clienttest"
)

func TestLinesOfManyMegabytes(t *testing.T) {
	big := strings.Repeat("a line of output\\n", 400_000)
	path := session(t, "0 "+asked("go"), "1 "+used("a", "Bash", `{"command":"make"}`),
		`2 {"type":"api-request-shape","shape":"`+big+`"}`, "3 "+answered("a", `"content":"`+big+`end"`, `,"toolUseResult":{"stdout":"`+big+`"}`))
	got := transcript(t, path, time.Time{})
	if len(got.Calls) != 1 || !got.Complete || len(got.Calls[0].Output) > agent.OutputKept || !strings.HasSuffix(got.Calls[0].Output, "\nend") {
		t.Errorf("got %d calls, complete %v; want one with the end of its output, true", len(got.Calls), got.Complete)
	}
}

func TestTranscriptIsBounded(t *testing.T) {
	lines := []string{"0 " + asked("go")}
	for range logfile.MaxLines {
		lines = append(lines, "1 "+used("a", "Bash", `{}`))
	}
	if got := transcript(t, session(t, lines...), time.Time{}); got.Complete || len(got.Calls) != 1 {
		t.Errorf("too many lines: got complete %v, %d calls; want false, one", got.Complete, len(got.Calls))
	}
	path, since := generated(t, logfile.MaxBytes+8<<20)
	if got := transcript(t, path, since); !got.Complete {
		t.Errorf("a long file with a short turn: got complete false, want true")
	}
	if got := transcript(t, path, clienttest.LongAgo); got.Complete || len(got.Calls) == 0 {
		t.Errorf("too many bytes: got complete %v, %d calls; want false, some", got.Complete, len(got.Calls))
	}
}
