package sqlite

import "github.com/ncruces/go-sqlite3/vfs"

// LogVFS is a VFS as the store syncs its log on it where the log is kept.
func LogVFS(v vfs.VFS) vfs.VFS { return logVFS{v} }

// WithVFS opens the store through another VFS.
func (o Options) WithVFS(name string) Options {
	o.vfs = name
	return o
}

// WithPragmas sets pragmas after the store's own.
func (o Options) WithPragmas(pragmas ...string) Options {
	o.pragmas = pragmas
	return o
}

// WithStatfs tells what kind of file system a folder lies on.
func (o Options) WithStatfs(kind func(dir string) (uint32, error)) Options {
	o.statfs = kind
	return o
}

// ErrorOf is what a store at a path makes of an error of its database.
func ErrorOf(path, op string, err error) error { return dialect(path, Options{}).Error(op, err) }
