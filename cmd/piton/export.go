package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/store/archive"
)

func exportCommand(a *app) *cobra.Command {
	var l listFlags
	var file string
	var lines bool
	c := &cobra.Command{
		Use:   "export",
		Short: "Write checkpoints with their states to a file",
		Long: `Write checkpoints with their states, archived ones too, to a file that 'piton
import' takes, here or on another machine: compressed JSON lines with a sum for
each line, or plain ones with --lines. 'zstd -dc FILE' shows what is in it.

Without a filter all of the project is exported (here, unless --project says
where; --all for all projects). A damaged checkpoint is left out and named, and it
exits 5; so is one whose file of the archive cannot be reached, and then it exits
6. An existing file is not overwritten.`,
		Example: `  piton export --workflow import --output import.jsonl.zst
  piton export --all --lines --output - | gzip > backup.gz`,
		Args: none("to write to it: --output %s; to export a workflow's: --workflow %s"),
		RunE: func(c *cobra.Command, _ []string) error {
			q, err := l.read(c)
			if err != nil {
				return err
			}
			if file == "" || file == "-" && a.outTerminal() && !lines {
				return piton.Errorf(piton.Invalid, c.CommandPath(), "give --output FILE, or --output - into a pipe", "there is no place to write to")
			}
			k, err := a.keeper(c.Context(), true)
			if err != nil {
				return err
			}
			all, _ := c.Flags().GetBool("all")
			if dir := firstOf(l.dir, "."); !all || l.dir != "" {
				s := history.Selector{Workflow: q.Workflow}
				if err := a.selector(c, nil, &s, dir); err != nil {
					return err
				}
				if q.Project = s.Project; s.Project == "" && q.Workflow == "" && q.Session == "" {
					return piton.Errorf(piton.NotFound, c.CommandPath(), "--project names another folder, --all takes all", "nothing has been saved for this project")
				}
				if q.Session != "" && l.dir == "" {
					q.Project = ""
				}
			}
			return a.export(c, k, q, file, lines)
		},
	}
	l.flags(c)
	c.Flags().StringVarP(&file, "output", "o", "", "the `FILE` to write; - for stdout")
	c.Flags().BoolVar(&lines, "lines", false, "plain JSON lines, not compressed")
	c.Flags().Bool("all", false, "of all projects")
	for _, f := range []string{"open", "limit", "cursor"} {
		_ = c.Flags().MarkHidden(f)
	}
	return c
}

// export writes what fits a query, and says on stderr what it was.
func (a *app) export(c *cobra.Command, k history.Keeper, q piton.Query, file string, lines bool) error {
	type leftOut struct {
		ID  string `json:"id"`
		Why string `json:"why"`
	}
	left, damaged := []leftOut{}, false
	entries, total, err := k.Export(c.Context(), q, func(x piton.Checkpoint, err error) {
		left = append(left, leftOut{x.ID, message(wrap(err))})
		what := "is damaged"
		if piton.CodeOf(err) == piton.Unavailable {
			what = "cannot be reached" // another try may get it
		} else {
			damaged = true
		}
		if !a.json {
			fmt.Fprintf(a.err, "piton: %s %s and was left out: %s\n", x.ID, what, clean(message(wrap(err))))
		}
	})
	if err != nil {
		return err
	}
	written := 0
	entries = counted(entries, total, a.progress("Exporting"), &written)
	encode := archive.Encode
	if lines {
		encode = archive.EncodeLines
	}
	if file == "-" {
		if err := encode(a.out, entries); err != nil {
			a.soFar = "what stands on stdout is not whole"
			return err
		}
	} else if err := newFile(file, func(w io.Writer) error { return encode(w, entries) }); err != nil {
		a.soFar = "nothing was written to " + file
		return err
	}
	switch {
	case damaged:
		a.status = statusOf(piton.Corrupt)
	case len(left) > 0:
		a.status = statusOf(piton.Unavailable)
	}
	if file == "-" {
		return nil
	}
	if a.json {
		return a.printJSON(struct {
			File        string    `json:"file"`
			Checkpoints int       `json:"checkpoints"`
			LeftOut     []leftOut `json:"left_out"`
		}{file, written, left})
	}
	fmt.Fprintf(a.err, "Exported %d checkpoints to %s.\n", written, file)
	if n := len(left); n > 0 {
		fmt.Fprintf(a.err, "Left out: %d.\n", n)
	}
	return nil
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
			done++
			progress(done, int64(max(total, int(done))))
		}
	}
}

// newFile writes a file that was not there, all of it or nothing.
func newFile(name string, write func(io.Writer) error) error {
	op := "write " + name
	if _, err := os.Lstat(name); err == nil {
		return piton.Errorf(piton.Conflict, op, "choose another name, or remove it first", "the file exists")
	}
	f, err := os.CreateTemp(filepath.Dir(name), ".piton-export-*")
	if errors.Is(err, fs.ErrNotExist) {
		return piton.Errorf(piton.Invalid, op, "make it first, or give another place", "there is no folder %s", filepath.Dir(name))
	}
	if err != nil {
		return &piton.Error{Code: piton.Unavailable, Op: op, Hint: "give a folder that exists and can be written", Err: err}
	}
	defer os.Remove(f.Name())
	err = write(f)
	if err == nil {
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
