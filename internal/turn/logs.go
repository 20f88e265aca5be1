package turn

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/client"
	"github.com/piton-project/piton/internal/client/clients"
)

// maxLogs is how many logs a folder can have.
const maxLogs = 20_000

// LogsAt are the log at a path, or those in a folder, of a client, nil for those of any, and
// how many other files there are that could be some. Links are not followed in a folder; what
// is no log is passed over, and so are the logs of subagents, which are read with their
// session's. An error is of the path itself.
func LogsAt(path string, given client.Client) (all []Log, others int, err error) {
	info, err := os.Stat(path)
	if err == nil && !info.IsDir() {
		l, err := LogAt(path, given)
		return []Log{l}, 0, err
	}
	if err != nil {
		return nil, 0, &piton.Error{Code: piton.Invalid, Op: "read " + path, Hint: "give a client's log, or a folder of logs", Err: err}
	}
	_ = filepath.WalkDir(path, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil
		case len(all) == maxLogs:
			return filepath.SkipAll
		case d.IsDir() && d.Name() == "subagents":
			return filepath.SkipDir
		case !d.Type().IsRegular() || !isLog(path):
			return nil
		}
		l, err := LogAt(path, given)
		if err != nil || strings.HasPrefix(d.Name(), "agent-") {
			others++
			return nil
		}
		all = append(all, l)
		return nil
	})
	return all, others, nil
}

// isLog tells by its name whether a file can be a log: Gemini CLI's older chats are
// one JSON document each.
func isLog(path string) bool {
	return filepath.Ext(path) == ".jsonl" || filepath.Ext(path) == ".json" && filepath.Base(filepath.Dir(path)) == "chats"
}

// LogAt is a log and the client that wrote it.
func LogAt(path string, given client.Client) (Log, error) {
	if given != nil {
		return Log{Client: given, Path: path}, nil
	}
	for _, c := range clients.All {
		if x, err := c.About(path); x.Wrote || err != nil {
			return Log{Client: c, Path: path}, err
		}
	}
	return Log{}, &piton.Error{Code: piton.Invalid, Op: "read " + path, Hint: "name the client that wrote it ('agent')", Err: errors.New("it does not look like the log of a client that Piton knows")}
}
