package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// A page of docs whose screens are real: a block "console" has commands after "$ ",
// continued after "> ", with what they print; a comment "<!-- $ command -->" is run,
// and a block "text" after it has what that prints. cmdScreens runs the page from top to bottom and compares; ids,
// times and durations may differ. With -update it writes the page anew.
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
	case *update:
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
	text     bool   // it has what a hidden command has printed
	hidden   string // what the last hidden command has printed
	command  string
	want     []string
	wrong    []string
	commands int
	ids      map[string]string // an id of the page is this one in truth
}

var hidden = regexp.MustCompile(`^<!-- \$ (.*) -->$`)

func (p *page) line(s string) {
	switch {
	case !p.inside:
		fmt.Fprintln(&p.out, s)
		if m := hidden.FindStringSubmatch(s); m != nil {
			p.hidden = p.run(m[1])
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
		got = p.run(p.command)
	case !p.text:
		return
	}
	p.commands++
	if masked(got) == masked(want) {
		p.learn(want, got)
		got = want
	} else {
		p.wrong = append(p.wrong, "$ "+p.command+"\n-- the page\n"+want+"\n-- printed\n"+got)
		told := anID.ReplaceAllStringFunc(got, p.told)
		p.learn(told, got)
		got = told
	}
	if got != "" {
		fmt.Fprintln(&p.out, got)
	}
	p.command, p.want, p.hidden = "", nil, ""
}

// run is what a command prints in a pipe, stderr with it, in the folder and for the
// person that the page tells of.
func (p *page) run(command string) string {
	command = startOfID.ReplaceAllStringFunc(command, func(start string) string {
		for id, real := range p.ids {
			if strings.HasPrefix(id, start) {
				return real
			}
		}
		return start
	})
	_ = p.ts.Exec("sh", "-c", "{ "+command+"\n} 2>&1") // a status is part of the story
	text := strings.ReplaceAll(p.ts.ReadFile("stdout")+p.ts.ReadFile("stderr"), p.ts.Getenv("WORK"), "/home/ann")
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
	anID      = regexp.MustCompile(`\b(chk|ses|run|wf)_[0-9a-z]{16}\b`)
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

// told is what the page calls an id.
func (p *page) told(real string) string {
	for id, is := range p.ids {
		if is == real {
			return id
		}
	}
	return real
}

// learn notes which ids the page's ids stand for.
func (p *page) learn(page, real string) {
	theirs, ours := anID.FindAllString(page, -1), anID.FindAllString(real, -1)
	for i := range min(len(theirs), len(ours)) {
		p.ids[theirs[i]] = ours[i]
	}
}
