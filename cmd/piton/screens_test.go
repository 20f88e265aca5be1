package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/piton-project/piton/internal/testkit/screentest"
)

// A page of docs whose screens are real: a block "console" has commands after "$ ",
// continued after "> ", with what they print; a block "go calc.go" is a file; a comment
// "<!-- $ command -->" is run, and a block "text" after it has what that prints.
// cmdScreens goes through the page from top to bottom, as a person does in a terminal
// who answers a question with Enter, and compares. Times and durations may differ, and
// ids, if one of the page always stands for the same one in truth. With -update it
// writes the page anew.
//
//	screens $DOCS/tour.md
func cmdScreens(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: screens PAGE")
	}
	text, err := os.ReadFile(args[0])
	ts.Check(err)
	p := page{ts: ts, ids: map[string]string{}}
	for line := range strings.SplitSeq(strings.TrimSuffix(string(text), "\n"), "\n") {
		p.line(line)
	}
	switch {
	case p.inside || p.commands == 0:
		ts.Fatalf("%s: %d commands, a screen without an end: %v", args[0], p.commands, p.inside)
	case len(p.wrong) == 0:
	case *screentest.Update:
		ts.Check(os.WriteFile(args[0], []byte(p.out.String()), 0o644))
	default:
		ts.Fatalf("%s is not what is printed (-update writes it anew):\n%s", filepath.Base(args[0]), strings.Join(p.wrong, "\n"))
	}
}

// page is a page on its way through: what is read, and what it should have been.
type page struct {
	ts       *testscript.TestScript
	out      strings.Builder
	inside   bool   // a screen
	file     string // the file that the block is
	text     bool   // it has what a hidden command has printed
	hidden   string // what the last hidden command has printed
	command  string
	want     []string
	wrong    []string
	commands int
	ids      map[string]string // an id of the page is this one in truth
}

var (
	hidden = regexp.MustCompile(`^<!-- \$ (.*) -->$`)
	aFile  = regexp.MustCompile("^```[a-z]+ ([a-z_]+\\.[a-z]+)$")
)

func (p *page) line(s string) {
	switch {
	case p.file != "":
		fmt.Fprintln(&p.out, s)
		if s == "```" {
			p.ts.Check(os.WriteFile(p.ts.MkAbs(p.file), []byte(strings.Join(p.want, "\n")+"\n"), 0o644))
			p.file, p.want = "", nil
			return
		}
		p.want = append(p.want, s)
	case !p.inside:
		fmt.Fprintln(&p.out, s)
		if m := hidden.FindStringSubmatch(s); m != nil {
			p.hidden = p.run(m[1], "sh", "-c")
		}
		if m := aFile.FindStringSubmatch(s); m != nil {
			p.file = m[1]
		}
		p.text = s == "```text" && p.hidden != ""
		p.inside = p.text || s == "```console"
	case s == "```":
		p.screen()
		p.inside, p.text = false, false
		fmt.Fprintln(&p.out, s)
	case strings.HasPrefix(s, "$ "):
		p.screen()
		p.command = s[2:]
		fmt.Fprintln(&p.out, s)
	case strings.HasPrefix(s, "> ") && len(p.want) == 0:
		p.command += "\n" + s[2:]
		fmt.Fprintln(&p.out, s)
	default:
		p.want = append(p.want, s)
	}
}

// screen runs the command that the page has shown, and compares.
func (p *page) screen() {
	got, want := p.hidden, strings.Join(p.want, "\n")
	switch {
	case p.command != "":
		got = p.run(p.command, "tty", "-columns", "120", "-when", "another command]", "-type", "^M", "-when", "[y/N]", "-type", "^M", "-when", "held once", "-type", "^M", "sh", "-c")
	case !p.text:
		return
	}
	p.commands++
	if masked(got) == masked(want) && p.same(want, got) {
		p.learn(want, got)
		got = want
	} else {
		p.wrong = append(p.wrong, "$ "+p.command+"\n-- the page\n"+want+"\n-- printed\n"+got)
		told := anID.ReplaceAllStringFunc(got, func(id string) string { return cmp.Or(p.told(id), id) })
		p.learn(told, got)
		got = told
	}
	if got != "" {
		fmt.Fprintln(&p.out, got)
	}
	p.command, p.want, p.hidden = "", nil, ""
}

// run is what a command leaves to be seen, in the folder and for the person that the
// page tells of.
func (p *page) run(command, shell string, options ...string) string {
	command = startOfID.ReplaceAllStringFunc(command, func(start string) string {
		for id, real := range p.ids {
			if strings.HasPrefix(id, start) {
				return real
			}
		}
		return start
	})
	_ = p.ts.Exec(shell, append(options, "{ "+command+"\n} 2>&1; pwd >\"$WORK/folder\"")...) // a status is part of the story
	text := strings.ReplaceAll(p.ts.ReadFile("stdout")+p.ts.ReadFile("stderr"), p.ts.Getenv("WORK"), "/home/ann")
	p.ts.Check(p.ts.Chdir(strings.TrimSpace(p.ts.ReadFile(p.ts.Getenv("WORK") + "/folder"))))
	text = colours.ReplaceAllString(text, "")
	for drawnOver.MatchString(text) {
		text = drawnOver.ReplaceAllString(text, "")
	}
	text = strings.ReplaceAll(text, "/home/ann/home", "/home/ann")
	if host, err := os.Hostname(); err == nil {
		text = regexp.MustCompile(`\bon `+regexp.QuoteMeta(host)+`\b`).ReplaceAllString(text, "on laptop")
	}
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " ")
	}
	return strings.Join(lines, "\n")
}

var (
	colours   = regexp.MustCompile(`\x1b\[[0-9;]*m`)
	drawnOver = regexp.MustCompile(`[^\n]*\n\x1b\[1A\x1b\[J`) // a line of a terminal that the next takes the place of
	anID      = regexp.MustCompile(`\b(chk|mrk|ses|run|wf)_[0-9a-z]{16}\b`)
	startOfID = regexp.MustCompile(`\b(chk|ses|run|wf)_[0-9a-z]{4,16}\b`)
	varies    = []*regexp.Regexp{
		anID, regexp.MustCompile(`\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b`), regexp.MustCompile(`\b[0-9a-f]{40,64}\b`), regexp.MustCompile(`-[0-9a-f]{16}\.json`),
		regexp.MustCompile(`\b20\d\d-\d\d-\d\d[T ][0-9:.]+Z?( UTC)?`), regexp.MustCompile(`\b\d\d:\d\d(:\d\d)?\b`),
		regexp.MustCompile(`\b[0-9.]+ ?(ms|s|m|min|KB|MB|B|bytes)\b`), regexp.MustCompile(`\bprocess \d+`),
	}
)

// masked is a text without what differs from run to run.
func masked(s string) string {
	for _, r := range varies {
		s = r.ReplaceAllString(s, " # ")
	}
	return strings.Join(strings.Fields(s), " ")
}

// same tells whether each id of the page stands for what it stood for before.
func (p *page) same(page, real string) bool {
	theirs, ours := anID.FindAllString(page, -1), anID.FindAllString(real, -1)
	for i, id := range theirs {
		if cmp.Or(p.told(ours[i]), id) != id || cmp.Or(p.ids[id], ours[i]) != ours[i] {
			return false
		}
	}
	return true
}

// told is what the page calls an id, if it does.
func (p *page) told(real string) string {
	for id, is := range p.ids {
		if is == real {
			return id
		}
	}
	return ""
}

// learn notes which ids the page's ids stand for.
func (p *page) learn(page, real string) {
	theirs, ours := anID.FindAllString(page, -1), anID.FindAllString(real, -1)
	for i := range min(len(theirs), len(ours)) {
		p.ids[theirs[i]] = ours[i]
	}
}
