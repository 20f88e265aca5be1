package client

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/store/localfs"
)

// Said keeps what a call has said. It is cut where the client has left some of it
// out, and where it is longer than agent.OutputKept.
func Said(c *agent.Call, output string) {
	c.Cut = Shortened(output) || len(output) > agent.OutputKept
	c.Output = Cut(output)
}

// shortened are the lines by which clients say that they left some of an output
// out. A command that prints such a line itself counts as cut too: that costs a
// question, and no false pass.
var shortened = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^(?:` +
		`\.\.\. \[[\d,]+ (?:lines|characters|bytes) (?:omitted|truncated)\] \.\.\.` +
		`|\[\.\.\. (?:omitted [\d,]+ of [\d,]+ lines|[\d,]+ lines omitted|output truncated to fit [\d,]+ bytes) \.\.\.\]` +
		`|\[truncated[ \]].*` +
		`|\.\.\. command output truncated for persistence \.\.\.` +
		`|Warning: truncated output \(original token count: [\d,]+\).*` +
		`|Output truncated \([\d.,]+ ?[KM]B total\).*` +
		`)[ \r]*$|…[\d,]+ (?:tokens|chars|characters|bytes|lines) truncated…`)
})

// Shortened reports whether a client says in an output that some of it is left
// out.
func Shortened(output string) bool {
	return (strings.Contains(output, "omitted") || strings.Contains(output, "truncated")) && shortened().MatchString(output)
}

// Cut keeps the beginning and the end of an output, at most
// agent.OutputKept bytes with the mark between them.
func Cut(s string) string { return cutTo(s, agent.OutputKept) }

func cutTo(s string, most int) string {
	if len(s) <= most {
		return s
	}
	const room = 48 // for the mark
	half := (most - room) / 2
	front, back := half, len(s)-half
	for front > half-utf8.UTFMax && !utf8.RuneStart(s[front]) {
		front--
	}
	for back < len(s)-half+utf8.UTFMax && !utf8.RuneStart(s[back]) {
		back++
	}
	return s[:front] + leftOut(back-front) + s[back:]
}

func leftOut(n int) string { return "\n[... " + strconv.Itoa(n) + " bytes left out ...]\n" }

// Bounds of what the calls of one turn may have said together: of older calls
// than fit, only a little is kept.
const (
	maxSaid   = 16 << 20
	littleOf  = 16 << 10
	maxStored = 32 // outputs that are read from files of the client's
)

// Bounded keeps the memory of a turn within bounds: the newest calls keep all of
// their outputs.
func Bounded(calls []agent.Call) {
	left := maxSaid
	for i := len(calls) - 1; i >= 0; i-- {
		c := &calls[i]
		if len(c.Output) > littleOf && len(c.Output) > left {
			c.Output, c.Cut = cutTo(strings.Clone(c.Output), littleOf), true
		}
		left -= len(c.Output)
	}
}

// Stored reads outputs that a client has kept in files of its own, for the calls
// of one turn.
type Stored struct{ read int }

// Output reads a file of the folder in which the client keeps a session's outputs:
// all of it, or its beginning and end. Of the name that the log gives, only the
// last part counts: no log leads out of the folder. ok is false where there is no
// such plain file; whole, where all of it was read.
func (s *Stored) Output(folder, path string) (output string, whole, ok bool) {
	name := path[strings.LastIndexAny(path, `/\`)+1:]
	named := !slices.Contains([]string{"", ".", ".."}, name) && !strings.ContainsAny(name, ":\x00")
	if folder == "" || !named || s.read >= maxStored {
		return "", false, false
	}
	s.read++
	f, info, err := localfs.OpenPlain(filepath.Join(folder, name), false)
	if err != nil {
		return "", false, false
	}
	defer f.Close()
	return readEnds(f, info.Size())
}

// readEnds reads the beginning and the end of a file, and what lies between them
// where it is not long.
func readEnds(f *os.File, size int64) (output string, whole, ok bool) {
	const half = agent.OutputKept/2 - 64
	front, back := size, int64(0)
	if size > agent.OutputKept {
		front, back = half, half
	}
	b := make([]byte, front+back)
	n, _ := f.ReadAt(b[:front], 0)
	m, _ := f.ReadAt(b[front:], size-back)
	switch {
	case n+m < len(b):
		return "", false, false
	case back == 0:
		return strings.ToValidUTF8(string(b), "\uFFFD"), true, true
	}
	return strings.ToValidUTF8(string(b[:front])+leftOut(int(size)-len(b))+string(b[front:]), ""), false, true
}
