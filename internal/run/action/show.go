package action

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/piton-project/piton"
)

const (
	// maxShown is how much one approval shows, and maxExhibit one thing of it. Of more
	// the beginning, the end and the sum of the whole are shown, so that a change of
	// what is left out is a change of what is shown.
	maxShown   = 56 << 10
	maxExhibit = 24 << 10
	maxFiles   = 100
	maxFile    = 64 << 20
)

// exhibit is one thing that an approval shows; one field is set.
type exhibit struct {
	text, file string
	run        any // a script, or a program and its arguments as a list
}

// exhibits reads the parameter "show".
func exhibits(v any) ([]exhibit, error) {
	list, ok := v.([]any)
	if v != nil && !ok {
		list = []any{v}
	}
	var out []exhibit
	for _, item := range list {
		x, err := asExhibit(item)
		if err != nil {
			return nil, err
		}
		out = append(out, x)
	}
	return out, nil
}

func asExhibit(item any) (exhibit, error) {
	switch item := item.(type) {
	case string:
		return exhibit{text: item}, nil
	case map[string]any:
		if len(item) == 1 {
			return oneOf(item)
		}
	}
	t, err := compact(item)
	if _, isMap := item.(map[string]any); isMap && err == nil {
		return exhibit{}, errors.New(`a map has one of "text", "file" and "run"`)
	}
	return exhibit{text: t}, err // an expression that was a value
}

// oneOf reads {text: …}, {file: …} or {run: …}.
func oneOf(m map[string]any) (exhibit, error) {
	for name, v := range m {
		t, isText := v.(string)
		switch {
		case name == "text":
			t, err := text(v)
			return exhibit{text: t}, err
		case name == "file" && isText && t != "":
			if !open(t) && !doublestar.ValidatePattern(t) {
				return exhibit{}, fmt.Errorf("%q is not a pattern of files", piton.Printable(t))
			}
			return exhibit{file: t}, nil
		case name == "run" && isText && t != "":
			if open(t) {
				return exhibit{}, errors.New(`a value would be run as code in "run"; write the command as a list`)
			}
			return exhibit{run: t}, nil
		case name == "run":
			list, _ := v.([]any)
			_, err := words(list)
			return exhibit{run: v}, err
		case name == "file":
			return exhibit{}, fmt.Errorf(`"file" is %s, and must be a text`, described(v))
		default:
			return exhibit{}, fmt.Errorf(`%q can not be shown%s`, piton.Printable(name), nearest(name, []string{"text", "file", "run"}))
		}
	}
	return exhibit{}, nil
}

// board is what an approval shows, as it grows.
type board struct {
	text strings.Builder
	left int // of maxShown
}

// add adds a text as it is, shortened where it is too long. Its size, where it is
// not 0, is that of what it was before control characters were made visible.
func (b *board) add(t string, size int) {
	if t == "" {
		return
	}
	if b.text.Len() > 0 {
		b.text.WriteString("\n\n")
	}
	t = strings.TrimRight(t, "\n")
	if most := min(maxExhibit, b.left); len(t) > most {
		t = fmt.Sprintf("%s\n\n[shortened; %d bytes, sha256 of the whole %x]", ends(t, most), max(size, len(t)), sha256.Sum256([]byte(t)))
	}
	b.left = max(0, b.left-len(t))
	b.text.WriteString(t)
}

// show adds something under a title. sum is that of the whole, of which body may be
// the beginning and the end.
func (b *board) show(title string, body []byte, cut bool, sum hash.Hash) {
	t := visible(string(body))
	if most := min(maxExhibit, b.left); cut || len(t) > most {
		title += fmt.Sprintf(" (shortened; sha256 of the whole %x)", sum.Sum(nil))
		t = ends(t, most)
	}
	if b.text.Len() > 0 {
		b.text.WriteString("\n\n")
	}
	b.text.WriteString(strings.TrimRight(title+"\n"+t, "\n"))
	b.left = max(0, b.left-len(t))
}

// visible is a text of others as the person who approves it may see it.
func visible(t string) string { return piton.Fence(t) }

// found shows the files of a pattern, in order. That there is none is shown too: it
// may come. They lie in the project: a pattern or a link that leads out of it is refused.
func found(dir, pattern string, b *board) error {
	base := projectOf(dir)
	refused := func(err error) error { return final("show the files %s: %w", piton.Printable(pattern), err) }
	root, err := os.OpenRoot(base)
	if err != nil {
		return refused(err)
	}
	defer root.Close()
	full := filepath.Clean(pattern)
	if !filepath.IsAbs(pattern) {
		full = filepath.Join(escaped(dir), pattern)
	}
	within, err := filepath.Rel(escaped(base), full)
	if err != nil || !filepath.IsLocal(within) {
		return refused(errors.New("they are not in the project, " + piton.Printable(base)))
	}
	within = filepath.ToSlash(within)
	first, _ := doublestar.SplitPattern(within)
	if _, err := root.Stat(first); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return refused(err) // it leads out
	}
	names, err := doublestar.Glob(root.FS(), within, doublestar.WithFilesOnly(), doublestar.WithNoFollow())
	if err != nil {
		return refused(err)
	}
	if !slices.Contains(names, within) { // a link is not a file to the glob
		if info, err := root.Lstat(within); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			names = append(names, within)
		}
	}
	if len(names) == 0 {
		b.add(fmt.Sprintf("%s: there is no such file", piton.FenceLine(pattern)), 0)
	}
	for i, name := range names {
		if i == maxFiles {
			sum, err := sumOf(root, names[i:])
			if err != nil {
				return err
			}
			b.add(fmt.Sprintf("%s: %d more files are not shown (sha256 of their names and contents %x)", piton.FenceLine(pattern), len(names)-i, sum), 0)
			break
		}
		if err := file(root, dir, name, b); err != nil {
			return err
		}
	}
	return nil
}

// sumOf is the sum of files that are not shown, so that a change of them is a
// change of what is shown.
func sumOf(root *os.Root, names []string) ([]byte, error) {
	sum := sha256.New()
	for _, name := range names {
		fmt.Fprintf(sum, "%q\n", name)
		info, err := root.Stat(name)
		if errors.Is(err, fs.ErrNotExist) || err == nil && !info.Mode().IsRegular() {
			continue
		}
		if err == nil {
			err = addTo(root, sum, name)
		}
		if err != nil {
			return nil, fmt.Errorf("show %s: %w", piton.Printable(name), err)
		}
	}
	return sum.Sum(nil), nil
}

// addTo adds a file's size and content to a sum.
func addTo(root *os.Root, sum hash.Hash, name string) error {
	f, err := root.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	own := sha256.New()
	n, err := io.Copy(own, f)
	fmt.Fprintf(sum, "%d %x\n", n, own.Sum(nil))
	return err
}

// escaped is a folder's name in a pattern.
func escaped(dir string) string {
	return strings.NewReplacer(`*`, `\*`, `?`, `\?`, `[`, `\[`, `{`, `\{`).Replace(dir)
}

// file shows one file.
func file(root *os.Root, dir, name string, b *board) error {
	title := name
	if rel, err := filepath.Rel(dir, filepath.Join(root.Name(), name)); err == nil && filepath.IsLocal(rel) {
		title = filepath.ToSlash(rel)
	}
	title = piton.FenceLine(title)
	info, err := root.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		b.add(title+": it is not there", 0)
		return nil
	} else if err != nil {
		return final("show %s: %w", title, err)
	}
	if !info.Mode().IsRegular() {
		b.add(title+": it is not a regular file", 0)
		return nil
	}
	if info.Size() > maxFile {
		return final("show %s: it has %d bytes, and at most %d are read", title, info.Size(), maxFile)
	}
	f, err := root.Open(name)
	if err != nil {
		return fmt.Errorf("show %s: %w", title, err)
	}
	defer f.Close()
	body, err := io.ReadAll(io.LimitReader(f, maxFile))
	if err != nil {
		return fmt.Errorf("show %s: %w", title, err)
	}
	sum := sha256.New()
	sum.Write(body)
	b.show(fmt.Sprintf("%s (%d bytes)", title, len(body)), body, false, sum)
	return nil
}
