package clients

import (
	"path"
	"slices"
	"strings"
)

// programs are the clients' own programs.
var programs = []string{"claude", "gemini", "codex"}

// packages are the folders that the clients lie in where a package manager has
// installed them, with the program each holds.
var packages = map[string]string{"claude-code": "claude", "gemini-cli": "gemini", "codex": "codex"}

// Runs tells which client a process is, by its name and by what it was started
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
			continue // of a flag with a value the value is no client's script
		}
		if found := script(arg); found != "" {
			return found
		}
		break
	}
	return program(name)
}

func program(file string) string {
	name := strings.TrimSuffix(strings.ToLower(base(file)), ".exe")
	if slices.Contains(programs, name) {
		return name
	}
	return ""
}

// script tells whose script a file is: by its own name, or by the package it
// lies in.
func script(file string) string {
	if found := program(strings.TrimSuffix(strings.TrimSuffix(file, ".js"), ".mjs")); found != "" {
		return found
	}
	parts := strings.Split(strings.ReplaceAll(file, `\`, "/"), "/")
	for i, part := range parts {
		if found := packages[part]; found != "" && i > 0 && (strings.HasPrefix(parts[i-1], "@") || parts[i-1] == "node_modules") {
			return found
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
