package caller

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/place"
	"github.com/piton-project/piton/internal/config"
)

const filePrefix = "file:"

// IsPostgres tells whether a spec names a PostgreSQL database.
func IsPostgres(spec string) bool {
	return strings.HasPrefix(spec, "postgres://") || strings.HasPrefix(spec, "postgresql://")
}

// FolderOf is the folder of a file store; false for other stores.
func FolderOf(spec string) (dir string, ok bool) {
	dir, ok = strings.CutPrefix(spec, filePrefix)
	return dir, ok && dir != ""
}

// IsShared tells whether a spec names another store than a local file.
func IsShared(spec string) bool {
	_, ok := FolderOf(spec)
	return ok || IsPostgres(spec)
}

// unknownStore says what is wrong with a spec that names no store.
func unknownStore(spec string) error {
	why, hint := "it begins with none of sqlite:, postgres:// and file:", "give sqlite:PATH, postgres://… or file:DIR"
	switch kind := storeKind(spec); {
	case spec == "sqlite:" || spec == filePrefix:
		why = spec + " names no path"
	case kind != "" && spec != kind:
		why = fmt.Sprintf("there is no kind of store %q", kind)
	}
	if info, err := os.Stat(spec); err == nil { // a path alone
		as := "sqlite:"
		if info.IsDir() {
			as = filePrefix
		}
		hint = "give 'store " + as + spec + "'"
	}
	return piton.Errorf(piton.Invalid, "open the store", hint, "%s", why)
}

// storeKind is how a spec begins; behind that a password may come.
func storeKind(spec string) string {
	if i := strings.IndexFunc(spec, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }); i >= 0 {
		spec = spec[:i]
	}
	return spec[:min(len(spec), 20)]
}

// AbsolutePath is the whole path of a store. A ~ in it is Invalid: no shell has filled it in.
func (a *env) AbsolutePath(path string) (string, error) {
	if strings.HasPrefix(path, "~") {
		return "", piton.Errorf(piton.Invalid, "open the store", "write ~/, $HOME or the whole path", "no shell has filled in the ~ of %q", path)
	}
	return a.Path(path)
}

// WholeSpec is a spec that means the same wherever it is read.
func (a *env) WholeSpec(spec string) (string, error) {
	dir, ok := strings.CutPrefix(spec, filePrefix)
	if !ok {
		return spec, nil
	}
	dir, err := a.AbsolutePath(dir)
	return filePrefix + dir, err
}

// sameStore tells whether two specs name one store.
func (a *env) sameStore(x, y string) bool {
	x, err1 := a.WholeSpec(x)
	y, err2 := a.WholeSpec(y)
	return err1 == nil && err2 == nil && config.StoreName(x) == config.StoreName(y)
}

// archiveBeside is where the archive of a store lies that the settings name none
// for: beside the SQLite file, wherever it is used from. home is the place for
// the file in PITON_HOME, and for other stores.
func (a *env) archiveBeside(spec, home string) string {
	path, ok := place.SQLite(spec)
	if !ok {
		return home
	}
	path, err := a.AbsolutePath(path)
	if err != nil {
		return home // opening the store says what is wrong
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	return filepath.Join(filepath.Dir(path), "archive")
}
