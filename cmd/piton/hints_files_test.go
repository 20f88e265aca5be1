package main

import "slices"

// In destroyed an agent has removed a file that was not committed, and has ended its turn.
var destroyed = []string{"person", "agent SessionStart source=startup", "agent ask 'clean up'", "agent shell 'rm s.json'", "agent Stop last_assistant_message=done"}

// In brokenOff an undo of that was interrupted before its file was there.
var brokenOff = slices.Concat(destroyed, []string{"undo --yes", "remove s.json", "marks UPDATE mark SET looked_at = 0 WHERE kind = 'restore'"})

// situationsOfFiles are those of marks of files.
var situationsOfFiles = []situation{
	{name: "a turn has removed what was not committed", before: destroyed[:4], gives: "agent Stop last_assistant_message=done", from: "internal/mark/told.go"},
	{name: "a file that is not kept", before: []string{"person", "exec sh -c 'head -c 22000000 /dev/zero >film'", "agent SessionStart source=startup"}, gives: "agent ask 'cut it'", from: "internal/turn/marks.go", then: destroyed[3:]},
	{name: "what can be undone is listed", before: destroyed, gives: "undo --list", from: "cmd/piton/internal/files/undo.go", with: "N=1"},
	{name: "an undo was interrupted", before: brokenOff, gives: "undo --list", from: "cmd/piton/internal/files/undo.go", with: "N=1"},
	{name: "another undo after an interrupted one", before: brokenOff, gives: "undo --yes", from: "internal/app/marks/undo.go"},
	{name: "no undo was interrupted", before: destroyed, gives: "undo --continue", from: "internal/app/marks/undo.go"},
	{name: "nothing of it can be brought back", before: slices.Concat(destroyed, []string{"write s.json other"}), gives: "undo", from: "internal/app/marks/undo.go"},
	{name: "a named file holds something else", before: slices.Concat(destroyed, []string{"write s.json other"}), gives: "undo s.json", from: "cmd/piton/internal/files/undo.go"},
	{name: "no such command", before: destroyed, gives: "undo --command 9", from: "internal/app/marks/undo.go"},
	{name: "the files were marked", before: []string{"person"}, gives: "mark", from: "cmd/piton/internal/files/undo.go", then: []string{"remove s.json"}},
	{name: "a mark has that name", before: []string{"mark --name m"}, gives: "mark --name m", from: "internal/app/marks/marks.go"},
	{name: "no mark has that name", before: []string{"mark"}, gives: "mark --forget --name m", from: "internal/app/marks/marks.go"},
	{name: "no mark was taken with it", before: []string{"mark", "save --workflow w --state s.json"}, gives: "restore $1", from: "internal/app/marks/marks.go"},
	{name: "no mark was ever taken", gives: "undo", from: "internal/app/marks/marks.go"},
	{name: "no marks are taken", before: []string{"env PITON_RESTORE_MODE=off"}, gives: "undo", from: "internal/app/marks/marks.go"},
	{name: "doctor where no marks are taken", before: []string{"env PITON_RESTORE_MODE=off"}, gives: "doctor", from: "internal/app/marks/upkeep.go"},
	{name: "an agent is at work", before: destroyed[:4], gives: "undo --yes", from: "internal/app/marks/marks.go", with: "DIR=$DIR/files"},
	{name: "a tree that holds Piton's files", before: []string{"person", "env PITON_HOME=$DIR/project/state", "mark --name m", "remove s.json"}, gives: "restore m --yes", from: "internal/mark/restore/here.go", with: "CHK=m"},
	{name: "files of another folder", before: slices.Concat(destroyed, []string{"write $DIR/other/x y", "list --json", "var CHK (chk_[0-9a-z]{16})"}), gives: "restore $CHK --project $DIR/other", from: "internal/app/marks/restore.go", with: "CHK=$CHK"},
	{name: "init says what is kept", gives: "init --agent claude --no-mcp", from: "internal/app/installation/setup.go", then: destroyed[1:]},
}
