package client

import (
	"cmp"
	"encoding/json"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"time"

	"github.com/piton-project/piton/internal/store/localfs"
)

// Settings says how Piton is installed into a client: where the client's
// settings lie, which hooks Piton needs there, and what "piton doctor" checks.
type Settings struct {
	Title  string // the client's name as people write it
	Oldest string // the first version whose hooks are known to do what Piton needs
	// VersionFromPackage: the version is read from the client's package, because
	// asking the program for it leaves files behind.
	VersionFromPackage bool

	Variable  string // environment variable that names another folder than the one in a user's home
	Within    string // the client's folder in that one; "" where it is that one
	InHome    string // its folder in a user's home
	InProject string // its folder in a project
	File      string // the settings file, in either folder
	LocalFile string // a person's own settings for one project, in the project's folder; "" where there are none
	Comments  bool   // the settings may hold comments

	Command Command
	// StatusLine is the member of the settings that holds the command of the status
	// line; "" where a person can have no command there.
	StatusLine string
	Server     Server
	// Logs are the client's logs of sessions: patterns of paths in its folder, with
	// slashes.
	Logs []string

	Hooks HookTable
	// Ready is what a person must still do after Init; "" for nothing.
	Ready string
	// ReadOnce: the client reads hooks when a session starts, and not again.
	ReadOnce bool
	// System lists the machine's settings files around a person's, lowest
	// precedence first; folder is the client's own when "". nil where there are
	// none.
	System func(folder string) (below, above []string)
	// Running are the checks whether the client runs hooks that are set up. Without Run and
	// Talk they read files only and pass where these do not say it: "piton status" makes
	// them so, "piton doctor" with both, before Checks.
	Running []func(*Exam) Check
	// Checks are the other checks of "piton doctor" for this client only.
	Checks []func(*Exam) Check
}

// Command is the /checkpoint command as a client takes it.
type Command struct {
	File    string // in either folder, with slashes
	Opening string // the line that opens the front matter; "" where there is none
	Text    []byte
	Typed   string // what a person types for it
}

// Hook is one entry that Piton needs in a client's settings. An event has at
// most one.
type Hook struct {
	Event   string
	Matcher string        // which tools, or which causes; "" for all
	Timeout time.Duration // 10 s when 0
	Name    string        // as the client shows it; "" where it shows none
}

// HookTable lists the hooks that Piton acts on.
type HookTable struct {
	Unit    time.Duration // of a timeout in the settings
	Default time.Duration // a hook's timeout where it names none
	Name    string        // all hooks are shown under it; "" where the client shows none

	Always    []Hook
	SomeTools []Hook // before and after tools that can change files: the usual case
	EveryTool []Hook // in their place with the timer "activity"
	Stop      string // the event of a stop; its Timeout is the least it gets
	// Waiting is the event that an agent waits for a person. It is left out where
	// no tool is heard: the end of the wait would not be heard either, and all
	// work behind its beginning would count as waiting.
	Waiting string
}

// Needs says which hooks are needed.
type Needs struct {
	EveryTool bool          // hooks at every tool use (timer: activity)
	NoTools   bool          // and otherwise at none: nothing is saved inside a turn, and no files are marked
	Verify    time.Duration // how long what Piton runs itself at a stop may take
}

// stopRest is what a stop needs beside the commands that Piton runs.
const stopRest = 30 * time.Second

// List is the hooks for these needs, each with its timeout.
func (h HookTable) List(n Needs) []Hook {
	list := slices.Clone(h.Always)
	switch {
	case n.EveryTool:
		list = append(list, h.EveryTool...)
	case !n.NoTools:
		list = append(list, h.SomeTools...)
	default:
		list = slices.DeleteFunc(list, func(x Hook) bool { return x.Event == h.Waiting })
	}
	for i := range list {
		x := &list[i]
		x.Name = h.Name
		x.Timeout = cmp.Or(x.Timeout, 10*time.Second)
		if x.Event == h.Stop && n.Verify > 0 {
			x.Timeout = max(x.Timeout, n.Verify+stopRest)
		}
	}
	return list
}

// The bounds of what Patience believes: a project's file is a stranger's.
const (
	leastPatience = 12 * time.Second
	mostPatience  = time.Hour
)

// Patience is how long the client lets Piton's hook at a stop run, as the first of its
// folders (a person's, then a project's) has it whose settings name the hook; 0 where
// none of them can be read and does.
func (s Settings) Patience(folders ...string) time.Duration {
	for _, folder := range folders {
		if folder == "" {
			continue
		}
		for _, name := range []string{s.File, s.LocalFile} {
			for _, h := range stopHooks(filepath.Join(folder, name), s.Hooks.Stop) {
				if !hookLine().MatchString(h.Command) {
					continue
				}
				units := min(max(h.Timeout, 0), float64(mostPatience/s.Hooks.Unit))
				return max(cmp.Or(time.Duration(units)*s.Hooks.Unit, s.Hooks.Default), leastPatience)
			}
		}
	}
	return 0
}

type hookEntry struct {
	Command string
	Timeout float64
}

// maxSettings bounds a client's settings file, in bytes.
const maxSettings = 8 << 20

// stopHooks are the hooks that a settings file has for an event; none where it cannot
// be read.
func stopHooks(path, event string) (list []hookEntry) {
	var x struct {
		Hooks map[string][]struct{ Hooks []hookEntry }
	}
	text, err := localfs.ReadPlain(path, maxSettings)
	if err != nil || json.Unmarshal(text, &x) != nil {
		return nil
	}
	for _, entry := range x.Hooks[event] {
		list = append(list, entry.Hooks...)
	}
	return list
}

// hookLine is a line that runs Piton's hook.
var hookLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:'[^']*piton-hook'|"[^"]*piton-hook"|\S*piton-hook) \w+`)
})

// Folder is the client's own folder for a user with this environment; "" where it is
// not known.
func (s Settings) Folder(getenv func(string) string) string {
	if folder := getenv(s.Variable); folder != "" {
		if abs, err := filepath.Abs(folder); err == nil {
			folder = abs
		}
		return filepath.Join(folder, s.Within)
	}
	if home := getenv("HOME"); home != "" {
		return filepath.Join(home, s.InHome)
	}
	return ""
}
