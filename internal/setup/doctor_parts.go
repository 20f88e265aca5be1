package setup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// hookProgram: piton-hook is there, answers, and is of this version.
func (x *exam) hookProgram() Check {
	const name = hookName
	const again = "install piton and piton-hook together: go install ./cmd/..."
	path := x.Hook
	if path == "" {
		found, err := x.LookPath(hookName)
		if err != nil {
			return fail(name, "not found", again)
		}
		path = found
	}
	if err := runnable(path); err != nil {
		return fail(name, err.Error(), again)
	}
	answer, err := x.ask(path, "--version")
	switch {
	case err != nil:
		return fail(name, path+" does not answer: "+err.Error(), again)
	case x.Version != "" && !slices.Contains(strings.Fields(answer), x.Version):
		return fail(name, fmt.Sprintf("%s says %q, piton is %s", path, answer, x.Version), again)
	}
	return pass(name, path+" "+x.Version)
}

// pitonProgram: agents find piton, which /checkpoint runs.
func (x *exam) pitonProgram() Check {
	const name = "piton"
	path, err := x.LookPath(name)
	if err != nil {
		return warn(name, "not in PATH: /checkpoint cannot run it", "put the folder of piton into PATH")
	}
	found, err := os.Stat(path)
	own, ownErr := os.Stat(x.Piton)
	if err == nil && ownErr == nil && !os.SameFile(found, own) {
		return warn(name, "agents run "+path+", this is "+x.Piton, "remove one, or change PATH")
	}
	return pass(name, path)
}

// slash: /checkpoint is ours and of this version. A project's command, and in either scope a skill, hides the user's.
func (x *exam) slash() Check {
	name := x.client.typed
	scopes := []Scope{Project, User}
	if x.Project == "" {
		scopes = scopes[1:]
	}
	for _, scope := range scopes {
		t := x.Target
		t.Scope = scope
		skill := filepath.Join(x.client.folder(t), "skills", "checkpoint", "SKILL.md")
		if _, err := os.Stat(skill); err == nil && skill != x.client.slashFile(t) {
			return warn(name, skill+" hides the command", "rename that skill")
		}
		path := x.client.slashFile(t)
		text, err := read(path)
		if err != nil {
			return warn(name, err.Error(), "make it readable")
		}
		switch authorOf(text, x.client.slashText()) {
		case current:
			return pass(name, path)
		case older:
			return warn(name, path+" is of another version of Piton", x.initAgain([]string{string(scope)}))
		case edited:
			return warn(name, path+" has been edited: init and uninstall leave it alone", "remove it and "+x.runInit()+" for the present one, or keep it")
		case foreign:
			return warn(name, path+" is not Piton's", "rename it and "+x.runInit()+", if you want Piton's command")
		}
	}
	return warn(name, "not installed", x.runInit())
}

// stateFolder: Piton can keep its state, and nobody else can read it.
func (x *exam) stateFolder() Check {
	const name = "state folder"
	if x.State == "" {
		return fail(name, "none named", "set PITON_HOME")
	}
	info, err := os.Stat(x.State)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return pass(name, x.State+" will be made at the first event")
	case err != nil:
		return fail(name, err.Error(), "make it readable, or set PITON_HOME")
	case !info.IsDir():
		return fail(name, x.State+" is not a folder", "remove it, or set PITON_HOME")
	}
	f, err := os.CreateTemp(x.State, ".doctor-*")
	if err != nil {
		return fail(name, err.Error(), "make it writable, or set PITON_HOME: without it agents run as if there were no Piton")
	}
	f.Close()
	os.Remove(f.Name())
	if open := info.Mode().Perm() & 0o077; open != 0 {
		return warn(name, fmt.Sprintf("%s has mode %04o: others can look into it", x.State, info.Mode().Perm()), "chmod 700 "+quote(x.State))
	}
	return pass(name, x.State)
}

// git: what a turn changed is asked of it.
func (x *exam) git() Check {
	const name, hint = "git", "install git: without it every debrief is the general one"
	path, err := x.LookPath("git")
	if err != nil {
		return warn(name, "not in PATH", hint)
	}
	answer, err := x.ask(path, "--version")
	if err != nil {
		return warn(name, path+" does not answer: "+err.Error(), hint)
	}
	return pass(name, answer)
}
