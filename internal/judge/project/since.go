package project

import (
	"path"
	"reflect"
	"slices"
	"strings"

	"github.com/piton-project/piton/internal/judge/shell"
	"github.com/piton-project/piton/internal/judge/tools"
)

// Defines reports whether a file may say how tests are run: a Makefile, a
// manifest, a script.
func Defines(file string) bool {
	is := func(name string) bool { return strings.HasSuffix("/"+file, "/"+name) }
	holds := func(folder string) bool { return strings.Contains("/"+file, "/"+folder+"/") }
	if slices.ContainsFunc(strings.Fields(tools.DefinitionFiles()+" "+tools.ConfigFiles), is) {
		return true
	}
	for _, tool := range tools.TargetRunners() {
		if slices.ContainsFunc(strings.Fields(tools.Find(tool).Targets.Folders), holds) {
			return true
		}
	}
	return strings.HasSuffix(file, ".mk") || strings.HasSuffix(file, ".sh") || tools.Among(testScripts, file)
}

// Since holds the definitions as they read now against those before the files
// of was changed. It returns the commands of both, and what the change makes
// doubtful: a target that ran tests and is not seen to any more, or runs fewer.
func (t *Tests) Since(before *Tests, was map[string]*string, changed ...string) ([]TestCommand, []Doubt) {
	found := t.Commands(changed...)
	for _, c := range before.Commands(changed...) {
		if !slices.ContainsFunc(found, func(x TestCommand) bool { return x.Run == c.Run && x.Dir == c.Dir }) {
			found = append(found, TestCommand{Run: c.Run, Ecosystem: c.Ecosystem, Dir: c.Dir}) // what counts beside it is read as of now
		}
	}
	doubts := t.Doubts(changed...)
	add := func(more []Doubt) {
		for _, d := range more {
			if !slices.ContainsFunc(doubts, func(x Doubt) bool { return x.Run == d.Run && x.Dir == d.Dir && (x.Never || !d.Never) }) {
				doubts = append(doubts, d)
			}
		}
	}
	now, then := t.folders(changed), before.folders(changed)
	for i := range min(len(now), len(then)) {
		for _, tool := range tools.TargetRunners() {
			add(t.weakened(before, now[i], then[i], tool))
		}
	}
	for _, file := range sorted(was) {
		add(t.weakenedScript(before, file))
		add(t.switchedOff(file))
	}
	return found, doubts
}

// weakened compares the targets of a folder.
func (t *Tests) weakened(before *Tests, now, then *folder, tool string) (all []Doubt) {
	was, is := then.define(tool).recipes, now.define(tool).recipes
	for _, name := range sorted(is) {
		ran, runs := before.runners(then, tool, name, maxHops), t.runners(now, tool, name, maxHops)
		same := reflect.DeepEqual(was[name], is[name]) && slices.EqualFunc(ran, runs, func(a, b shell.Command) bool { return slices.Equal(a.Words, b.Words) })
		if same || len(ran) == 0 && !named(name) {
			continue
		}
		why, never := weaker(ran, runs)
		all = append(all, now.doubts(tool, name, why, never)...)
	}
	return all
}

// weaker tells why what runs now may show less than what ran before.
func weaker(ran, runs []shell.Command) (why string, never bool) {
	for _, b := range ran {
		of := b.Spellings()
		same := slices.DeleteFunc(slices.Clone(runs), func(n shell.Command) bool { return !of.MatchBoth(n.Spellings(), shell.Doing(tools.Runner)) })
		switch {
		case len(same) == 0:
			return "was changed in this turn, and does not run what it ran before", false
		case !slices.ContainsFunc(same, func(n shell.Command) bool { return !narrower(n.Words, b.Words) }):
			return "runs fewer tests than before this turn changed it", true
		}
	}
	if len(runs) == 0 {
		return "was changed in this turn", false
	}
	return "", false
}

// weakenedScript compares a shell script.
func (t *Tests) weakenedScript(before *Tests, file string) []Doubt {
	dir, base := path.Split(file)
	now, then := t.top.at(dir), before.top.at(dir)
	if now == nil || then == nil || !shellScript(base, now.read(base)) && !shellScript(base, then.read(base)) {
		return nil
	}
	ran, runs := before.textRunners(before.top, then.read(base), maxHops), t.textRunners(t.top, now.read(base), maxHops)
	why, never := weaker(ran, runs)
	if why == "" || len(ran) == 0 && !named(strings.TrimSuffix(base, ".sh")) {
		return nil
	}
	return []Doubt{{Run: base, Why: why + " (" + file + ")", Never: never}}
}

// switchedOff reads the settings of runners, where this turn changed them.
func (t *Tests) switchedOff(file string) (all []Doubt) {
	dir, base := path.Split(file)
	at := t.top.at(dir)
	if at == nil {
		return nil
	}
	dir = strings.TrimSuffix(dir, "/")
	for config := range strings.FieldsSeq(tools.ConfigFiles) {
		if home, ok := strings.CutSuffix("/"+file, "/"+config); ok {
			dir = strings.TrimPrefix(home, "/")
		}
	}
	makefile := tools.Among(tools.Find("make").Targets.Files, base) || strings.HasSuffix(base, ".mk")
	for line := range strings.Lines(at.read(base)) {
		if makefile {
			if why, never := makeSetting(line); why != "" {
				return []Doubt{{Run: "make", Dir: dir, Why: why + " (" + file + "), which this turn changed", Never: never}}
			}
			continue
		}
		key, value, _ := strings.Cut(line, "=")
		key, value = strings.TrimSpace(key), strings.Trim(strings.TrimSpace(value), `"'[]`)
		for _, s := range tools.Settings {
			if s.Key != key || s.File != "" && s.File != base || !switchesOff(s, value) {
				continue
			}
			for _, r := range tools.Phrases(s.Runs) {
				all = append(all, Doubt{Run: r, Dir: dir, Why: "is kept from running tests by " + file + ", which this turn changed", Never: true})
			}
			return all
		}
	}
	return nil
}

// switchesOff tells whether a setting's value keeps its tool from running tests.
func switchesOff(s tools.Setting, value string) bool {
	if !s.Dry {
		return tools.Among("true echo", path.Base(value))
	}
	separators := func(r rune) bool { return strings.ContainsRune(" ,\"'", r) }
	return slices.ContainsFunc(strings.FieldsFunc(value, separators), func(w string) bool {
		return shell.Command{Words: []string{tools.Phrases(s.Runs)[0], w}}.DryRun()
	})
}

// makeSetting tells why a line of a Makefile speaks against all its targets: a
// variable by which they run nothing, or .IGNORE.
func makeSetting(line string) (why string, never bool) {
	if strings.HasPrefix(line, "\t") {
		return "", false
	}
	if rest, ok := strings.CutPrefix(line, ".IGNORE"); ok && strings.HasPrefix(strings.TrimSpace(rest), ":") {
		return "succeeds whatever its commands do, by .IGNORE", false
	}
	m := assigned().FindStringSubmatch(strings.TrimSpace(line))
	if m == nil {
		return "", false
	}
	name, set := m[1], m[1]+"="+m[3]
	dry := (shell.Command{Words: []string{"make", set}}).DryRun()
	if strings.HasPrefix(line, "export") {
		for _, run := range tools.Patterns(tools.Exported) {
			dry = dry || shell.Command{Words: strings.Fields(run), Env: []string{set}}.DryRun()
		}
	}
	if dry {
		return "is kept from running tests by " + name, true
	}
	return "", false
}

// narrower tells whether a run takes less than another: it picks tests by name
// where that did not, or names fewer places.
func narrower(now, before []string) bool {
	if picks := tools.Chosen(now, tools.ByLeaving); picks != nil && !slices.Equal(picks, tools.Chosen(before, tools.ByLeaving)) {
		return true
	}
	have, had := places(now), places(before)
	if len(have) == 0 {
		return false
	}
	return len(had) == 0 || slices.ContainsFunc(had, func(b string) bool {
		return !slices.ContainsFunc(have, func(n string) bool { return tools.Within(b, n) })
	})
}

// places are the paths and packages that a run names; go test alone means its
// own folder.
func places(words []string) (all []string) {
	for i, w := range words {
		path := w == "." || strings.Contains(w, "/") || strings.Contains(w, "::")
		if i > 0 && path && !strings.HasPrefix(w, "-") {
			all = append(all, strings.TrimSuffix(w, "/"))
		}
	}
	if len(all) == 0 && len(words) > 1 && tools.Name(words[0]) == "go" {
		return []string{"."}
	}
	return all
}
