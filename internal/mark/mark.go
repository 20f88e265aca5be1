// Package mark says what a mark of a work tree is: what lay in its dirty and untracked files at a
// moment, so that what is destroyed afterwards can be brought back. It is pure; package keep takes
// and keeps marks, package restore writes files.
package mark

import (
	"slices"
	"strings"
	"time"
)

// Prefix of the ids of marks.
const Prefix = "mrk_"

// Kind is the occasion of a mark.
type Kind string

// The occasions on which marks are taken (docs/spec.md, "Marks of files").
const (
	AtPrompt  Kind = "prompt"  // a person's message opens a turn
	AtCommand Kind = "command" // a tool that can change files is about to run
	AtStop    Kind = "stop"    // an agent ends its turn
	AtRestore Kind = "restore" // Piton is about to write files
	AtRequest Kind = "request" // a person asked for it
)

// Mark is what was in a work tree at a moment, as far as git does not keep it: all that is not as in
// HEAD, and what a command names. What is not in its JSON has columns of its own where it is kept.
type Mark struct {
	ID   string
	Root string    `json:"-"` // of the work tree, or the folder without git
	At   time.Time `json:"-"`
	Kind Kind
	Origin
	Head    string `json:",omitempty"` // commit id; "" without git, or before the first commit
	Branch  string `json:",omitempty"`
	Partial string `json:",omitempty"` // why files may be missing from Files altogether; "" where all are there
	Whole   bool   `json:"-"`          // it has all that was dirty, not only what a tool names
	Files   []File `json:"-"`          // by path, each once
	// LookedAt is when the command's end was seen; zero: it was not. Left is what it left of each
	// file of Files that it changed. Of a restore that was interrupted it is what was to be left.
	LookedAt   time.Time       `json:"-"`
	Left       map[string]Left `json:"-"`
	Name       string          `json:"-"` // a person's; a mark that has one is not pruned
	Checkpoint string          `json:"-"` // the checkpoint that was saved with it
	Took       time.Duration
}

// Origin is on whose behalf a mark was taken. All but Client are for people; secrets are taken out.
type Origin struct {
	Agent, Client string // the client's name, and its id of the conversation
	Subagent      string // the subagent's id
	Tool, Call    string // what was about to run: the tool's name, and the client's id of the call
	Line          string // the command line of a shell tool
	Turn          int    // its number in the session: of AtPrompt that of the turn that it opens; 0 where it is not known
	Undoes        string // of AtRestore: the mark whose files are written
}

// Seen is what was at a path. It is comparable: equal means the same bytes and the same mode.
type Seen struct {
	Missing bool   `json:"missing,omitempty"`
	Mode    uint32 `json:"mode,omitempty"` // fs.FileMode: its type and permissions
	Size    int64  `json:"size,omitempty"`
	Sum     string `json:"sum,omitempty"` // sha256 in hex; of a symbolic link, of its target; "" where it was not read
}

// Left is what a command left at a path.
type Left struct {
	Seen
	AsInHead bool `json:"as_in_head,omitempty"`
	// Shared: another session's command, or another agent's, ran at that time and left the same.
	Shared bool `json:"shared,omitempty"`
	// Unseen: the command's end was not seen, so that this is not known. Only in what Fold makes.
	Unseen bool `json:"-"`
}

// File is one path of a mark.
type File struct {
	Path string // relative to the root, with slashes; bytes, which need not be UTF-8
	Code string // git's two letters; "" for what only a command names
	Seen
	ModNano, CtimeNano int64 // Unix ns
	Inode              uint64
	Folder             uint32 // what its folder and those above up to the root all permit; 0 where it is not known
	InHead             string // git's id of the file in HEAD; "" where it is not there
	Lacks              string // why the bytes are not kept; "" where they are
	Inner              bool   `json:",omitempty"` // git does not list it, and a command names a folder that it lies in
}

// Compare sorts files by path.
func (f File) Compare(other File) int { return strings.Compare(f.Path, other.Path) }

// Kept tells whether there is something to bring back.
func (f File) Kept() bool { return f.Lacks == "" && !f.Missing }

// Tracked tells whether HEAD had the path, and the file was not as there.
func (f File) Tracked() bool { return strings.Trim(f.Code, "?") != "" && f.Code[0] != 'A' }

// Find gives the file of a path.
func (m Mark) Find(path string) (File, bool) {
	i, found := slices.BinarySearchFunc(m.Files, path, func(f File, p string) int { return strings.Compare(f.Path, p) })
	if !found {
		return File{}, false
	}
	return m.Files[i], true
}

// Has tells whether a path is among the files.
func (m Mark) Has(path string) bool {
	_, found := m.Find(path)
	return found
}

// Lacking are the files whose bytes are not kept.
func (m Mark) Lacking() (all []File) {
	for _, f := range m.Files {
		if f.Lacks != "" {
			all = append(all, f)
		}
	}
	return all
}

// Why a file's bytes are not kept.
const (
	LacksTime    = "there was no time to read it"
	LacksRoom    = "the mark was full"
	LacksFolder  = "a folder that git lists as a whole: a repository of its own, or too many files"
	LacksModule  = "a submodule, which is a repository of its own"
	LacksKind    = "neither a file nor a symbolic link"
	LacksTorn    = "it changed while it was read"
	LacksSecret  = "it may hold a secret (restore.secrets: omit)"
	LacksRead    = "it could not be read"
	LacksDamaged = "its copy is damaged or was removed"
)
