// Package reach says which files a tool that is about to run can change: the work trees that it works
// in, and what it names.
package reach

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/git"
	"github.com/piton-project/piton/internal/judge/shell"
	"github.com/piton-project/piton/internal/mark"
	"github.com/piton-project/piton/internal/mark/keep"
	"github.com/piton-project/piton/internal/redact"
)

const (
	// most bounds the work trees that are marked before one command.
	most = 3
	// Bounds of what a command names: it is kept too, ignored or not, and of a folder what is in it.
	maxFiles = 1000
	maxSize  = 40 << 20
	// maxBuilt is what a folder that is named may add to what git lists of its tree: what a build has
	// made is made again, and must not push out what nobody can make again.
	maxBuilt = 4 << 20
	maxNames = 5_000                  // that are looked at
	namedFor = 400 * time.Millisecond // what is dirty is known before, and is read afterwards
)

// Target is what of a work tree is to be marked.
type Target struct {
	Root   string
	Whole  bool        // all that is dirty
	Status *git.Status // nil: not asked for yet
	Err    error       // why git gave none
	Risky  bool        // it is known to destroy something, or nobody knows what it does
	named  []string    // absolute paths, of files, folders and patterns
	all    bool        // ignored files too
	known  []mark.File // of an older mark, in place of all that is dirty
}

// Again makes the target that of an older mark of its tree, and what is named besides: git is not asked.
func (t *Target) Again(older mark.Mark, m *mark.Mark) {
	t.Whole = false
	for _, f := range older.Files {
		t.known = append(t.known, mark.File{Path: f.Path, Code: f.Code, InHead: f.InHead})
	}
	m.Head, m.Branch, m.Took = older.Head, older.Branch, older.Took
	m.Partial = "files that have come since the mark before are not in it, because a mark takes long here"
}

// Of are the work trees that the tool of an event can change files of, at most three; root is that of the session.
func Of(e agent.Event, root string, risky bool) []Target {
	here := Tree(e.Cwd, root)
	switch {
	case e.Call == agent.CallEdit:
		return merged(nil, here, e.Cwd, e.Paths, Target{Risky: true})
	case strings.HasPrefix(e.Tool, "mcp__piton__"), strings.HasPrefix(e.Tool, "mcp_piton_"):
		return nil // our own write no files
	case e.MCP:
		return []Target{{Root: here, Whole: true}} // what it does, nobody knows
	case e.Call != agent.CallShell || e.Command == "":
		return nil
	}
	found, err := shell.Parse(e.Command)
	if err != nil {
		return []Target{{Root: here, Whole: true, Risky: true}} // it may be anything
	}
	var all []Target
	for _, c := range found {
		if !c.MayEdit() || c.Away != nil && c.Away.Apart {
			continue
		}
		tree := Tree(absolute(e.Cwd, c.Dir), here)
		isTree := func(name string) bool { return absolute(e.Cwd, name) == tree }
		ignored := cleansIgnored(c) || risky && slices.Index(c.Words, "git") != 0 && slices.ContainsFunc(c.Edits(), isTree)
		all = merged(all, tree, e.Cwd, c.Edits(), Target{Whole: true, Risky: risky, all: ignored})
	}
	return all
}

// Tree is the work tree of a folder, or another where it has none. The client's folder now may lie in
// another than the session's.
func Tree(dir, other string) string {
	if root, _, ok := git.Find(dir); ok {
		return root
	}
	return other
}

// cleansIgnored tells of a git clean that removes ignored files too.
func cleansIgnored(c shell.Command) bool {
	i := slices.Index(c.Words, "clean")
	return i > 0 && c.Words[0] == "git" && slices.ContainsFunc(c.Words[i:], func(w string) bool {
		return strings.HasPrefix(w, "-") && !strings.HasPrefix(w, "--") && strings.ContainsAny(w, "xX")
	})
}

// merged adds to targets a tree, as like says, and the files named, each in the tree that it lies in.
func merged(all []Target, root, cwd string, named []string, like Target) []Target {
	at := func(root string) *Target {
		i := slices.IndexFunc(all, func(t Target) bool { return t.Root == root })
		if i < 0 && (len(all) == most || root == "") {
			return nil
		}
		if i < 0 {
			all, i = append(all, Target{Root: root}), len(all)
		}
		return &all[i]
	}
	works := func(root string, like Target) {
		if t := at(root); t != nil {
			t.Whole, t.all, t.Risky = t.Whole || like.Whole, t.all || like.all, t.Risky || like.Risky
		}
	}
	works(root, like)
	for _, name := range named {
		path := absolute(cwd, name)
		tree := root
		if !inside(root, path) { // or it is named by way of a link
			path = filepath.Join(keep.Folder(filepath.Dir(path)), filepath.Base(path))
		}
		if own, _, _ := git.Find(path); own == path && own != root { // another work tree as a whole
			works(own, Target{Whole: true, Risky: true, all: like.Risky})
			continue
		}
		if !inside(root, path) {
			other := "" // without git it is the folder, where something may be destroyed in it
			if like.Risky {
				other, _ = filepath.EvalSymlinks(filepath.Dir(path))
			}
			tree = Tree(filepath.Dir(path), other)
		}
		if t := at(tree); t != nil {
			t.named = append(t.named, path)
		}
	}
	return slices.DeleteFunc(all, func(t Target) bool { return !t.Whole && len(t.named) == 0 })
}

// absolute is a path that a tool names, which works in a folder.
func absolute(cwd, name string) string {
	path := filepath.FromSlash(name)
	for _, own := range []string{"~/", "$HOME/", "${HOME}/"} {
		if rest, ok := strings.CutPrefix(name+"/", own); ok {
			if home, err := os.UserHomeDir(); err == nil {
				path = filepath.Join(home, rest)
			}
		}
	}
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(cwd, path)
}

// inside tells whether a path lies in a folder, or is it.
func inside(root, path string) bool {
	rel, err := filepath.Rel(root, path)
	return err == nil && filepath.IsLocal(rel)
}

// Paths are those of a mark: what is dirty, what the command names, and the ignored files that match
// patterns. It notes HEAD in the mark, and there too why paths may be missing.
func (t Target) Paths(ctx context.Context, repo git.Repo, patterns []string, m *mark.Mark) (paths []mark.File) {
	paths = t.known
	_, _, tracked := git.Find(t.Root)
	if t.Whole && tracked && t.Status == nil {
		st, err := repo.Status(ctx)
		t.Status, t.Err = &st, err
	}
	if t.Err != nil && tracked {
		m.Partial = "git could not say what is changed"
	}
	if m.Whole = t.Whole && tracked && t.Err == nil; t.Status != nil {
		m.Head, paths = t.Status.Head, keep.Dirty(*t.Status)
		m.Branch, _ = redact.Text(t.Status.Branch)
		if t.Status.Bounded {
			m.Partial = t.Status.Reason
		}
	}
	for _, pattern := range patterns {
		there, _ := filepath.Glob(filepath.Join(escaped(t.Root), filepath.FromSlash(pattern)))
		t.named = append(t.named, there...)
	}
	limited, cancel := context.WithTimeout(ctx, namedFor)
	defer cancel()
	n := named{ctx: limited, root: t.Root, tracked: tracked}
	for _, name := range t.named {
		n.add(name)
	}
	paths = append(paths, n.paths...)
	if n.full() || n.cut {
		m.Partial = fmt.Sprintf("not all that the command names: it is more than %d files or %d MB, or %d MB of a folder that git does not list, or took too long", maxFiles, maxSize>>20, maxBuilt>>20)
	}
	if t.all && tracked {
		ignored, err := repo.Ignored(ctx)
		if err != nil {
			m.Partial = "git could not say what is ignored"
		}
		for _, p := range ignored {
			paths = append(paths, mark.File{Path: p})
			if strings.HasSuffix(p, "/") {
				paths[len(paths)-1].Lacks, paths[len(paths)-1].Inner = "a folder of ignored files", true
			}
		}
	}
	all := len(paths)
	paths = slices.DeleteFunc(paths, func(p mark.File) bool { _, n := redact.Text(p.Path); return n > 0 })
	if len(paths) < all && m.Partial == "" {
		m.Partial = "files whose names may hold a secret are left out"
	}
	return paths
}

// named collects what a command names, within bounds that hold for all of it together.
type named struct {
	ctx     context.Context
	root    string
	paths   []mark.File
	seen    int   // names that were looked at
	size    int64 // of the files
	cut     bool  // a folder has more than it may
	tracked bool  // git lists what is not made by a build
}

// full tells whether no more is looked at.
func (n *named) full() bool {
	return n.ctx.Err() != nil || n.seen > maxNames || len(n.paths) > maxFiles || n.size > maxSize
}

// add adds what a path or a pattern stands for; a folder stands for what is in it.
func (n *named) add(name string) {
	found := []string{name}
	if _, err := os.Lstat(name); err != nil && strings.ContainsAny(name, "*?[") {
		found = n.glob(name)
	}
	for _, path := range found {
		if inside(n.root, path) && path != n.root && !n.full() {
			n.walk(path)
		}
	}
}

// glob are the files of a pattern, as far as there is time: a few links can make a pattern endless.
func (n *named) glob(pattern string) []string {
	found := make(chan []string, 1)
	go func() {
		all, _ := filepath.Glob(pattern)
		found <- all
	}()
	select {
	case all := <-found:
		return all
	case <-n.ctx.Done():
		return nil
	}
}

// escaped is a path as a pattern that stands for it alone.
func escaped(path string) string {
	return strings.NewReplacer(`*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// walk adds a file, or what is in a folder.
func (n *named) walk(from string) {
	before := n.size
	filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		rel, errRel := filepath.Rel(n.root, path)
		rel = filepath.ToSlash(rel)
		over := n.tracked && n.size-before > maxBuilt
		n.cut = n.cut || over
		switch n.seen++; {
		case n.full(), over:
			return fs.SkipAll
		case path == from && errors.Is(err, fs.ErrNotExist):
			n.paths = append(n.paths, mark.File{Path: rel})
			return nil
		case errors.Join(err, errRel) != nil:
			return nil
		case !d.IsDir():
			if info, err := d.Info(); err == nil {
				n.size += info.Size()
			}
			n.paths = append(n.paths, mark.File{Path: rel, Inner: path != from && n.tracked})
			return nil
		}
		if _, err := os.Lstat(filepath.Join(path, ".git")); err == nil || d.Name() == ".git" {
			n.paths = append(n.paths, mark.File{Path: rel + "/", Lacks: mark.LacksFolder})
			return fs.SkipDir
		}
		return nil
	})
}
