package main

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/piton-project/piton/internal/testkit/need"
)

// TestPages runs the commands of all pages with a reader's default settings: those of
// blocks by a person who has just installed Piton and types them from the top of the page
// to its end; those in the text, and the examples of the help, each by itself, by a
// person who has used Piton for some days. testdata/pages.txt says what more a command
// needs, or why it is not run here and where else.
func TestPages(t *testing.T) {
	w := readPageWays(t)
	w.screened(t)
	root := rootCommand(newConsole(nil, nil, nil, func(string) string { return "" }))
	inTexts, pages := commandsOfHelp(root), []pageTyped{}
	tally := &tally{n: map[string]int{}}
	for _, page := range readerPages(t) {
		text, err := os.ReadFile("../../" + page)
		if err != nil {
			t.Fatal(err)
		}
		commands, files := commandsOf(t, page, string(text))
		typed := pageTyped{page: page, files: files}
		for _, c := range commands {
			switch {
			case !c.block:
				inTexts = append(inTexts, c)
			case w.shown[page]:
				tally.add("in blocks, compared by screens")
			default:
				typed.commands = append(typed.commands, c)
			}
		}
		pages = append(pages, typed)
	}
	w.known(t, root, inTexts)
	for _, p := range pages {
		w.known(t, root, p.commands)
	}
	for key, x := range w.ways {
		if !x.used {
			t.Errorf("pages.txt has a row for a command that stands on no page: %s", key)
		}
	}
	for _, program := range []string{"git", "sh", "tty", "agent", "sql"} {
		need.Program(t, program)
	}
	switch {
	case asAgent():
		t.Skip("an agent runs this test, and what only a person may do is refused")
	case runtime.GOOS != "linux":
		t.Skip("the helper tty is for Linux")
	}
	t.Run("pages", func(t *testing.T) {
		for _, p := range pages {
			if len(p.commands) > 0 {
				t.Run(p.page, func(t *testing.T) {
					t.Parallel()
					w.block(t, p.commands, p.files, tally)
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
	t.Logf("%v", tally.n)
}

// pageTyped is what is typed of a page's blocks, and the files that it shows.
type pageTyped struct {
	page     string
	commands []onPage
	files    map[string]string
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

// setting is one of Piton's that a script makes; PITON_HOME is none.
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
			tally.add(x.not)
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
			tally.add(x.not)
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
