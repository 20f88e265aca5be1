//go:build record

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// turnsFolder holds the labelled turns of the judge's bench.
const turnsFolder = "../bench/judge/turns"

// home is where a recorded turn took place, whatever this machine calls it.
const home = "/home/ada"

// TestRecordTurns lets each real client work through each labelled turn, without
// hooks, and keeps its log and the files as they are then: `make record-turns`. A
// turn that has a log is left alone.
func TestRecordTurns(t *testing.T) {
	files, err := filepath.Glob(turnsFolder + "/*.txtar")
	check(t, err)
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		for _, c := range every {
			log := filepath.Join(turnsFolder, name, c.name()+".jsonl")
			if _, err := os.Stat(log); err == nil {
				continue
			}
			t.Run(name+"/"+c.name(), func(t *testing.T) { recordTurn(t, c, file, log) })
		}
	}
}

func recordTurn(t *testing.T, c client, file, log string) {
	turn, err := txtar.ParseFile(file)
	check(t, err)
	user, err := os.UserHomeDir()
	check(t, err)
	w := newMachineOf(t, c, "RUSTUP_HOME="+filepath.Join(user, ".rustup")) // a toolchain is found by the home
	w.lay(turn)
	before := w.tree()
	w.model.script(w.steps(turn)...)
	w.model.script(say("Done."))
	prompt := "make the change"
	a := w.ask(prompt)
	check(t, os.MkdirAll(filepath.Dir(log), 0o755))
	check(t, os.WriteFile(log, []byte(w.anonymous(w.transcript(a.Session))), 0o644))
	check(t, os.WriteFile(strings.TrimSuffix(log, ".jsonl")+".end.txtar", txtar.Format(w.changed(before)), 0o644))
}

// lay makes the project of a turn: its files in a commit, its programs, and what
// its script does then.
func (w *world) lay(turn *txtar.Archive) {
	check(w.t, os.RemoveAll(w.project))
	check(w.t, os.Mkdir(w.project, 0o755))
	w.git("init", "-q", "-b", "main")
	setup := ""
	for _, f := range turn.Files {
		name, ok := strings.CutPrefix(f.Name, "tree/")
		program, isProgram := strings.CutPrefix(f.Name, "bin/")
		switch {
		case ok:
			check(w.t, os.MkdirAll(filepath.Dir(w.path(name)), 0o755))
			w.write(name, string(f.Data))
		case isProgram:
			check(w.t, os.WriteFile(filepath.Join(w.bin, program), f.Data, 0o755))
		case f.Name == "setup.sh":
			setup = string(f.Data)
		}
	}
	w.git("add", ".")
	w.git("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "commit", "-q", "-m", "first")
	w.git("config", "user.name", "Ada")
	w.git("config", "user.email", "ada@example.org")
	if setup != "" {
		_, err := w.run("sh", "-e", "-c", setup)
		check(w.t, err)
	}
}

// steps are the model's replies: a tool each, `together` several.
func (w *world) steps(turn *txtar.Archive) (list []reply) {
	for _, f := range turn.Files {
		if f.Name != "steps" {
			continue
		}
		for line := range strings.Lines(string(f.Data)) {
			verb, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
			parts := strings.Split(rest, " | ")
			switch verb {
			case "read":
				list = append(list, call(readTool(rest)))
			case "run":
				list = append(list, call(bash(rest)))
			case "together":
				var tools []tool
				for command := range strings.SplitSeq(rest, " && ") {
					tools = append(tools, bash(command))
				}
				list = append(list, call(tools...))
			case "edit":
				list = append(list, reply{then: func(request) []tool { return []tool{editTool(parts[0], parts[1], parts[2])} }})
			case "write":
				text, err := strconv.Unquote(`"` + strings.ReplaceAll(parts[1], `"`, `\"`) + `"`)
				check(w.t, err)
				list = append(list, call(writeTool(parts[0], text)))
			default:
				w.t.Fatalf("no step: %s", line)
			}
		}
	}
	return list
}

// tree are the project's files as they are, but for what git keeps and ignores.
func (w *world) tree() map[string]string {
	files := map[string]string{}
	for _, name := range strings.Split(w.git("ls-files", "-z", "--cached", "--others", "--exclude-standard"), "\x00") {
		if text, err := os.ReadFile(w.path(name)); name != "" && err == nil {
			files[name] = string(text)
		}
	}
	return files
}

// changed is what differs from before: texts, and in the comment what is gone.
func (w *world) changed(before map[string]string) *txtar.Archive {
	end := &txtar.Archive{}
	now := w.tree()
	for _, name := range sortedNames(now) {
		if old, was := before[name]; !was || old != now[name] {
			end.Files = append(end.Files, txtar.File{Name: name, Data: []byte(now[name])})
		}
	}
	for _, name := range sortedNames(before) {
		if _, is := now[name]; !is {
			end.Comment = append(end.Comment, "deleted: "+name+"\n"...)
		}
	}
	return end
}

func sortedNames(files map[string]string) (names []string) {
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// own are kinds of lines in which a client keeps what it told its model of itself.
var own = []string{"attachment", "api-request", "api-request-shape", "api-request-blob", "world_state"}

// anonymous is a log as a person's machine would have it: another home, and none
// of the client's own instructions.
func (w *world) anonymous(log string) string {
	var b strings.Builder
	for line := range strings.Lines(log) {
		var x map[string]any
		check(w.t, json.Unmarshal([]byte(line), &x))
		kind, _ := x["type"].(string)
		payload, _ := x["payload"].(map[string]any)
		if slices.Contains(own, kind) || payload["role"] == "developer" {
			continue
		}
		if payload["base_instructions"] != nil {
			delete(payload, "base_instructions")
			text, err := json.Marshal(x)
			check(w.t, err)
			line = string(text) + "\n"
		}
		b.WriteString(line)
	}
	folder := func(path string) string { return strings.ReplaceAll(path, "/", "-") }
	return strings.NewReplacer(w.project, home+"/shop", w.home, home, w.root, home, folder(w.project), folder(home+"/shop")).Replace(b.String())
}
