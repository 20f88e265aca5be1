package setup

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
)

// version: the client is there and not too old.
func (x *exam) version() Check {
	name := x.client.title
	path, err := x.LookPath(x.client.program)
	if err != nil {
		return warn(name, x.client.program+" is not in PATH", "install "+name+", if you want to use it here")
	}
	answer, err := x.packed(path)
	if answer == "" {
		answer, err = x.ask(path, "--version")
	}
	if err != nil {
		return warn(name, path+" does not answer: "+err.Error(), "")
	}
	if atLeast, ok := reaches(answer, x.client.oldest); !ok {
		return warn(name, fmt.Sprintf("%s says %q, which names no version", path, answer), "")
	} else if !atLeast {
		return warn(name, fmt.Sprintf("%s; Piton is made for %s and newer", answer, x.client.oldest), "update "+name)
	}
	return pass(name, answer)
}

// packed is the version that the package of a client names, for one that leaves files behind when it is asked; "" where there is
// no such package.
func (x *exam) packed(path string) (string, error) {
	if x.client.npm == "" {
		return "", nil
	}
	for folder := filepath.Dir(real(path)); folder != filepath.Dir(folder); folder = filepath.Dir(folder) {
		text, err := read(filepath.Join(folder, "package.json"))
		if err != nil {
			return "", err
		}
		var p struct{ Name, Version string }
		if json.Unmarshal(text, &p) == nil && p.Name == x.client.npm {
			return p.Version, nil
		}
	}
	return "", nil
}

// reaches tells whether the version in an answer ("2.1.328 (Claude Code)", "codex-cli 0.169.0") is oldest or newer.
func reaches(answer, oldest string) (atLeast, ok bool) {
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
	usual, variable := filepath.Join(x.Home, x.client.inHome), x.client.variable
	if x.Home == "" || filepath.Clean(x.ConfigDir) == filepath.Clean(usual) {
		return pass(name, x.ConfigDir)
	}
	hooked := func(folder string) bool {
		f := form{filepath.Join(folder, x.client.settings), x.client.comments}
		text, _ := read(f.path)
		found, _ := parse(f, text)
		return len(found) > 0
	}
	here, there := hooked(x.ConfigDir), hooked(usual)
	detail := fmt.Sprintf("%s names %s, not %s", variable, x.ConfigDir, usual)
	switch {
	case there && !here:
		return warn(name, detail+"; only the latter has hooks", x.runInit()+" with "+variable+" set")
	case here && !there:
		return warn(name, detail+"; only the former has hooks", x.runInit()+" without "+variable+", if you start sessions that way too")
	}
	return pass(name, detail)
}
