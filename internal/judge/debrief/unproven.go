package debrief

import (
	"slices"
	"strings"

	"github.com/piton-project/piton/internal/judge/shell"
	"github.com/piton-project/piton/internal/judge/tools"
)

// OnlyFor are the agent's files, of those that are unproven, that the command is to
// run for; always is a command that runs for any.
func (v Verify) OnlyFor(unproven []string) []string {
	ecosystem := ecosystemOf(v.Run)
	var files []string
	for _, f := range unproven {
		of := tools.EcosystemOf(f)
		if v.Applies([]string{f}) && (ecosystem == "" || of == "" || of == ecosystem) {
			files = append(files, f)
		}
	}
	return files
}

// maxNarrowed is how many folders a line is narrowed to at most.
const maxNarrowed = 20

// plainPath are the characters that no shell reads anything into.
const plainPath = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-"

// Narrowed is the command's line for some folders only ("./a"), where it is one
// command that takes folders in place of all packages (go test ./...); else the
// line as it is.
func (v Verify) Narrowed(folders []string) string {
	found, err := shell.Parse(v.Run)
	if err != nil || len(found) != 1 || found[0].Dir != "" || strings.Join(found[0].Words, " ") != strings.TrimSpace(v.Run) {
		return v.Run
	}
	words := found[0].Words
	all := tools.Of(words[0]).All
	at := slices.Index(words, all)
	odd := func(folder string) bool { return strings.Trim(folder, plainPath) != "" }
	if all == "" || at < 0 || len(folders) == 0 || len(folders) > maxNarrowed || slices.ContainsFunc(folders, odd) {
		return v.Run
	}
	return strings.Join(slices.Concat(words[:at], folders, words[at+1:]), " ")
}
