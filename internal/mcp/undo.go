package mcp

import (
	"fmt"
	"strings"

	"github.com/piton-project/piton/internal/app/marks"
)

// undo is what an undo would do. A person does it.
func undo(x marks.Restoration) *reply {
	out := &reply{
		head: fmt.Sprintf("An undo would bring back %d files and leave %d as they are. Nothing was done: the user does it with `piton undo` in a terminal.", x.Returns, x.Left),
		body: markText(x.MarkView), data: x,
	}
	for _, f := range x.Files[:min(len(x.Files), maxPage)] {
		out.line(fmt.Sprintf("%s  %s  %s%s", f.Action, f.Path, f.Lost, strings.TrimSuffix(": "+f.Reason, ": ")))
	}
	if x.Partial != "" {
		out.line("Files may be missing: " + x.Partial + ".")
	}
	return out
}

// undos lists what agents' commands took away.
func undos(x marks.UndoList) *reply {
	out := &reply{head: fmt.Sprintf("%d commands of agents have taken away or overwritten what was not committed.", len(x.Undos)), data: x}
	if len(x.Undos) == 0 {
		out.head = "No command of an agent has taken away or overwritten anything here that was not committed."
	}
	if x.Interrupted != nil {
		out.head += " An undo was interrupted: the user ends it with `piton undo --continue` or `piton undo --abort`."
	}
	for _, e := range x.Undos {
		out.line(fmt.Sprintf("%d  %s: removed %d, reverted %d, emptied %d, overwrote %d, moved %d; %d can come back", e.N, markText(e.MarkView), e.Removed, e.Reverted, e.Emptied, e.Overwritten, e.Moved, e.CanReturn))
	}
	return out
}

// markText says what a mark was taken before, and when.
func markText(v marks.MarkView) string {
	text := v.ID + " " + v.At.String()
	if v.Tool != "" {
		text += " before " + v.Tool
	}
	if v.Command != "" {
		text += " `" + v.Command + "`"
	}
	return text
}
