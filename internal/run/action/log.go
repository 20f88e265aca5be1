package action

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode/utf8"
)

const (
	logLimit = 16 << 20
	// maxLine is how long a line may be before it is written in pieces.
	maxLine = 64 << 10
	// maxKey is how much it is inside a private key.
	maxKey = 32 << 10
)

// Log is the log of one attempt at a step: a file that is bounded, without secrets,
// and readable by its owner only. It is written line by line as the lines come.
// Nothing that happens to it fails a step.
type Log struct {
	mu      sync.Mutex
	file    rotated
	secrets *Secrets
	main    stream
	others  []*stream
}

// stream is what one writer writes. Each has its own lines, so that those of others
// do not come between the two halves of a secret.
type stream struct {
	log    *Log
	line   []byte // lines that are not complete
	before string // the end of what was written, as it came
}

// NewLog is the log at path, of at most limit bytes (16 MiB when 0): of more, the
// beginning and the end are kept. The secrets are taken out of it, and all that
// package redact finds. OpenLog reads it.
func NewLog(path string, limit int64, secrets ...string) *Log {
	if limit <= 0 {
		limit = logLimit
	}
	l := &Log{file: rotated{path: path, limit: limit}, secrets: NewSecrets(secrets...)}
	l.main.log = l
	return l
}

// Write adds to the log. It never fails.
func (l *Log) Write(p []byte) (int, error) { return l.main.Write(p) }

// Stream is a writer of its own to the log, for one of several that write at once.
func (l *Log) Stream() io.Writer {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := &stream{log: l}
	l.others = append(l.others, s)
	return s
}

// Close writes what waits, and returns the first error that there was.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range append(l.others, &l.main) {
		s.put(len(s.line))
	}
	return l.file.close()
}

// Write adds to the log. It never fails.
func (s *stream) Write(p []byte) (int, error) {
	s.log.mu.Lock()
	defer s.log.mu.Unlock()
	for rest := p; len(rest) > 0; {
		n := min(len(rest), maxLine)
		s.line = append(s.line, rest[:n]...)
		rest = rest[n:]
		s.put(s.whole())
	}
	return len(p), nil
}

// whole is how much of what waits can be written: whole lines, and of a line that
// is too long what is surely no part of a secret.
func (s *stream) whole() int {
	n := bytes.LastIndexAny(s.line, "\n\r") + 1
	n -= min(n, s.log.secrets.held(s.before+string(s.line[:n])))
	if n > 0 || len(s.line) < 2*maxLine {
		return n
	}
	all, _ := s.log.secrets.Text(s.before + string(s.line))
	for n = len(s.line) - around; n > maxLine; n -= 2 * around {
		if part, _ := s.log.secrets.Text(s.before + string(s.line[:n])); strings.HasPrefix(all, part) {
			return n
		}
	}
	s.drop(len(s.line) - around)
	return 0
}

// drop leaves out what cannot be told from secrets.
func (s *stream) drop(n int) {
	s.log.file.write(fmt.Appendf(nil, "[... %d bytes left out, which may hold a secret ...]\n", n))
	s.line = append(s.line[:0], s.line[n:]...)
	s.before = ""
}

func (s *stream) put(n int) {
	if n == 0 {
		return
	}
	known, _ := s.log.secrets.Text(s.before)
	raw := s.before + string(s.line[:n])
	clean, _ := s.log.secrets.Text(raw)
	s.log.file.write([]byte(clean[common(known, clean):]))
	s.line = append(s.line[:0], s.line[n:]...)
	s.before = again(raw)
}

// common is how long the beginning is that two texts share. What was written as
// harmless and is now seen to be part of a secret is not shared: from there on it is
// written again, clean.
func common(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	for n > 0 && n < len(b) && !utf8.RuneStart(b[n]) {
		n--
	}
	return n
}

// again is what is looked at again: the last lines, and a private key from its
// beginning.
func again(s string) string {
	from := max(0, len(s)-around)
	first := max(0, len(s)-maxKey)
	if key := strings.LastIndex(s[first:], "-----BEGIN"); key >= 0 && !strings.Contains(s[first+key:], "-----END") {
		from = min(from, first+key)
	}
	return strings.Clone(s[from:])
}
