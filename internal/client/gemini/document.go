package gemini

import (
	"io"
	"slices"
	"strings"

	"github.com/piton-project/piton/internal/client/logfile"
	"github.com/piton-project/piton/internal/client/rawjson"
)

// isDocument reports whether a log is of an older version: one JSON document that
// is written anew as a whole, with the messages in a list.
func isDocument(path string) bool { return strings.HasSuffix(path, ".json") }

// readDocument hands the messages of such a log to take, the last one first,
// until take says that the turn began there. It reports whether that, or the
// log's first message, was reached.
func readDocument(path string, left *logfile.Budget, take func(message []byte) bool) (complete bool, err error) {
	f, size, err := logfile.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	if size > left.Bytes {
		return false, nil
	}
	left.Bytes -= size
	b, err := io.ReadAll(io.LimitReader(f, size))
	if err != nil {
		return false, logfile.Error(err)
	}
	var messages [][]byte
	for m := range rawjson.Elements(rawjson.Member(b, "messages")) {
		messages = append(messages, m)
	}
	for _, m := range slices.Backward(messages) {
		if left.Lines--; left.Lines < 0 {
			return false, nil
		}
		if take(m) {
			break
		}
	}
	return true, nil
}
