// Package place says where a caller is: which settings are in force there, in
// which work tree it stands, and where the local store lies. Both programs ask
// it, so it links little; it opens no store.
package place

import (
	"path/filepath"
	"strings"

	"github.com/piton-project/piton/internal/config"
	"github.com/piton-project/piton/internal/git"
)

// sqlitePrefix begins the spec of a store that is a local file.
const sqlitePrefix = "sqlite:"

// Settings are the places from which the settings of the work tree at root are
// read; root is empty for the settings of no project. environ are all variables,
// among which misspelt ones are looked for; nil: nobody looks.
func Settings(getenv func(string) string, environ []string, root string) config.Places {
	return config.Places{
		UserFile: config.UserFile(getenv), Project: root, Getenv: getenv, Environ: environ,
		Origin: func() string { return git.OriginOf(root) }, Repository: func() string { return git.RepositoryOf(root) },
	}
}

// Root is the root of the work tree that dir lies in; dir itself outside of one.
func Root(dir string) string {
	if root, _, ok := git.Find(dir); ok {
		return root
	}
	return dir
}

// SQLite is the path that a store's spec names, sqlite:PATH; false where the
// spec names no local file.
func SQLite(spec string) (path string, ok bool) {
	path, ok = strings.CutPrefix(spec, sqlitePrefix)
	return path, ok && path != ""
}

// Database is the local store of a home where the settings name none.
func Database(home string) string { return filepath.Join(home, "piton.db") }

// Log is the log of a home.
func Log(home string) string { return filepath.Join(home, "piton.log") }

// Archive is the archive in a home.
func Archive(home string) string { return filepath.Join(home, "archive") }

// Cache is the folder of a home for what can be made again.
func Cache(home string) string { return filepath.Join(home, "cache") }

// Socket is the socket of a home's daemon.
func Socket(home string) string { return filepath.Join(home, "piton.sock") }

// Token is the file with what callers of a home's daemon show over TCP.
func Token(home string) string { return filepath.Join(home, "token") }

// DaemonLock is the file that a home's daemon keeps locked.
func DaemonLock(home string) string { return filepath.Join(home, "daemon.lock") }
