package archive

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"

	"github.com/klauspost/compress/zstd"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
)

// window is how far back the compressor looks, in bytes: successive states of
// a workflow that differ little cost little as long as two of them fit in it.
// `zstd -d` takes up to 128 MiB without being asked.
const window = 32 << 20

const encodeOp = "write the archive"

// Encode writes the entries as one archive file: zstd over JSON lines, to be
// read with `zstd -dc FILE | jq`. The same entries give the same lines.
// Invalid for an entry that could not be read back as it is, Corrupt for a
// state that does not fit its record, Unavailable when w fails; an error of
// the entries comes as it is. What was written until then is not an archive.
func Encode(w io.Writer, entries store.CleanEntries) error {
	_, err := encode(w, entries)
	return err
}

// EncodeLines is Encode without the compression.
func EncodeLines(w io.Writer, entries store.CleanEntries) error {
	_, err := encodeLines(w, entries)
	return err
}

// content is what a file came to hold.
type content struct {
	sum    string // of all lines, the last one's sum; hex
	count  int64
	newest piton.Time // when the newest checkpoint was made
}

func encode(w io.Writer, entries store.CleanEntries) (content, error) {
	z, err := zstd.NewWriter(w, zstd.WithEncoderCRC(true), zstd.WithWindowSize(window),
		zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedDefault))
	if err != nil {
		return content{}, &piton.Error{Code: piton.Internal, Op: encodeOp, Err: err}
	}
	c, err := encodeLines(z, entries)
	if err != nil {
		z.Reset(nil) // frees it without writing an end
		return content{}, err
	}
	if err := z.Close(); err != nil {
		return content{}, writeFailed(err)
	}
	return c, nil
}

func encodeLines(w io.Writer, entries store.CleanEntries) (content, error) {
	l := lines{w: bufio.NewWriterSize(w, 128<<10), sum: sha256.New()}
	for e, err := range entries {
		if err != nil {
			return content{}, err
		}
		if err := l.entry(stored(e.Get())); err != nil {
			return content{}, err
		}
	}
	return l.close()
}

// lines writes the lines of one file.
type lines struct {
	w        *bufio.Writer
	sum      hash.Hash
	workflow piton.Workflow // of the last checkpoint
	begun    bool
	content  content
}

func (l *lines) begin(from piton.Time) error {
	if l.begun {
		return nil
	}
	l.begun = true
	return l.line(line{Format: formatName, Version: formatVersion, From: from})
}

func (l *lines) entry(e store.Entry) error {
	for _, check := range []func(store.Entry) error{checkRecord, checkTexts} {
		if err := check(e); err != nil {
			return &piton.Error{Code: piton.Invalid, Op: encodeOp, Hint: "leave this checkpoint out; 'verify' says more", Err: err}
		}
	}
	c := e.Checkpoint
	if err := checkState(c, e.State); err != nil {
		return &piton.Error{Code: piton.Corrupt, Op: encodeOp, Hint: "see 'verify'", Err: err}
	}
	if !compact(e.State) {
		return piton.Errorf(piton.Invalid, encodeOp, "save it again with 'save'", "the state of %s is not a JSON object in compact form", c.ID)
	}
	if err := l.begin(c.CreatedAt); err != nil {
		return err
	}
	if e.Workflow != l.workflow {
		l.workflow = e.Workflow
		if err := l.line(line{Workflow: &e.Workflow}); err != nil {
			return err
		}
	}
	if err := l.line(line{Checkpoint: &c, Ordinal: c.Ordinal, Origin: e.Origin}); err != nil {
		return err
	}
	l.content.count++
	if c.CreatedAt.After(l.content.newest.Time) {
		l.content.newest = c.CreatedAt
	}
	if err := l.write(e.State); err != nil {
		return err
	}
	return l.write([]byte{'\n'})
}

func (l *lines) close() (content, error) {
	if err := l.begin(piton.Time{}); err != nil {
		return content{}, err
	}
	if err := l.line(line{End: &end{Checkpoints: l.content.count}}); err != nil {
		return content{}, err
	}
	l.content.sum = hex.EncodeToString(l.sum.Sum(nil))
	if err := l.w.Flush(); err != nil {
		return content{}, writeFailed(err)
	}
	return l.content, nil
}

func (l *lines) line(v line) error {
	b, err := v.sealed(l.sum)
	if err != nil {
		return &piton.Error{Code: piton.Invalid, Op: encodeOp, Hint: "shorten the texts of this checkpoint", Err: err}
	}
	if _, err := l.w.Write(b); err != nil {
		return writeFailed(err)
	}
	return nil
}

func (l *lines) write(b []byte) error {
	l.sum.Write(b)
	if _, err := l.w.Write(b); err != nil {
		return writeFailed(err)
	}
	return nil
}

func writeFailed(err error) error {
	return &piton.Error{Code: piton.Unavailable, Op: encodeOp, Hint: "look at the space that is left where it is written", Err: err}
}
