package project

import (
	"encoding/json"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// recipes are what the folder defines for a task runner, by name.
func (f *folder) recipes(tool string) map[string]recipe {
	if known, ok := f.known[tool]; ok {
		return known
	}
	found := map[string]recipe{}
	switch tool {
	case "make":
		text := f.makefile()
		found = rules(text)
		f.note(tool, vagueMake(text))
	case "just":
		found = rules(f.first(justfiles))
	case "task":
		found = taskRules(f.first(taskfiles))
	case "composer":
		found = f.composerScripts()
	case "npm":
		scripts := f.manifest().Scripts
		for name, text := range scripts {
			r := recipe{lines: []string{text}}
			for _, beside := range []string{"pre" + name, "post" + name} {
				if _, ok := scripts[beside]; ok {
					r.beside = append(r.beside, beside)
				}
			}
			found[name] = r
		}
	}
	if f.known == nil {
		f.known = map[string]map[string]recipe{}
	}
	f.known[tool] = found
	return found
}

func (f *folder) note(tool string, vague bool) {
	if f.vague == nil {
		f.vague = map[string]bool{}
	}
	f.vague[tool] = vague
}

// vagueMake reports whether a Makefile may give a target lines that we do not
// see: by conditions, definitions, patterns, or other files.
func vagueMake(text string) bool {
	for line := range strings.Lines(text) {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch {
		case line[0] == '\t' || line[0] == '#':
		case slices.Contains([]string{"ifeq", "ifneq", "ifdef", "ifndef", "define"}, word), strings.Contains(line, "$(eval"), strings.Contains(line, "$(call"):
			return true
		case word == "include" || word == "-include" || word == "sinclude":
			if strings.ContainsAny(rest, "$*%") || word == "sinclude" {
				return true
			}
		case strings.Contains(word, "%"):
			return true
		}
	}
	return false
}

// first is the text of the first of the files that is there.
func (f *folder) first(names []string) string {
	for _, name := range names {
		if text := f.read(name); text != "" {
			return text
		}
	}
	return ""
}

// makefile is the text of the Makefile with those it includes by a plain name.
func (f *folder) makefile() string {
	text := f.first(makefiles)
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

// manifest is what package.json says of scripts.
func (f *folder) manifest() (m struct {
	Scripts map[string]string `json:"scripts"`
	Manager string            `json:"packageManager"`
}) {
	if json.Unmarshal([]byte(f.read("package.json")), &m) != nil {
		m.Scripts = nil
	}
	return m
}

// composerScripts are those of composer.json: each is a command or a list of
// them, and @name is another script.
func (f *folder) composerScripts() map[string]recipe {
	var m struct {
		Scripts map[string]any `json:"scripts"`
	}
	if json.Unmarshal([]byte(f.read("composer.json")), &m) != nil {
		return nil
	}
	found := map[string]recipe{}
	for name, does := range m.Scripts {
		lines, ok := does.([]any)
		if !ok {
			lines = []any{does}
		}
		var r recipe
		for _, line := range lines {
			text, _ := line.(string)
			if other, ok := strings.CutPrefix(text, "@"); ok && m.Scripts[other] != nil {
				r.needs = append(r.needs, other)
			} else {
				r.lines = append(r.lines, strings.TrimPrefix(strings.TrimPrefix(text, "@php "), "@"))
			}
		}
		found[name] = r
	}
	return found
}

// assigned and reference are compiled when they are first needed.
var assigned = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:export\s+|override\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*(?:[:?+]|::)?=\s*(.*)`)
})

// rules reads a Makefile or a justfile: its targets with their lines, in which
// variables stand for what the file says they are.
func rules(text string) map[string]recipe {
	found, vars := map[string]recipe{}, map[string]string{}
	var open []string
	text = strings.ReplaceAll(text, "\\\r\n", " ")
	for line := range strings.Lines(strings.ReplaceAll(text, "\\\n", " ")) {
		body := strings.TrimSpace(line)
		switch {
		case body == "":
		case line[0] == '\t' || line[0] == ' ':
			for _, name := range open {
				r := found[name]
				r.lines = append(r.lines, body)
				found[name] = r
			}
		case body[0] == '#' || body[0] == '[':
		default:
			if m := assigned().FindStringSubmatch(body); m != nil {
				vars[m[1]] = strings.Trim(m[2], `"'`)
				continue
			}
			open = targets(line)
			_, needs, _ := strings.Cut(body, ":")
			needs, inline, _ := strings.Cut(strings.TrimPrefix(needs, ":"), ";")
			needs, _, _ = strings.Cut(needs, "#")
			if strings.Contains(needs, "=") {
				needs = "" // a variable of the target's own
			}
			for _, name := range open {
				r := found[name]
				r.needs = append(r.needs, strings.Fields(strings.NewReplacer("(", " ", ")", " ", "|", " ", "&&", " ").Replace(expanded(needs, vars)))...)
				if inline = strings.TrimSpace(inline); inline != "" {
					r.lines = append(r.lines, inline)
				}
				found[name] = r
			}
		}
	}
	for name, r := range found {
		r.lines = commands(r.lines, vars)
		found[name] = r
	}
	return found
}

// commands are a recipe's lines as the shell gets them; one script where the
// first line names a shell.
func commands(lines []string, vars map[string]string) []string {
	if len(lines) > 0 && strings.HasPrefix(lines[0], "#!") {
		if !shellScript("", lines[0]) {
			return nil
		}
		return []string{expanded(strings.Join(lines, "\n"), vars)}
	}
	var out []string
	for _, line := range lines {
		bare := strings.TrimLeft(line, "@+- ")
		if strings.Contains(line[:len(line)-len(bare)], "-") {
			bare += " || true" // its failure is forgiven
		}
		out = append(out, expanded(bare, vars))
	}
	return out
}

var reference = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\$\(([A-Za-z0-9_]+)\)|\$\{([A-Za-z0-9_]+)\}|\{\{\s*\.?([A-Za-z0-9_]+)\s*\}\}`)
})

// expanded puts values in the place of variables. One that nobody set is taken
// for the program it is named after: $(GO) is go, $(MAKE) is make.
func expanded(text string, vars map[string]string) string {
	for range 3 {
		if !strings.Contains(text, "$") && !strings.Contains(text, "{{") || len(text) > maxRead {
			break
		}
		text = reference().ReplaceAllStringFunc(text, func(ref string) string {
			name := strings.Trim(ref, "${}(). ")
			if value, ok := vars[name]; ok {
				return value
			}
			return strings.ToLower(name)
		})
	}
	return strings.ReplaceAll(text, "$$", "$")
}

// taskRules reads the tasks of a Taskfile, as far as its lines say what they
// are.
func taskRules(text string) map[string]recipe {
	found := map[string]recipe{}
	inside, indent, name, section := false, "", "", ""
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \r\n")
		body := strings.TrimLeft(line, " ")
		lead := line[:len(line)-len(body)]
		key, value, isKey := strings.Cut(body, ":")
		value = strings.TrimSpace(value)
		switch {
		case body == "" || body[0] == '#':
		case lead == "":
			inside, indent, name = strings.HasPrefix(body, "tasks:"), "", ""
		case !inside:
		case indent == "" || lead == indent:
			indent, section = lead, "cmds"
			if name = ""; isKey {
				name = strings.Trim(key, `"'`)
				found[name] = recipe{lines: flow(value)}
			}
		case name == "":
		case isKey && !strings.ContainsAny(key, " -"):
			r := found[name]
			switch section = key; {
			case key == "deps":
				r.needs = append(r.needs, flow(value)...)
			case key == "cmds" || key == "cmd":
				r.lines = append(r.lines, flow(value)...)
			case key == "task":
				r.needs = append(r.needs, value)
			}
			found[name] = r
		default:
			item := strings.TrimSpace(strings.TrimPrefix(body, "- "))
			r := found[name]
			if task, ok := strings.CutPrefix(item, "task:"); ok {
				r.needs = append(r.needs, strings.TrimSpace(task))
			} else if section == "deps" {
				r.needs = append(r.needs, strings.Trim(item, `"'`))
			} else if section == "cmds" || section == "cmd" {
				r.lines = append(r.lines, flow(strings.TrimSpace(strings.TrimPrefix(item, "cmd:")))...)
			}
			found[name] = r
		}
	}
	for name, r := range found {
		r.lines = commands(r.lines, nil)
		found[name] = r
	}
	return found
}

// flow are the values of a YAML scalar or of [a, b].
func flow(value string) []string {
	if value == "" || value == "|" || value == ">" || value == "|-" || value == ">-" {
		return nil
	}
	list := []string{value}
	if inner, ok := strings.CutPrefix(value, "["); ok {
		list = strings.Split(strings.TrimSuffix(inner, "]"), ",")
	}
	for i, v := range list {
		list[i] = strings.Trim(strings.TrimSpace(v), `"'`)
	}
	return list
}
