package keep

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/git"
	"github.com/piton-project/piton/internal/mark"
	"github.com/piton-project/piton/internal/store/localfs"
)

// Limits bound what is kept, in bytes and days (docs/config.md, "Files that come back").
type Limits struct {
	File, Mark, All int64
	For             time.Duration
}

// Taker takes marks.
type Taker struct {
	*Store
	Limits Limits
	// Omits tells of a content that it is not to be kept, because it may hold a secret; nil: of none.
	Omits func([]byte) bool
	// Patterns are those of the ignored files that are kept too, relative to the root of a tree.
	Patterns []string
}

// coarse is longer than the steps of any file system's times (FAT: 2 s): a file that changed shortly
// before it was looked at may have changed again unseen.
const coarse = 3 * time.Second

// Dirty are the paths of a status, to be taken.
func Dirty(st git.Status) (all []mark.File) {
	for _, e := range st.Entries {
		p := mark.File{Path: e.Path, Code: e.Code, InHead: e.InHead}
		switch {
		case e.Submodule:
			p.Lacks = mark.LacksModule
		case strings.HasSuffix(e.Path, "/"):
			p.Lacks = mark.LacksFolder
		}
		all = append(all, p)
		if e.OrigPath != "" && (e.Code[0] == 'R' || e.Code[1] == 'R') {
			all = append(all, mark.File{Path: e.OrigPath, Code: ".D"})
		}
	}
	return all
}

// Take takes a mark of the paths in m.Root, of which no more is known than what git and the command say,
// and keeps it; it is durable when Take returns. What could not be read before ctx ended, or has no room,
// is in the mark with the reason.
func (t Taker) Take(ctx context.Context, m mark.Mark, paths []mark.File) (mark.Mark, error) {
	p, err := t.Prepare(ctx, m, paths)
	if err != nil {
		return m, err
	}
	return p.Mark, t.Put(ctx, p)
}

// Prepared is a mark that is taken and not kept yet.
type Prepared struct {
	mark.Mark
	manifest []byte
	fresh    map[string]*fresh // by sum
	older    string            // the mark whose contents it relies on; "" for none
	paths    []mark.File
}

// Prepare takes a mark, as Take does, and writes nothing.
func (t Taker) Prepare(ctx context.Context, m mark.Mark, paths []mark.File) (p Prepared, err error) {
	if m.At.IsZero() {
		m.At = time.Now()
	}
	if m.ID == "" {
		m.ID = piton.NewID(mark.Prefix)
	}
	last, err := t.Last(context.WithoutCancel(ctx), m.Root) // where no time is left to read, the mark says so
	if err != nil {
		return p, err
	}
	own, err := filepath.EvalSymlinks(filepath.Dir(t.path))
	if err != nil {
		return p, err
	}
	own += string(filepath.Separator) // Piton's own files are nobody's to destroy
	paths = slices.DeleteFunc(paths, func(p mark.File) bool { return strings.HasPrefix(at(m.Root, p.Path), own) })
	m.Files, m.Left, m.LookedAt = look(m.Root, paths), nil, time.Time{}
	var unread []*mark.File
	for i := range m.Files {
		f := &m.Files[i]
		if was, known := last.Find(f.Path); known && f.Kept() && unchanged(was, *f, last.At) {
			f.Sum = was.Sum
		} else if f.Kept() {
			unread = append(unread, f)
		}
	}
	older := map[string]bool{}
	for _, f := range last.Files {
		older[f.Sum] = f.Kept() || older[f.Sum]
	}
	p.fresh = t.read(ctx, m.Root, unread, older)
	m.Took = max(m.Took, time.Since(m.At)) // of a mark that took a shorter way it is that of the long one
	p.Mark, p.older, p.paths = m, last.ID, paths
	p.manifest, err = manifest(m.Files)
	return p, err
}

// Put keeps a mark that was prepared a moment ago; it is durable when Put returns. Where the mark whose
// contents it relies on was removed meanwhile, it is taken again.
func (t Taker) Put(ctx context.Context, p Prepared) error {
	err := t.write(p)
	if errors.Is(err, errGone) {
		t.last = mark.Mark{}
		if p, err = t.Prepare(ctx, p.Mark, p.paths); err == nil {
			err = t.write(p)
		}
	}
	return err
}

var errGone = errors.New("the mark before this one was just removed")

func (t Taker) write(p Prepared) error {
	return t.within(func() error {
		known, err := t.number("select count(*) from mark where id=? and whole=1", p.older)
		if err != nil || known == 0 && p.older != "" {
			return cmp.Or(err, errGone)
		}
		for sum, c := range p.fresh {
			if err := t.add(sum, c.size, c.packed, p.At); err != nil {
				return err
			}
		}
		return t.put(p.Mark, p.manifest)
	})
}

// unchanged tells whether a file is known to be as in an older mark without reading it: nobody can set a change time back.
func unchanged(was, now mark.File, taken time.Time) bool {
	return was.Kept() && was.Sum != "" && settled(now, taken) && sameStat(was, now)
}

// settled tells whether a file changed last so long before a moment that a change since would show.
func settled(f mark.File, at time.Time) bool {
	return f.CtimeNano != 0 && f.CtimeNano < at.Add(-coarse).UnixNano()
}

func sameStat(a, b mark.File) bool {
	a.Sum, b.Sum = "", "" // of what was not read it is not known
	return a.Seen == b.Seen && a.ModNano == b.ModNano && a.CtimeNano == b.CtimeNano && a.Inode == b.Inode
}

// look looks at paths, by name, each once, without reading them.
func look(root string, paths []mark.File) []mark.File {
	files, folders := slices.Clone(paths), map[string]fs.FileMode{".": 0o777}
	slices.SortStableFunc(files, mark.File.Compare)
	files = slices.CompactFunc(files, func(a, b mark.File) bool { return a.Path == b.Path })
	for i := range files {
		f := &files[i]
		info, err := os.Lstat(at(root, f.Path))
		switch {
		case absent(err), folder(root, path.Dir(f.Path), folders).Type() != 0: // as git sees it
			f.Missing, f.Lacks = true, ""
		case err != nil:
			f.Lacks = mark.LacksRead
		default:
			f.Mode, f.Size, f.ModNano, f.CtimeNano = uint32(info.Mode()), info.Size(), info.ModTime().UnixNano(), localfs.ChangeTime(info)
			f.Inode, f.Folder = uint64(localfs.Inode(info)), uint32(folders[path.Dir(f.Path)])
			if info.IsDir() {
				f.Size = 0 // it says nothing
			}
			if !info.Mode().IsRegular() && info.Mode().Type() != fs.ModeSymlink {
				f.Lacks = cmp.Or(f.Lacks, mark.LacksKind)
			}
		}
	}
	return files
}

// folder is what a folder and those above it up to the root all permit, with the type of a symbolic link
// where one of them is one; known keeps the answers.
func folder(root, dir string, known map[string]fs.FileMode) fs.FileMode {
	mode, asked := known[dir]
	if asked || dir == path.Dir(dir) {
		return mode
	}
	mode = folder(root, path.Dir(dir), known)
	if info, err := os.Lstat(at(root, dir)); err == nil && mode.Type() == 0 {
		mode = info.Mode()&fs.ModeSymlink | info.Mode().Perm()&mode
	}
	known[dir] = mode
	return mode
}

// Folder is a folder as it is named without symbolic links, as far as it is there.
func Folder(dir string) string {
	if real, err := filepath.EvalSymlinks(dir); err == nil || dir == filepath.Dir(dir) {
		return cmp.Or(real, dir)
	}
	return filepath.Join(Folder(filepath.Dir(dir)), filepath.Base(dir))
}

func at(root, path string) string { return filepath.Join(root, filepath.FromSlash(path)) }

func absent(err error) bool { return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) }

// fresh is a content that may be new.
type fresh struct {
	size   int
	packed []byte
}

// reading is what the readers of a mark's files share.
type reading struct {
	sync.Mutex
	older map[string]bool
	fresh map[string]*fresh // by sum
	room  int64
}

// read reads files, small ones first, on the machine's processors, and gives what of their contents
// is not among the older ones, by sum.
func (t Taker) read(ctx context.Context, root string, files []*mark.File, older map[string]bool) map[string]*fresh {
	slices.SortFunc(files, func(a, b *mark.File) int { return cmp.Compare(a.Size, b.Size) })
	r := &reading{older: older, fresh: map[string]*fresh{}, room: t.Limits.Mark}
	var readers errgroup.Group
	readers.SetLimit(min(max(len(files)/8, 1), runtime.GOMAXPROCS(0), 4))
	for _, f := range files {
		readers.Go(func() error {
			text, lacks := t.one(ctx, root, *f)
			if f.Lacks = lacks; lacks != "" {
				return nil
			}
			if c := r.claim(f, text); c != nil {
				c.packed = pack(text)
			}
			return nil
		})
	}
	readers.Wait()
	return r.fresh
}

// claim notes what a file holds; it gives where to put it, nil where it is known or has no room.
func (r *reading) claim(f *mark.File, text []byte) *fresh {
	f.Sum, f.Size = sumOf(text), int64(len(text))
	r.Lock()
	defer r.Unlock()
	switch {
	case r.older[f.Sum] || r.fresh[f.Sum] != nil:
		return nil
	case r.room < f.Size:
		f.Lacks, f.Sum = mark.LacksRoom, ""
		return nil
	}
	r.room -= f.Size
	r.fresh[f.Sum] = &fresh{size: len(text)}
	return r.fresh[f.Sum]
}

// one reads a file of a mark, or says why it is not kept. A file that changes meanwhile is read once more.
func (t Taker) one(ctx context.Context, root string, f mark.File) (text []byte, lacks string) {
	if ctx.Err() != nil {
		return nil, mark.LacksTime
	}
	text, err := content(root, f, t.Limits.File)
	if errors.Is(err, errTorn) {
		text, err = content(root, f, t.Limits.File)
	}
	switch {
	case errors.Is(err, localfs.ErrTooLarge):
		return nil, fmt.Sprintf("it is larger than %d MB", t.Limits.File>>20)
	case errors.Is(err, errTorn), absent(err):
		return nil, mark.LacksTorn
	case err != nil:
		return nil, mark.LacksRead
	case t.Omits != nil && t.Omits(text):
		return nil, mark.LacksSecret
	}
	return text, ""
}

var errTorn = errors.New("it changed while it was read")

// content reads a file that was looked at whole, or what a symbolic link says. errTorn where it changed meanwhile.
func content(root string, f mark.File, limit int64) ([]byte, error) {
	if f.Size > limit {
		return nil, localfs.ErrTooLarge
	}
	if fs.FileMode(f.Mode).Type() == fs.ModeSymlink {
		to, err := os.Readlink(at(root, f.Path))
		return []byte(to), err
	}
	file, before, err := localfs.OpenPlain(at(root, f.Path), false)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err != nil {
		return nil, err
	}
	after, err := file.Stat()
	switch {
	case err != nil:
		return nil, err
	case int64(len(text)) > limit:
		return nil, localfs.ErrTooLarge
	case int64(len(text)) != after.Size(), localfs.ChangeTime(before) != localfs.ChangeTime(after), !before.ModTime().Equal(after.ModTime()):
		return nil, errTorn
	}
	return text, nil
}
