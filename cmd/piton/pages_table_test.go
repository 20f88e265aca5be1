package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// way is how a command is run that needs more than is there, or why it is not.
// testdata/pages.txt explains the words.
type way struct {
	lines  []string // before it
	as     string
	status int
	shell  []string // that runs it: sh, on a terminal where one is asked for
	says   string   // is in what it prints
	needs  string   // a program that not every machine has
	after  []string // what is true of the machine when it has run
	not    string
	used   bool
}

// pageWays are testdata/pages.txt.
type pageWays struct {
	setups map[string][]string
	ways   map[string]*way
	fill   map[string]string // what a reader writes in the place of a word
	shown  map[string]bool   // the pages whose screens a script compares
}

// plainWay is that of a command that needs nothing more.
var plainWay = &way{shell: []string{"sh", "-c"}}

// of is the way of a command, by its first line: that of its page, else that of every page.
func (w pageWays) of(c onPage) *way {
	first, _, _ := strings.Cut(c.line, "\n")
	for _, key := range []string{c.page + ": " + first, first} {
		if x := w.ways[key]; x != nil {
			return x
		}
	}
	return plainWay
}

// readPageWays reads the table, whose format is explained at its beginning.
func readPageWays(t *testing.T) pageWays {
	text, err := os.ReadFile("testdata/pages.txt")
	if err != nil {
		t.Fatal(err)
	}
	w := pageWays{map[string][]string{}, map[string]*way{}, map[string]string{}, map[string]bool{}}
	var x *way
	setup, heads := "", true
	for line := range strings.Lines(string(text)) {
		said, within := strings.CutPrefix(strings.TrimRight(line, "\n"), "\t")
		verb, rest, _ := strings.Cut(said, " ")
		switch {
		case strings.TrimSpace(said) == "" || strings.HasPrefix(said, "#"):
		case !within && verb == "setup":
			setup, heads = rest, true
			w.setups[setup] = []string{}
		case !within && verb == "fill":
			word, value, _ := strings.Cut(rest, " ")
			w.fill[word] = value
		case !within:
			if heads { // the first of those that share a way
				x, setup, heads = &way{shell: []string{"sh", "-c"}}, "", false
			}
			own := x
			if w.ways[said] != nil {
				t.Errorf("pages.txt has two rows for %s", said)
			}
			w.ways[said] = own
		case setup != "":
			w.setups[setup] = append(w.setups[setup], w.expand(said)...)
		default:
			heads = true
			x.add(t, w, verb, rest)
		}
	}
	w.checkFlags(t)
	return w
}

// expand is a line of a set-up, or those of the one that "setup NAME" names.
func (w pageWays) expand(line string) []string {
	if name, ok := strings.CutPrefix(line, "setup "); ok {
		return w.setups[name]
	}
	return []string{line}
}

var saidBy = regexp.MustCompile(`, as docs/(\w+\.md) says$`)

// add takes a line below a row.
func (x *way) add(t *testing.T, w pageWays, verb, rest string) {
	var err error
	number, why, _ := strings.Cut(rest, " ")
	switch verb {
	case "setup":
		if w.setups[rest] == nil {
			t.Errorf("pages.txt: no setup %s stands above", rest)
		}
		x.lines = append(x.lines, w.setups[rest]...)
	case "before":
		x.lines = append(x.lines, rest)
	case "as":
		x.as = rest
	case "status":
		if x.status, err = strconv.Atoi(number); err != nil || why == "" {
			t.Errorf("pages.txt: status %s: got %v, want a number and the reason", rest, err)
		}
		page := saidBy.FindStringSubmatch(why)
		if page == nil {
			t.Errorf("pages.txt: status %s: want the page that says so", rest)
		} else if text := docsPage(t, page[1]); !regexp.MustCompile(`(?m)status ` + number + `\b|^\| ` + number + ` \|`).MatchString(text) {
			t.Errorf("docs/%s does not say the status %s", page[1], number)
		}
	case "says":
		x.says = rest
	case "needs":
		x.needs = rest
	case "after":
		x.after = append(x.after, rest)
	case "terminal":
		x.shell = []string{"tty", "-columns", "120", "sh", "-c"}
	case "type":
		if when, keys, _ := strings.Cut(rest, " => "); x.shell[0] == "tty" {
			x.shell = slices.Insert(x.shell, len(x.shell)-2, "-when", when, "-type", keys)
		} else {
			x.shell = []string{"tty", "-columns", "120", "-when", when, "-type", keys, "sh", "-c"}
		}
	case "not":
		x.not = "nothing: " + rest
	case "elsewhere":
		x.not = "elsewhere: " + runElsewhere(t, rest)
	default:
		t.Errorf("pages.txt: unknown word %s", verb)
	}
}

// runElsewhere is the file of "FILE TEXT", in which a line has to begin with the text, or of
// "FILE TEST TEXT" where it is one of Go's, in which the test and the text have to be.
func runElsewhere(t *testing.T, said string) (file string) {
	file, says, _ := strings.Cut(said, " ")
	text, err := os.ReadFile(filepath.Join("../..", file))
	test, begin := "", "\n"
	if strings.HasSuffix(file, ".go") {
		test, says, _ = strings.Cut(says, " ")
		test, begin = "func "+test+"(t *testing.T) {\n", ""
	}
	if err != nil || !strings.Contains(string(text), test) || !strings.Contains(string(text), begin+says) {
		t.Errorf("%s does not run it: %q or %q is not in it (%v)", file, test, says, err)
	}
	return file
}

var aFlag = regexp.MustCompile(`(?:^| )(--?[a-z][a-z-]*)`)

// checkFlags wants in what is typed for a row each flag that the row has.
func (w pageWays) checkFlags(t *testing.T) {
	for key, x := range w.ways {
		for _, m := range aFlag.FindAllStringSubmatch(w.meant(key), -1) {
			if x.as != "" && !strings.Contains(x.as+" ", m[1]+" ") {
				t.Errorf("pages.txt: %s is typed without %s: %s", key, m[1], x.as)
			}
		}
	}
}
