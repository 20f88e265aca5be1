package main

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/archive"
	"github.com/piton-project/piton/git"
	"github.com/piton-project/piton/history"
)

func importCommand(a *app) *cobra.Command {
	var dir string
	c := &cobra.Command{
		Use:   "import FILE...",
		Short: "Add checkpoints from files: exports, archives, other programs' checkpoints",
		Long: `Add the checkpoints of files: what 'piton export' wrote, files of an archive, and
the checkpoint files of other programs (docs/format.md lists them); a folder
stands for the files in it, - for stdin. Ids, numbers and times stay; what is
there already stays as it is, so importing twice changes nothing. Every entry
is checked and secrets are taken out, as a save does.

Checkpoints go to the project with the same origin URL, where this machine
knows one, else to the project here; where this is no work tree they wait for
the clone with that URL. --project says where instead.`,
		Example: `  piton import import.jsonl.zst
  piton import ~/.other/checkpoints --project .`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return piton.Errorf(piton.Invalid, c.CommandPath(), "give the files, or - for stdin", "there is nothing to import")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			ctx := c.Context()
			files, err := importFiles(args)
			if err != nil {
				return err
			}
			k, err := a.keeper(ctx, false)
			if err != nil {
				return err
			}
			here, err := a.project(ctx, dir, true)
			if err != nil {
				return err
			}
			projects, err := a.byOrigin(ctx, k)
			if err != nil {
				return err
			}
			given := c.Flags().Changed("project")
			project := func(e piton.Entry) (string, error) {
				if id := projects[e.Origin]; id != "" && e.Origin != "" && !given {
					return id, nil
				}
				if _, _, tree := git.Find(here.Root); tree || given || e.Origin == "" {
					return here.ID, nil
				}
				// A folder of downloads is no project: the clone finds it by its origin.
				p, err := a.store.Project(ctx, path.Base(e.Origin), []piton.Alias{{Kind: piton.AliasOrigin, Value: e.Origin}})
				if p.Origin = e.Origin; a.far != nil {
					p.ID = p.SharedID()
				}
				projects[e.Origin] = p.ID
				return p.ID, err
			}
			from := archive.Importer{Project: here.ID, Origin: here.Origin, Now: piton.At(time.Now())}
			entries := a.filesEntries(ctx, &from, files)
			r, err := k.Import(ctx, counted(entries, 0, a.progress("Importing")), project)
			if err != nil {
				return a.importedSoFar(r, err)
			}
			return a.printImported(r)
		},
	}
	c.Flags().StringVar(&dir, "project", ".", "a folder (`DIR`) of the project they belong to")
	return c
}

// importedSoFar says what an import did before it failed.
func (a *app) importedSoFar(r history.Imported, err error) error {
	if r.Added == 0 {
		return err
	}
	said := fmt.Sprintf("%d checkpoints were imported before the error; the same command goes on from there", r.Added)
	if !a.json {
		fmt.Fprintln(a.err, "piton: "+said)
		return err
	}
	e := *wrap(err)
	e.Hint = strings.TrimPrefix(e.Hint+"; "+said, "; ")
	return &e
}

// byOrigin are the ids of the projects of this machine by their origins.
func (a *app) byOrigin(ctx context.Context, k history.Keeper) (map[string]string, error) {
	list, err := k.Local.Projects(ctx)
	if err != nil {
		return nil, err
	}
	ids := map[string]string{}
	for _, p := range list {
		if ids[p.Origin] = p.ID; a.far != nil {
			ids[p.Origin] = p.SharedID()
		}
	}
	return ids, nil
}

// importFiles are the files that the arguments mean, folders taken apart.
func importFiles(args []string) ([]string, error) {
	var files []string
	for _, arg := range args {
		op := "import " + arg
		info, err := os.Stat(arg)
		switch {
		case arg == "-" || err == nil && !info.IsDir():
			files = append(files, arg)
			continue
		case err != nil:
			return nil, &piton.Error{Code: piton.Invalid, Op: op, Hint: "give a file or a folder that can be read", Err: err}
		}
		n := len(files)
		err = filepath.WalkDir(arg, func(name string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			for _, end := range []string{".json", ".jsonl", ".jsonl.zst"} {
				if d.Type().IsRegular() && strings.HasSuffix(name, end) && !strings.HasPrefix(d.Name(), ".") {
					files = append(files, name)
					break
				}
			}
			return nil
		})
		if err != nil {
			return nil, &piton.Error{Code: piton.Unavailable, Op: op, Hint: "see that the folder can be read", Err: err}
		}
		if len(files) == n {
			return nil, piton.Errorf(piton.Invalid, op, "give a folder with .json, .jsonl or .jsonl.zst files", "there is nothing in it to import")
		}
		slices.Sort(files[n:])
	}
	return files, nil
}

// filesEntries reads the entries of files, one after the other.
func (a *app) filesEntries(ctx context.Context, from *archive.Importer, files []string) piton.Entries {
	return func(yield func(piton.Entry, error) bool) {
		for _, name := range files {
			var in io.Reader
			if name == "-" {
				if isTerminal(a.in) {
					fmt.Fprintln(a.err, "Paste what an export holds, and end with Ctrl-D.")
				}
				in = interruptible(ctx, a.in)
			} else {
				f, err := openInput(ctx, name)
				if err != nil {
					yield(piton.Entry{}, &piton.Error{Code: piton.Invalid, Op: "import " + name, Hint: "give a file that can be read", Err: err})
					return
				}
				defer f.Close()
				in = f
			}
			for e, err := range from.Read(in, name) {
				if err == nil && ctx.Err() != nil {
					err = &piton.Error{Code: piton.Unavailable, Op: "import " + name, Err: ctx.Err()}
				}
				if !yield(e, err) || err != nil {
					return
				}
			}
		}
	}
}

// interruptible reads until ctx ends: a read from a terminal or a pipe cannot
// be interrupted, only left alone.
func interruptible(ctx context.Context, in io.Reader) io.Reader {
	r, w := io.Pipe()
	context.AfterFunc(ctx, func() { w.CloseWithError(ctx.Err()) })
	go func() {
		_, err := io.Copy(w, in)
		w.CloseWithError(err)
	}()
	return r
}

func (a *app) printImported(r history.Imported) error {
	if a.json {
		return a.printJSON(r)
	}
	for _, id := range r.IDs {
		if _, err := fmt.Fprintln(a.out, id); err != nil {
			return err
		}
	}
	fmt.Fprintf(a.err, "Imported %d checkpoints; %d were there already.\n", r.Added, r.Known)
	if r.Redacted > 0 {
		fmt.Fprintf(a.err, "Secrets taken out: %d\n", r.Redacted)
	}
	return nil
}
