package action

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/piton-project/piton/internal/proc"
)

// elsewhere is a command that runs in a container or on another host.
type elsewhere struct {
	cmd proc.Command
	// end is the command that ends what is left there; nil: nothing can be.
	end []string
	// lost is the exit status of a connection that broke, which is no answer; 0: there is none.
	lost int
}

// endTime bounds how long the end of what is left there may take.
const endTime = 20 * time.Second

func (e elsewhere) clear(env []string) {
	if e.end == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), endTime)
	defer cancel()
	c := exec.CommandContext(ctx, e.end[0], e.end[1:]...)
	c.Env = env
	_ = c.Run() // most often nothing is left
}

// inside is a command where the parameters say that it runs: here, in a container, or on
// another host.
func (c Call) inside(cmd proc.Command, vars map[string]string) (elsewhere, error) {
	image, err := oneWord(c.Parameters, "container")
	if err != nil {
		return elsewhere{}, err
	}
	host, err := oneWord(c.Parameters, "host")
	switch {
	case err != nil:
		return elsewhere{}, err
	case image != "" && host != "":
		return elsewhere{}, final("a step runs in a container or on a host; for a container on a host write the command")
	case image != "":
		return c.contained(cmd, image, vars)
	case host != "":
		return c.remote(cmd, host, vars)
	}
	return elsewhere{cmd: cmd}, nil
}

// oneWord is a parameter that a program takes as one word, and not as an option.
func oneWord(p map[string]any, name string) (string, error) {
	text, err := text(p[name])
	if err == nil && (strings.HasPrefix(text, "-") || strings.ContainsAny(text, " \t\n\x00")) {
		err = final("the parameter %q cannot be %q", name, text)
	}
	return text, err
}

// variables of a step, and those that say who it is.
func (c Call) given(vars map[string]string) map[string]string {
	all := maps.Clone(vars)
	if all == nil {
		all = map[string]string{}
	}
	for _, line := range c.variables() {
		name, value, _ := strings.Cut(line, "=")
		all[name] = value
	}
	return all
}

// engines are the programs that run containers.
var engines = []string{"docker", "podman"}

// contained runs a command in a new container, in which the run's folder is at its own path.
// The container has the step's key as its name, so one that is left is found.
func (c Call) contained(cmd proc.Command, image string, vars map[string]string) (elsewhere, error) {
	engine := ""
	for _, name := range engines {
		if _, err := exec.LookPath(name); err == nil && engine == "" {
			engine = name
		}
	}
	if engine == "" {
		return elsewhere{}, final("container: neither docker nor podman is there")
	}
	name := "piton-" + c.Key
	argv := []string{engine, "run", "--rm", "-i", "--init", "--name", name, "--user", fmt.Sprintf("%d:%d", os.Getuid(), os.Getgid()), "-v", c.Dir + ":" + c.Dir, "-w", cmd.Dir}
	if rel, err := filepath.Rel(c.Dir, cmd.Dir); err != nil || !filepath.IsLocal(rel) {
		argv = append(argv, "-v", cmd.Dir+":"+cmd.Dir)
	}
	if c.Shared != "" {
		argv = append(argv, "-v", c.Shared+":"+c.Shared+":ro")
	}
	for _, v := range slices.Sorted(maps.Keys(c.given(vars))) {
		argv = append(argv, "-e", v) // its value is in the engine's environment, where no list of processes shows it
	}
	cmd.Argv = append(append(argv, image), cmd.Argv...)
	return elsewhere{cmd, []string{engine, "rm", "-f", name}, 0}, nil
}

// sshLost is the exit status of ssh for a connection that was not made, or broke.
const sshLost = 255

// remote runs a command on another host, by ssh as the caller has set it up. Variables and
// the command's input go over the connection's input, where no list of processes shows them.
func (c Call) remote(cmd proc.Command, host string, vars map[string]string) (elsewhere, error) {
	pid := `"${TMPDIR:-/tmp}/piton-` + c.Key + `"`
	var script strings.Builder
	fmt.Fprintf(&script, "echo $$ > %s\n", pid)
	if dir, _ := c.Parameters["dir"].(string); dir != "" {
		fmt.Fprintf(&script, "cd -- %s || exit 127\n", shellWord(dir))
	}
	all := c.given(vars)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if !variable().MatchString(name) {
			return elsewhere{}, final("%q is not a name of a variable that a shell takes", name)
		}
		fmt.Fprintf(&script, "export %s=%s\n", name, shellWord(all[name]))
	}
	words := make([]string, len(cmd.Argv))
	for i, w := range cmd.Argv {
		words[i] = shellWord(w)
	}
	fmt.Fprintf(&script, "printf %%s %s | { %s; }\nstatus=$?\nrm -f %s\nexit $status\n", shellWord(string(cmd.Stdin)), strings.Join(words, " "), pid)
	ssh := []string{"ssh", "-T", "-o", "BatchMode=yes", "-o", "ServerAliveInterval=15", "--", host}
	cmd.Argv, cmd.Stdin = append(slices.Clone(ssh), "sh -s"), []byte(script.String())
	if _, err := os.Stat(cmd.Dir); err != nil {
		cmd.Dir = c.Dir // dir is of the other host
	}
	end := append(ssh, `p=$(cat `+pid+` 2>/dev/null) && kill -TERM -- -"$p"; rm -f `+pid)
	return elsewhere{cmd, end, sshLost}, nil
}

var variable = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`) })

// shellWord is a text as one word of a POSIX shell.
func shellWord(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
