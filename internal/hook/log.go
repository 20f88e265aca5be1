package hook

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"sync"

	"github.com/piton-project/piton/internal/redact"
)

// maxLog is the size at which the log is put aside, in bytes.
const maxLog = 4 << 20

// Log writes to a file that is opened at the first line, so that a quiet run
// costs nothing; put aside as FILE.1 when it has grown; dropped where it
// cannot be written. No secret reaches it.
func Log(path string) *slog.Logger {
	return slog.New(redact.Handler(slog.NewTextHandler(&lazyFile{path: path}, nil)))
}

type lazyFile struct {
	path string
	mu   sync.Mutex
}

// Write appends one line. It reports success whatever happens: a log that
// cannot be written must disturb nobody.
func (l *lazyFile) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := os.MkdirAll(filepath.Dir(l.path), 0o700); err != nil {
		return len(line), nil
	}
	info, err := os.Stat(l.path)
	if err == nil && !info.Mode().IsRegular() {
		return len(line), nil // a pipe, say, which would hold the agent up
	}
	if err == nil && info.Size() > maxLog {
		os.Rename(l.path, l.path+".1")
	}
	f, err := os.OpenFile(l.path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return len(line), nil
	}
	defer f.Close()
	f.Write(line) // one write a line, so that lines of many processes stay whole
	return len(line), nil
}

// What one event logs of the settings at most: the same file is read at every
// stop.
const (
	maxProblems = 20
	maxProblem  = 2000 // bytes
)

// Problems logs what was wrong with the settings.
func Problems(ctx context.Context, log *slog.Logger, problems []error) {
	for _, err := range problems[:min(len(problems), maxProblems)] {
		text := err.Error()
		log.WarnContext(ctx, "a setting was left out", "err", text[:min(len(text), maxProblem)])
	}
	if more := len(problems) - maxProblems; more > 0 {
		log.WarnContext(ctx, "more settings were left out; 'piton config' names them", "number", more)
	}
}
