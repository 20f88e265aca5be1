package archive

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"hash"
	"io"

	"github.com/klauspost/compress/zstd"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
)

// maxWindow bounds the memory a compressed file may ask for, in bytes.
const maxWindow = 128 << 20

const decodeOp = "read the archive"

// zstdMagic begins a compressed file.
var zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}

// Decode reads an archive file, compressed or plain, once. An entry is yielded
// only after the sums of its record and its state fit; where the file is
// damaged or ends early, Corrupt comes behind the entries before the damage.
// Invalid when it is not an archive, or one of a newer version; Unavailable when r
// fails. The caller owns the states.
func Decode(r io.Reader) store.Entries {
	return func(yield func(store.Entry, error) bool) {
		d, err := open(r)
		if err != nil {
			yield(store.Entry{}, err)
			return
		}
		defer d.close()
		for {
			e, err := d.next("")
			if err == io.EOF {
				return
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// decoder reads the lines of one file.
type decoder struct {
	source   *source
	zstd     *zstd.Decoder // nil: plain
	in       *bufio.Reader
	sum      hash.Hash
	workflow piton.Workflow // of the checkpoints that follow
	count    int64
}

// source remembers what the reader below said, to tell a file that cannot be
// read from one that is damaged.
type source struct {
	io.Reader
	err error
}

func (s *source) Read(p []byte) (int, error) {
	n, err := s.Reader.Read(p)
	if err != nil && err != io.EOF {
		s.err = err
	}
	return n, err
}

// open reads a file's first line.
func open(r io.Reader) (*decoder, error) {
	d := &decoder{source: &source{Reader: r}, sum: sha256.New()}
	d.in = bufio.NewReaderSize(d.source, 64<<10)
	if magic, _ := d.in.Peek(len(zstdMagic)); bytes.Equal(magic, zstdMagic) {
		z, err := zstd.NewReader(d.in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, d.failed(err)
		}
		d.zstd, d.in = z, bufio.NewReaderSize(z, 64<<10)
	}
	if err := d.header(); err != nil {
		d.close()
		return nil, err
	}
	return d, nil
}

func (d *decoder) close() {
	if d.zstd != nil {
		d.zstd.Close()
	}
}

// header reads the first line. Its form is that of every version.
func (d *decoder) header() error {
	raw, err := d.read(maxLine)
	switch ours := bytes.HasPrefix(raw, []byte(`{"format":"`+formatName+`",`)); {
	case d.source.err != nil:
		return d.failed(err)
	case !ours && (err == nil || d.zstd == nil):
		return &piton.Error{Code: piton.Invalid, Op: decodeOp, Hint: "give a file that 'export' wrote or that lies in an archive", Err: errNotOurs}
	case err != nil:
		return d.failed(err)
	case !sealFits(raw, d.sum):
		return d.damaged("the first line does not match its sum")
	}
	var h struct {
		Version int `json:"version"`
	}
	if err := json.Unmarshal(raw, &h); err != nil {
		return d.damaged("the first line: %w", err)
	}
	if h.Version != formatVersion {
		return newer("it needs a newer Piton (version %d); this one reads version %d", h.Version, formatVersion)
	}
	return nil
}

// next returns the next entry, io.EOF behind the last line. With only, the
// states of other checkpoints are passed over.
func (d *decoder) next(only string) (store.Entry, error) {
	for {
		raw, err := d.read(maxLine)
		if err != nil {
			return store.Entry{}, d.failed(err)
		}
		l, err := d.line(raw)
		switch {
		case err != nil:
			return store.Entry{}, err
		case l.Workflow != nil:
			d.workflow = *l.Workflow
		case l.Checkpoint != nil:
			d.count++
			l.Checkpoint.Ordinal = l.Ordinal
			e, err := d.entry(stored(store.Entry{Workflow: d.workflow, Checkpoint: *l.Checkpoint, Origin: l.Origin}), only)
			if err != nil || only == "" || e.Checkpoint.ID == only {
				return e, err
			}
		case l.End != nil:
			return store.Entry{}, d.end(*l.End)
		default:
			return store.Entry{}, newer("it needs a newer Piton: a line of a kind that is not known")
		}
	}
}

// entry reads the state of a checkpoint.
func (d *decoder) entry(e store.Entry, only string) (store.Entry, error) {
	c := e.Checkpoint
	if err := checkRecord(e); err != nil {
		return store.Entry{}, d.damaged("%w", err)
	}
	state, err := d.read(int(c.StateBytes))
	if err != nil {
		return store.Entry{}, d.failed(err)
	}
	d.sum.Write(state)
	d.sum.Write([]byte{'\n'})
	if only != "" && c.ID != only {
		return e, nil
	}
	if err := checkState(c, state); err != nil {
		return store.Entry{}, d.damaged("%w", err)
	}
	if !compact(state) {
		return store.Entry{}, d.damaged("the state of %s is not a JSON object in compact form", c.ID)
	}
	e.State = state
	return e, nil
}

// end checks the last line, and that nothing stands behind it.
func (d *decoder) end(l end) error {
	if l.Checkpoints != d.count {
		return d.damaged("%d checkpoints were read, the last line says %d", d.count, l.Checkpoints)
	}
	switch _, err := d.in.ReadByte(); {
	case err == io.EOF:
		return io.EOF
	case err != nil:
		return d.failed(err)
	}
	return d.damaged("something stands behind the last line")
}

// total is the sum of all lines read so far, in hex.
func (d *decoder) total() string { return hex.EncodeToString(d.sum.Sum(nil)) }

// line checks and reads any line but a state.
func (d *decoder) line(raw []byte) (line, error) {
	if !sealFits(raw, d.sum) {
		return line{}, d.damaged("behind checkpoint %d: a line does not match its sum", d.count)
	}
	var l line
	if err := json.Unmarshal(raw, &l); err != nil {
		return line{}, d.damaged("behind checkpoint %d: %w", d.count, err)
	}
	return l, nil
}

// Causes of what cannot be read.
var (
	errNotOurs = errors.New("this is not a Piton archive")
	errLong    = errors.New("a line is longer than it may be")
)

// read returns the next line without its end, of at most limit bytes. The
// slice is the caller's.
func (d *decoder) read(limit int) ([]byte, error) {
	var out []byte
	for {
		part, err := d.in.ReadSlice('\n')
		if len(out)+len(bytes.TrimSuffix(part, []byte("\n"))) > limit {
			return nil, errLong
		}
		out = append(out, part...)
		switch err {
		case nil:
			return out[:len(out)-1], nil
		case bufio.ErrBufferFull:
		case io.EOF:
			return out, io.ErrUnexpectedEOF
		default:
			return out, err
		}
	}
}

// failed names what kept a line from being read.
func (d *decoder) failed(err error) error {
	switch {
	case d.source.err != nil:
		var typed *piton.Error
		if errors.As(d.source.err, &typed) {
			return d.source.err
		}
		return &piton.Error{Code: piton.Unavailable, Op: decodeOp, Hint: "try again; what was read before is good", Err: d.source.err}
	case err == io.ErrUnexpectedEOF:
		return d.damaged("it ends too early, behind checkpoint %d", d.count)
	}
	return d.damaged("behind checkpoint %d: %w", d.count, err)
}

func (d *decoder) damaged(format string, args ...any) error {
	return piton.Errorf(piton.Corrupt, decodeOp,
		"fetch the file again from where it came; what was read before the damage is good", format, args...)
}

func newer(format string, args ...any) error {
	return piton.Errorf(piton.Invalid, decodeOp, "install the newest piton", format, args...)
}
