package keep

import (
	"bytes"
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/piton-project/piton/internal/mark"
)

// Now is what is at a path now, its content too where it is not longer than limit.
func Now(root, path string, limit int64) (mark.Seen, []byte) {
	return seen(root, look(root, []mark.File{{Path: path}})[0], limit)
}

// seen is a file that was looked at with its content.
func seen(root string, f mark.File, limit int64) (mark.Seen, []byte) {
	if !f.Kept() {
		return f.Seen, nil
	}
	text, err := content(root, f, limit)
	if err == nil {
		f.Sum = sumOf(text)
	}
	return f.Seen, text
}

// Again adds to a mark of what is dirty now the other files that marks of its tree have; without time it is an error.
func (t Taker) Again(ctx context.Context, now mark.Mark, marks []mark.Mark) (mark.Mark, error) {
	var paths []mark.File
	for _, m := range marks {
		for _, f := range m.Files {
			_, changed := m.Left[f.Path]
			known := now.Has(f.Path) || now.Whole && f.Tracked() // another may be ignored since
			if touched := changed || m.LookedAt.IsZero(); touched && !known {
				paths = append(paths, mark.File{Path: f.Path})
			}
		}
	}
	more := look(now.Root, paths)
	for i := 0; i < len(more) && ctx.Err() == nil; i++ {
		more[i].Seen, _ = seen(now.Root, more[i], t.Limits.File)
	}
	now.Files = slices.SortedFunc(slices.Values(slices.Concat(now.Files, more)), mark.File.Compare)
	return now, ctx.Err()
}

// See looks at what a command has left of a mark's files and keeps it.
func (t Taker) See(ctx context.Context, m mark.Mark) (mark.Mark, error) {
	m.LookedAt, m.Left = time.Now(), map[string]mark.Left{}
	paths := make([]mark.File, len(m.Files))
	for i, f := range m.Files {
		paths[i].Path = f.Path // nothing else, and no reason why it is not kept
	}
	for i, now := range look(m.Root, paths) {
		was := m.Files[i]
		unread := was.Sum == "" && now.Kept() // its times alone tell
		if sameStat(was, now) && (now.Missing || unread || settled(now, m.At)) {
			continue
		}
		if ctx.Err() != nil {
			return m, ctx.Err() // what was not looked at is not said to be as it was
		}
		is, text := seen(m.Root, now, t.Limits.File)
		if is != was.Seen || unread {
			m.Left[was.Path] = mark.Left{Seen: is, AsInHead: AsInHead(was.InHead, text)}
		}
	}
	return m, t.within(func() error {
		others, err := t.List(ctx, Query{Root: m.Root, Kind: mark.AtCommand, Beside: m.At, Bare: true})
		for _, o := range others {
			if (o.Client != m.Client || o.Subagent != m.Subagent) && share(o, m) {
				err = errors.Join(err, t.Look(o))
			}
		}
		return errors.Join(err, t.Look(m))
	})
}

// share notes what two commands, which ran at the same time, have both left as it is. Of one that has not
// ended it is not known what it has written: it may be all. any tells whether something was noted in it.
func share(with, m mark.Mark) (any bool) {
	for path, left := range m.Left {
		other, both := with.Left[path]
		written := !left.Missing && !left.AsInHead
		same := both && other.Seen == left.Seen
		if !written || !same && !with.LookedAt.IsZero() {
			continue
		}
		left.Shared = true
		if m.Left[path] = left; both {
			other.Shared, any = true, true
			with.Left[path] = other
		}
	}
	return any
}

// AsInHead tells whether a content is that of an object of git, but for the ends of its lines (core.autocrlf).
func AsInHead(id string, text []byte) bool {
	return id != "" && text != nil && (id == objectID(id, text) || id == objectID(id, bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))))
}

// objectID is git's id of a content, by the kind of id that another has.
func objectID(like string, text []byte) string {
	h := sha256.New()
	if len(like) == sha1.Size*2 {
		h = sha1.New()
	}
	fmt.Fprintf(h, "blob %d\x00", len(text))
	h.Write(text)
	return hex.EncodeToString(h.Sum(nil))
}
