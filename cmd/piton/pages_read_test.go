package main

import (
	"cmp"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// onPage is a command that a page, or the help of a command, gives its reader to type.
type onPage struct {
	page, line string
	block      bool // of lines that are typed one after the other; else it stands in the text
}

func (c onPage) String() string { return c.page + ": " + c.line }

// readerPages are the pages that readers have, as they are named in the module.
func readerPages(t *testing.T) []string {
	pages := []string{"README.md", "CONTRIBUTING.md", "SECURITY.md", "savers/langgraph/README.md", "internal/demo/README.md"}
	for _, pattern := range []string{"docs/*.md", "examples/*.yaml"} {
		found, err := filepath.Glob("../../" + pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %v", pattern, err)
		}
		for _, page := range found {
			pages = append(pages, strings.TrimPrefix(filepath.ToSlash(page), "../../"))
		}
	}
	return pages
}

var (
	inText      = regexp.MustCompile("`(?:\\$ )?(piton(?: [^`]*)?)`")
	inWorkflow  = regexp.MustCompile(`^\s*- (?:run: )?(piton .*)$`)
	ofExample   = regexp.MustCompile(`^#   (.*)$`)
	fileOfBlock = regexp.MustCompile(`^# ([a-z]+\.yaml)$`)
	// ofShells begin the lines of a block that is typed.
	ofShells = regexp.MustCompile(`^(piton(-temporal)?|curl|npm|npx|node|go|make|sudo|brew|docker|sh|sha256sum|tar|zstd|jq|rm|cd|echo|touch|home=\S+|temporal|claude|gemini)( |$)`)
	aComment = regexp.MustCompile(`\s+#\s.*$| {3,}[a-z].*$`)
)

// commandsOf are the commands of a page in their order, and the files that it shows.
func commandsOf(t *testing.T, page, text string) (commands []onPage, files map[string]string) {
	files = map[string]string{}
	add := func(line string, block bool) {
		line = strings.TrimSpace(aComment.ReplaceAllString(line, ""))
		commands = append(commands, onPage{page, line, block})
	}
	var block []string // lines of 4 spaces, or of a fence
	fence, inFence, paragraph := "", false, ""
	end := func() {
		for _, m := range inText.FindAllStringSubmatch(paragraph, -1) {
			add(strings.Join(strings.Fields(m[1]), " "), false)
		}
		paragraph = ""
		for _, line := range typedLines(t, page, block, fence) {
			add(line, true)
		}
		if len(block) > 0 {
			if m := fileOfBlock.FindStringSubmatch(block[0]); m != nil {
				files[m[1]] = strings.Join(block, "\n") + "\n"
			}
		}
		block = nil
	}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		indented := strings.HasPrefix(line, "    ")
		switch {
		case strings.HasPrefix(line, "```"):
			end()
			fence, inFence = strings.TrimPrefix(line, "```"), !inFence
		case inFence:
			block = append(block, line)
			if m := inWorkflow.FindStringSubmatch(line); m != nil && fence == "yaml" {
				add(m[1], false)
			}
		case indented:
			block, fence = append(block, line[4:]), ""
		case strings.HasSuffix(page, ".yaml"):
			if m := ofExample.FindStringSubmatch(line); m != nil {
				add(m[1], true)
			}
		case line == "" || block != nil:
			end()
			fallthrough
		default:
			paragraph += line + " "
		}
	}
	end()
	return commands, files
}

// typedLines are the lines of a block that are typed, those that go on put together;
// none where it holds something else.
func typedLines(t *testing.T, page string, block []string, fence string) (lines []string) {
	isFile := len(block) > 0 && fileOfBlock.MatchString(block[0])
	prompts := slices.ContainsFunc(block, func(s string) bool { return strings.HasPrefix(s, "$ ") })
	typed := len(block) > 0 && ofShells.MatchString(block[0]) && fence == ""
	goesOn := false
	for _, line := range block {
		said, prompted := strings.CutPrefix(line, "$ ")
		bare := typed && !prompts && !isFile // a block without prompts: each line is typed
		switch {
		case goesOn:
			lines[len(lines)-1] += "\n" + strings.TrimPrefix(said, "> ")
		case prompted, bare && line != "":
			lines = append(lines, said)
		default:
			if strings.HasPrefix(line, "piton ") && !prompts && !isFile {
				t.Errorf("%s: is this typed? the block begins with %q: %s", page, block[0], line)
			}
			continue
		}
		goesOn = strings.HasSuffix(line, `\`) || strings.HasSuffix(line, "|")
	}
	return lines
}

// commandsOfHelp are the examples of each command's help.
func commandsOfHelp(c *cobra.Command) (all []onPage) {
	for line := range strings.SplitSeq(c.Example, "\n") {
		if line = strings.TrimSpace(line); line != "" {
			all = append(all, onPage{c.CommandPath() + " --help", line, false})
		}
	}
	for _, below := range c.Commands() {
		all = append(all, commandsOfHelp(below)...)
	}
	return all
}

var (
	quotedPart = regexp.MustCompile(`'[^']*'|"[^"]*"`)
	leftOut    = regexp.MustCompile(` ?\[[^][]*\](\.\.\.|…)?| ?…|\.\.\.`)
	otherWord  = regexp.MustCompile(`([A-Za-z0-9-]+)(?:\|[A-Za-z0-9-]+)+| \| [A-Z-].*`)
	idOnPage   = regexp.MustCompile(`\b(chk|run|ses|wf|ltr|mrk)_[0-9a-z…]+`)
	aCapital   = regexp.MustCompile(`(^|[ :])([A-Z]{2,})\b`)
)

// meant is a line without its notation: what may be left out is left out, of several
// words the first is taken, and what a reader fills in is filled in.
func (w pageWays) meant(line string) string {
	line = idOnPage.ReplaceAllStringFunc(line, func(id string) string {
		kind, _, _ := strings.Cut(id, "_")
		return "$" + strings.ToUpper(kind)
	})
	quoted := quotedPart.FindAllString(line, -1)
	for i, q := range quoted {
		line = strings.Replace(line, q, fmt.Sprintf("\x00%d\x00", i), 1)
	}
	for leftOut.MatchString(line) {
		line = leftOut.ReplaceAllString(line, "")
	}
	line = otherWord.ReplaceAllString(line, "$1")
	for i, q := range quoted {
		line = strings.Replace(line, fmt.Sprintf("\x00%d\x00", i), q, 1)
	}
	return aCapital.ReplaceAllStringFunc(line, func(word string) string {
		m := aCapital.FindStringSubmatch(word)
		return m[1] + cmp.Or(w.fill[m[2]], m[2])
	})
}

// known notes whose rows are used, and wants each command to be one of Piton's, with flags
// that it has.
func (w pageWays) known(t *testing.T, root *cobra.Command, commands []onPage) {
	for _, c := range commands {
		x := w.of(c)
		x.used = true
		line, _, _ := strings.Cut(quotedPart.ReplaceAllString(w.meant(c.line), "x"), "|")
		words := strings.Fields(line)
		if len(words) < 2 || words[0] != "piton" {
			continue
		}
		if i := slices.Index(words, "--"); i >= 0 {
			words = words[:i]
		}
		command, rest, err := root.Find(words[1:])
		for _, word := range rest {
			name, _, _ := strings.Cut(word, "=")
			if m := aFlag.FindStringSubmatch(name); m != nil && err == nil {
				command.InitDefaultHelpFlag()
				flag := command.Flag(strings.TrimLeft(name, "-"))
				if !strings.HasPrefix(name, "--") {
					flag = command.Flags().ShorthandLookup(name[1:2])
				}
				if flag == nil {
					t.Errorf("%s: %s has no %s", c, command.CommandPath(), name)
				}
			}
		}
		if err != nil {
			t.Errorf("%s: %v", c, err)
		}
	}
}
