package packages

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/piton-project/piton/internal/testkit/need"
)

// TestAction runs the steps of action.yml as a runner does, with the release in a folder.
func TestAction(t *testing.T) {
	bash := need.Program(t, "bash")
	text, err := os.ReadFile("../../action.yml")
	check(t, err)
	var action struct {
		Inputs map[string]struct{ Default string }
		Runs   struct {
			Steps []struct {
				Name, If, Shell, Run string
				Env                  map[string]string
			}
		}
	}
	check(t, yaml.Unmarshal(text, &action))
	for name, c := range map[string]struct {
		inputs map[string]string
		status int
		output string
	}{
		"a plan that completes": {map[string]string{"plan": "plan.yaml", "inputs": "word=a b\nstatus=0\n"}, 0, "status=0\n"},
		"a plan that fails":     {map[string]string{"plan": "plan.yaml", "inputs": "status=1"}, 7, "status=7\n"},
		"no verdict":            {map[string]string{"check": "true"}, 3, ""},
		"installed only":        {nil, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			check(t, os.WriteFile(filepath.Join(dir, "plan.yaml"), []byte("name: words\ninputs:\n  word: {default: \"\"}\n  status: {default: 0}\nsteps:\n  - id: end\n    run: exit ${{ inputs.status }}\n"), 0o644))
			temp := t.TempDir()
			files := map[string]string{"GITHUB_PATH": filepath.Join(temp, "path"), "GITHUB_OUTPUT": filepath.Join(temp, "output")}
			root, err := filepath.Abs("../..")
			check(t, err)
			inputs := map[string]string{"from": dist}
			for key, value := range c.inputs {
				inputs[key] = value
			}
			valueOf := func(key string) string {
				if value, ok := inputs[key]; ok {
					return value
				}
				return action.Inputs[key].Default
			}
			conditions := map[string]bool{"": true, "inputs.plan != ''": valueOf("plan") != "", "inputs.check == 'true'": valueOf("check") == "true"}
			status := 0
			for _, step := range action.Runs.Steps {
				wanted, known := conditions[step.If]
				if !known || step.Shell != "bash" || strings.Contains(step.Run, "${{") {
					t.Fatalf("the step %q has a condition or a shell that is not known here, or an input in its script", step.Name)
				}
				if !wanted || status != 0 {
					continue
				}
				path, _ := os.ReadFile(files["GITHUB_PATH"])
				x := exec.Command(bash, "--noprofile", "--norc", "-eo", "pipefail", "-c", step.Run)
				x.Dir = dir
				x.Env = append(home(t, temp), "GITHUB_ACTION_PATH="+root, "RUNNER_TEMP="+temp, "PATH="+strings.TrimSpace(string(path))+":"+os.Getenv("PATH"))
				for key, file := range files {
					x.Env = append(x.Env, key+"="+file)
				}
				for key, value := range step.Env {
					x.Env = append(x.Env, key+"="+regexp.MustCompile(`\$\{\{ inputs\.(\w+) \}\}`).ReplaceAllStringFunc(value, func(m string) string {
						return valueOf(strings.TrimSuffix(strings.TrimPrefix(m, "${{ inputs."), " }}"))
					}))
				}
				out, err := x.CombinedOutput()
				if status = exitOf(err); err != nil {
					t.Logf("%s: %v\n%s", step.Name, err, out)
				}
			}
			if output, _ := os.ReadFile(files["GITHUB_OUTPUT"]); status != c.status || string(output) != c.output {
				t.Errorf("got status %d and the output %q, want %d and %q", status, output, c.status, c.output)
			}
		})
	}
}

// home is the environment of a job without an agent around it.
func home(t *testing.T, dir string) []string {
	t.Helper()
	return []string{"HOME=" + dir, "TMPDIR=" + os.Getenv("TMPDIR"), "GIT_CONFIG_GLOBAL=/dev/null"}
}

// TestGitLab runs the lines of the job that docs/ci.md shows, with the release in a folder.
func TestGitLab(t *testing.T) {
	need.Program(t, "curl")
	page, err := os.ReadFile("../../docs/ci.md")
	check(t, err)
	m := regexp.MustCompile("(?s)```yaml\n(agent:.*?)```").FindSubmatch(page)
	if m == nil {
		t.Fatal("docs/ci.md shows no job named agent")
	}
	var jobs map[string]struct {
		Variables map[string]string
		Script    []string
	}
	check(t, yaml.Unmarshal(m[1], &jobs))
	job := jobs["agent"]
	dir := t.TempDir()
	env := append(home(t, dir), "PATH="+os.Getenv("PATH"), "CI_PROJECT_DIR="+dir)
	for key, value := range job.Variables {
		if strings.HasPrefix(value, "https://") {
			value = "file://" + dist
		}
		env = append(env, key+"="+os.Expand(value, func(string) string { return dir }))
	}
	check(t, os.WriteFile(filepath.Join(dir, "release.yaml"), []byte("name: release\nsteps:\n  - id: end\n    run: exit 1\n"), 0o644))
	x := exec.Command("bash", "-eo", "pipefail", "-c", strings.Join(job.Script, "\n"))
	x.Dir, x.Env = dir, env
	out, err := x.CombinedOutput()
	if exitOf(err) != 7 {
		t.Errorf("got %v, want the status 7 of the plan's run\n%s", err, out)
	}
	if _, err := os.Stat(filepath.Join(dir, ".piton")); err != nil {
		t.Errorf("the run is not where the cache is: %v\n%s", err, out)
	}
}
