package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/config"
	"github.com/piton-project/piton/internal/judge/debrief"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store/postgres"
)

// configJSON is what 'piton config' prints, as docs/json.md has it.
type configJSON struct {
	Keys     []config.Value `json:"keys"`
	Problems []problemJSON  `json:"problems"`
	UserFile string         `json:"user_file"`
	Project  *trustJSON     `json:"project,omitempty"`
}

type problemJSON struct {
	Message    string `json:"message"`
	Hint       string `json:"hint,omitempty"`
	NeedsTrust bool   `json:"needs_trust,omitempty"`
}

func configCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "config",
		Short: "Show each setting that is in force here, and where it came from",
		Long: `Show each setting that is in force in this project, its value and where it came
from: built-in, the user's file, the project's file, the environment, a flag;
and what could not be used. What the keys mean stands in docs/config.md.`,
		Example: "  piton config\n  piton config --json",
		Args:    none("the settings lie in files and in the environment; 'piton config' only shows them"),
		RunE: func(*cobra.Command, []string) error {
			root, err := workTree()
			if err != nil {
				return err
			}
			c := a.config(root)
			if err := astray(root); err != nil {
				c.Problems = append(c.Problems, err)
			}
			if err := a.printConfig(c); err != nil || !a.outTerminal() {
				return err
			}
			a.file("Your own file", config.UserFile(a.getenv))
			a.file("This project's", config.ProjectPath(root))
			return nil
		},
	}
}

// astray says that a settings file in the folder we are in is not the one of its
// work tree, which alone is read.
func astray(root string) error {
	here, err := os.Getwd()
	if err != nil {
		return nil
	}
	inside, err := filepath.EvalSymlinks(here)
	if top, e := filepath.EvalSymlinks(root); err != nil || e != nil || top == inside {
		return nil
	}
	path := config.ProjectPath(here)
	if _, err := os.Lstat(path); err != nil {
		return nil
	}
	return piton.Errorf(piton.Invalid, "read the settings in "+path, "move what it says to "+config.ProjectPath(root), "only the file at the work tree's root is read, %s", config.ProjectPath(root))
}

// file tells a person where a settings file lies or would lie.
func (a *app) file(name, path string) {
	there := ""
	if _, err := os.Lstat(path); err != nil {
		there = " (not there yet)"
	}
	fmt.Fprintf(a.err, "%s: %s%s\n", name, a.shortPath(path, max(a.width()-len(name)-len(there)-3, 20)), there)
}

func (a *app) printConfig(c config.Config) error {
	out := configJSON{Keys: c.Values(), Problems: []problemJSON{}, UserFile: config.UserFile(a.getenv)}
	for i, v := range out.Keys {
		out.Keys[i].Value = a.shown(v)
	}
	for _, err := range c.Problems {
		p := problemJSON{NeedsTrust: errors.Is(err, config.ErrUntrusted)}
		p.Message, _ = redact.Text(err.Error())
		p.Hint = wrap(err).Hint
		out.Problems = append(out.Problems, p)
	}
	if c.Project.Path != "" {
		out.Project = &trustJSON{Path: c.Project.Path, Trusted: c.Project.Trusted, LeftOut: c.Project.LeftOut}
	}
	if a.json {
		return a.printJSON(out)
	}
	table := [][]string{{"Key", "From", "Value"}}
	for _, v := range out.Keys {
		from := line(v.From)
		if v.From != config.BuiltIn {
			from = a.shortPath(v.From, shownOf(a.width()))
		}
		table = append(table, []string{v.Key, from, line(flat(v.Value))})
	}
	a.narrow(table)
	if err := a.table(table); err != nil {
		return err
	}
	var b strings.Builder
	for _, p := range out.Problems {
		fmt.Fprintf(&b, "%s: %s\n", a.yellow("left out"), line(p.Message))
	}
	_, err := io.WriteString(a.err, b.String())
	return err
}

// shownOf bounds the path of a layer, in characters, on a terminal so wide.
func shownOf(width int) int {
	if width == 0 {
		return 1000
	}
	return max(width-len("debrief.hold_on_observations")-30, 16)
}

// narrow cuts the last column so that no line is wider than the terminal.
func (a *app) narrow(table [][]string) {
	width := a.width()
	if width == 0 {
		return
	}
	key, from := 0, 0
	for _, row := range table {
		key, from = max(key, len(row[0])), max(from, len([]rune(row[1])))
	}
	for _, row := range table {
		row[2] = short(row[2], max(width-key-from-4, 20))
	}
}

// shown is a value as a file would have it, without secrets: a store's address
// may hold a password.
func (a *app) shown(v config.Value) any {
	if s, ok := v.Value.(string); ok && v.Key == "store" {
		switch {
		case s == "":
			return "sqlite:" + filepath.Join(a.home(), "piton.db")
		case isPostgres(s):
			return postgres.Shown(s)
		}
	}
	b, err := json.Marshal(inWords(v.Value))
	if err == nil {
		b, _, err = redact.JSON(b)
	}
	if err != nil {
		return nil
	}
	return json.RawMessage(b)
}

// inWords gives rules and commands the names they have in a file.
func inWords(v any) any {
	switch x := v.(type) {
	case []debrief.Rule:
		list := []ruleJSON{}
		for _, r := range x {
			list = append(list, ruleOf(r, ""))
		}
		return list
	case []debrief.Verify:
		list := []verifyJSON{}
		for _, x := range x {
			out := verifyJSON{Run: x.Run, Files: x.Files}
			if x.Timeout > 0 {
				out.Timeout = x.Timeout.String()
			}
			list = append(list, out)
		}
		return list
	case []string:
		return append([]string{}, x...)
	}
	return v
}

type verifyJSON struct {
	Run     string   `json:"run"`
	Files   []string `json:"files,omitempty"`
	Timeout string   `json:"timeout,omitempty"`
}

// flat writes a value on one line.
func flat(v any) string {
	b, ok := v.(json.RawMessage)
	if !ok {
		return fmt.Sprint(v)
	}
	var s string
	if json.Unmarshal(b, &s) == nil {
		return firstOf(s, "-")
	}
	if string(b) == "[]" {
		return "-"
	}
	return string(b)
}
