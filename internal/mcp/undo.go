package mcp

import (
	"context"
	"fmt"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/marks"
)

// undoAnswer is what an undo would do. A person does it.
type undoAnswer struct {
	marks.Restoration
	notes
}

func (u *undoAnswer) says() string {
	return fmt.Sprintf("An undo would bring back %d files and leave %d as they are. Nothing was done: the user does it with `piton undo` in a terminal.", u.Returns, u.Left)
}

func (u *undoAnswer) text() string {
	var b strings.Builder
	b.WriteString(markText(u.MarkView))
	for _, f := range u.Files[:min(len(u.Files), maxPage)] {
		fmt.Fprintf(&b, "\n%s  %s  %s%s", f.Action, f.Path, f.Lost, strings.TrimSuffix(": "+f.Reason, ": "))
	}
	if u.Partial != "" {
		fmt.Fprintf(&b, "\nFiles may be missing: %s.", u.Partial)
	}
	return b.String()
}

func undo(ctx context.Context, c call, in piton.UndoRequest) (*undoAnswer, error) {
	x, err := c.PreviewUndo(ctx, in)
	return &undoAnswer{Restoration: x}, err
}

// undosAnswer lists what agents' commands took away.
type undosAnswer struct {
	marks.UndoList
	notes
}

func (u *undosAnswer) says() string {
	text := fmt.Sprintf("%d commands of agents have taken away or overwritten what was not committed.", len(u.Undos))
	if len(u.Undos) == 0 {
		text = "No command of an agent has taken away or overwritten anything here that was not committed."
	}
	if u.Interrupted != nil {
		text += " An undo was interrupted: the user ends it with `piton undo --continue` or `piton undo --abort`."
	}
	return text
}

func (u *undosAnswer) text() string {
	var b strings.Builder
	for _, e := range u.Undos {
		fmt.Fprintf(&b, "%d  %s: removed %d, reverted %d, emptied %d, overwrote %d, moved %d; %d can come back\n", e.N, markText(e.MarkView), e.Removed, e.Reverted, e.Emptied, e.Overwritten, e.Moved, e.CanReturn)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func undos(ctx context.Context, c call, in piton.UndosRequest) (*undosAnswer, error) {
	x, err := c.Undos(ctx, in)
	return &undosAnswer{UndoList: x}, err
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
