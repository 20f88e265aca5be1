package gemini

import (
	"bytes"
	"io"
	"slices"
	"strings"

	"github.com/piton-project/piton/internal/client/logfile"
	"github.com/piton-project/piton/internal/client/rawjson"
)

// isDocument reports whether a log is of an older version: one JSON document that
// is written anew as a whole, with the messages in a list. Programs that keep such
// logs may give them another name; a log of lines never begins with a line that
// has a bracket alone.
func isDocument(path string) bool {
	if strings.HasSuffix(path, ".json") {
		return true
	}
	f, _, err := logfile.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, 2)
	n, _ := f.ReadAt(head, 0)
	return opensDocument(head[:n])
}

func opensDocument(head []byte) bool {
	return bytes.HasPrefix(head, []byte("{\n")) || bytes.HasPrefix(head, []byte("{\r"))
}

// documentMessages are the messages of such a log, each with the place of its first
// byte. Messages are only added to the list, so those before a place are the
// log as it was.
func documentMessages(path string, size int64) (list []message, err error) {
	f, _, err := logfile.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, size))
	if err != nil {
		return nil, logfile.Error(err)
	}
	at := 0
	for m := range rawjson.Elements(rawjson.Member(b, "messages")) {
		at += bytes.Index(b[at:], m)
		list = append(list, message{int64(at), m})
		at += len(m)
	}
	return list, nil
}

// message is a message of a document, as written.
type message struct {
	off int64
	raw []byte
}

// readDocument hands the messages of such a log to take, the last one first,
// until take says that the turn began there; only those before a place, where
// one is given. It reports whether that, or the log's first message, was
// reached.
func readDocument(path string, upTo int64, left *logfile.Budget, take func(message []byte) bool) (complete bool, err error) {
	f, size, err := logfile.Open(path)
	if err != nil {
		return false, err
	}
	f.Close()
	if size > left.Bytes {
		return false, nil
	}
	left.Bytes -= size
	messages, err := documentMessages(path, size)
	for _, m := range slices.Backward(messages) {
		if upTo > 0 && m.off >= upTo {
			continue
		}
		if left.Lines--; left.Lines < 0 {
			return false, nil
		}
		if take(m.raw) {
			break
		}
	}
	return err == nil, err
}

// lines reads a log of either form forward.
func lines(path string, take func(off int64, l line)) (whole bool, err error) {
	if !isDocument(path) {
		return logfile.ReadLines(path, parseLine, take)
	}
	messages, err := documentMessages(path, maxDocument)
	for _, m := range messages {
		if l, ok := parseLine(m.raw); ok {
			take(m.off, l)
		}
	}
	return err == nil, err
}

// maxDocument bounds how much of a document is read forward.
const maxDocument = 256 << 20
