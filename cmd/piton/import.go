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
	"github.com/piton-project/piton/internal/git"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/archive"
)

func importCommand(a *app) *cobra.Command {
	var dir string
	c := &cobra.Command{
		Use:   "import FILE...",
		Short: "Add checkpoints from files: exports, archives, other programs' checkpoints",
		Long: `Add the checkpoints of files: what 'piton export' wrote, files of an archive, and
the checkpoint files of other programs (docs/format.md lists them); a folder
stands for the files in it, - for stdin. Ids, numbers and times stay; what is
there already stays as it is, so importing twice changes nothing, and importing
what has grown adds what is new. Every entry is checked and secrets are taken
out, as a save does. What cannot be read is left out and named, and the rest goes
in.

Work that has gone on by itself here keeps its head: what the files have beside
it goes to a branch of its own, which is named.

Other programs' ids, sessions, projects and episodes go on to work: 'piton load
chk_abc123', 'piton list --session sess-123', 'piton list --tag episode:7'.

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
			var left leftOuts
			files, err := importFiles(args, &left)
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
			project := func(e store.Entry) (string, error) {
				if id := projects[e.Origin]; id != "" && e.Origin != "" && !given {
					return id, nil
				}
				if _, _, tree := git.Find(here.Root); tree || given || e.Origin == "" {
					return here.ID, nil
				}
				// A folder of downloads is no project: the clone finds it by its origin.
				p, err := a.store.Project(ctx, redact.Name(path.Base(e.Origin)), redact.Value([]piton.Alias{{Kind: piton.AliasOrigin, Value: e.Origin}}))
				if p.Origin = e.Origin; a.far != nil {
					p.ID = p.SharedID()
				}
				projects[e.Origin] = p.ID
				return p.ID, err
			}
			from := archive.Importer{Project: here.ID, Origin: here.Origin, Now: piton.At(time.Now())}
			entries := a.filesEntries(ctx, &from, files, &left)
			r, err := k.Import(ctx, counted(entries, 0, a.progress("Importing"), new(int)), history.ImportOptions{Project: project, Skip: left.entry})
			if err != nil {
				a.importedSoFar(r, left)
				return err
			}
			if r.Added+r.Known == 0 && left.count > 0 {
				return left.failure()
			}
			o, err := a.outlook(ctx, k, r)
			if err != nil {
				a.log().WarnContext(ctx, "what retention will do with an import was not found out", "err", err)
			}
			return a.printImported(r, left, o)
		},
	}
	c.Flags().StringVar(&dir, "project", ".", "a folder (`DIR`) of the project they belong to")
	return c
}

// importedSoFar says what an import did before it failed or was interrupted.
func (a *app) importedSoFar(r history.Imported, left leftOuts) {
	a.soFar = fmt.Sprintf("%d checkpoints were imported before that", r.Added)
	if n := left.count; n > 0 {
		a.soFar += fmt.Sprintf(" and %d left out", n)
	}
	if r.Added > 0 {
		a.soFar += "; the same command goes on from there"
	}
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
// Folders in them that cannot be read are left out.
func importFiles(args []string, left *leftOuts) ([]string, error) {
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
		n, out := len(files), left.count
		err = filepath.WalkDir(checkpointsIn(arg), func(name string, d fs.DirEntry, err error) error {
			if err != nil {
				left.add(name, "", &piton.Error{Code: piton.Unavailable, Op: op, Hint: "see that the folder can be read", Err: err})
				return nil
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
		if len(files) == n && left.count == out {
			return nil, piton.Errorf(piton.Invalid, op, "give a folder with .json, .jsonl or .jsonl.zst files", "there is nothing in it to import")
		}
		slices.Sort(files[n:])
	}
	return files, nil
}

// checkpointsIn is where a folder's checkpoints lie: in the folder of that name
// where a phase tool keeps them beside its other files, else in the folder.
func checkpointsIn(dir string) string {
	inner := filepath.Join(dir, "checkpoints")
	if names, err := filepath.Glob(filepath.Join(inner, "ckpt-*.json")); err == nil && len(names) > 0 {
		return inner
	}
	return dir
}

// filesEntries reads the entries of files, one after the other. What cannot be
// read is left out.
func (a *app) filesEntries(ctx context.Context, from *archive.Importer, files []string, left *leftOuts) store.Entries {
	return func(yield func(store.Entry, error) bool) {
		for _, name := range files {
			left.file = name
			in, err := a.openImport(ctx, name)
			if err != nil {
				left.add(name, "", err)
				continue
			}
			ok := true
			for e, err := range from.Read(in, name) {
				if ctx.Err() != nil {
					err = &piton.Error{Code: piton.Unavailable, Op: "import " + name, Err: ctx.Err()}
				} else if err != nil {
					left.add(name, "", err)
					continue
				}
				if ok = yield(e, err) && err == nil; !ok {
					break
				}
			}
			if in.Close(); !ok {
				return
			}
		}
	}
}

// openImport opens a file to import; - is stdin.
func (a *app) openImport(ctx context.Context, name string) (io.ReadCloser, error) {
	if name != "-" {
		f, err := openInput(ctx, name)
		if err != nil {
			err = &piton.Error{Code: piton.Invalid, Op: "import " + name, Hint: "give a file that can be read", Err: err}
		}
		return f, err
	}
	if isTerminal(a.in) {
		fmt.Fprintln(a.err, "Paste what an export holds, and end with Ctrl-D.")
	}
	return io.NopCloser(interruptible(ctx, a.in)), nil
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
