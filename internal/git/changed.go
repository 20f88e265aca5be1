package git

import (
	"cmp"
	"context"
	"maps"
	"path"
	"slices"
	"strings"
	"time"
)

// Changes is what a turn did to a work tree, as far as git can tell: by path, each path once.
type Changes struct {
	Head, Branch string // now; "" as in Status
	Files        []File
	Bounded      string // why some untracked files are shown as their folder only; "" when all are there
}

// Compare compares a status with the baseline of the turn's beginning: what is dirty and was not so then, what was dirty then and is
// different now, and what was committed since (see committed). Without a baseline it is all that is not committed (docs/spec.md 3.2).
// The status is asked for before, so that git can work while the baseline is read.
func (r Repo) Compare(ctx context.Context, st Status, base *Baseline) (Changes, error) {
	t, err := r.open()
	if err != nil {
		return Changes{}, err
	}
	if base != nil && base.Bounded && !st.Bounded {
		// Untracked folders stand for their files in the one, so they must in the other.
		r.Folders = true
		if st, err = r.status(ctx, t); err != nil {
			return Changes{}, err
		}
	}
	files := make(map[string]File)
	base = cmp.Or(base, &Baseline{Head: st.Head})
	dirty(ctx, t.root, st, base, files)
	cleaned(ctx, t.root, st, base, files)
	if st.Head != base.Head && st.Head != "" {
		commits, err := t.committed(ctx, base, st.Head)
		if err != nil {
			return Changes{}, err
		}
		for _, c := range commits {
			addCommitted(t.root, c, files)
		}
	}
	c := Changes{Head: st.Head, Branch: st.Branch, Bounded: st.Reason}
	c.Files = slices.SortedFunc(maps.Values(files), func(a, b File) int { return cmp.Compare(a.Path, b.Path) })
	return c, nil
}

// dirty adds the entries that are not equal to the baseline's.
func dirty(ctx context.Context, root string, st Status, base *Baseline, files map[string]File) {
	prints, equal := make([]Print, len(st.Entries)), make([]bool, len(st.Entries))
	folders := base.folders(st)
	each(len(st.Entries), func(i int) {
		e := st.Entries[i]
		was, known := base.Files[e.Path]
		p := look(root, e.Path)
		p.Code = e.Code
		prints[i] = p
		equal[i] = known && was.still(ctx, root, e, p, base.Taken) || folders[e.Path] && p.ModNano < base.Taken.Add(-coarse).UnixNano()
	})
	for i, e := range st.Entries {
		if !equal[i] {
			files[e.Path] = prints[i].file(File{Path: e.Path, OrigPath: e.OrigPath, Code: e.Code, Untracked: e.Untracked})
		}
	}
}

// folders are the folders that have untracked files in the baseline, where only folders are listed now: a new file in one changes its
// time, as far as that goes; a changed file is found by its print.
func (b *Baseline) folders(st Status) map[string]bool {
	if !st.Bounded || b.Bounded {
		return nil
	}
	folders := make(map[string]bool)
	for name, p := range b.Files {
		for dir := path.Dir(name); p.Code == "??" && dir != "." && !folders[dir+"/"]; dir = path.Dir(dir) {
			folders[dir+"/"] = true
		}
	}
	return folders
}

// cleaned adds what was dirty in the baseline, is not dirty now, and differs from what it was. Where git stopped listing the files
// of an untracked folder one by one, those the baseline knows are looked at here.
func cleaned(ctx context.Context, root string, st Status, base *Baseline, files map[string]File) {
	listed, folders := make(map[string]bool, len(st.Entries)), false
	for _, e := range st.Entries {
		listed[e.Path] = true
		folders = folders || strings.HasSuffix(e.Path, "/")
		if gone(e) != "" {
			listed[e.OrigPath] = true
		}
	}
	names := make([]string, 0, len(base.Files))
	for name := range base.Files {
		if !listed[name] {
			names = append(names, name)
		}
	}
	prints, equal := make([]Print, len(names)), make([]bool, len(names))
	each(len(names), func(i int) {
		was := base.Files[names[i]]
		p := look(root, names[i])
		p.Code = was.Code
		prints[i], equal[i] = p, was.still(ctx, root, Entry{Path: names[i]}, p, base.Taken)
	})
	for i, name := range names {
		if equal[i] || strings.HasSuffix(name, "/") && !prints[i].Missing {
			continue // a folder that is there is no change: its files are listed, or are in HEAD
		}
		f := prints[i].file(File{Path: name})
		if folders && inFolder(name, listed) {
			f.Code, f.Untracked = "??", true
		}
		files[name] = f
	}
}

func inFolder(name string, listed map[string]bool) bool {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if listed[dir+"/"] {
			return true
		}
	}
	return false
}

// still reports whether the file is now, as p, what it was then. It is read only where that may tell.
func (was Print) still(ctx context.Context, root string, e Entry, p Print, taken time.Time) bool {
	if was.Code == p.Code && was.Hash != "" && (e.Submodule || !was.untouched(p, taken)) {
		p.hash(ctx, root, e)
	}
	return was.same(p)
}

// addCommitted joins a committed file with what is known of its path.
func addCommitted(root string, c File, files map[string]File) {
	f, known := files[c.Path]
	if !known {
		f = look(root, c.Path).file(c)
	}
	f.Code = cmp.Or(f.Code, c.Code)
	f.OrigPath = cmp.Or(f.OrigPath, c.OrigPath)
	f.Committed = true
	files[c.Path] = f
	if old, ok := files[c.OrigPath]; ok && old.Code == "" {
		delete(files, c.OrigPath) // dirty then, renamed and committed since
	}
}

// file adds what is there now.
func (p Print) file(f File) File {
	f.Deleted = p.Missing
	if !p.Missing {
		f.ModTime = time.Unix(0, p.ModNano)
	}
	return f
}
