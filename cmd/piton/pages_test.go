package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton/internal/testkit/need"
)

// onPage is a command that a page, or the help of a command, gives its reader to type.
type onPage struct {
	page, line string
	block      bool // of lines that are typed one after the other; else it stands in the text
}

func (c onPage) String() string { return c.page + ": " + c.line }

// way is how a command is run that needs more than is there, or why it is not.
// testdata/pages.txt explains the words.
type way struct {
	lines  []string // before it
	as     string
	status int
	shell  []string // that runs it: sh, on a terminal where one is asked for
	says   string   // is in what it prints
	needs  string   // a program that not every machine has
	not    string
	used   atomic.Bool
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
			x.used.Store(true)
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
	return w
}

// expand is a line of a set-up, or those of the one that "setup NAME" names.
func (w pageWays) expand(line string) []string {
	if name, ok := strings.CutPrefix(line, "setup "); ok {
		return w.setups[name]
	}
	return []string{line}
}

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
	case "says":
		x.says = rest
	case "needs":
		x.needs = rest
	case "terminal":
		x.shell = []string{"tty", "-columns", "120", "sh", "-c"}
	case "type":
		if when, keys, _ := strings.Cut(rest, " => "); x.shell[0] == "tty" {
			x.shell = slices.Insert(x.shell, len(x.shell)-2, "-when", when, "-type", keys)
		} else {
			x.shell = []string{"tty", "-columns", "120", "-when", when, "-type", keys, "sh", "-c"}
		}
	case "not":
		x.not = rest
	case "elsewhere":
		file, says, _ := strings.Cut(rest, " ")
		text, err := os.ReadFile(filepath.Join("../..", file))
		if err != nil || !strings.Contains(string(text), says) {
			t.Errorf("pages.txt: %s does not run it: %q is not in it (%v)", file, says, err)
		}
		x.not = file
	default:
		t.Errorf("pages.txt: unknown word %s", verb)
	}
}

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
		switch {
		case goesOn:
			lines[len(lines)-1] += "\n" + strings.TrimPrefix(said, "> ")
		case prompts && prompted, typed && !prompts && line != "" && !isFile:
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

// reader is a home with a project, where a reader types. Nothing in its environment is a
// setting of Piton's.
type reader struct {
	*testing.T
	w         pageWays
	dir, here string // here is the folder that the reader is in
	env       map[string]string
	served    *exec.Cmd
}

func newReader(t *testing.T, w pageWays, setup string) *reader {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	module, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	piton := filepath.Dir(need.Program(t, "piton"))
	h := &reader{T: t, w: w, dir: dir, here: dir + "/project", env: map[string]string{
		"HOME": dir + "/home", "PATH": strings.Join([]string{dir + "/bin", piton, filepath.Join(piton, hookFolder), pathWithoutClients()}, string(os.PathListSeparator)),
		"TERM": "xterm", "PAGER": "cat", "TZ": "UTC", "GOCACHE": goCache(), "GORACE": "atexit_sleep_ms=0",
		"SESSION": "6152e381-4c21-432b-8da3-8b6a5782ebeb", "TRANSCRIPT": dir + "/transcript.jsonl",
		"GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CONFIG_NOSYSTEM": "1", "TMPDIR": dir + "/tmp", "DIR": dir, "MODULE": module,
		"GIT_AUTHOR_NAME": "ada", "GIT_AUTHOR_EMAIL": "ada@example.com", "GIT_COMMITTER_NAME": "ada", "GIT_COMMITTER_EMAIL": "ada@example.com",
	}}
	for _, folder := range []string{"/home", "/bin", "/project", "/tmp"} {
		if err := os.Mkdir(dir+folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(h.leave)
	h.arrange(w.setups[setup])
	return h
}

// leave ends the daemon, and the process that a set-up has left as PID.
func (h *reader) leave() {
	if pid := h.env["PID"]; pid != "" {
		_ = exec.Command("kill", "-9", pid).Run()
		delete(h.env, "PID")
	}
	if h.served != nil {
		_ = h.served.Process.Kill()
		_ = h.served.Wait()
		h.served = nil
	}
}

// arrange runs lines of a set-up: of a shell; NAME=… sets a variable for what follows;
// "? " may fail; "serve" starts the daemon.
func (h *reader) arrange(lines []string) {
	h.Helper()
	for _, line := range lines {
		if line == "serve" {
			h.serve()
			continue
		}
		said, mayFail := strings.CutPrefix(line, "? ")
		status, out := h.types([]string{"sh", "-c"}, said)
		if status != 0 && !mayFail {
			h.Fatalf("%s: status %d\n%s", line, status, out)
		}
	}
}

var assigned = regexp.MustCompile(`^([A-Za-z]+)=`)

// serve starts the daemon and waits for it.
func (h *reader) serve() {
	h.served = h.command(context.Background(), []string{need.Program(h.T, "piton"), "serve"})
	if err := h.served.Start(); err != nil {
		h.Fatal(err)
	}
	for began := time.Now(); time.Since(began) < time.Minute; time.Sleep(10 * time.Millisecond) {
		if _, err := os.Stat(h.dir + "/home/.local/state/piton/piton.sock"); err == nil {
			return
		}
	}
	h.Fatal("piton serve does not listen")
}

func (h *reader) command(ctx context.Context, argv []string) *exec.Cmd {
	x := exec.CommandContext(ctx, need.Program(h.T, argv[0]), argv[1:]...)
	x.Dir, x.WaitDelay, x.Env = h.here, time.Second, []string{}
	for name, value := range h.env {
		x.Env = append(x.Env, name+"="+value)
	}
	return x
}

// types runs a line in a shell and returns its status and all that it said. A variable
// that it sets stays.
func (h *reader) types(shell []string, line string) (int, string) {
	set := assigned.FindStringSubmatch(line)
	if set != nil {
		line += "\nprintf '%s' \"$" + set[1] + "\""
	}
	ctx, cancel := context.WithTimeout(h.Context(), 20*time.Second)
	defer cancel()
	x := h.command(ctx, append(slices.Clone(shell), "trap : INT\n"+line+"\nstatus=$?; pwd >\"$DIR/here\"; exit $status"))
	out, err := x.CombinedOutput()
	if at, err := os.ReadFile(h.dir + "/here"); err == nil {
		h.here = strings.TrimSpace(string(at))
	}
	if x.ProcessState == nil {
		h.Fatal(err)
	}
	if set != nil {
		h.env[set[1]] = string(out)
	}
	return x.ProcessState.ExitCode(), string(out)
}

// try runs a command of a page as its way says.
func (h *reader) try(c onPage, x *way) {
	h.Helper()
	line := cmp.Or(x.as, h.w.meant(c.line))
	if !harmless.MatchString(line) {
		h.Errorf("%s: is no command of Piton's, so pages.txt is to say what runs it", c)
		return
	}
	if x.needs != "" {
		there := false
		h.Run(x.needs, func(t *testing.T) { there = need.Program(t, x.needs) != "" })
		if !there {
			return
		}
	}
	h.arrange(x.lines)
	status, said := h.types(x.shell, line)
	if status != x.status || !strings.Contains(said, x.says) {
		h.Errorf("%s: got status %d, want %d and %q in what it prints\n%s", c, status, x.status, x.says, said)
	}
}

// harmless are the lines that need nothing but this machine.
var harmless = regexp.MustCompile(`^(piton|curl --unix-socket|jq|zstd|rm|cd|echo|touch|home=\S+|PITON_\w+=\S+ piton)( |$)`)

// TestPages runs the commands of all pages with a reader's default settings: those of
// blocks by a person who has just installed Piton and types them from the top of the page
// to its end; those in the text, and the examples of the help, each by itself, by a
// person who has used Piton for some days. testdata/pages.txt says what more a command
// needs, or why it is not run here and where else.
func TestPages(t *testing.T) {
	for _, program := range []string{"git", "sh", "tty", "agent", "sql"} {
		need.Program(t, program)
	}
	switch {
	case asAgent():
		t.Skip("an agent runs this test, and what only a person may do is refused")
	case runtime.GOOS != "linux":
		t.Skip("the helper tty is for Linux")
	}
	w := readPageWays(t)
	w.screened(t)
	inTexts := commandsOfHelp(rootCommand(newConsole(nil, nil, nil, func(string) string { return "" })))
	tally := &tally{n: map[string]int{}}
	t.Run("pages", func(t *testing.T) {
		for _, page := range readerPages(t) {
			text, err := os.ReadFile("../../" + page)
			if err != nil {
				t.Fatal(err)
			}
			commands, files := commandsOf(t, page, string(text))
			var typed []onPage
			for _, c := range commands {
				switch {
				case !c.block:
					inTexts = append(inTexts, c)
				case w.shown[page]:
					tally.add("in blocks, compared by screens")
				default:
					typed = append(typed, c)
				}
			}
			if len(typed) > 0 {
				t.Run(page, func(t *testing.T) {
					t.Parallel()
					w.block(t, typed, files, tally)
				})
			}
		}
		const houses = 4
		for i := range houses {
			t.Run(fmt.Sprintf("texts %d", i+1), func(t *testing.T) {
				t.Parallel()
				w.texts(t, inTexts[i*len(inTexts)/houses:(i+1)*len(inTexts)/houses], tally)
			})
		}
	})
	for key, x := range w.ways {
		if !x.used.Load() {
			t.Errorf("pages.txt has a row for a command that stands on no page: %s", key)
		}
	}
	t.Logf("%v", tally.n)
}

// tally counts.
type tally struct {
	sync.Mutex
	n map[string]int
}

func (t *tally) add(what string) {
	t.Lock()
	defer t.Unlock()
	t.n[what]++
}

// setting is one of Piton's that a script makes.
var setting = regexp.MustCompile(`(?m)^env (PITON_[A-GI-Z]\w+)=.`)

// screened notes the pages whose blocks a script compares with what is printed. What the script
// sets stands on the page.
func (w pageWays) screened(t *testing.T) {
	scripts, err := filepath.Glob("testdata/script/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, script := range scripts {
		text, err := os.ReadFile(script)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?m)^screens \$DOCS/(\w+\.md)$`).FindAllStringSubmatch(string(text), -1) {
			w.shown["docs/"+m[1]] = true
			for _, set := range setting.FindAllStringSubmatch(string(text), -1) {
				if page := docsPage(t, m[1]); !strings.Contains(page, set[1]+":") {
					t.Errorf("%s sets %s, which docs/%s does not say", filepath.Base(script), set[1], m[1])
				}
			}
		}
	}
}

// block types the blocks of a page.
func (w pageWays) block(t *testing.T, commands []onPage, files map[string]string, tally *tally) {
	h := newReader(t, w, "new")
	for file, text := range files {
		if err := os.WriteFile(h.here+"/"+file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range commands {
		x := w.of(c)
		if x.not != "" {
			tally.add("in blocks, not run here")
			continue
		}
		h.try(c, x)
		tally.add("in blocks, run")
	}
}

// texts runs commands each by itself, with all files as they were.
func (w pageWays) texts(t *testing.T, commands []onPage, tally *tally) {
	h := newReader(t, w, "used")
	kept := h.dir + ".kept"
	t.Cleanup(func() { _ = os.RemoveAll(kept) })
	copied := func(from, to string) {
		if out, err := exec.Command("sh", "-c", `rm -rf "$2" && cp -a "$1" "$2"`, "sh", from, to).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	copied(h.dir, kept)
	type run struct {
		line string
		way  *way
	}
	done := map[run]bool{}
	for _, c := range commands {
		x := w.of(c)
		if x.not != "" {
			tally.add("in texts, not run here")
			continue
		}
		if tally.add("in texts, run"); done[run{c.line, x}] {
			continue // in the same reader it does the same
		}
		done[run{c.line, x}] = true
		env := maps.Clone(h.env)
		h.try(c, x)
		h.leave()
		copied(kept, h.dir)
		h.here, h.env = h.dir+"/project", env
		tally.add("in texts, different ones run")
	}
}
