package git

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Status is what git status says: the commit and branch checked out, and what is not as in HEAD, by path, each path once.
type Status struct {
	Head    string // commit id; "" when no commit was made yet
	Branch  string // "" when HEAD is detached
	Entries []Entry
	// Bounded: there were too many untracked files to list one by one, Reason says why. Their folders are entries instead.
	Bounded bool
	Reason  string
}

// Entry is one path that is not as in HEAD. Paths are git's bytes, from the work tree's root, with slashes; one that ends in a slash
// is an untracked folder shown as one: a repository inside this one, or any in a bounded status.
type Entry struct {
	Path     string
	OrigPath string // where a renamed or copied file was
	// Code is git's two letters, index then work tree: "M.", ".D", "R.", "UU", "??". "D?" is deleted in the index but there, untracked.
	Code      string
	Untracked bool
	Deleted   bool // not in the work tree
	Submodule bool
	InHead    string // the object's id in HEAD; zeros where it is not there, "" in conflict and of renamed files
}

// File is one path that was changed. Path and OrigPath are written as in Entry.
type File struct {
	Path     string
	OrigPath string // where a renamed or copied file was
	// Code is git's two letters for what is not committed, one letter (A M D R T) for what is,
	// and "" for what was dirty when the turn opened and is as in HEAD now: the change was taken back.
	Code      string
	Committed bool // by a commit of the turn; with two letters in Code, changed again since
	Untracked bool
	Deleted   bool      // nothing is there now
	ModTime   time.Time // zero when deleted
}

// parse reads git status --porcelain=v2 --branch -z. It ignores lines of unknown kinds, as git's documentation asks for.
func parse(out []byte) (Status, error) {
	var st Status
	for len(out) > 0 {
		var line string
		line, out = next(out)
		switch {
		case line == "":
			continue
		case line[0] == '#':
			st.header(line)
			continue
		case line[0] != '1' && line[0] != '2' && line[0] != 'u' && line[0] != '?':
			continue
		}
		e, err := entry(line)
		if err != nil {
			return Status{}, err
		}
		if line[0] == '2' {
			if e.OrigPath, out = next(out); e.OrigPath == "" {
				return Status{}, fmt.Errorf("git status: %q has no original path", line)
			}
		}
		st.Entries = append(st.Entries, e)
	}
	st.Entries = unite(st.Entries)
	return st, nil
}

// next takes the record before the first NUL. A record without a NUL behind it was cut off, and is left out.
func next(b []byte) (record string, rest []byte) {
	line, rest, whole := bytes.Cut(b, []byte{0})
	if !whole {
		return "", nil
	}
	return string(line), rest
}

func (st *Status) header(line string) {
	if oid, ok := strings.CutPrefix(line, "# branch.oid "); ok && oid != "(initial)" {
		st.Head = oid
	}
	if name, ok := strings.CutPrefix(line, "# branch.head "); ok && name != "(detached)" {
		st.Branch = name
	}
}

// entry reads one line; how many fields stand before the path depends on its first letter.
//
//	1 XY sub mH mI mW hH hI path
//	2 XY sub mH mI mW hH hI Xscore path
//	u XY sub m1 m2 m3 mW h1 h2 h3 path
//	? path
func entry(line string) (Entry, error) {
	var fields, workMode int
	switch line[0] {
	case '1':
		fields, workMode = 8, 5
	case '2':
		fields, workMode = 9, 5
	case 'u':
		fields, workMode = 10, 6
	case '?':
		if len(line) < 3 || line[1] != ' ' {
			return Entry{}, fmt.Errorf("git status: %q has no path", line)
		}
		return Entry{Path: line[2:], Code: "??", Untracked: true}, nil
	}
	f := strings.SplitN(line, " ", fields+1)
	if len(f) != fields+1 || len(f[1]) != 2 || f[fields] == "" {
		return Entry{}, fmt.Errorf("git status: %q is not of the form known", line)
	}
	e := Entry{
		Path: f[fields], Code: f[1],
		Deleted:   f[workMode] == "000000",
		Submodule: strings.HasPrefix(f[2], "S"),
	}
	if line[0] == '1' { // of a renamed file it is that of the old name
		e.InHead = f[6]
	}
	return e, nil
}

// unite sorts by path, and joins the two lines of a file that git rm --cached left in the work tree.
func unite(entries []Entry) []Entry {
	slices.SortStableFunc(entries, func(a, b Entry) int { return cmp.Compare(a.Path, b.Path) })
	out := entries[:0]
	for _, e := range entries {
		if n := len(out); n > 0 && out[n-1].Path == e.Path {
			if e.Untracked && !out[n-1].Untracked {
				out[n-1].Code = out[n-1].Code[:1] + "?"
				out[n-1].Untracked, out[n-1].Deleted = true, false
			}
			continue
		}
		out = append(out, e)
	}
	return out
}

// parseNames reads --name-status -z: a letter (with a score behind R and C), one path, for R and C two.
// Between them may stand lines of log's, which begin with a commit's id.
func parseNames(out []byte) (files []File, commits []string) {
	for len(out) > 0 {
		var word string
		word, out = next(out)
		word = strings.TrimPrefix(word, "\n")
		switch {
		case word == "":
			continue
		case len(word) >= 40:
			commits = append(commits, word)
			continue
		}
		f := File{Code: word[:1], Committed: true}
		if f.Code == "R" || f.Code == "C" {
			f.OrigPath, out = next(out)
		}
		if f.Path, out = next(out); f.Path != "" {
			files = append(files, f)
		}
	}
	return files, commits
}
