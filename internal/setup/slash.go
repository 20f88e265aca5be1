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

// authorship is whose a command file is; from edited on, Piton wrote it.
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
func stamp(opening string, text []byte) []byte { return stampWith(slashMark, opening, text) }

func stampWith(mark, opening string, text []byte) []byte {
	rest, ok := bytes.CutPrefix(text, []byte(opening))
	if !ok {
		panic("setup: command without front matter")
	}
	return fmt.Appendf(nil, "%s%s%s\n%s", opening, mark, sumOf(string(text)), rest)
}

func sumOf(text string) string {
	return fmt.Sprintf("%x", sha256.Sum256([]byte(text)))[:32]
}

// authorOf tells whose a text is. Line ends do not count: git may have changed them.
func authorOf(text, ours []byte) authorship { return authorBy(slashMark, text, ours) }

func authorBy(mark string, text, ours []byte) authorship {
	if text == nil {
		return absent
	}
	plain := strings.ReplaceAll(string(text), "\r\n", "\n")
	before, rest, ok := strings.Cut(plain, mark)
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

// writeOwn plans a file that is Piton's as a whole, or says why it is left alone.
func writeOwn(path string, ours []byte, what string) (ch Change, note string, err error) {
	text, err := read(path)
	if err != nil {
		return Change{}, "", err
	}
	switch authorOf(text, ours) {
	case foreign:
		return Change{}, path + " is not Piton's and was left alone: " + strings.TrimPrefix(strings.TrimSuffix(what, " command"), "the ") + " is not installed", nil
	case edited:
		return Change{}, path + " has been edited and was left alone; remove it and run init again for the present one", nil
	case current:
		return Change{}, "", nil
	}
	return Change{Path: path, Before: text, After: ours, What: what}, "", nil
}

// removeOwn plans the removal of such a file, or says why it stays.
func removeOwn(path, what string) (ch Change, note string, err error) {
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
	return Change{Path: path, Before: text, What: what}, "", nil
}

// slashWhat is what the command's file is, for people.
func (c agentClient) slashWhat() string { return "the " + c.Command.Typed + " command" }

// allowWhat is what the file of rules is, for people.
const allowWhat = "the rules for Piton's tools"

// allowText is the file of rules with Piton's mark in it.
func (c agentClient) allowText() []byte { return stamp("", c.Server.AllowText) }

// slashText is the /checkpoint command with Piton's mark in it.
func (c agentClient) slashText() []byte { return stamp(c.Command.Opening, c.Command.Text) }
