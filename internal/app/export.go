package app

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/store/archive"
)

// ExportRequest says what to export and where to.
type ExportRequest struct {
	piton.ExportRequest
	File string    // a new file; empty: Out
	Out  io.Writer // where File is empty
	// LeftOut is told of each checkpoint that cannot be read; nil: nobody is.
	LeftOut func(c piton.Checkpoint, err error)
}

// Exported is what an export has written.
type Exported struct {
	File        string      `json:"file"`        // the file, as it was given
	Checkpoints int         `json:"checkpoints"` // how many are in it
	LeftOut     []Unwritten `json:"left_out"`    // checkpoints that are not in it: damaged ones (exit status 5) and those whose archive file cannot be reached (6); empty if none
	Damaged     bool        `json:"-"`           // one of those left out is damaged
	Begun       bool        `json:"-"`           // something was written, or tried to be
}

// Unwritten is a checkpoint that was left out, and why.
type Unwritten struct {
	ID  string `json:"id"`
	Why string `json:"why"`
}

// Export writes checkpoints with their states. What cannot be read is left out.
func (a Upkeep) Export(ctx context.Context, r ExportRequest) (Exported, error) {
	out := Exported{File: r.File, LeftOut: []Unwritten{}}
	q, err := Checkpoints(a).query(r.ListRequest)
	if err != nil {
		return out, err
	}
	q.Limit = r.Limit
	k, err := a.Keeper(ctx, true)
	if err != nil {
		return out, err
	}
	if !r.All || r.Project != "" {
		s, err := Checkpoints(a).selector(ctx, newest(q.Workflow, r.Project))
		if err != nil {
			return out, err
		}
		if q.Project = s.Project; s.Project == "" && q.Workflow == "" && q.Session == "" {
			return out, piton.Errorf(piton.NotFound, "export", "'project DIR' names another folder, 'all' takes all", "nothing has been saved for this project")
		}
		if q.Session != "" && r.Project == "" {
			q.Project = ""
		}
	}
	entries, total, err := k.Export(ctx, q, func(c piton.Checkpoint, err error) {
		out.LeftOut = append(out.LeftOut, Unwritten{c.ID, caller.Message(err)})
		out.Damaged = out.Damaged || piton.CodeOf(err) != piton.Unavailable // another try may get that one
		if r.LeftOut != nil {
			r.LeftOut(c, err)
		}
	})
	if err != nil {
		return out, err
	}
	out.Begun = true
	entries = counted(entries, total, a.Progress("Exporting"), &out.Checkpoints)
	encode := archive.Encode
	if r.Lines {
		encode = archive.EncodeLines
	}
	if r.File == "" {
		return out, encode(r.Out, entries)
	}
	name, err := a.Path(r.File)
	if err != nil {
		return out, err
	}
	return out, newFile(name, r.File, func(w io.Writer) error { return encode(w, entries) })
}

// counted tells progress of each entry, and counts those that were taken in n.
func counted[E any](entries iter.Seq2[E, error], total int, progress func(done, total int64), n *int) iter.Seq2[E, error] {
	return func(yield func(E, error) bool) {
		done := int64(0)
		for e, err := range entries {
			if !yield(e, err) {
				return
			}
			if err == nil {
				*n++
			}
			if done++; progress != nil {
				progress(done, int64(max(total, int(done))))
			}
		}
	}
}

// newFile writes a file that was not there, all of it or nothing. shown is its
// name as the caller gave it.
func newFile(name, shown string, write func(io.Writer) error) error {
	op := "write " + shown
	if _, err := os.Lstat(name); err == nil {
		return piton.Errorf(piton.Conflict, op, "choose another name, or remove it first", "the file exists")
	}
	f, err := os.CreateTemp(filepath.Dir(name), ".piton-export-*")
	if errors.Is(err, fs.ErrNotExist) {
		return piton.Errorf(piton.Invalid, op, "make it first, or give another place", "there is no folder %s", filepath.Dir(shown))
	}
	if err != nil {
		return &piton.Error{Code: piton.Unavailable, Op: op, Hint: "give a folder that exists and can be written", Err: err}
	}
	defer os.Remove(f.Name())
	if err = write(f); err == nil {
		err = errors.Join(f.Sync(), f.Close())
	} else {
		f.Close()
	}
	if err == nil {
		// Unlike a rename, a link does not replace what has come meanwhile.
		err = os.Link(f.Name(), name)
	}
	var known *piton.Error
	if err != nil && !errors.As(err, &known) {
		err = &piton.Error{Code: piton.Unavailable, Op: op, Hint: "see that the folder can be written and the disk is not full", Err: err}
	}
	return err
}
