package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"mvdan.cc/sh/v3/shell"
)

// TestDocsManners: the page has at least the 40 manners that it promises.
func TestDocsManners(t *testing.T) {
	text, err := os.ReadFile("../../docs/manners.md")
	if err != nil {
		t.Fatal(err)
	}
	if rows := strings.Count(string(text), "\n| ") - 1; rows < 40 {
		t.Errorf("got %d rows, want at least 40", rows)
	}
}

// aCommand is a command of Piton on a page: in quotes of code, or a line of a block.
var aCommand = regexp.MustCompile("`(piton [^`]*)`|(?m)^(?:    |\\$ |    \\$ )(piton [^#\n]*)")

// TestDocsCommandsAreKnown: each command on each page is one, with options that it has.
func TestDocsCommandsAreKnown(t *testing.T) {
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	commands := 0
	for _, page := range append(pages, "../../README.md") {
		if filepath.Base(page) == "commands.md" || filepath.Base(page) == "performance.md" {
			continue // made of the commands themselves, and commands of other days
		}
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range aCommand.FindAllStringSubmatch(string(text), -1) {
			line := strings.TrimSpace(m[1] + m[2])
			if why := unknownTo(line); why != "" {
				t.Errorf("%s: %s: %s", filepath.Base(page), line, why)
			}
			commands++
		}
	}
	if commands < 500 {
		t.Errorf("read %d commands, want at least 500", commands)
	}
}

// toFill is what is wrong with an option whose value a reader fills in.
var toFill = regexp.MustCompile(`flag needs an argument|invalid argument "[A-Z]+"`)

// unknownTo says why a line is not a command of Piton; "" where it is one, or where only a
// reader can fill it in.
func unknownTo(line string) string {
	if i := strings.IndexAny(line, "|<>;&…[{("); i >= 0 {
		line = line[:i]
	}
	words, err := shell.Fields(line, func(string) string { return "x" })
	if err != nil || len(words) < 2 || line == "piton mine" { // an alias
		return "" // cut within a quote
	}
	words = slices.DeleteFunc(words, func(w string) bool { return w == "help" || w == "--help" })
	root := rootCommand(newConsole(nil, nil, nil, func(string) string { return "" }))
	c, rest, err := root.Find(words[1:])
	if err != nil || c == root && len(rest) > 0 && !strings.HasPrefix(rest[0], "-") {
		return "there is no such command"
	}
	if err := c.ParseFlags(rest); err != nil && !toFill.MatchString(err.Error()) {
		return err.Error()
	}
	if err := onlyKnown(c, c.Flags().Args()); err != nil {
		return err.Error()
	}
	return ""
}

// onlyKnown reports what is left over for a command that holds others.
func onlyKnown(c *cobra.Command, args []string) error {
	if !c.HasSubCommands() || len(args) == 0 {
		return nil
	}
	return c.Args(c, args)
}
