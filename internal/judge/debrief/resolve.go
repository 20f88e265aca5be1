package debrief

import (
	"path"
	"slices"
	"strings"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/judge/proof"
	"github.com/piton-project/piton/internal/judge/tools"
)

// resolved tells whether a failure has been made good: by a later success of
// the same command or of a broader one, or by a later edit of a file that it
// names or that it complained about, with a success after it.
func (t *turn) resolved(failed *call) bool {
	suspects := failed.suspects()
	concerned := failed.concerned()
	installs, script := failed.installing(), failed.script()
	edited := false
	edits := func(c *call, command int) bool {
		return slices.ContainsFunc(c.edits, func(e edit) bool { return e.command == command && about(concerned, e.path) })
	}
	for _, c := range t.calls[failed.at+1:] {
		if c.Kind != agent.CallShell {
			edited = edited || edits(c, -1)
			continue
		}
		if failed.failed() && c.ok() && c.Dir == failed.Dir && !c.Background && !c.EndedAt.IsZero() && spaced(c.Command) == spaced(failed.Command) {
			return true // the very same line, whatever of it decides
		}
		for _, cmd := range c.commands {
			if t.removesFolderOf(c, cmd, failed) {
				return true
			}
			speaks := edited && cmd.tells() || slices.ContainsFunc(suspects, cmd.makesGood) ||
				cmd.look().tests&installs != 0 && t.near(c, cmd, failed) || script != "" && c.runsScript(cmd) == script || t.entails(c, cmd, failed)
			if c.runsOn() && slices.ContainsFunc(suspects, func(bad *command) bool {
				return cmd.text == bad.text && !bad.unreadable && !bad.look().checks && !bad.builds()
			}) {
				return true
			}
			if speaks && !t.besides(c, cmd, failed) && (c.judge(cmd).counts || !c.ok() && c.isExpected()) {
				return true
			}
			edited = edited || edits(c, cmd.at)
		}
	}
	return false
}

// runsOn tells whether the call was started in the background, and nothing has
// told an end: what serves until somebody ends it.
func (c *call) runsOn() bool { return c.Background && !c.Interrupted && !c.failed() && c.Task != "" }

// removesFolderOf tells whether a command took away the folder in which another call
// failed, and with it what the turn had written there: nothing is left to be made
// good. A folder that builds write is another thing.
func (t *turn) removesFolderOf(c *call, cmd *command, failed *call) bool {
	suspects := failed.suspects()
	if len(suspects) == 0 || cmd.unreadable || !cmd.matches("rm", "git rm") || !c.ok() {
		return false
	}
	return !slices.ContainsFunc(suspects, func(bad *command) bool {
		at, in := t.folder(failed, bad)
		return !in || at == "" || at == "." || !slices.ContainsFunc(cmd.Edits(), func(p string) bool {
			gone, ok := t.relative(c.Dir, p)
			return ok && gone != "." && proof.Inside(at, gone) && t.wroteIn(gone, c.at)
		})
	})
}

// wroteIn tells whether an edit tool has written in a folder before a call.
func (t *turn) wroteIn(folder string, before int) bool {
	return slices.ContainsFunc(t.calls[:before], func(c *call) bool {
		return c.Kind == agent.CallEdit && slices.ContainsFunc(c.edits, func(e edit) bool { return proof.Inside(e.path, folder) })
	})
}

// installing tells for whose tests the call fetches packages and does nothing else,
// as look has them: tests that pass without them show that they are not needed.
func (c *call) installing() (bits uint32) {
	for n, cmd := range c.suspects() {
		own := uint32(0)
		for i, e := range tools.Ecosystems {
			if !cmd.unreadable && cmd.does(tools.Installs) && cmd.matches(tools.Phrases(e.Resolvers)...) {
				own |= 1 << i
			}
		}
		if n == 0 {
			bits = own
		}
		bits &= own
	}
	return bits
}

// near tells whether a command ran in the folder where another call failed, or in
// one above or below it.
func (t *turn) near(c *call, cmd *command, failed *call) bool {
	at, ok := t.folder(c, cmd)
	return ok && !slices.ContainsFunc(failed.suspects(), func(bad *command) bool {
		was, in := t.folder(failed, bad)
		return !in || !proof.Inside(at, was) && !proof.Inside(was, at)
	})
}

// entails tells whether a command is a task of the project that succeeded, and one
// of its commands, all of which are known, makes good what failed: golangci-lint
// on a file by `make lint`.
func (t *turn) entails(c *call, cmd *command, failed *call) bool {
	dir, in := t.folder(c, cmd)
	if t.Expand == nil || cmd.unreadable || cmd.look().tests != 0 || !in || !c.judge(cmd).sure || t.doubtful(c, cmd) != nil {
		return false
	}
	checker := func(bad *command) bool {
		return !bad.unreadable && bad.look().checks && bad.look().tests == 0
	}
	if !slices.ContainsFunc(failed.suspects(), checker) {
		return false
	}
	runs, read := t.Expand(dir, cmd.Argv())
	return read && slices.ContainsFunc(runs, func(r Run) bool {
		return slices.ContainsFunc(failed.suspects(), func(bad *command) bool {
			at, ok := t.folder(failed, bad)
			return ok && checker(bad) && len(r.Words) > 0 && proof.Inside(at, r.Dir) && chosen(r.Words) == chosen(bad.Words) && covers(r.Words, bad.Words)
		})
	})
}

// script is the only script that can have failed the call, as runsScript has it.
func (c *call) script() string {
	if s := c.suspects(); len(s) == 1 {
		return c.runsScript(s[0])
	}
	return ""
}

// runsScript is the file that a command hands to its interpreter, relative to the
// root: seen from another folder it has another name. Empty where it runs none.
func (c *call) runsScript(cmd *command) string {
	if cmd.unreadable || len(cmd.Words) < 2 || tools.Of(cmd.Words[0]).Script == nil || strings.HasPrefix(cmd.Words[1], "-") {
		return ""
	}
	file, ok := c.turn.relative(c.Dir, path.Join(cmd.Dir, cmd.Words[1]))
	if !ok {
		return ""
	}
	return cmd.name() + " " + file
}

// besides tells whether a test run ran elsewhere, and what failed did not: then
// its success says nothing of that.
func (t *turn) besides(c *call, cmd *command, failed *call) bool {
	return t.elsewhere(c, cmd) != "" && cmd.look().tests != 0 &&
		slices.ContainsFunc(failed.suspects(), func(bad *command) bool { return t.elsewhere(failed, bad) == "" })
}

// tells tells whether a success of the command says something of the project.
func (c *command) tells() bool {
	return !c.trivial() && !c.look().looks && !c.look().asks
}

// makesGood tells whether a success of the command takes back the failure of
// another: the same, the same program and subcommand, and for what looks at
// part of a project nothing narrower.
func (c *command) makesGood(bad *command) bool {
	switch {
	case c.text == bad.text:
		return true
	case c.unreadable || bad.unreadable || c.text == "":
		return false
	case c.look().tests&bad.look().tests != 0:
		return covers(c.Words, bad.Words)
	}
	if bad.builds() && c.look().tests != 0 && tools.Of(c.Words[0]) == tools.Of(bad.Words[0]) {
		return covers(c.Words, bad.Words) // tests are built first
	}
	return chosen(c.Words) == chosen(bad.Words) && (!bad.look().checks || covers(c.Words, bad.Words))
}

// chosen is the program with the part of its arguments that says what it does.
func chosen(words []string) string {
	name := path.Base(words[0])
	for _, w := range words[1:] {
		if strings.HasPrefix(w, "-") {
			if w == "-m" || w == "-c" || w == "-e" {
				name += " " + w
				if w == "-m" {
					continue
				}
				return name
			}
			continue
		}
		if tools.Of(path.Base(words[0])).Does&tools.Subject != 0 || strings.HasSuffix(name, " -m") {
			return name + " " + w
		}
		break
	}
	return name
}

// covers tells whether a run looks at all that another one did: it names no
// paths, or wider ones, and picks nothing that the other did not.
func covers(wide, narrow []string) bool {
	if pick := picked(wide); pick != "" && pick != picked(narrow) {
		return false
	}
	have, want := places(wide), places(narrow)
	if len(have) == 0 {
		return true
	}
	for _, place := range want {
		if !slices.ContainsFunc(have, func(h string) bool { return tools.Within(place, h) || strings.HasPrefix(place, h+"/") }) {
			return false
		}
	}
	return len(want) > 0 || slices.ContainsFunc(have, func(h string) bool { return tools.Within("./...", h) })
}

// picked is the choice of tests by name.
func picked(words []string) string {
	if all := tools.Chosen(words, tools.ByName); len(all) > 0 {
		return all[0].Value
	}
	return ""
}

// places are the words that name files or packages.
func places(words []string) []string {
	var all []string
	for i, w := range words {
		if i > 0 && !strings.HasPrefix(w, "-") && (strings.Contains(w, "/") || strings.Contains(w, "::") || tools.EcosystemOf(w) != "" || w == "." || w == "tests" || w == "test" && i > 1) {
			all = append(all, strings.TrimPrefix(w, "./"))
		}
	}
	return all
}

// concerned are the files that a failed call names, in its line or in the
// beginning of its output.
func (c *call) concerned() []string {
	var files []string
	add := func(text string) {
		for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(" \t\r\n\"'`()[]{},;=<>|&", r) }) {
			word, _, _ = strings.Cut(word, ":")
			if word = strings.TrimPrefix(word, "./"); len(word) > 2 && !strings.HasPrefix(word, "-") && strings.Contains(path.Base(word)[1:], ".") {
				files = append(files, word)
			}
		}
	}
	add(c.Command)
	output := c.Output()
	add(tools.Uncoloured(output[:min(len(output), 4*headShown)]))
	return files
}

// about tells whether an edited file is one of those concerned; one may be
// named from elsewhere in the tree.
func about(concerned []string, edited string) bool {
	return slices.ContainsFunc(concerned, func(f string) bool {
		return f == edited || strings.HasSuffix(edited, "/"+f) || strings.HasSuffix(f, "/"+edited)
	})
}
