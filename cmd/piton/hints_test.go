package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/piton-project/piton/internal/testkit/need"
)

// situation is one in which a command gives hints.
type situation struct {
	name   string
	before []string // lines that lead there; each succeeds
	gives  string   // the line whose hints are followed
	from   string   // the files whose hints these are
	then   []string // lines between the hint and what it names, as time would bring them
	steps  bool     // the commands are to be run one after the other
	second []string // lines that a person runs where the first of two hints says so
	with   string   // what a person puts in the place of words in capitals, as WORD=value, and "COMMAND += more"
	ends   int      // with what a run ends that does as its plan says
}

var situations = slices.Concat(situationsOfPeople, situationsOfRuns, situationsOfStores, situationsOfAgents, situationsOfDoors, situationsOfFiles)

// filled are what a person puts in the place of the words in capitals.
var filled = map[string]string{
	"CMD": "'make check'", "ID": "$1", "NAME": "fresh", "PLAN": "plan.yaml", "RUN": "$RUN", "CHECKPOINT": "$1", "KEY": "debrief.min_turn", "VALUE": "1m", "STEP": "a", "WORDS": "again", "FILE": "turn.json", "STORE": "file:$DIR/other", "DIR": "all", "file:DIR": "file:$DIR/all",
}

// asked are what a person adds to a command, or to any of a verb, that ends with the question for it.
var asked = map[string]string{
	"undo": "--yes", "restore": "--yes",
	"piton save": "--state s.json", "piton delete": "$1", "piton export": "--all --output all.zst", "piton import": "all.zst",
	"piton config set debrief.min_turn 1m":           "--scope project", // a test may run inside an agent
	"piton uninstall --scope project":                "--yes",
	"piton uninstall --agent claude --scope project": "--yes",
	"piton uninstall --agent claude --scope user":    "--yes",
}

// persons are commands that only a person can finish, and why.
var persons = map[string]string{
	"piton trust":                       "a person looks at the file and answers at a terminal",
	"piton config edit":                 "it opens an editor on a terminal",
	"piton config edit --scope project": "it opens an editor on a terminal",
	"piton init":                        "no client is installed here, and it names those that it knows",
}

// findings are commands whose status says what they have found.
var findings = map[string]int{"doctor": 6, "verify": 5, "repair": 5}

func verbOf(command string) string { return strings.Fields(command + " -")[1] }

// arrive leads to a situation and returns the commands that its hints name.
func (x situation) arrive(t *testing.T) (*spot, []string) {
	p := newSpot(t)
	for _, line := range x.before {
		line, fails := strings.CutPrefix(line, "! ")
		if status, said := p.run(line); (status != 0) != fails {
			t.Fatalf("%s: status %d\n%s", line, status, said)
		}
	}
	_, said := p.run(x.gives)
	said = strings.Join(strings.Fields(said), " ")
	p.said = said
	commands := namedIn(said)
	for _, line := range x.then {
		if status, said := p.run(line); status != 0 {
			t.Fatalf("%s: status %d\n%s", line, status, said)
		}
	}
	p.said = said
	return p, commands
}

// namedIn are the commands that a text names.
func namedIn(said string) (commands []string) {
	for _, m := range commandIn.FindAllStringSubmatch(said, -1) {
		if !slices.Contains(commands, m[1]) {
			commands = append(commands, m[1])
		}
	}
	return commands
}

// typed is a command as a person types it.
func (x situation) typed(p *spot, command string) string {
	words := strings.Fields(command)
	own := map[string]string{}
	for _, pair := range strings.Fields(x.with) {
		name, value, _ := strings.Cut(pair, "=")
		own[name] = value
	}
	for i, w := range words {
		if value, ok := own[w]; ok {
			words[i] = value
		} else if value, ok := filled[w]; ok {
			words[i] = value
		}
	}
	return p.fill(strings.Join(words, " "))
}

// problem is the error in what a command has said; "" where there is none.
func problem(said string) string {
	m := anError.FindStringSubmatch(strings.ReplaceAll(strings.Join(strings.Fields(said), " "), "piton: warning:", "warning:"))
	if m == nil {
		return ""
	}
	text, _, _ := strings.Cut(m[1], " hint: ")
	return text
}

// anError is where an error begins: with the program, or with the command as it was typed.
var anError = regexp.MustCompile(`(?:^| )(piton(?: [a-z]+){0,2}: .*)`)

// follow runs a command that a hint names. It brings its user further where it
// succeeds; where it says what it has found; where a run goes as its plan says; or
// where it fails with another error than those seen on the way here, whose own hint
// says what is missing, and one command of that hint brings further in its turn.
func (x situation) follow(p *spot, command string, seen []string) error {
	line := x.typed(p, command)
	status, said := p.enter(line)
	if status == 0 || status == x.ends && problem(said) == "" || status == findings[verbOf(command)] && !strings.HasPrefix(said, "piton") {
		return nil
	}
	is := problem(said)
	_, hint, hinted := strings.Cut(said, "hint: ")
	trouble := func(what string) error { return fmt.Errorf("%s: status %d, %s\n%s", line, status, what, said) }
	switch {
	case is != "" && slices.Contains(seen, is):
		return trouble("which leads back")
	case !hinted:
		return trouble("and nothing says what to do")
	case persons[command] != "":
		return nil
	case len(seen) > 3:
		return trouble("and there is no end")
	}
	if more := cmp.Or(asked[line], asked[verbOf(command)]); more != "" {
		if status, said = p.enter(p.fill(line + " " + more)); status != 0 {
			return trouble("and with " + more + ":\n" + said)
		}
		return nil
	}
	for _, line := range x.second {
		p.run(line)
	}
	err := trouble("and its hint names no command")
	for _, next := range namedIn(hint) {
		if err = x.follow(p, next, append(seen, is)); err == nil {
			return nil
		}
	}
	return err
}

// enter runs a command line of piton's, in a process of its own where that becomes
// another program.
func (p *spot) enter(line string) (int, string) {
	rest := strings.TrimPrefix(line, "piton ")
	switch {
	case rest == "serve" || strings.HasPrefix(rest, "serve --listen"):
		p.run("start " + rest)
		p.run("await $DIR/state/piton.sock")
		p.kill()
		return 0, ""
	case strings.HasSuffix(rest, " --exec"):
		return p.run("exec " + line)
	}
	return p.piton(wordsOf(rest))
}

// TestHintsWork follows each hint of each situation: the commands that it names are
// run there, and they bring their user further (follow). A command that the code names
// and that cannot be run where it is named stands in testdata/hints_not_run.txt, below
// the reason.
func TestHintsWork(t *testing.T) {
	need.Program(t, "git")
	need.Program(t, "sh")
	hookProgram = filepath.Join(builtHook(t), "piton-hook")
	all := hintedCommands(t, "../..")
	covered := map[hinted]bool{}
	followed := 0
	for _, x := range situations {
		t.Run(x.name, func(t *testing.T) {
			p, commands := x.arrive(t)
			if len(commands) == 0 && x.from != "" {
				t.Fatalf("'%s' gives no hint:\n%s", x.gives, p.said)
			}
			for i, command := range commands {
				for _, h := range all {
					if slices.Contains(strings.Fields(x.from), h.file) && fits(h.command, command) {
						covered[h] = true
					}
				}
				t.Run(command, func(t *testing.T) {
					p, again := p, commands
					if i > 0 && !x.steps {
						p, again = x.arrive(t)
					}
					if len(again) != len(commands) {
						t.Fatalf("the hints differ: %q, %q", commands, again)
					}
					given := p.said
					if err := x.follow(p, again[i], []string{problem(given)}); err != nil {
						t.Errorf("%v\nthe hint was given by '%s':\n%s", err, x.gives, given)
					}
				})
				followed++
			}
		})
	}
	var missing []string
	for _, h := range all {
		if !covered[h] {
			missing = append(missing, h.String())
		}
	}
	t.Logf("%d situations, %d hints followed; of %d commands that the code names %d are run where they are named", len(situations), followed, len(all), len(covered))
	if runtime.GOOS == "linux" && !asAgent() { // else not all were followed
		compareHints(t, missing)
	}
}

// fits reports whether a command is one that a text of the code names.
func fits(template, command string) bool {
	parts := strings.Split(template, "…")
	for i := range parts {
		parts[i] = regexp.QuoteMeta(parts[i])
	}
	return regexp.MustCompile("^" + strings.Join(parts, ".*") + "$").MatchString(command)
}

// TestHintsCanBeTyped: each command that a text of the code names exists, with its
// flags.
func TestHintsCanBeTyped(t *testing.T) {
	for _, h := range hintedCommands(t, "../..") {
		words := strings.Fields(strings.ReplaceAll(h.command, "…", "x"))[1:]
		root := rootCommand(newConsole(nil, nil, nil, os.Getenv))
		root.InitDefaultHelpCmd()
		c, rest, err := root.Find(words)
		if err == nil && c == root {
			err = os.ErrNotExist
		}
		if err == nil {
			err = c.ParseFlags(rest)
		}
		if err == nil {
			if e := c.ValidateArgs(c.Flags().Args()); e != nil && (strings.Contains(e.Error(), "unexpected argument") || strings.Contains(e.Error(), "unknown command")) {
				err = e
			}
		}
		if err != nil && !errors.Is(err, pflag.ErrHelp) {
			t.Errorf("%s: %v", h, err)
		}
	}
}
