package setup

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/piton-project/piton/internal/client"
)

// version: the client is there and not too old.
func (x *exam) version() Check {
	name := x.client.Title
	path, err := x.LookPath(x.client.program.Name)
	if err != nil {
		return client.Pass(name, x.client.program.Name+" is not in PATH, so its version is not known")
	}
	answer, err := x.packageVersion(path)
	if answer == "" {
		answer, err = x.ask(path, "--version")
	}
	if err != nil {
		return client.Warn(name, path+" does not answer: "+err.Error(), "run \""+path+" --version\" to see what is wrong with it; an installation of "+name+" may be incomplete")
	}
	if atLeast, ok := atLeast(answer, x.client.Oldest); !ok {
		return client.Warn(name, fmt.Sprintf("%s says %q, which names no version", path, answer), "")
	} else if !atLeast {
		return client.Warn(name, fmt.Sprintf("%s; Piton is made for %s and newer", answer, x.client.Oldest), "update "+name)
	}
	return client.Pass(name, answer)
}

// packageVersion is the version that the package of a client names, for one that leaves files behind when it is asked; "" where there is
// no such package.
func (x *exam) packageVersion(path string) (string, error) {
	if !x.client.VersionFromPackage {
		return "", nil
	}
	for folder := filepath.Dir(client.RealPath(path)); folder != filepath.Dir(folder); folder = filepath.Dir(folder) {
		text, err := read(filepath.Join(folder, "package.json"))
		if err != nil {
			return "", err
		}
		var p struct{ Name, Version string }
		if json.Unmarshal(text, &p) == nil && p.Name == x.client.program.Package {
			return p.Version, nil
		}
	}
	return "", nil
}

// atLeast reports whether the version in an answer ("2.1.328 (Claude Code)", "codex-cli 0.169.0") is oldest or newer.
func atLeast(answer, oldest string) (atLeast, ok bool) {
	word := ""
	for _, w := range strings.Fields(answer) {
		if word == "" && w[0] >= '0' && w[0] <= '9' {
			word = w
		}
	}
	have, want := strings.Split(word, "."), strings.Split(oldest, ".")
	if len(have) < len(want) {
		return false, false
	}
	for i := range want {
		h, err := strconv.Atoi(have[i][:len(have[i])-len(strings.TrimLeft(have[i], "0123456789"))])
		if err != nil {
			return false, false
		}
		if w, _ := strconv.Atoi(want[i]); h != w {
			return h > w, true
		}
	}
	return true, true
}

// configFolder: with another folder named, sessions with and without it have different settings.
func (x *exam) configFolder() Check {
	const name = "config folder"
	usual, variable := filepath.Join(x.Home, x.client.InHome), x.client.Variable
	if x.Home == "" || filepath.Clean(x.ConfigDir) == filepath.Clean(usual) {
		return client.Pass(name, x.ConfigDir)
	}
	hooked := func(folder string) bool {
		return form{filepath.Join(folder, x.client.File), x.client.Comments}.hasHooks()
	}
	here, there := hooked(x.ConfigDir), hooked(usual)
	detail := fmt.Sprintf("%s names %s, not %s", variable, x.ConfigDir, usual)
	switch {
	case there && !here:
		return client.Warn(name, detail+"; only the latter has hooks", x.runInit()+" with "+variable+" set")
	case here && !there:
		return client.Warn(name, detail+"; only the former has hooks", x.runInit()+" without "+variable+", if you start sessions that way too")
	}
	return client.Pass(name, detail)
}

// slash: /checkpoint is ours and of this version. A project's command, and in either scope a skill, hides the user's.
func (x *exam) slash() Check {
	name := x.client.Command.Typed
	scopes := []Scope{Project, User}
	if x.Project == "" {
		scopes = scopes[1:]
	}
	for _, scope := range scopes {
		t := x.Target
		t.Scope = scope
		skill := filepath.Join(x.client.folder(t), "skills", "checkpoint", "SKILL.md")
		if _, err := os.Stat(skill); err == nil && skill != x.client.slashFile(t) {
			return client.Warn(name, skill+" hides the command", "rename that skill")
		}
		path := x.client.slashFile(t)
		text, err := read(path)
		if err != nil {
			return client.Warn(name, err.Error(), "make it readable")
		}
		switch authorOf(text, x.client.slashText()) {
		case current:
			return client.Pass(name, path)
		case older:
			return client.Warn(name, path+" is of another version of Piton", x.initAgain([]string{string(scope)}))
		case edited:
			return client.Warn(name, path+" has been edited: init and uninstall leave it alone", "remove it and "+x.runInit()+" for the present one, or keep it")
		case foreign:
			return client.Warn(name, path+" is not Piton's", "rename it and "+x.runInit()+", if you want Piton's command")
		}
	}
	return client.Warn(name, "not installed", x.runInit())
}

// openSessions: no open session began before its settings were last changed. Such a one runs the hooks that were there then.
func (x *exam) openSessions() Check {
	const name = "open sessions"
	var old []string
	of, open := "", 0
	for _, s := range x.Sessions {
		if s.Agent != x.client.name {
			continue
		}
		open++
		for _, f := range x.files {
			info, err := os.Stat(f.path)
			if err == nil && len(f.places) > 0 && info.ModTime().After(s.Started) && !slices.Contains(old, s.ID) {
				old, of = append(old, s.ID), f.path
			}
		}
	}
	if len(old) > 0 {
		return client.Warn(name, of+" was changed after these sessions began, which may run older hooks: "+strings.Join(old, ", "), "start them again when they are done")
	}
	return client.Pass(name, fmt.Sprintf("%d, none older than its hooks", open))
}
