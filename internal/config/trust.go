package config

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/piton-project/piton"
)

// Trust records that a person allows a project's file to run commands and switch
// Piton off. It holds for exactly the bytes that were reviewed (docs/spec.md,
// "Configuration and trust").
type Trust struct {
	Path       string     `json:"path"` // of the file
	SHA256     string     `json:"sha256"`
	At         piton.Time `json:"at"`
	Repository string     `json:"repository,omitempty"` // what all its work trees share
}

// Trusts are all that were given, in the order of their files.
type Trusts struct {
	Files []Trust `json:"files"`
}

func trustFile(home string) string { return filepath.Join(home, "trust.json") }

// copyFile keeps a text that was trusted, to show what has changed since.
func copyFile(home, sum string) string { return filepath.Join(home, "trusted", sum+".yaml") }

// LoadTrusts reads what was trusted; nothing where there is no such file.
func LoadTrusts(home string) (Trusts, error) {
	var t Trusts
	b, err := read(trustFile(home))
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, errNotDir) {
		return t, nil
	}
	if err == nil {
		err = json.Unmarshal(b, &t)
	}
	if err != nil {
		return Trusts{}, &piton.Error{Code: piton.Invalid, Op: "read " + trustFile(home), Hint: "remove the file; 'piton trust' asks again", Err: err}
	}
	return t, nil
}

// Of returns the trust in a file.
func (t Trusts) Of(path string) (Trust, bool) {
	path = realPath(path)
	for _, x := range t.Files {
		if x.Path == path {
			return x, true
		}
	}
	return Trust{}, false
}

// Holds reports whether the text was reviewed: in this file, or in the file of
// another work tree of the same repository.
func (t Trusts) Holds(path string, text []byte, repository func() string) bool {
	sum := Sum(text)
	if x, ok := t.Of(path); ok && x.SHA256 == sum {
		return true
	}
	if repository == nil {
		return false
	}
	return slices.ContainsFunc(t.Files, func(x Trust) bool { return x.SHA256 == sum && x.Repository != "" && x.Repository == repository() })
}

// Sum is the sha256 of a text, in hexadecimal.
func Sum(text []byte) string {
	return fmt.Sprintf("%x", sha256.Sum256(text))
}

// Give records that a person has reviewed the text of a file; keep says whether
// a copy may be kept to compare with.
func (t Trusts) Give(home, path, repository string, text []byte, keep bool, now time.Time) error {
	t, was := t.without(path, "")
	t.Files = append(t.Files, Trust{Path: realPath(path), SHA256: Sum(text), At: piton.At(now), Repository: repository})
	if keep {
		if err := write(copyFile(home, Sum(text)), text); err != nil {
			return err
		}
	}
	return t.save(home, was)
}

// Revoke removes the trust in a file, and in the files of other work trees of its
// repository; false when there was none.
func (t Trusts) Revoke(home, path, repository string) (bool, error) {
	t, was := t.without(path, repository)
	if len(was) == 0 {
		return false, nil
	}
	return true, t.save(home, was)
}

// Before returns the text that was trusted, if a copy was kept.
func (x Trust) Before(home string) ([]byte, bool) {
	b, err := read(copyFile(home, x.SHA256))
	return b, err == nil && Sum(b) == x.SHA256
}

func (t Trusts) without(path, repository string) (left Trusts, was []Trust) {
	path = realPath(path)
	left.Files = []Trust{}
	for _, x := range t.Files {
		if x.Path == path || repository != "" && x.Repository == repository {
			was = append(was, x)
		} else {
			left.Files = append(left.Files, x)
		}
	}
	return left, was
}

// save writes the file and removes the copies that nothing names any more.
func (t Trusts) save(home string, was []Trust) error {
	b, err := json.MarshalIndent(t, "", "  ")
	if err == nil {
		err = write(trustFile(home), append(b, '\n'))
	}
	if err != nil {
		return err
	}
	named := map[string]bool{}
	for _, x := range t.Files {
		named[x.SHA256] = true
	}
	for _, x := range was {
		if !named[x.SHA256] {
			os.Remove(copyFile(home, x.SHA256))
		}
	}
	return nil
}

// realPath is a file's path without links in its folder.
func realPath(path string) string {
	if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		return filepath.Join(dir, filepath.Base(path))
	}
	return filepath.Clean(path)
}

// ProjectText reads a project's file as it is now; NotFound where there is
// none.
func ProjectText(root string) ([]byte, error) {
	path := ProjectPath(root)
	b, err := read(path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, errNotDir) {
		return nil, piton.Errorf(piton.NotFound, "read the project's settings", "a project's settings lie in .piton.yaml at its work tree's root", "there is no %s", path)
	}
	if err != nil {
		return nil, &piton.Error{Code: piton.Invalid, Op: "read " + path, Err: err}
	}
	return b, nil
}
