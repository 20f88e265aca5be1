package setup

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"github.com/piton-project/piton/internal/client"
)

// hookProgram: piton-hook is there, answers, and is of this version.
func (x *exam) hookProgram() Check {
	const name = hookName
	const again = HowToInstall
	path := x.Hook
	if path == "" {
		found, err := x.LookPath(hookName)
		if err != nil {
			return client.Fail(name, "not found", again)
		}
		path = found
	}
	if err := runnable(path); err != nil {
		return client.Fail(name, err.Error(), again)
	}
	answer, err := x.ask(path, "--version")
	switch {
	case err != nil:
		return client.Fail(name, path+" does not answer: "+err.Error(), again)
	case x.Version != "" && !slices.Contains(strings.Fields(answer), x.Version):
		return client.Fail(name, fmt.Sprintf("%s says %q, piton is %s", path, answer, x.Version), again)
	}
	return client.Pass(name, path+" "+x.Version)
}

// pitonProgram: agents find piton, which /checkpoint runs.
func (x *exam) pitonProgram() Check {
	const name = "piton"
	path, err := x.LookPath(name)
	if err != nil {
		return client.Warn(name, "not in PATH: /checkpoint cannot run it", "put the folder of piton into PATH")
	}
	found, err := os.Stat(path)
	own, ownErr := os.Stat(x.Piton)
	if err == nil && ownErr == nil && !os.SameFile(found, own) {
		return client.Warn(name, "agents run "+path+", this is "+x.Piton, "remove one, or change PATH")
	}
	return client.Pass(name, path)
}

// OpenToAll reports whether everybody on the machine can change what is in a folder: no
// daemon starts in such a one.
func OpenToAll(folder fs.FileInfo) bool {
	return folder.Mode().Perm()&0o002 != 0 && runtime.GOOS != "windows"
}

// stateFolder: Piton can keep its state, and nobody else can read it.
func (x *exam) stateFolder() Check {
	const name = "state folder"
	if x.State == "" {
		return client.Fail(name, "none named", "set PITON_HOME")
	}
	info, err := os.Stat(x.State)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := mayAdd(nearestFolder(x.State)); err != nil {
			return client.Fail(name, "cannot be made: "+err.Error(), "make that folder writable, or set PITON_HOME: without it agents run as if there were no Piton")
		}
		return client.Pass(name, x.State+" will be made at the first event")
	case err != nil:
		return client.Fail(name, err.Error(), "make it readable, or set PITON_HOME")
	case !info.IsDir():
		return client.Fail(name, x.State+" is not a folder", "remove it, or set PITON_HOME")
	}
	if err := Writable(x.State); err != nil {
		return client.Fail(name, err.Error(), "free some space or make it writable, or set PITON_HOME: without it agents run as if there were no Piton")
	}
	if OpenToAll(info) {
		return client.Fail(name, fmt.Sprintf("%s has mode %04o: everybody can change what is in it, and no daemon starts there", x.State, info.Mode().Perm()), "run `chmod 700 "+quote(x.State)+"`")
	}
	if open := info.Mode().Perm() & 0o077; open != 0 {
		return client.Warn(name, fmt.Sprintf("%s has mode %04o: others can look into it", x.State, info.Mode().Perm()), "run `chmod 700 "+quote(x.State)+"`")
	}
	return client.Pass(name, x.State)
}

// room is how many bytes must fit for a folder to count as writable: a checkpoint and
// what the store needs to write it.
const room = 1 << 20

// Writable writes a file of a megabyte to a folder, syncs it, reads it back and removes
// it; the error is why it could not.
func Writable(dir string) error {
	f, err := os.CreateTemp(dir, ".doctor-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	defer f.Close()
	want := bytes.Repeat([]byte("doctor\n\x00"), room/8)
	if _, err = f.Write(want); err == nil {
		err = f.Sync()
	}
	got := make([]byte, room)
	if err == nil {
		_, err = f.ReadAt(got, 0)
	}
	if err == nil && !bytes.Equal(got, want) {
		err = errors.New("what was written is not what is read back")
	}
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return fmt.Errorf("%s: disk full: less than a megabyte can be written", dir)
	case err != nil:
		return fmt.Errorf("%s: %w", dir, err)
	}
	return nil
}

// Appendable is why a file could not be written to, or made where it is not there; nil
// where it could. Nothing is written.
func Appendable(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return mayAdd(nearestFolder(path))
	case err == nil && !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a plain file", path)
	case err != nil:
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err == nil {
		err = f.Close()
	}
	return err
}

// nearestFolder is the nearest folder above a path that is there.
func nearestFolder(path string) string {
	for {
		up := filepath.Dir(path)
		if _, err := os.Stat(up); !errors.Is(err, fs.ErrNotExist) || up == path {
			return up
		}
		path = up
	}
}

// git: what a turn changed is asked of it.
func (x *exam) git() Check {
	const name, hint = "git", "install git: without it every debrief is the general one"
	path, err := x.LookPath("git")
	if err != nil {
		return client.Warn(name, "not in PATH", hint)
	}
	answer, err := x.ask(path, "--version")
	if err != nil {
		return client.Warn(name, path+" does not answer: "+err.Error(), hint)
	}
	if atLeast, ok := atLeast(answer, oldestGit); ok && !atLeast {
		return client.Warn(name, answer+"; Piton is made for "+oldestGit+" and newer", "update git: with an old one it may not be known what a turn has changed")
	}
	return client.Pass(name, answer)
}

// oldestGit knows all options that git is asked with.
const oldestGit = "2.17.0"
