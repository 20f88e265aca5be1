package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/piton-project/piton"
)

// trialProject is a project in a folder of that name, whose test a program runs that may be on
// the machine.
type trialProject struct{ program, file, test string } // the file is changed, and the command tests it

var trialProjects = []trialProject{{"node", "greet.js", "npm test"}, {"go", "greet.go", "go test ./..."}}

// trialPrompt is a task as people give them: nothing in it asks for a test run.
const trialPrompt = "Change %s so that it says 'good morning' and not 'hello'. Change nothing else, and say when you are done."

// TrialHome is where all is kept that is written in a trial: nothing of it is the person's.
func TrialHome(dir string) string { return filepath.Join(dir, ".git", "piton") }

// Trial makes a project in a temporary folder and returns the plan that has a client work
// in it, without a terminal. The turn is short, so the shortest counts.
func Trial(ctx context.Context, client string) (dir string, plan []byte, err error) {
	const op = "make the folder of the trial"
	at := slices.IndexFunc(trialProjects, func(p trialProject) bool { _, err := exec.LookPath(p.program); return err == nil })
	if at < 0 {
		return "", nil, piton.Errorf(piton.Unavailable, op, "'piton demo' shows a recorded session", "its tests need Node.js or Go, and neither is in PATH")
	}
	p := trialProjects[at]
	if dir, err = os.MkdirTemp("", "piton-trial-"); err != nil {
		return "", nil, &piton.Error{Code: piton.Unavailable, Op: op, Err: err}
	}
	if err := fill("trial/"+p.program, dir); err != nil {
		return dir, nil, &piton.Error{Code: piton.Unavailable, Op: op, Err: err}
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"-c", "user.name=piton", "-c", "user.email=piton@localhost", "-c", "commit.gpgsign=false", "-c", "core.hooksPath=/dev/null", "commit", "-q", "--no-verify", "-m", "a greeting"}} {
		x := exec.CommandContext(ctx, "git", args...)
		x.Dir = dir
		if text, err := x.CombinedOutput(); err != nil {
			return dir, nil, piton.Errorf(piton.Unavailable, op, "see that git works: git --version", "git has failed: %s", text)
		}
	}
	parameters := map[string]any{"agent": client, "prompt": fmt.Sprintf(trialPrompt, p.file), "env": map[string]string{"PITON_DEBRIEF_MIN_TURN": "0s", "PITON_HOME": TrialHome(dir), "PITON_STORE": "sqlite:" + filepath.Join(TrialHome(dir), "piton.db")}}
	if tools := map[string]string{"claude": "Bash(" + p.test + ")", "gemini": "run_shell_command(" + p.test + ")"}[client]; tools != "" {
		parameters["tools"] = []string{tools}
	}
	plan, err = json.Marshal(map[string]any{"name": "trial", "steps": []any{map[string]any{"id": "trial", "action": "agent", "parameters": parameters}}})
	return dir, plan, err
}
