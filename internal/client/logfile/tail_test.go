package logfile

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/piton-project/piton"
)

// backwards reads all lines and returns them in their order.
func backwards(t *Tail) (out []string) {
	for {
		line, ok := t.Next()
		if !ok {
			slices.Reverse(out)
			return out
		}
		out = append(out, string(line))
	}
}

func TestTailReadsEveryLine(t *testing.T) {
	long := strings.Repeat("long ", 50_000)
	for name, lines := range map[string][]string{
		"none":           nil,
		"one":            {"a"},
		"some":           {"a", "b", "c"},
		"a long first":   {long, "b"},
		"a long last":    {"a", long},
		"long ones":      {long, long + "2", "x", long + "3"},
		"a block to fit": {strings.Repeat("x", firstBlock-1), strings.Repeat("y", firstBlock-1)},
		"many":           slices.Repeat([]string{"a line of a log"}, 15_000),
	} {
		for end, file := range map[string]string{
			"ended":    strings.Join(lines, "\n") + "\n",
			"unended":  strings.Join(lines, "\n"),
			"CRLF":     strings.Join(lines, "\r\n") + "\r\n",
			"blank":    strings.Join(lines, "\n\n\n") + "\n\n",
			"ahead of": "\n" + strings.Join(lines, "\n"),
		} {
			tail := NewTail(strings.NewReader(file), int64(len(file)), NewBudget())
			if got := backwards(tail); !slices.Equal(got, lines) || !tail.Complete() {
				t.Errorf("%s, %s: got %d lines, complete %v; want %d, true", name, end, len(got), tail.Complete(), len(lines))
			}
		}
	}
}

func TestTailWithAnyBlock(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		var lines []string
		for range r.IntN(30) {
			lines = append(lines, strings.Repeat("z", 1+r.IntN(40)))
		}
		file := strings.Join(lines, "\n")
		tail := NewTail(strings.NewReader(file), int64(len(file)), NewBudget())
		tail.block = 1 + r.Int64N(50)
		if got := backwards(tail); !slices.Equal(got, lines) {
			t.Fatalf("got %q, want %q", got, lines)
		}
	}
}

func TestTailIsBounded(t *testing.T) {
	file := strings.Repeat("0123456789\n", 100_000)
	for name, tt := range map[string]struct {
		left Budget
		want int
	}{
		"by lines":             {Budget{Bytes: 1 << 30, Lines: 7}, 7},
		"by bytes":             {Budget{Bytes: 110, Lines: 100}, 9}, // the tenth may begin before
		"by nothing left":      {Budget{}, 0},
		"by bytes, many reads": {Budget{Bytes: 11 * 50_000, Lines: 100_000}, 49_999},
	} {
		tail := NewTail(strings.NewReader(file), int64(len(file)), &tt.left)
		if got := len(backwards(tail)); got != tt.want || tail.Complete() {
			t.Errorf("%s: got %d lines, complete %v; want %d, false", name, got, tail.Complete(), tt.want)
		}
	}
	one := bytes.Repeat([]byte{'x'}, 3<<20)
	left := &Budget{Bytes: 1 << 20, Lines: 10}
	tail := NewTail(bytes.NewReader(one), int64(len(one)), left)
	if got := backwards(tail); got != nil || tail.Complete() || left.Bytes != 0 {
		t.Errorf("one line over the bound: got %d lines, complete %v, %d bytes left; want none, false, 0", len(got), tail.Complete(), left.Bytes)
	}
}

func TestTailOfAFileThatChanges(t *testing.T) {
	tail := NewTail(strings.NewReader("a\nb\n"), 1000, NewBudget())
	if got := backwards(tail); got != nil || tail.Complete() || tail.Err != nil {
		t.Errorf("cut short meanwhile: got %q, complete %v, error %v; want none, false, none", got, tail.Complete(), tail.Err)
	}
	tail = NewTail(broken{}, 1000, NewBudget())
	if got := backwards(tail); got != nil || tail.Complete() || !errors.Is(tail.Err, io.ErrClosedPipe) {
		t.Errorf("unreadable: got %q, complete %v, error %v; want none, false, %v", got, tail.Complete(), tail.Err, io.ErrClosedPipe)
	}
}

type broken struct{}

func (broken) ReadAt([]byte, int64) (int, error) { return 0, io.ErrClosedPipe }

func TestOpenLog(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		path string
		code piton.Code
	}{
		"missing":     {filepath.Join(dir, "none.jsonl"), piton.NotFound},
		"empty":       {"", piton.NotFound},
		"folder":      {dir, piton.Invalid},
		"pipe":        {pipe, piton.Invalid},
		"with a zero": {"a\x00b", piton.Unavailable},
	} {
		_, _, err := Open(tt.path)
		if piton.CodeOf(err) != tt.code || tt.code == piton.NotFound && !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: got %v, want %s", name, err, tt.code)
		}
	}
}
