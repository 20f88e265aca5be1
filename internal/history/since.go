package history

import "github.com/piton-project/piton/internal/states"

// What a session did after a checkpoint, and its parts (package states).
type (
	Since        = states.Since
	FileNow      = states.FileNow
	CommandSince = states.CommandSince
)

// How a file of the work is now (package states).
const (
	FileModified  = states.FileModified
	FileAdded     = states.FileAdded
	FileDeleted   = states.FileDeleted
	FileCommitted = states.FileCommitted
	FileUnchanged = states.FileUnchanged
	FileMissing   = states.FileMissing
)

// QuotedTask is the task of the brief that a prompt holds (states.QuotedTask).
func QuotedTask(prompt string) (task string, ok bool) { return states.QuotedTask(prompt) }

// Heading begins a brief.
const Heading = states.Heading

// Quoted tells which checkpoint a prompt is the brief of (states.Quoted).
func Quoted(prompt string) (id, task string, ok bool) { return states.Quoted(prompt) }
