package files

import (
	"fmt"
	"testing"
	"time"

	"github.com/piton-project/piton/internal/app/marks"
	"github.com/piton-project/piton/internal/cli"
	"github.com/piton-project/piton/internal/mark"
	"github.com/piton-project/piton/internal/testkit/screentest"
)

// TestScreens: what a person sees who has lost files, at three widths.
func TestScreens(t *testing.T) {
	ago := screentest.Ago
	checkout := marks.MarkView{ID: "mrk_5h3n7p2q9r4s8t6v", At: ago(2 * time.Minute), Kind: mark.AtCommand, Agent: "claude", SessionID: "ses_9p4q7r2s5t8v1w3x", Tool: "Bash", Command: "git checkout -- . && git clean -fd", Root: "/home/ann/src/billing", Files: 4, Lacks: []marks.Lack{{Path: "film.mp4", Reason: "it is larger than restore.max_file_mb"}}}
	lost := marks.Restoration{MarkView: checkout, DryRun: true, Returns: 2, Left: 2, Files: []marks.Restored{
		{Path: "calc.go", Action: mark.BringBack, Lost: mark.Reverted, Size: 812},
		{Path: "film.mp4", Action: mark.Leave, Lost: mark.Removed, Reason: "its bytes were not kept: it is larger than restore.max_file_mb", Size: 48 << 20},
		{Path: "internal/invoices/parser/old_format.go", Action: mark.BringBack, Lost: mark.Removed, Size: 5300},
		{Path: "plan.md", Action: mark.Leave, Lost: mark.Overwritten, Reason: "it holds something else since", Size: 40},
	}}
	many, one := lost, lost
	many.Files = nil
	for i := range maxAsked + 3 {
		many.Files = append(many.Files, marks.Restored{Path: fmt.Sprintf("f%02d.txt", i), Action: mark.BringBack, Lost: mark.Removed, Size: 5})
	}
	many.Returns, many.Left, many.Whole, many.Partial = len(many.Files), 0, true, "git could not say what is changed"
	one.Files, one.Returns, one.Left = lost.Files[3:], 0, 1
	done := marks.Restoration{MarkView: checkout, Returns: 2, Left: 1, Undo: "mrk_7m2k9x4q0v8r3t5w", Files: lost.Files[:3]}
	undone := marks.Restoration{MarkView: marks.MarkView{ID: "mrk_7m2k9x4q0v8r3t5w", At: ago(time.Minute), Kind: mark.AtRestore}, Returns: 2, Files: []marks.Restored{
		{Path: "calc.go", Action: mark.BringBack, Lost: mark.Overwritten, Size: 790}, {Path: "notes.md", Action: mark.Remove, Lost: mark.Made},
	}}
	list := marks.UndoList{Root: checkout.Root, Interrupted: &undone.MarkView, Undos: []marks.UndoEntry{
		{N: 1, MarkView: undone.MarkView, Overwritten: 1, CanReturn: 2},
		{N: 2, MarkView: checkout, Removed: 2, Reverted: 1, NotKept: 1, CanReturn: 2},
		{N: 3, MarkView: marks.MarkView{At: ago(3 * time.Hour), Kind: mark.AtCommand, Agent: "codex", Tool: "apply_patch", Partial: "git could not say what is changed"}, Overwritten: 1, CanReturn: 1},
	}}
	changed := []marks.MarkedChange{
		{Path: "calc.go", Lost: mark.Reverted, From: 812, To: 790}, {Path: "notes.md", Lost: mark.Made, To: 5300},
		{Path: "old.go", Lost: mark.Removed, From: 1 << 21}, {Path: "sum.go", Lost: mark.Changed, To: 40},
	}
	named := marks.MarkView{ID: "mrk_8q4t6v2w9x3y7z5a", At: ago(time.Hour), Kind: mark.AtRequest, Name: "before-the-merge", Files: 4, Lacks: checkout.Lacks}
	screentest.Compare(t, []screentest.Screen{
		{Name: "undo", Print: func(of *cli.Console) error { return console{of}.printRestoration(lost, maxAsked) }},
		{Name: "undo-many", Print: func(of *cli.Console) error { return console{of}.printRestoration(many, maxAsked) }},
		{Name: "undo-dry-run", Print: func(of *cli.Console) error { return console{of}.shown(lost, true) }},
		{Name: "undo-agent", Print: func(of *cli.Console) error { return console{of}.shown(lost, false) }},
		{Name: "undo-nothing", Print: func(of *cli.Console) error { return console{of}.shown(one, false) }},
		{Name: "undo-done", Print: func(of *cli.Console) error { return console{of}.restored(done, nil) }},
		{Name: "undo-undone", Print: func(of *cli.Console) error { return console{of}.restored(undone, nil) }},
		{Name: "undo-list", Print: func(of *cli.Console) error { return console{of}.printUndos(list) }},
		{Name: "undo-list-none", Print: func(of *cli.Console) error { return console{of}.printUndos(marks.UndoList{}) }},
		{Name: "mark", Print: func(of *cli.Console) error { return console{of}.marked(named) }},
		{Name: "diff-files", Print: func(of *cli.Console) error { return PrintDiff(of, marks.FilesDiff{From: named, Files: changed}) }},
		{Name: "explain-files", Print: func(of *cli.Console) error {
			return PrintWork(of, marks.FilesWork{Commands: []marks.CommandWork{{MarkView: checkout, Changed: changed[:1]}, {MarkView: list.Undos[2].MarkView, Changed: changed[1:]}}})
		}},
	}...)
}
