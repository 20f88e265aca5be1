package git

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Bounds of an export.
const (
	exportLimit = 20 * time.Second
	maxExport   = 1 << 30 // bytes
)

// Export writes the files of a commit into an existing folder, as a checkout would,
// without what .gitattributes leaves out of archives. It writes nothing to the
// repository. What a commit names outside of the folder is an error.
func (r Repo) Export(ctx context.Context, commit, dir string) error {
	t, err := r.open()
	if err != nil {
		return err
	}
	if !isID(commit) {
		return fmt.Errorf("git archive: %q is not a commit", commit)
	}
	if err := t.guard(ctx, limit); err != nil {
		return err
	}
	archive, err := os.CreateTemp("", "piton-*.tar")
	if err != nil {
		return err
	}
	defer os.Remove(archive.Name())
	defer archive.Close()
	if _, err := t.run(ctx, exportLimit, "archive", "--format=tar", "--output="+archive.Name(), commit); err != nil {
		return err
	}
	if info, err := archive.Stat(); err != nil || info.Size() > maxExport {
		return errors.Join(err, fmt.Errorf("git archive: the commit has more than %d bytes", maxExport))
	}
	return untar(archive, dir)
}

// untar writes what an archive holds below a folder, and nothing outside of it.
func untar(archive io.Reader, dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	in := tar.NewReader(archive)
	for {
		h, err := in.Next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		name := filepath.FromSlash(strings.TrimSuffix(h.Name, "/"))
		switch h.Typeflag {
		case tar.TypeDir:
			err = root.MkdirAll(name, 0o755)
		case tar.TypeSymlink:
			err = root.Symlink(h.Linkname, name)
		case tar.TypeReg:
			err = writeOut(root, name, os.FileMode(h.Mode)&0o755|0o600, in)
		}
		if err != nil {
			return err
		}
	}
}

func writeOut(root *os.Root, name string, mode os.FileMode, text io.Reader) error {
	if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, text)
	return errors.Join(err, f.Close())
}
