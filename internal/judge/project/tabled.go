package project

import (
	"cmp"
	"encoding/json"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/piton-project/piton/internal/judge/tools"
)

// tabled are the tasks that a tool's files of settings hold in a table: those of
// mise, poe, pdm, hatch, pixi, cargo-make, devbox and deno.
func (f *folder) tabled(t *tools.Targets) definitions {
	d := definitions{recipes: map[string]recipe{}}
	for name := range strings.FieldsSeq(t.Files) {
		text := f.read(name)
		if text == "" || !strings.Contains(text, t.Mentions) {
			continue
		}
		var all map[string]any
		ok := true
		if strings.Contains(name, ".json") {
			ok = json.Unmarshal([]byte(withoutComments(text)), &all) == nil
		} else {
			all, ok = readTOML(text)
		}
		d.vague = d.vague || !ok
		for at := range strings.SplitSeq(t.Tables, "|") {
			for _, table := range tablesAt(all, strings.Split(at, ".")) {
				d.addTasks(table, t.Lists)
			}
		}
	}
	return d
}

// tablesAt are the tables at a place, in which * stands for any name.
func tablesAt(table map[string]any, at []string) (all []map[string]any) {
	if len(at) == 0 {
		return []map[string]any{table}
	}
	for _, name := range sorted(table) {
		if inner, ok := table[name].(map[string]any); ok && (at[0] == "*" || at[0] == name) {
			all = append(all, tablesAt(inner, at[1:])...)
		}
	}
	return all
}

// taskfile reads the tasks of a Taskfile.
func taskfile(text string) definitions {
	d := definitions{recipes: map[string]recipe{}}
	var file struct{ Tasks yaml.Node }
	var tasks map[string]any
	if !readYAML(text, &file) || file.Tasks.Decode(&tasks) != nil {
		return d
	}
	for i := 0; i < len(file.Tasks.Content); i += 2 { // in their order
		name := file.Tasks.Content[i].Value
		if table, is := tasks[name].(map[string]any); is {
			delete(table, "run") // when to run it, not what
		}
		d.addTask(name, tasks[name], "commands", func(string) bool { return false })
	}
	d.finish(nil)
	return d
}

// withoutComments turns JSON with comments into JSON.
func withoutComments(text string) string {
	if json.Valid([]byte(text)) {
		return text
	}
	for _, noise := range []*regexp.Regexp{jsonComment(), jsonComma()} {
		text = noise.ReplaceAllString(text, "$1$2")
	}
	return text
}

// A string stays as it is, and of the comma before a bracket the bracket.
var (
	jsonComment = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(jsonString + `|//[^\n]*|/\*(?s:.*?)\*/`) })
	jsonComma   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(jsonString + `|,\s*([}\]])`) })
)

const jsonString = `("(?:\\.|[^"\\])*")`

// addTasks adds the tasks of a table.
func (d *definitions) addTasks(table map[string]any, lists string) {
	for _, name := range sorted(table) {
		if !strings.HasPrefix(name, "_") { // else what holds for all of them
			d.addTask(name, table[name], lists, func(name string) bool { return table[name] != nil })
		}
	}
}

func (d *definitions) addTask(name string, does any, lists string, known func(name string) bool) {
	r, aliases := readTask(does, lists, known)
	for _, name := range append(aliases, name) {
		d.set(name, r)
	}
}

// Keys under which the tables of tasks say what one does. What is under code is
// no shell's text; nobody knows what it does.
const (
	keysOfLines = "run cmd cmds shell script command chain"
	keysOfNeeds = "depends depends_on depends-on deps dependencies depends_post run_task"
	keysOfCode  = "call expr file"
	keysOfDirs  = "dir cwd working_dir"
)

// readTask reads one task: a command, a list whose meaning lists tells, or a
// table.
func readTask(value any, lists string, known func(name string) bool) (r recipe, aliases []string) {
	table, ok := value.(map[string]any)
	if !ok {
		r.addStep(value, lists, known)
		return r, nil
	}
	for _, key := range sorted(table) {
		v := table[key]
		switch {
		case key == "command" && table["args"] != nil:
			r.lines = append(r.lines, strings.Join(append(texts(v), texts(table["args"])...), " "))
		case key == "script" && isList(v):
			r.lines = append(r.lines, strings.Join(texts(v), "\n"))
		case tools.Among("cmd command", key) && isList(v):
			r.lines = append(r.lines, strings.Join(texts(v), " "))
		case tools.Among("sequence composite", key):
			r.addStep(v, "tasks", known)
		case key == "script" && lists != "commands" && codeOf(v):
			r.lines = append(r.lines, "python -m "+texts(v)[0]) // package:function
		case tools.Among(keysOfLines, key):
			r.addStep(v, "commands", known)
		case tools.Among(keysOfNeeds, key):
			r.addNeeds(v)
		case tools.Among(keysOfCode, key):
			for _, text := range texts(v) {
				r.lines = append(r.lines, "./"+strings.TrimPrefix(text, "./"))
			}
		case tools.Among(keysOfDirs, key):
			r.dir = strings.Join(texts(v), "")
		case key == "alias" || key == "aliases":
			aliases = texts(v)
		}
	}
	return r, aliases
}

func isList(v any) bool { _, ok := v.([]any); return ok }

// codeOf tells a function of a package, as poe names it.
func codeOf(v any) bool {
	text := strings.Join(texts(v), "")
	pkg, _, ok := strings.Cut(text, ":")
	return ok && !strings.ContainsAny(pkg, " \n/")
}

// texts are a value's own: of a string one, of a list those that are strings.
func texts(v any) (all []string) {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		for _, one := range v {
			if text, ok := one.(string); ok {
				all = append(all, text)
			}
		}
	}
	return all
}

// addStep adds what a value says is run: a command, or a list of commands, of
// tasks or of one command's words. A command whose first word is a task is one.
func (r *recipe) addStep(v any, lists string, known func(name string) bool) {
	list, ok := v.([]any)
	switch {
	case !ok:
		list = []any{v}
	case lists == "words":
		list = []any{strings.Join(texts(v), " ")}
	}
	for _, step := range list {
		switch step := step.(type) {
		case string:
			first, _, _ := strings.Cut(strings.TrimSpace(step), " ")
			if isTask := known(first); isTask && (ok || lists == "tasks") && lists != "words" {
				r.needs = append(r.needs, first)
			} else if strings.TrimSpace(step) != "" {
				r.lines = append(r.lines, step)
			}
		case map[string]any:
			inner, _ := readTask(step, lists, known)
			r.lines, r.needs = append(r.lines, inner.lines...), append(r.needs, inner.needs...)
			r.addNeeds(step["task"])
			r.addNeeds(step["tasks"])
			r.addNeeds(step["ref"])
		}
	}
}

// addNeeds adds other tasks, named alone, with arguments, or in a table.
func (r *recipe) addNeeds(v any) {
	for _, text := range texts(v) {
		if words := strings.Fields(text); len(words) > 0 {
			r.needs = append(r.needs, words[0])
		}
	}
	list, _ := v.([]any)
	for _, one := range append(list, v) {
		if table, ok := one.(map[string]any); ok {
			r.addNeeds(table["task"])
			r.addNeeds(table["name"])
		}
	}
}

// fileTasks adds the tasks that are files of their own in one of the folders,
// and in those below: unit in test is test:unit.
func (f *folder) fileTasks(folders string, d *definitions) {
	left := maxScripts
	for name := range strings.FieldsSeq(folders) {
		if !f.hasPath(name) {
			continue
		}
		top := f.at(name)
		f.tasksIn(top, name, "", &left, d)
		for _, sub := range top.dirs {
			f.tasksIn(f.at(path.Join(name, sub)), path.Join(name, sub), sub+":", &left, d)
		}
	}
}

func (f *folder) tasksIn(at *folder, dir, prefix string, left *int, d *definitions) {
	for _, file := range slices.Sorted(slices.Values(at.files)) {
		if *left--; *left < 0 || strings.HasPrefix(file, ".") {
			continue
		}
		text := at.read(file)
		name := strings.TrimSuffix(prefix+strings.TrimSuffix(file, path.Ext(file)), ":_default")
		r := recipe{lines: []string{"./" + path.Join(dir, file)}} // another language's
		if shellScript(file, text) {
			r.lines = []string{text}
		}
		r.header(text)
		d.set(name, r)
	}
}

// header reads what a task's file says of the task: #MISE depends=["build"].
func (r *recipe) header(text string) {
	for _, m := range miseHeader().FindAllStringSubmatch(text, -1) {
		table, _ := readTOML(m[1])
		said, _ := readTask(table, "", func(string) bool { return false })
		r.needs, r.dir = append(r.needs, said.needs...), cmp.Or(said.dir, r.dir)
	}
}

var miseHeader = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^[#/ ]*(?:MISE|\[MISE\]) (.*)`) })
