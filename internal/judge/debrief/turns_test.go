package debrief_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/judge/debrief"
	"github.com/piton-project/piton/internal/judge/tools"
)

// homeOf reads where a file lives: packaged, tests, own:a_test.go, project:web.
func homeOf(words []string) *debrief.Home {
	h := &debrief.Home{Manifest: !slices.Contains(words, "nomanifest")}
	for _, w := range words {
		key, value, _ := strings.Cut(w, ":")
		switch key {
		case "project":
			h.Project = value
		case "own":
			h.Own = strings.Split(value, "+")
		}
	}
	for word, is := range map[string]*bool{"packaged": &h.Packaged, "tests": &h.PackageTests, "tested": &h.Tested, "test": &h.Test, "among": &h.AmongTests, "served": &h.Served} {
		*is = slices.Contains(words, word)
	}
	return h
}

// acts are what a line of a turn does, by its first word.
var acts = map[string]func(s *script, rest string, words []string){
	"bare": func(s *script, _ string, _ []string) { s.in.Tests = nil },
	"test": func(s *script, rest string, words []string) {
		run, dir, _ := strings.Cut(rest, " in ")
		s.in.Tests = append(s.in.Tests, debrief.Test{Run: run, Dir: dir, Ecosystem: map[string]string{"go": "go", "pytest": "python", "vitest": "node", "cargo": "rust"}[words[0]]})
	},
	"declares": func(s *script, rest string, _ []string) { s.declares(rest) },
	"edit":     func(s *script, _ string, words []string) { s.edit(words...) },
	"tool": func(s *script, _ string, words []string) { // another client's edit, of a file that it did not read
		s.call(agent.Call{Kind: agent.CallEdit, Tool: "replace", Paths: []string{root + "/" + words[0]}, Failed: slices.Contains(words, "failed"), Created: slices.Contains(words, "created")})
		if !slices.Contains(words, "failed") {
			s.file(debrief.File{Path: words[0], ModTime: s.now.Add(-5 * time.Second), Created: slices.Contains(words, "created")})
		}
	},
	"read": func(s *script, rest string, _ []string) {
		s.call(agent.Call{Kind: agent.CallRead, Paths: []string{root + "/" + rest}})
	},
	"other": func(s *script, rest string, _ []string) { s.call(agent.Call{Kind: agent.CallOther, Tool: rest}) },
	"file": func(s *script, _ string, words []string) {
		f := debrief.File{Path: words[0], ModTime: s.now.Add(-5 * time.Second)}
		for word, is := range map[string]*bool{"created": &f.Created, "deleted": &f.Deleted, "committed": &f.Committed} {
			*is = slices.Contains(words, word)
		}
		if slices.Contains(words, "old") {
			f.ModTime = begin.Add(-time.Hour)
		}
		s.file(f)
	},
	"home": func(s *script, _ string, words []string) {
		for i := range s.in.Files {
			if s.in.Files[i].Path == words[0] {
				s.in.Files[i].Home = homeOf(words[1:])
			}
		}
	},
	"thin": func(s *script, _ string, words []string) {
		for i := range s.in.Files {
			if s.in.Files[i].Path == words[0] {
				s.in.Files[i].Thin = tools.Thin{Gone: words[1:], Fewer: 1}
			}
		}
	},
	"$": func(s *script, rest string, _ []string) { s.run(rest, "") },
	"wait": func(s *script, _ string, _ []string) { // it goes on while the next call runs
		c := s.last()
		c.Task, c.EndedAt = "t1", c.EndedAt.Add(time.Minute)
	},
	">": func(s *script, rest string, _ []string) {
		s.last().Output += strings.ReplaceAll(rest, `\t`, "\t") + "\n"
	},
	"!": func(s *script, rest string, words []string) {
		c := s.last()
		for word, f := range map[string]func(*agent.Call){
			"failed": failed, "unsure": unsure, "background": background, "interrupted": interrupted, "pending": pending, "exit1": status(1), "exit127": status(127),
			"never": func(c *agent.Call) { c.NeverRan = true }, "cut": func(c *agent.Call) { c.Cut = true },
		} {
			if slices.Contains(words, word) {
				f(c)
			}
		}
	},
	"dir":    func(s *script, rest string, _ []string) { s.last().Dir = rest },
	"person": func(s *script, rest string, _ []string) { s.person(rest) },
	"says":   func(s *script, rest string, _ []string) { s.says(rest) },
	"left": func(s *script, _ string, words []string) { // left a.go red go test ./...
		check := strings.Join(words[2:], " ")
		n := agent.Need{Kind: words[1], Check: check, Ask: check}
		if words[1] != "red" {
			n.Check = ""
		}
		s.left(words[0], n)
	},
	"ran": func(s *script, rest string, words []string) { // ran[:how] line => output
		line, output, _ := strings.Cut(strings.TrimPrefix(rest, words[0]+" "), " => ")
		v := ran(line)
		v.Output = output
		switch words[0] {
		case "fails", "measured", "alike":
			v.OK, v.ExitCode, v.Measured = false, 1, words[0] != "fails"
			v.Before = map[string]string{"alike": agent.BeforeFailed}[words[0]]
		case "absent":
			v.OK, v.ExitCode = false, 127
		}
		s.ran(v)
	},
	"others": func(s *script, _ string, words []string) { s.in.Others = words },
	"known":  func(s *script, _ string, words []string) { s.in.Known = words },
	"same": func(s *script, _ string, words []string) {
		s.in.Same = func(p string) bool { return slices.Contains(words, p) }
	},
	"imported": func(s *script, _ string, words []string) { s.in.Importers = func(string) []string { return words } },
	"plan": func(s *script, _ string, words []string) {
		s.in.Item, s.in.Planned = words[0], words[1:]
	},
	"is": func(s *script, _ string, words []string) {
		for word, is := range map[string]*bool{"noshell": &s.in.NoShell, "checkedafter": &s.in.CheckedAfter, "partial": &s.in.Partial} {
			*is = slices.Contains(words, word)
		}
		s.in.CallsSeen = !slices.Contains(words, "unseen")
	},
	"doubt": func(s *script, rest string, _ []string) {
		run, why, _ := strings.Cut(rest, " => ")
		s.in.Doubts = append(s.in.Doubts, debrief.Doubt{Run: run, Why: strings.TrimPrefix(why, "never "), Never: strings.HasPrefix(why, "never ")})
	},
	"comes": func(s *script, rest string, _ []string) { // what a command comes to
		from, to, _ := strings.Cut(rest, " => ")
		before := s.in.Expand
		s.in.Expand = func(dir string, words []string) ([]debrief.Run, bool) {
			if line := strings.Join(words, " "); line != from {
				if before != nil {
					return before(dir, words)
				}
				return nil, true
			}
			to, plain := strings.CutSuffix(to, " (plain)")
			to, unread := strings.CutSuffix(to, " (unread)")
			return []debrief.Run{{Words: strings.Fields(to), Dir: dir, Scope: tools.NewCall(strings.Fields(to)).Scope().From(dir), Plain: plain}}, !unread
		}
	},
}

func (s *script) last() *agent.Call { return &s.in.Calls[len(s.in.Calls)-1] }

// told is all that a result says but the message, which has the same words.
func told(r debrief.Result) (all []string) {
	for _, f := range r.Files {
		if f.Whose != agent.OwnerAgent {
			all = append(all, string(f.Whose)+" "+f.Path)
		}
	}
	for _, f := range r.Facts {
		text := fmt.Sprintf("%s %s", f.Class, strings.Join(f.Files, " "))
		if len(f.Names) > 0 {
			text += ", failed " + strings.Join(f.Names, " ; ")
		}
		if f.Excused != "" {
			text += ", as " + f.Excused
		}
		all = append(all, text)
	}
	for _, e := range r.Evidence {
		all = append(all, map[bool]string{true: "counts: ", false: "not: "}[e.Counts]+e.Command+" "+e.Why)
	}
	for what, texts := range map[string][]string{"asks: ": r.Actions, "notes: ": r.Observations} {
		for _, text := range texts {
			all = append(all, what+text)
		}
	}
	for _, l := range r.Lines {
		all = append(all, "line: "+l.Text)
	}
	if r.Passed != "" {
		all = append(all, "passed: "+r.Passed)
	}
	slices.Sort(all)
	return all
}

// played is what a turn that is written down comes to.
func played(text string) []string {
	s := turn()
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		word, rest, _ := strings.Cut(line, " ")
		if f := acts[word]; f != nil {
			f(s, rest, strings.Fields(rest))
		}
	}
	asked := func(what string) bool { return strings.HasPrefix(text, what+"\n") || strings.HasPrefix(text, what+" ") }
	var also []string
	switch {
	case asked("reading"):
		r := debrief.Read(root, s.in.Calls, nil)
		seen, all := r.Seen()
		for _, f := range r.Written(nil) {
			also = append(also, fmt.Sprintf("written: %s created %t deleted %t", f.Path, f.Created, f.Deleted))
		}
		return append(also, fmt.Sprint("edits: ", r.Edits()), fmt.Sprint("seen: ", seen, all), fmt.Sprint("outside: ", r.Outside()), fmt.Sprint("commits: ", r.Commits()))
	case asked("awaited"):
		for line := range strings.Lines(text) {
			line = strings.TrimSpace(strings.TrimPrefix(line, "awaited "))
			also = append(also, fmt.Sprintf("%s: %t", line, s.in.Awaited(line)))
		}
		return also
	case asked("settled"):
		var needs []agent.Need
		homes := map[string]*debrief.Home{}
		for _, l := range s.in.Left {
			needs, homes[l.Path] = append(needs, l.Need), l.Home
		}
		for _, n := range debrief.Settled(s.in, needs, homes) {
			also = append(also, "settled: "+strings.Join(n.Files, " "))
		}
		return also
	case asked("joined"):
		r := s.look()
		both := debrief.Join(turn().look(), "web", r)
		return slices.Concat(told(both), []string{both.Message}, told(debrief.Join(r, "web", r)), told(debrief.Unjudged(r, "lib")))
	case asked("needs"):
		for _, f := range s.look().Facts {
			n := f.Need(piton.Time{Time: begin})
			also = append(also, fmt.Sprintf("open %t, asked %t, %s %s: %s; %s; %s", f.Open(), n.Asked, n.Kind, n.Files, n.Check, n.Ask, n.Text))
		}
		return append(also, fmt.Sprint("absent: ", debrief.Absent(s.in.Calls)))
	}
	s.in.Clean = func(text string) string { return strings.ReplaceAll(text, "secret", "***") }
	return told(s.look())
}

// TestTurns compares what turns come to with testdata/turns.txt.
func TestTurns(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/turns.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range strings.Split("\n"+string(text), "\n== ")[1:] {
		name, script, _ := strings.Cut(part, "\n")
		script, after, _ := strings.Cut(script, "\n=> ")
		want := strings.Split(strings.TrimSpace(after), "\n=> ")
		if got := played(script); !slices.Equal(got, want) && !(len(got) == 0 && after == "") {
			t.Errorf("%s:\ngot\n%s\nwant\n%s", name, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}
