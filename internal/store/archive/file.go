package archive

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"sync"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

// suffix ends the name of every file of an archive.
const suffix = ".jsonl.zst"

var nameForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^piton-[0-9]{8}-[0-9a-f]{16}\.jsonl\.zst$`) })

// fileName is the name of a file by what it holds and whose it is.
func fileName(c content, owner string) string {
	day := "00000000"
	if !c.newest.IsZero() {
		day = c.newest.UTC().Format("20060102")
	}
	return "piton-" + day + nameEnd(c.sum, owner)
}

// nameEnd is the part of a file's name that says what it holds and whose it is.
func nameEnd(sum, owner string) string {
	if owner != "" {
		sum = fmt.Sprintf("%x", sha256.Sum256([]byte(owner+"\n"+sum)))
	}
	return "-" + sum[:16] + suffix
}

// checkName refuses what is not the name of an archive's file: paths, and
// other people's files in the same place.
func checkName(op, name string) error {
	if nameForm().MatchString(name) {
		return nil
	}
	return piton.Errorf(piton.Invalid, op, "names look like piton-20260102-0123456789abcdef"+suffix, "%q is not the name of an archive's file", name)
}

// writeFile encodes the entries into a file and returns what it came to hold,
// and its size in bytes.
func writeFile(ctx context.Context, file *os.File, entries store.CleanEntries) (content, int64, error) {
	c, err := encode(file, until(ctx, entries))
	if err != nil {
		return content{}, 0, err
	}
	if c.count == 0 {
		return content{}, 0, piton.Errorf(piton.Invalid, encodeOp, "name checkpoints that are there", "there is nothing to archive")
	}
	info, err := file.Stat()
	if err != nil {
		return content{}, 0, writeFailed(err)
	}
	return c, info.Size(), nil
}

// until ends the entries when the context does.
func until(ctx context.Context, entries store.CleanEntries) store.CleanEntries {
	return func(yield func(redact.Clean[store.Entry], error) bool) {
		for e, err := range entries {
			if ctx.Err() != nil {
				e, err = redact.Clean[store.Entry]{}, stopped(ctx, encodeOp)
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

func stopped(ctx context.Context, op string) error {
	return &piton.Error{Code: piton.Unavailable, Op: op, Hint: "try again", Err: context.Cause(ctx)}
}

// whole reports whether r is a whole archive file with this sum.
func whole(r io.Reader, sum string) bool {
	d, err := open(r)
	if err != nil {
		return false
	}
	defer d.close()
	for err == nil {
		_, err = d.next("")
	}
	return err == io.EOF && d.total() == sum
}

// find reads a file as far as one entry.
func find(ctx context.Context, a store.Archive, name, checkpoint string) (store.Entry, error) {
	r, err := a.Open(ctx, name)
	if err != nil {
		return store.Entry{}, err
	}
	defer r.Close()
	op := "read " + checkpoint + " from " + name
	d, err := open(ctxReader{ctx, r})
	if err != nil {
		return store.Entry{}, inFile(op, err)
	}
	defer d.close()
	e, err := d.next(checkpoint)
	if err == io.EOF {
		return store.Entry{}, piton.Errorf(piton.NotFound, op, "see 'verify'", "the file does not hold it")
	}
	return e, inFile(op, err)
}

// all reads a file to its end.
func all(ctx context.Context, a store.Archive, name string) store.Entries {
	return func(yield func(store.Entry, error) bool) {
		r, err := a.Open(ctx, name)
		if err != nil {
			yield(store.Entry{}, err)
			return
		}
		defer r.Close()
		for e, err := range Decode(ctxReader{ctx, r}) {
			if !yield(e, inFile("read "+name, err)) || err != nil {
				return
			}
		}
	}
}

// under is an error of the decoder with the name of what was tried.
func under(op string, err error) error {
	var e *piton.Error
	if !errors.As(err, &e) {
		return err
	}
	out := *e
	out.Op = op
	return &out
}

// inFile is what the decoder says, of a file that lies in an archive: by its
// name it is one, whatever its bytes look like.
func inFile(op string, err error) error {
	err = under(op, err)
	out, ok := err.(*piton.Error)
	if !ok {
		return err
	}
	if errors.Is(err, errNotOurs) {
		out.Code = piton.Corrupt
	}
	if out.Code == piton.Corrupt {
		out.Hint = "restore the file from a backup; 'verify' says what is lost"
	}
	return out
}

// ctxReader ends with its context.
type ctxReader struct {
	ctx context.Context
	io.Reader
}

func (r ctxReader) Read(p []byte) (int, error) {
	if r.ctx.Err() != nil {
		return 0, stopped(r.ctx, decodeOp)
	}
	return r.Reader.Read(p)
}
