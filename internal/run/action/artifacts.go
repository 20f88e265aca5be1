package action

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/run/plan"
	"github.com/piton-project/piton/internal/store/localfs"
)

// Bounds of what steps leave: the bytes of one file and of all steps of a run, and the files of
// one step.
const (
	maxArtifact  = 64 << 20
	MaxArtifacts = 256 << 20
	maxLeft      = 1000
)

// Artifact is a file that a step has left.
type Artifact struct {
	piton.Artifact
	Content redact.Clean[[]byte] `json:"-"`
}

// Collect reads the files that the step has left: regular files of its folder, which lies in
// the project. One that is not there, is too large or holds a secret is an error.
func (c Call) Collect(known *Secrets, rules *redact.Rules) (left []Artifact, err error) {
	if len(c.Artifacts) == 0 {
		return nil, nil
	}
	at := "its folder" // what could not be kept
	defer func() {
		if err != nil {
			err = &Failed{Err: fmt.Errorf("its artifact %s: %w", piton.Printable(at), err), Final: true, Known: Answered}
		}
	}()
	root, err := c.openFolder()
	if err != nil {
		return nil, err
	}
	defer root.Close()
	size, names := int64(0), map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(c.Artifacts)) {
		pattern := c.Artifacts[name]
		at = pattern
		files, err := doublestar.Glob(root.FS(), pattern, doublestar.WithFilesOnly(), doublestar.WithNoFollow())
		if err = cmp.Or(plan.LocalPath(pattern), err); err == nil && len(files) == 0 {
			err = errors.New("there is no such file; a step leaves what its plan says, and all files of a folder are FOLDER/**")
		}
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			at = file
			a, err := read(root, file, known, rules)
			if a.Name = name; name == pattern { // each file is named by its path
				a.Name = file
			}
			if size += a.Size; size > MaxArtifacts || len(left) == maxLeft {
				err = fmt.Errorf("a step leaves at most %d files, of %d MiB in all", maxLeft, MaxArtifacts>>20)
			}
			if err != nil {
				return nil, err
			}
			if !names[a.Name] {
				left, names[a.Name] = append(left, a), true
			}
		}
	}
	return left, nil
}

// openFolder opens the step's folder, which lies in the project.
func (c Call) openFolder() (*os.Root, error) {
	dir, err := c.Folder("dir")
	if err != nil {
		return nil, err
	}
	dir, in, err := c.within(dir)
	if err == nil && !in {
		err = errors.New("it is not in the project")
	}
	if err != nil {
		return nil, err
	}
	return os.OpenRoot(dir)
}

// read reads a file. It is kept as it is or not at all. Only a text is held against what
// secrets look like: compiled programs hold such things by the dozen.
func read(root *os.Root, file string, known *Secrets, rules *redact.Rules) (a Artifact, err error) {
	content, mode, err := unlinked(root, file)
	if err != nil {
		return a, fmt.Errorf("%w; a step leaves regular files of at most %d MiB, without symbolic links on the way", err, maxArtifact>>20)
	}
	found := 0
	if utf8.Valid(content) && bytes.IndexByte(content, 0) < 0 {
		_, found = rules.Text(string(content))
	}
	if found > 0 || known.in(string(content)) {
		return a, errors.New("it holds what looks like a secret, and is not kept; leave the secret out of it, or name what is harmless in the setting redact.allow")
	}
	a.Artifact = piton.Artifact{Path: file, Sum: fmt.Sprintf("%x", sha256.Sum256(content)), Size: int64(len(content)), Mode: fmt.Sprintf("%04o", mode.Perm())}
	a.Content = redact.Unchecked(content)
	return a, nil
}

// unlinked reads a regular file to which no link leads.
func unlinked(root *os.Root, file string) ([]byte, fs.FileMode, error) {
	for at := path.Dir(file); at != "."; at = path.Dir(at) {
		if info, err := root.Lstat(at); err != nil || !info.IsDir() {
			return nil, 0, cmp.Or(err, localfs.ErrIrregular)
		}
	}
	f, info, err := localfs.OpenIn(root, file)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	content, err := localfs.ReadAll(f, info.Size(), maxArtifact)
	return content, info.Mode(), err
}
