package clients

import (
	"path"
	"slices"
	"strings"
)

// Runs returns the name of the client that a process is, by its name and by what it was started
// with: its own program, or one that runs a client's script (node, a shell). ""
// for none.
func Runs(name string, argv []string) string {
	if len(argv) == 0 {
		return program(name)
	}
	if found := program(argv[0]); found != "" {
		return found
	}
	if !interprets(argv[0]) {
		return program(name)
	}
	for _, arg := range argv[1:] {
		if strings.HasPrefix(arg, "-") {
			continue // of a flag with a value the value is not a client's script
		}
		if found := script(arg); found != "" {
			return found
		}
		break
	}
	return program(name)
}

// Serves reports whether a process of a client is the server that many of its
// conversations share (client.Program.Server).
func Serves(argv []string) bool {
	for _, c := range All {
		if sub := c.Program().Server; sub != "" && slices.Contains(argv, sub) {
			return true
		}
	}
	return false
}

// kinds are what may follow a client's name in that of a program of it: a build for a
// system, a part of it, the program with which others embed it. claude-squad is none.
var kinds = []string{"code", "agent", "cli", "exec", "linux", "darwin", "x86_64", "aarch64", "arm64", "x64"}

// program is the client whose program a file is, by its name, or by the folder of its
// versions that it lies in.
func program(file string) string {
	name := strings.ToLower(base(file))
	for _, ending := range []string{".exe", ".js", ".mjs"} {
		name = strings.TrimSuffix(name, ending)
	}
	for _, c := range All {
		own := c.Program().Name
		kind, part := strings.CutPrefix(name, own+"-")
		part = part && slices.ContainsFunc(kinds, func(k string) bool { return strings.HasPrefix(kind, k) })
		if name == own || part || strings.HasSuffix(path.Dir(strings.ReplaceAll(file, `\`, "/")), "/"+own+"/versions") {
			return c.Name()
		}
	}
	return ""
}

// script is the client whose script a file is: by its own name, or by the
// package it lies in.
func script(file string) string {
	if found := program(file); found != "" {
		return found
	}
	parts := strings.Split(strings.ReplaceAll(file, `\`, "/"), "/")
	for i, part := range parts {
		if i == 0 || !strings.HasPrefix(parts[i-1], "@") && parts[i-1] != "node_modules" {
			continue
		}
		for _, c := range All {
			if path.Base(c.Program().Package) == part || program(part) == c.Name() {
				return c.Name()
			}
		}
	}
	return ""
}

func interprets(file string) bool {
	switch strings.TrimSuffix(base(file), ".exe") {
	case "node", "nodejs", "bun", "deno", "sh", "bash", "dash", "zsh", "ksh":
		return true
	}
	return false
}

// base is a path's last part; a login shell has a - before its name.
func base(file string) string {
	return strings.TrimPrefix(path.Base(strings.ReplaceAll(file, `\`, "/")), "-")
}
