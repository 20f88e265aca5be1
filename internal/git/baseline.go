package git

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"time"
)

// Baseline is what was dirty when a turn opened. In JSON it is compact: about 80 bytes for a file.
type Baseline struct {
	Head    string // commit id; "" when no commit was made yet
	Branch  string // "" when HEAD was detached
	Taken   time.Time
	Bounded bool // untracked folders stand for their files
	Files   map[string]Print
}

const hashedSubmodules = 8

// Baseline takes the prints of all that is dirty now (docs/spec.md 3.2). Beyond 5,000 files none is hashed.
func (r Repo) Baseline(ctx context.Context) (Baseline, error) {
	t, err := r.open()
	if err != nil {
		return Baseline{}, err
	}
	taken := time.Now() // first: a commit made while git looks belongs to the turn
	st, err := r.status(ctx, t)
	if err != nil {
		return Baseline{}, err
	}
	prints := make([]Print, len(st.Entries))
	within := submodulesWithin(st.Entries)
	each(len(st.Entries), func(i int) {
		e := st.Entries[i]
		p := look(t.root, e.Path)
		p.Code = e.Code
		if len(st.Entries) <= hashedFiles && (!e.Submodule || e.Path <= within) {
			p.hash(ctx, t.root, e)
		}
		prints[i] = p
	})
	b := Baseline{Head: st.Head, Branch: st.Branch, Taken: taken, Bounded: st.Bounded, Files: make(map[string]Print, len(prints))}
	for _, e := range st.Entries {
		if code := gone(e); code != "" {
			b.Files[e.OrigPath] = Print{Code: code, Missing: true}
		}
	}
	for i, e := range st.Entries {
		b.Files[e.Path] = prints[i]
	}
	return b, nil
}

// gone is the code the old name of a renamed file would have, had git not seen where it went.
func gone(e Entry) string {
	switch {
	case e.OrigPath == "":
	case e.Code[0] == 'R':
		return "D."
	case e.Code[1] == 'R':
		return ".D"
	}
	return ""
}

// submodulesWithin gives the path up to which submodules are hashed.
func submodulesWithin(entries []Entry) string {
	last, n := "", 0
	for _, e := range entries {
		if e.Submodule && n < hashedSubmodules {
			last, n = e.Path, n+1
		}
	}
	return last
}

// sum is equal for equal content; times count only where there is no hash.
func (b Baseline) sum() string {
	h := sha256.New()
	fmt.Fprintf(h, "%s\x00", b.Head)
	for _, path := range slices.Sorted(maps.Keys(b.Files)) {
		p := b.Files[path]
		if p.Hash != "" {
			p.ModNano, p.CtimeNano, p.Inode = 0, 0, 0
		}
		fmt.Fprintf(h, "%s\x00%s\x00", path, p.encode())
	}
	return hex.EncodeToString(h.Sum(nil))[:hashLetters]
}
