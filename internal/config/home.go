package config

import (
	"bufio"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Home is PITON_HOME: where the store, the log and the markers lie. By default
// $XDG_STATE_HOME/piton. It makes nothing.
func Home(getenv func(string) string) string {
	if dir := getenv("PITON_HOME"); dir != "" {
		if abs, err := filepath.Abs(dir); err == nil {
			return abs
		}
		return dir
	}
	dir := getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(dir) { // the XDG rules ignore a relative one
		dir = filepath.Join(UserHome(getenv), ".local", "state")
	}
	return filepath.Join(dir, "piton")
}

// WithHome puts the user's home in the place of the ~ with which the path of a
// store begins: no shell does where a path stands in settings or behind "file:".
func WithHome(store string, getenv func(string) string) string {
	for _, kind := range []string{"file:", "sqlite:"} {
		if path, ok := strings.CutPrefix(store, kind); ok && (path == "~" || strings.HasPrefix(path, "~/")) {
			return kind + UserHome(getenv) + path[1:]
		}
	}
	return store
}

// UserHome is the user's home: HOME, else what the password file says, else
// the temporary folder. It does not use os/user, which would link libc.
func UserHome(getenv func(string) string) string {
	if dir := getenv("HOME"); filepath.IsAbs(dir) {
		return dir
	}
	if dir := getenv("USERPROFILE"); filepath.IsAbs(dir) {
		return dir
	}
	if f, err := os.Open("/etc/passwd"); err == nil {
		defer f.Close()
		uid := strconv.Itoa(os.Getuid())
		for lines := bufio.NewScanner(f); lines.Scan(); {
			// name:password:uid:gid:gecos:home:shell
			if fields := strings.Split(lines.Text(), ":"); len(fields) == 7 && fields[2] == uid && filepath.IsAbs(fields[5]) {
				return fields[5]
			}
		}
	}
	return os.TempDir()
}

// UserFile is where the user's settings lie.
func UserFile(getenv func(string) string) string {
	dir := getenv("XDG_CONFIG_HOME")
	if !filepath.IsAbs(dir) { // the XDG rules ignore a relative one
		dir = filepath.Join(UserHome(getenv), ".config")
	}
	return filepath.Join(dir, "piton", "config.yaml")
}

// ProjectPath is where the settings of the work tree at root lie.
func ProjectPath(root string) string { return filepath.Join(root, ".piton.yaml") }
