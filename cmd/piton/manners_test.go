package main

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"mvdan.cc/sh/v3/shell"
)

// TestDocsManners: each command of docs/manners.md is one, with options that it has.
func TestDocsManners(t *testing.T) {
	text, err := os.ReadFile("../../docs/manners.md")
	if err != nil {
		t.Fatal(err)
	}
	rows, commands := 0, 0
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(line, " | ")
		if len(cells) != 3 || strings.HasPrefix(line, "| what") {
			continue
		}
		rows++
		for _, m := range regexp.MustCompile("`(piton [^`]*)`").FindAllStringSubmatch(cells[2], -1) {
			words, err := shell.Fields(m[1], nil)
			if err != nil {
				t.Fatal(err)
			}
			words = slices.DeleteFunc(words, func(w string) bool { return w == "help" || w == "--help" })
			root := rootCommand(newConsole(nil, nil, nil, func(string) string { return "" }))
			c, rest, err := root.Find(words[1:])
			if err != nil || c == root {
				t.Errorf("%s is not a command: %v", m[1], err)
				continue
			}
			if err := c.ParseFlags(rest); err != nil {
				t.Errorf("%s: %v", m[1], err)
			} else if err := onlyKnown(c, c.Flags().Args()); err != nil {
				t.Errorf("%s: %v", m[1], err)
			}
			commands++
		}
	}
	if rows < 40 || commands < 40 {
		t.Errorf("read %d rows with %d commands, want at least 40 of each", rows, commands)
	}
}

// onlyKnown reports what is left over for a command that holds others.
func onlyKnown(c *cobra.Command, args []string) error {
	if !c.HasSubCommands() || len(args) == 0 {
		return nil
	}
	return c.Args(c, args)
}
