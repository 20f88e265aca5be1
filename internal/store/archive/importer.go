package archive

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
)

const importOp = "read the file to import"

// Importer reads files of checkpoints: Piton's own in both forms, and those
// that other programs keep (docs/format.md, "Other programs' files"). It
// counts on over several files, so that a folder of them is one import; the
// zero Importer is ready.
//
// Ids, and so workflows and sessions, come from the other program's: reading
// the same file twice gives the same entries. Numbers and parents follow the
// order of the input unless the file names a parent, and the entries are marked
// as Foreign; a checkpoint that comes
// twice counts once. The state is the other program's, byte for byte in
// compact form. Whether a workflow is closed is what its last entry says.
type Importer struct {
	Project string     // the project of what other programs made
	Origin  string     // its origin URL
	Now     piton.Time // when a checkpoint was made, where the file does not say

	workflows map[string]*counter
	seen      map[string]bool
}

// counter is what is known of a workflow so far.
type counter struct {
	workflow piton.Workflow
	heads    map[string]string // by branch
}

// Read returns the entries of one file; name is its path, for messages and,
// where the file holds a bare state, for its workflow. Errors are those of
// Decode; Invalid names the byte where something is wrong. Behind a value that
// is JSON and no checkpoint it goes on, if the caller does.
func (i *Importer) Read(r io.Reader, name string) store.Entries {
	return func(yield func(store.Entry, error) bool) {
		src := &source{Reader: r}
		in := bufio.NewReaderSize(src, 64<<10)
		if ours(in) {
			for e, err := range Decode(in) {
				err = under(importOp+": "+name, err)
				if !yield(e, err) || err != nil {
					return
				}
			}
			return
		}
		err := values(in, func(raw jsontext.Value, at int64) (bool, error) {
			e, err := entry(raw, filepath.Base(name))
			if err != nil {
				// What is behind it may be good.
				return yield(store.Entry{}, badInput(name, at, err)), nil
			}
			if i.seen[e.Checkpoint.ID] {
				return true, nil
			}
			return yield(i.number(e), nil), nil
		})
		if src.err != nil {
			err = unreadable(src.err)
		}
		if err != nil {
			if _, typed := err.(*piton.Error); !typed {
				err = badInput(name, -1, err)
			}
			yield(store.Entry{}, err)
		}
	}
}

// ours reports whether a file is one of Piton's by its beginning.
func ours(in *bufio.Reader) bool {
	first := []byte(`{"format":"` + formatName + `"`)
	head, _ := in.Peek(len(first))
	return bytes.HasPrefix(head, zstdMagic) || bytes.Equal(head, first)
}

// values calls fn with each value of a JSON array, or of a file of values one
// behind the other, and the byte where it ends; until fn says false.
func values(in io.Reader, fn func(raw jsontext.Value, at int64) (bool, error)) error {
	// A state in a string may have twice its bytes for escapes.
	bounded := &bounded{Reader: in, left: maxValue}
	dec := jsontext.NewDecoder(bounded, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	array := dec.PeekKind() == '['
	if array {
		if _, err := dec.ReadToken(); err != nil {
			return err
		}
	}
	for n := 0; ; n++ {
		bounded.left = maxValue
		if array && dec.PeekKind() == ']' {
			if _, err := dec.ReadToken(); err != nil {
				return err
			}
			array = false
			if _, err := dec.ReadToken(); err != io.EOF {
				return errors.New("something stands behind the list")
			}
			return nil
		}
		raw, err := dec.ReadValue()
		var slip *jsontext.SyntacticError
		switch {
		case err == io.EOF && n == 0:
			return errors.New("the file is empty")
		case err == io.EOF:
			return nil
		case errors.As(err, &slip):
			return fmt.Errorf("not JSON at byte %d: %w", slip.ByteOffset, slip.Err)
		case err != nil:
			return err
		}
		if more, err := fn(raw, dec.InputOffset()); err != nil || !more {
			return err
		}
	}
}

// bounded ends a value that has no end.
type bounded struct {
	io.Reader
	left int
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errors.New("a value is larger than a checkpoint may be")
	}
	n, err := b.Reader.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}

// number gives an entry its place in its workflow.
func (i *Importer) number(e store.Entry) store.Entry {
	if i.workflows == nil {
		i.workflows, i.seen = map[string]*counter{}, map[string]bool{}
	}
	c := &e.Checkpoint
	e.Workflow.Project, c.Project, e.Origin = i.Project, i.Project, i.Origin
	i.seen[c.ID] = true
	if c.CreatedAt.IsZero() {
		c.CreatedAt = i.Now
	}
	w := i.workflows[c.WorkflowID]
	if w == nil {
		e.Workflow.CreatedAt = c.CreatedAt
		w = &counter{workflow: e.Workflow, heads: map[string]string{}}
		i.workflows[c.WorkflowID] = w
	}
	w.workflow.Seq++
	w.workflow.HeadID, w.workflow.Closed = c.ID, c.Finishes()
	c.Seq, c.Workflow, c.WorkflowType = w.workflow.Seq, w.workflow.Name, w.workflow.Type
	c.ParentID = cmp.Or(c.ParentID, w.heads[c.Branch])
	w.heads[c.Branch] = c.ID
	e.Workflow = w.workflow
	return e
}

func unreadable(err error) error {
	var typed *piton.Error
	if errors.As(err, &typed) {
		return err
	}
	return &piton.Error{Code: piton.Unavailable, Op: importOp, Hint: "try again; what was read before is good", Err: err}
}

func badInput(name string, at int64, err error) error {
	hint := "give a file that 'export' wrote, or checkpoints of another program as docs/format.md lists them"
	if errors.Is(err, errFileStore) {
		hint = "import what 'export all store file:DIR output FILE' writes"
	}
	if at < 0 {
		return piton.Errorf(piton.Invalid, importOp, hint, "%s: %w", name, err)
	}
	return piton.Errorf(piton.Invalid, importOp, hint, "%s: the value that ends at byte %d: %w", name, at, err)
}
