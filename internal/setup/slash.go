package setup

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"strings"
)

// slashMark begins the line by which we know a command file as ours. The sum is over the other lines: it tells an older one of
// ours from an edited one, without a list of all older texts.
const slashMark = "# piton:checkpoint v1 sha256:"

// authorship is whose a command file is.
type authorship int

const (
	absent  authorship = iota
	foreign            // not ours
	edited             // ours, changed by somebody
	older              // ours, of another version
	current
)

// stamp puts the mark behind the line that opens a command (a front matter's, "" for none), where it is a comment and no part of
// the prompt.
func stamp(opening string, text []byte) []byte {
	rest, ok := bytes.CutPrefix(text, []byte(opening))
	if !ok {
		panic("setup: command without front matter")
	}
	return fmt.Appendf(nil, "%s%s%s\n%s", opening, slashMark, sumOf(string(text)), rest)
}

func sumOf(text string) string {
	return fmt.Sprintf("%x", sha256.Sum256([]byte(text)))[:32]
}

// authorOf tells whose a text is. Line ends do not count: git may have changed them.
func authorOf(text, ours []byte) authorship {
	if text == nil {
		return absent
	}
	plain := strings.ReplaceAll(string(text), "\r\n", "\n")
	before, rest, ok := strings.Cut(plain, slashMark)
	sum, after, whole := strings.Cut(rest, "\n")
	switch {
	case !ok:
		return foreign
	case !whole || sumOf(before+after) != sum:
		return edited
	case plain == string(ours):
		return current
	}
	return older
}

// writeSlash plans the command file, or says why it is left alone.
func (c agentClient) writeSlash(path string) (ch Change, note string, err error) {
	text, err := read(path)
	if err != nil {
		return Change{}, "", err
	}
	ours := c.slashText()
	switch authorOf(text, ours) {
	case foreign:
		return Change{}, path + " is not Piton's and was left alone: " + c.Command.Typed + " is not installed", nil
	case edited:
		return Change{}, path + " has been edited and was left alone; remove it and run init again for the present one", nil
	case current:
		return Change{}, "", nil
	}
	return Change{Path: path, Before: text, After: ours, What: "the " + c.Command.Typed + " command"}, "", nil
}

// removeSlash plans the removal of a command file of ours, or says why it stays.
func (c agentClient) removeSlash(path string) (ch Change, note string, err error) {
	text, err := read(path)
	if err != nil {
		return Change{}, "", err
	}
	switch authorOf(text, nil) {
	case absent, foreign:
		return Change{}, "", nil
	case edited:
		return Change{}, path + " has been edited and was left alone; remove it yourself", nil
	}
	return Change{Path: path, Before: text, What: "the " + c.Command.Typed + " command"}, "", nil
}

// slashText is the /checkpoint command with Piton's mark in it.
func (c agentClient) slashText() []byte { return stamp(c.Command.Opening, c.Command.Text) }
