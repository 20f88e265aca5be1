package config

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/piton-project/piton/internal/store/localfs"
)

// What a configuration file may have at most, so that no stop takes long over
// one: bytes, and keys and values. To look for a key given twice, the YAML
// library holds each of a map against all others.
const (
	maxFile  = 1 << 20
	maxNodes = 10_000
)

var errNotDir = errors.New("a part of the path is not a folder")

// read reads a plain file of at most maxFile bytes. A project's may be a link to
// anything: what a kernel makes up while it is read, without end perhaps, has
// no size, and counts as empty.
func read(path string) ([]byte, error) {
	info, err := os.Stat(path) // to open some devices is to use them
	if err != nil {
		if strings.Contains(err.Error(), "not a directory") {
			return nil, errNotDir
		}
		return nil, err
	}
	refused := fmt.Errorf("not a regular file of at most %d bytes", maxFile)
	if !info.Mode().IsRegular() || info.Size() > maxFile {
		return nil, refused
	}
	if info.Size() == 0 {
		return nil, nil
	}
	text, err := localfs.ReadPlain(path, maxFile)
	if errors.Is(err, localfs.ErrIrregular) || errors.Is(err, localfs.ErrTooLarge) {
		err = refused
	}
	return text, err
}
