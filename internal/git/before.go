package git

import (
	"bytes"
	"context"
	"errors"
	"strconv"
	"strings"
)

// MaxBefore bounds the files whose earlier text is asked for at once.
const MaxBefore = 32

// Before gives the texts that files had in a commit, "" for HEAD, by their
// paths; nil for a file that was not there, or is not text of a file's size. Of
// more than MaxBefore paths the others are left out. It runs git once.
func (r Repo) Before(ctx context.Context, commit string, paths []string) (map[string]*string, error) {
	t, err := r.open()
	if err != nil {
		return nil, err
	}
	if !isID(commit) {
		commit = "HEAD"
	}
	was := map[string]*string{}
	var asked []string
	var in bytes.Buffer
	for _, path := range paths[:min(len(paths), MaxBefore)] {
		if name, err := bytesOf(path); err == nil && !strings.Contains(name, "\n") {
			in.WriteString(commit + ":" + name + "\n")
			asked = append(asked, path)
		}
	}
	if len(asked) == 0 {
		return was, nil
	}
	out, err := t.tell(ctx, limit, in.Bytes(), "cat-file", "--batch")
	switch {
	case err == nil, errors.Is(err, errCut): // what was kept, counts
	case errors.Is(err, ErrTimeout), errors.Is(err, ErrNoGit), ctx.Err() != nil:
		return nil, err
	}
	for _, path := range asked {
		was[path], out = blob(out)
	}
	return was, nil
}

// blob reads one answer of cat-file --batch: a line with the object's id, type
// and size and then its text, or a line that says why there is none.
func blob(out []byte) (text *string, rest []byte) {
	line, rest, _ := bytes.Cut(out, []byte("\n"))
	fields := strings.Fields(string(line))
	if len(fields) != 3 || !isID(fields[0]) {
		return nil, rest
	}
	size, err := strconv.Atoi(fields[2])
	if err != nil || size < 0 || size >= len(rest) {
		return nil, nil
	}
	if fields[1] == "blob" {
		s := string(rest[:size])
		text = &s
	}
	return text, rest[size+1:]
}
