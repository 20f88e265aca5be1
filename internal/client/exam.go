package client

import (
	"context"
	"path/filepath"
)

// Check is what doctor found about one link of the chain between a client and
// Piton.
type Check struct {
	Agent  string `json:"agent,omitempty"` // the client that it is about; absent: it is about all
	Name   string `json:"name"`
	OK     bool   `json:"ok"`
	Warn   bool   `json:"warn,omitempty"` // it works, but needs attention
	Detail string `json:"detail"`
	Hint   string `json:"hint,omitempty"` // what to do; absent: nothing is to be done
	Status string `json:"status"`         // `ok`, `warning` or `failure`
}

// Pass is a check that found nothing wrong.
func Pass(name, detail string) Check { return Check{Name: name, OK: true, Detail: detail} }

// Warn is a check that found something to look at.
func Warn(name, detail, hint string) Check {
	return Check{Name: name, OK: true, Warn: true, Detail: detail, Hint: hint}
}

// Fail is a check that found a broken link.
func Fail(name, detail, hint string) Check { return Check{Name: name, Detail: detail, Hint: hint} }

// The statuses of a check.
const (
	StatusOK      = "ok"
	StatusWarning = "warning"
	StatusFailure = "failure"
)

// Ping is the event by which doctor asks a hook line whether it runs; the hook answers
// with Pong and does nothing else. No client sends it.
const (
	Ping = `{"piton":"ping"}`
	Pong = "piton-hook is here\n"
)

// Exam is what the checks of one client may look at.
type Exam struct {
	Context context.Context

	Name      string         // the client's
	Files     []SettingsFile // lowest precedence first
	Home      string
	ConfigDir string // the client's own folder
	Project   string // "" for none
	// ServerFile is the file of a person's MCP servers.
	ServerFile string

	Getenv   func(string) string
	LookPath func(program string) (string, error)
	// Run runs a program to its end; nil: nothing is run.
	Run func(ctx context.Context, argv []string) (stdout string, err error)
	// Talk speaks with a program by lines; nil: nothing is asked.
	Talk func(ctx context.Context, argv []string, first []byte, hear func(line []byte) (more []byte, done bool)) error
	// Read reads a plain file of a bounded size; nil and no error where there is
	// none.
	Read func(path string) ([]byte, error)
	// Ours reports whether a command line is one of Piton's hooks.
	Ours func(command string) bool
}

// SettingsFile is one settings file that a client reads.
type SettingsFile struct {
	Scope string // "defaults", "user", "project", "local", "managed"
	Path  string
	Hooks []Installed
	// Setting returns the text of a value by the names that lead to it, "" where
	// there is none.
	Setting func(names ...string) string
}

// Installed is a hook of Piton's in a settings file.
type Installed struct{ Name, Command string }

// Setting is the value in force of those that the files give, and which file
// gives it.
func (x *Exam) Setting(names ...string) (value, from string) {
	for _, f := range x.Files { // a later scope overrules
		if v := f.Setting(names...); v != "" {
			value, from = v, f.Path
		}
	}
	return value, from
}

// InitHint says how to install again.
func (x *Exam) InitHint() string { return InitHint(x.Name) }

// InitHint says how to install into a client again.
func InitHint(name string) string { return "run 'piton init --agent " + name + "'" }

// RealPath is a path without links, as far as it exists.
func RealPath(path string) string {
	if p, err := filepath.EvalSymlinks(path); err == nil {
		return p
	}
	return filepath.Clean(path)
}
