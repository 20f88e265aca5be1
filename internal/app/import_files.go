package app

import (
	"context"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/archive"
	"github.com/piton-project/piton/internal/store/localfs"
)

// Import adds the checkpoints of files. What cannot be read is left out, and the
// rest goes in. With an error the answer says what was added before it.
func (a Upkeep) Import(ctx context.Context, r ImportRequest) (Imported, error) {
	if r.From != "" {
		return a.importSessions(ctx, r)
	}
	if r.Since != "" {
		return Imported{}, piton.Errorf(piton.Invalid, "import", "leave out 'since', or give 'from'", "'since' is for sessions of clients' logs")
	}
	var left caller.UnreadList
	files, err := a.importFiles(r.Files, &left)
	if err != nil {
		return Imported{}, err
	}
	elsewhere := map[string]int{}
	k, here, owner, err := a.importer(ctx, r, elsewhere)
	if err != nil {
		return Imported{}, err
	}
	from := archive.Importer{Project: here.ID, Origin: here.Origin, Now: a.Now()}
	entries := counted(entriesOf(ctx, &from, files, r.Stdin, &left), 0, a.Progress("Importing"), new(int))
	got, err := k.Import(ctx, entries, history.ImportOptions{Project: owner, DryRun: r.DryRun, Skip: skip(&left)})
	if err == nil && got.Added+got.Known == 0 && left.Count > 0 {
		return Imported{}, left.Failure()
	}
	out, err := a.imported(ctx, k, got, &left, err)
	out.Elsewhere = named(elsewhere)
	return out, err
}

// importFiles are the files that the arguments mean, folders taken apart.
// Folders in them that cannot be read are left out.
func (a Upkeep) importFiles(args []string, left *caller.UnreadList) ([]string, error) {
	var files []string
	for _, arg := range args {
		op := "import " + arg
		if arg == "-" {
			files = append(files, arg)
			continue
		}
		if a.Options.Dir != "" && !filepath.IsAbs(arg) {
			arg = filepath.Join(a.Options.Dir, arg)
		}
		info, err := os.Stat(arg)
		switch {
		case err != nil:
			return nil, &piton.Error{Code: piton.Invalid, Op: op, Hint: "give a file or a folder that can be read", Err: err}
		case !info.IsDir():
			files = append(files, arg)
			continue
		}
		n, out := len(files), left.Count
		err = filepath.WalkDir(checkpointsIn(arg), func(name string, d fs.DirEntry, err error) error {
			if err != nil {
				left.Add(name, "", &piton.Error{Code: piton.Unavailable, Op: op, Hint: "see that the folder can be read", Err: err})
				return nil
			}
			ends := slices.ContainsFunc([]string{".json", ".jsonl", ".jsonl.zst"}, func(end string) bool { return strings.HasSuffix(name, end) })
			if ends && d.Type().IsRegular() && !strings.HasPrefix(d.Name(), ".") {
				files = append(files, name)
			}
			return nil
		})
		if err != nil {
			return nil, &piton.Error{Code: piton.Unavailable, Op: op, Hint: "see that the folder can be read", Err: err}
		}
		if len(files) == n && left.Count == out {
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

// entriesOf reads the entries of files, one after the other; - is stdin. What
// cannot be read is left out.
func entriesOf(ctx context.Context, from *archive.Importer, files []string, stdin io.Reader, left *caller.UnreadList) store.Entries {
	return func(yield func(store.Entry, error) bool) {
		for _, name := range files {
			left.File = name
			in, err := openImport(ctx, name, stdin)
			if err != nil {
				left.Add(name, "", err)
				continue
			}
			ok := true
			for e, err := range from.Read(in, name) {
				if ctx.Err() != nil {
					err = &piton.Error{Code: piton.Unavailable, Op: "import " + name, Err: ctx.Err()}
				} else if err != nil {
					left.Add(name, "", err)
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

func openImport(ctx context.Context, name string, stdin io.Reader) (io.ReadCloser, error) {
	if name == "-" {
		return io.NopCloser(stdin), nil
	}
	f, err := localfs.OpenInput(ctx, name)
	if err != nil {
		err = &piton.Error{Code: piton.Invalid, Op: "import " + name, Hint: "give a file that can be read", Err: err}
	}
	return f, err
}
