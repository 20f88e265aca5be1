package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/txtar"

	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/app/insight"
)

// turn is one labelled turn as one client recorded it.
type turn struct {
	name, client string
	hold         bool
	why          string
	log          string            // the client's log
	before       map[string]string // the files as they were committed when it began
	after        map[string]string // and at its end
}

// load reads the labelled turns. turns/NAME.txtar holds verdict, tree and steps;
// turns/NAME/CLIENT.jsonl the log, CLIENT.end.txtar what differed at the end.
func load(folder string) (turns []turn, err error) {
	if folder, err = filepath.Abs(folder); err != nil {
		return nil, err
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.txtar"))
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("no turns in %s: run it at the root of the repository", folder)
	}
	for _, file := range files {
		text, err := txtar.ParseFile(file)
		if err != nil {
			return nil, err
		}
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		for _, client := range []string{"claude", "gemini", "codex"} {
			t := turn{name: name, client: client, log: filepath.Join(folder, name, client+".jsonl"), before: map[string]string{}}
			for line := range strings.Lines(string(text.Comment)) {
				key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
				switch key {
				case "verdict":
					t.hold = value == "hold"
				case "why":
					t.why = value
				}
			}
			for _, f := range text.Files {
				if name, ok := strings.CutPrefix(f.Name, "tree/"); ok {
					t.before[name] = string(f.Data)
				}
			}
			t.after = maps.Clone(t.before)
			end, err := txtar.ParseFile(strings.TrimSuffix(t.log, ".jsonl") + ".end.txtar")
			if err != nil {
				return nil, err
			}
			for _, f := range end.Files {
				t.after[f.Name] = string(f.Data)
			}
			for line := range strings.Lines(string(end.Comment)) {
				delete(t.after, strings.TrimSpace(strings.TrimPrefix(line, "deleted: ")))
			}
			turns = append(turns, t)
		}
	}
	return turns, err
}

// lay writes the tree of a turn: a repository with its beginning in a commit, and
// its end as the work tree.
func (t turn) lay(ctx context.Context) (dir string, err error) {
	if dir, err = os.MkdirTemp("", "piton-judge-"); err != nil {
		return "", err
	}
	tree := filepath.Join(dir, "tree")
	if err := write(tree, t.before); err != nil {
		return dir, err
	}
	for _, args := range []string{"init -q", "add .", "-c user.name=Ada -c user.email=ada@example.org commit -q -m first"} {
		c := exec.CommandContext(ctx, "git", strings.Fields(args)...)
		c.Dir, c.Stderr = tree, os.Stderr
		c.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull)
		if err := c.Run(); err != nil {
			return dir, fmt.Errorf("git %s: %w", args, err)
		}
	}
	for name := range t.before {
		if _, left := t.after[name]; !left {
			if err := os.Remove(filepath.Join(tree, filepath.FromSlash(name))); err != nil {
				return dir, err
			}
		}
	}
	return dir, write(tree, t.after)
}

func write(tree string, files map[string]string) error {
	for name, text := range files {
		path := filepath.Join(tree, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// minTurn makes every turn long enough to be looked at.
const minTurn = "PITON_DEBRIEF_MIN_TURN"

// piton is the judge of this tree.
func piton(ctx context.Context, t turn) (bool, string, error) {
	dir, err := t.lay(ctx)
	defer os.RemoveAll(dir)
	if err != nil {
		return false, "", err
	}
	getenv := func(name string) string {
		if name == minTurn {
			return "0s"
		}
		return map[string]string{"HOME": dir, "PITON_HOME": dir}[name]
	}
	a := app.New(caller.Options{Home: dir, Dir: filepath.Join(dir, "tree"), Getenv: getenv, Environ: []string{}})
	defer a.Close()
	x, err := a.Replay(ctx, insight.ReplayRequest{Files: []string{t.log}, Agent: t.client, Tree: filepath.Join(dir, "tree")}, func(int64, int64) {})
	if err != nil {
		return false, "", err
	}
	return verdict(x)
}

// other is another piton's judge.
func other(program string) func(context.Context, turn) (bool, string, error) {
	return func(ctx context.Context, t turn) (bool, string, error) {
		dir, err := t.lay(ctx)
		defer os.RemoveAll(dir)
		if err != nil {
			return false, "", err
		}
		c := exec.CommandContext(ctx, program, "judge", "replay", t.log, "--agent", t.client, "--tree", filepath.Join(dir, "tree"), "--json")
		c.Env = append(os.Environ(), minTurn+"=0s", "HOME="+dir, "PITON_HOME="+dir)
		c.Stderr = os.Stderr
		text, err := c.Output()
		if err != nil {
			return false, "", err
		}
		var x insight.ReplayedLogs
		if err := json.Unmarshal(text, &x); err != nil {
			return false, "", err
		}
		return verdict(x)
	}
}

// verdict is that of the only turn there is.
func verdict(x insight.ReplayedLogs) (bool, string, error) {
	if len(x.Sessions) != 1 || len(x.Sessions[0].Turns) != 1 {
		return false, "", fmt.Errorf("got %d sessions and %d turns, want one turn", len(x.Sessions), x.Sums.Turns)
	}
	t := x.Sessions[0].Turns[0]
	return t.Verdict == insight.ReplayHeld, strings.Join(slices.Concat([]string{string(t.Verdict) + " (" + string(t.Reason) + ")"}, t.Actions, t.Observations), "; "), nil
}

// testCommands are the words that a plain hook looks for.
var testCommands = regexp.MustCompile(`go test|pytest|unittest|npm (run )?test|bun (run )?test|cargo test|make test|mise run|jest|vitest`)

// mentionsTests is the hook that lets go where the log holds a test command.
func mentionsTests(_ context.Context, t turn) (bool, string, error) {
	text, err := os.ReadFile(t.log)
	return !testCommands.Match(text), "", err
}
