package main

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton/internal/cli"
	"github.com/piton-project/piton/internal/screen"
)

// wordList is what the words of the project mean, one a line, below titles;
// docs/words.md is made of it.
//
//go:embed words.txt
var wordList string

// wordMeaning is a word of the project and what it means.
type wordMeaning struct {
	Group   string `json:"group"`
	Word    string `json:"word"`
	Meaning string `json:"meaning"`
}

// words are the words of the list.
func words() (list []wordMeaning) {
	group := ""
	for l := range strings.SplitSeq(wordList, "\n") {
		if title, ok := strings.CutPrefix(l, "# "); ok {
			group = title
		} else if name, meaning, ok := strings.Cut(l, ": "); ok {
			list = append(list, wordMeaning{group, name, meaning})
		}
	}
	return list
}

// wordsTopic is 'piton help words'.
func wordsTopic(con console) *cobra.Command {
	var b strings.Builder
	list := words()
	for i, w := range list {
		if i == 0 || w.Group != list[i-1].Group {
			fmt.Fprintf(&b, "\n%s\n\n", w.Group)
		}
		fmt.Fprintf(&b, "  %-*s%s\n", screen.LabelWidth-2, w.Word, w.Meaning)
	}
	return con.Topic("words", "What the words of Piton mean (a help topic)", strings.TrimPrefix(b.String(), "\n"), map[string]any{"words": list})
}

// exitTopic is 'piton help exit'.
func exitTopic(con console) *cobra.Command {
	var b strings.Builder
	b.WriteString("Exit statuses of piton:\n\n")
	for _, s := range cli.Statuses() {
		fmt.Fprintf(&b, "  %3d  %-12s %s\n", s.Status, s.Code, s.Meaning)
	}
	b.WriteString("\nWith --json a failure is one object on stderr, {\"error\":{\"code\",\"op\",\"message\",\"hint\"}},\nand stdout is empty, but for what prune, verify or purge had done before it stopped,\nand for the events and the result of a run.\npiton-hook always exits 0. 'piton resume --exec' ends as the client does.\n")
	return con.Topic("exit", "Exit statuses (a help topic)", b.String(), map[string]any{"statuses": cli.Statuses()})
}
