package project

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// answer is what is known of a tree, in one line.
func answer(root string, was map[string]*string, question string) string {
	what, rest, _ := strings.Cut(question, " ")
	at, words := AtRoot(root), strings.Fields(rest)
	dir, line, below := strings.Cut(rest, ": ")
	if !below {
		dir, line = "", rest
	}
	var all []string
	commands := func(list []TestCommand) {
		for _, c := range list {
			all = append(all, strings.TrimSpace(c.Dir+" "+c.Run)+"; counts: "+strings.Join(c.Matches, ", "))
		}
	}
	switch what {
	case "commands":
		commands(at.Commands(words...))
	case "declared":
		commands(at.Declared(words...))
	case "importers":
		all = at.Importers(rest)
	case "narrowed":
		all = append(all, at.Narrowed(dir, "go test ./...", strings.Fields(line)))
	case "missing":
		all = append(all, at.Missing(rest, filepath.Join(root, "programs")+string(filepath.ListSeparator)+"programs"))
	case "defines":
		for _, file := range words {
			if Defines(file) {
				all = append(all, file)
			}
		}
	case "expand":
		all = append(all, came(at.Expand(dir, strings.Fields(line))))
	case "takes":
		runs, _ := at.Expand(dir, strings.Fields(line))
		for _, r := range runs {
			for _, p := range r.Scope.Places {
				all = append(all, strings.TrimSpace(map[bool]string{true: "not "}[p.Not]+p.Path))
			}
		}
	case "read":
		r := at.Read(rest)
		if all = append(all, r.Said); r.Tests {
			all = []string{"tests"}
		}
	case "doubts", "since":
		at.Commands(words...)
		doubts := at.Doubts(words...)
		if what == "since" {
			_, doubts = at.Since(Before(root, was), was, words...)
		}
		for _, d := range doubts {
			all = append(all, strings.TrimSpace(d.Dir+" "+d.Run)+" "+d.Why+map[bool]string{true: ", never"}[d.Never])
		}
	}
	return strings.Join(all, " | ")
}

// TestFacts asks each tree of testdata/trees.txt its questions. A file is that of the
// tree as it is now, or with "was " as it was before.
func TestFacts(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/trees.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range strings.Split("\n"+string(text), "\n== ")[1:] {
		name, root, was, questions := treeOf(t, part)
		for _, q := range questions {
			question, want, _ := strings.Cut(q, " => ")
			if got := answer(root, was, question); got != want {
				t.Errorf("%s: %s\n got %s\nwant %s", name, question, got, want)
			}
		}
	}
}

// treeOf are the files of a tree, and what is asked of it.
func treeOf(t *testing.T, part string) (name, root string, was map[string]*string, questions []string) {
	name, _, _ = strings.Cut(part, "\n")
	files, asks, _ := strings.Cut(part, "\n? ")
	now := ""
	was = map[string]*string{}
	for _, file := range strings.Split(files, "\n-- ")[1:] {
		if before, is := strings.CutPrefix(file, "was "); is {
			path, text, _ := strings.Cut(before, "\n")
			if text += "\n"; text == "\n" {
				was[path] = nil
			} else {
				was[path] = &text
			}
			continue
		}
		now += "\n-- " + file
	}
	return name, tree(t, now), was, strings.Split(strings.TrimSpace(asks), "\n? ")
}
