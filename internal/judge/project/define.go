package project

import (
	"cmp"
	"encoding/json"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/piton-project/piton/internal/judge/tools"
)

// define is what the folder defines for a tool.
func (f *folder) define(tool string) definitions {
	return once(f.known, tool, func() (d definitions) {
		targets := tools.Find(tool).Targets
		if targets == nil {
			return d
		}
		_, text := f.source(targets)
		switch targets.Form {
		case tools.Makefile:
			d = rules(f.included(text))
		case tools.Justfile:
			d = rules(text)
		case tools.Taskfile:
			d = taskfile(text)
		case tools.PackageJSON, tools.ComposerJSON:
			d = scripts(text, targets.Form)
		case tools.Tabled:
			d = f.tabled(targets)
		case tools.Rakefile:
			d = rakeTasks(text)
		case tools.Mixfile:
			d = mixAliases(text)
		case tools.HooksFile:
			d = hooks(text)
		}
		if targets.Folders != "" {
			f.fileTasks(targets.Folders, &d)
		}
		return d
	})
}

// goal is what the tool does when it is told nothing.
func (f *folder) goal(tool string) string {
	d := f.define(tool)
	return cmp.Or(tools.Find(tool).Targets.Goal, d.vars[".DEFAULT_GOAL"], append(d.names, "default")[0])
}

// source is the first of a tool's files that says something.
func (f *folder) source(t *tools.Targets) (name, text string) {
	for name := range strings.FieldsSeq(t.Files) {
		if text := f.read(name); text != "" {
			return name, text
		}
	}
	return "", ""
}

// included adds to a Makefile those that it includes by a plain name.
func (f *folder) included(text string) string {
	included := 0
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) < 2 || words[0] != "include" && words[0] != "-include" {
			continue
		}
		for _, name := range words[1:] {
			if included++; included <= 8 && !strings.ContainsAny(name, "$*") {
				if dir := f.at(path.Dir(name)); dir != nil {
					text += "\n" + dir.read(path.Base(name))
				}
			}
		}
	}
	return text[:min(len(text), maxRead)]
}

// vague reports whether a line of a Makefile may give a target lines that we do
// not see: by a definition, a pattern, or another file. A condition may, too.
func vague(line string) bool {
	word, rest, _ := strings.Cut(line, " ")
	if word == "include" || word == "-include" {
		return strings.ContainsAny(rest, "$*%")
	}
	return tools.Among("define sinclude", word) || strings.Contains(word, "%") || strings.Contains(line, "$(eval") || strings.Contains(line, "$(call")
}

// manifest is what is read of package.json and composer.json.
type manifest struct {
	Name       string
	Scripts    map[string]any
	Workspaces json.RawMessage
	Manager    string `json:"packageManager"`
}

func readManifest(text string) (m manifest) {
	_ = json.Unmarshal([]byte(text), &m) // as much of it as fits
	return m
}

// scripts are those of a manifest. Each of npm's is a command, with others that
// run before and after it by their names. Each of composer's is a command or a
// list of them, and @name is another script.
func scripts(text string, form tools.Form) definitions {
	all := readManifest(text).Scripts
	d := definitions{recipes: map[string]recipe{}, names: slices.Sorted(maps.Keys(all))}
	for name, does := range all {
		lines, ok := does.([]any)
		if !ok {
			lines = []any{does}
		}
		var r recipe
		for _, line := range lines {
			text, _ := line.(string)
			other, at := strings.CutPrefix(text, "@")
			switch {
			case form == tools.PackageJSON || !at:
				r.lines = append(r.lines, text)
			case all[other] != nil:
				r.needs = append(r.needs, other)
			default:
				r.lines = append(r.lines, strings.TrimPrefix(other, "php "))
			}
		}
		for _, beside := range []string{"pre" + name, "post" + name} {
			if form == tools.PackageJSON && all[beside] != nil {
				r.beside = append(r.beside, beside)
			}
		}
		d.recipes[name] = r
	}
	return d
}

// assigned and reference are compiled when they are first needed.
var assigned = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:export\s+|override\s+)?([A-Za-z_.][A-Za-z0-9_]*)\s*([:?+]|::)?=\s*(.*)`)
})

// rules reads a Makefile or a justfile: its targets with their lines, in which
// variables stand for what the file says they are.
func rules(text string) definitions {
	d, vars, asked := definitions{recipes: map[string]recipe{}}, map[string]string{}, conditions{doubt: map[string]bool{}}
	var open []string
	text = strings.ReplaceAll(text, "\\\r\n", " ")
	for line := range strings.Lines(strings.ReplaceAll(text, "\\\n", " ")) {
		body := strings.TrimSpace(line)
		switch {
		case body == "":
		case asked.follow(line):
			d.vague = true
		case line[0] == '\t' || line[0] == ' ':
			d.add(open, recipe{lines: []string{body}, unsure: asked.open > 0})
		case body[0] == '#' || body[0] == '[':
		default:
			d.vague = d.vague || vague(body)
			if m := assigned().FindStringSubmatch(body); m != nil {
				asked.set(m[1], m[2], strings.Trim(m[3], `"'`), vars)
				continue
			}
			open = targets(line)
			d.names = append(d.names, open...)
			_, needs, _ := strings.Cut(body, ":")
			needs, inline, _ := strings.Cut(strings.TrimPrefix(needs, ":"), ";")
			needs, _, _ = strings.Cut(needs, "#")
			if strings.Contains(needs, "=") {
				needs = "" // a variable of the target's own
			}
			r := recipe{params: params(line), unsure: asked.open > 0, needs: strings.Fields(strings.NewReplacer("(", " ", ")", " ", "|", " ", "&&", " ").Replace(filled(needs, true, nil, vars)))}
			if inline = strings.TrimSpace(inline); inline != "" {
				r.lines = []string{inline}
			}
			d.add(open, r)
		}
	}
	d.vars = asked.known(vars)
	d.finish(vars)
	return d
}

// targets are those that a line of a Makefile or justfile defines: `name: …`,
// `@name arg='x': …`; no variables (:=), no recipe lines, no special targets.
func targets(line string) (names []string) {
	if strings.ContainsRune(" \t#.[", rune(line[0])) {
		return nil
	}
	head, rest, ok := strings.Cut(line, ":")
	if !ok || strings.HasPrefix(rest, "=") || strings.HasPrefix(rest, ":=") {
		return nil
	}
	words := strings.Fields(strings.TrimPrefix(head, "@"))
	// A just recipe's parameters look like further targets; they only
	// widen what counts by words that no one runs.
	if len(words) == 0 || len(words) > 1 && (words[1] == "=" || tools.Among("export set alias", words[0])) {
		return nil
	}
	return slices.DeleteFunc(words, func(name string) bool { return strings.ContainsAny(name, "$%=/'\"*+") })
}
