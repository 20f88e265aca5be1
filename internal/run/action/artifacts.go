package action

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/run/plan"
)

// Bounds of what steps leave: of one file, of all steps of a run, and how many files one step.
const (
	MaxArtifact  = 64 << 20
	MaxArtifacts = 256 << 20
	maxLeft      = 1000
)

// Artifact is a file that a step has left.
type Artifact struct {
	piton.Artifact
	Content redact.Clean[[]byte]
}

// Collect reads the files that the step has left: regular files of its folder, which lies in
// the project. One that is not there, is too large or holds a secret is an error.
func (c Call) Collect(known *Secrets, rules *redact.Rules) (left []Artifact, err error) {
	if len(c.Artifacts) == 0 {
		return nil, nil
	}
	at := "" // what could not be kept
	defer func() {
		if err != nil {
			err = &Failed{Err: fmt.Errorf("its artifact %s: %w", piton.Printable(at), err), Final: true, Known: Answered}
		}
	}()
	dir, err := c.Folder("dir")
	in := false
	if err == nil {
		dir, in, err = c.within(dir)
	}
	if at = dir; err == nil && !in {
		err = errors.New("the step's folder is not in the project")
	}
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	size, names := int64(0), map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(c.Artifacts)) {
		at = name
		files, err := matched(root, c.Artifacts[name])
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			own := name
			if at = file; name == c.Artifacts[name] {
				own = file
			}
			if names[own] {
				continue
			}
			a, err := read(root, file, known, rules)
			if err != nil {
				return nil, err
			}
			a.Name, names[own] = own, true
			if left, size = append(left, a), size+a.Size; len(left) > maxLeft || size > MaxArtifacts {
				return nil, fmt.Errorf("a step leaves at most %d files, with %d bytes in all", maxLeft, MaxArtifacts)
			}
		}
	}
	return left, nil
}

// matched are the files that a path or a pattern names.
func matched(root *os.Root, pattern string) (files []string, err error) {
	if err := plan.LocalPath(pattern); err != nil {
		return nil, err
	}
	if files = []string{pattern}; plan.IsPattern(pattern) {
		files, err = doublestar.Glob(root.FS(), pattern, doublestar.WithFilesOnly(), doublestar.WithNoFollow())
	}
	if err == nil && len(files) == 0 {
		err = errors.New("no file matches; a step leaves what its plan says")
	}
	return files, err
}

// read reads a file, to which no link leads. It is kept as it is or not at all. Only a text is
// held against what secrets look like: compiled programs hold such things by the dozen.
func read(root *os.Root, file string, known *Secrets, rules *redact.Rules) (a Artifact, err error) {
	var info fs.FileInfo
	at := ""
	for part := range strings.SplitSeq(file, "/") {
		at = path.Join(at, part)
		if info, err = root.Lstat(at); errors.Is(err, fs.ErrNotExist) {
			err = errors.New("there is no such file; a step leaves what its plan says")
		} else if err == nil && info.Mode()&fs.ModeSymlink != 0 {
			err = errors.New("a symbolic link is not followed")
		}
		if err != nil {
			return a, err
		}
	}
	switch {
	case info.IsDir():
		return a, fmt.Errorf("it is a folder; all files of it are %s/**", file)
	case !info.Mode().IsRegular():
		return a, errors.New("it is not a regular file")
	case info.Size() > MaxArtifact:
		return a, fmt.Errorf("it has %d bytes, and at most %d are kept", info.Size(), MaxArtifact)
	}
	f, err := root.Open(file)
	if err != nil {
		return a, err
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, MaxArtifact))
	if is, e := f.Stat(); err != nil || e != nil || !os.SameFile(is, info) {
		return a, errors.Join(err, e, errors.New("it was replaced meanwhile"))
	}
	found := 0
	if utf8.Valid(content) && bytes.IndexByte(content, 0) < 0 {
		_, found = rules.Text(string(content))
	}
	if found > 0 || known.in(string(content)) {
		return a, errors.New("it holds what looks like a secret, and is not kept; leave the secret out of it, or name what is harmless in the setting redact.allow")
	}
	sum := sha256.Sum256(content)
	a.Artifact = piton.Artifact{Path: file, Sum: hex.EncodeToString(sum[:]), Size: int64(len(content)), Mode: fmt.Sprintf("%04o", info.Mode().Perm())}
	a.Content = redact.Unchecked(content)
	return a, nil
}
