package announce

import (
	"errors"
	"io/fs"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/piton-project/piton/internal/agent"
)

// Fault is one reason why a listener is not told, or not as it was meant.
type Fault struct {
	What, Do string
	// Maybe: it is told all the same, or another process, as the daemon, may find
	// what is missing here.
	Maybe bool
}

// Faults are the reasons that can be seen without telling it anything. No value of
// a variable and nothing of a key is in them.
func (c Carrier) Faults(l agent.Listener) (list []Fault) {
	if l.Off {
		return nil
	}
	if len(l.Command) > 0 {
		if what := c.unrunnable(l.Command[0]); what != "" {
			list = append(list, Fault{What: what, Do: findProgram})
		}
	}
	if len(l.Summary) > 0 {
		if what := c.unrunnable(l.Summary[0]); what != "" {
			list = append(list, Fault{What: "summary: " + what + "; texts are told as they are", Do: findProgram, Maybe: true})
		}
	}
	if l.Webhook == "" {
		return list
	}
	address, missing := agent.Expand(l.Webhook, c.Getenv)
	for _, name := range compact(missing) {
		list = append(list, unset(name, "webhook"))
	}
	if len(missing) == 0 && !isAddress(address) {
		list = append(list, Fault{What: notAddress, Do: "look at the URL, and at the variables that it names"})
	}
	_, missing = agent.Expand(l.Secret, c.Getenv)
	for _, name := range compact(missing) {
		list = append(list, unset(name, "secret"))
	}
	if len(missing) > 0 {
		return list
	}
	if _, err := c.key(l); err != nil {
		do := "set the variable to the key as your server has it"
		if l.SecretFile != "" {
			do = "put the key into " + l.SecretFile + ", a file of your own with the mode 0600"
		}
		list = append(list, Fault{What: err.Error(), Do: do})
	}
	return list
}

const findProgram = "install it, or name its whole path; the daemon may have another PATH than your shell"

func unset(name, where string) Fault {
	return Fault{What: "the variable " + name + " of " + where + " is not set here", Do: "set " + name + " where Piton runs: for your agents, and for the daemon, which has an environment of its own", Maybe: true}
}

func compact(names []string) []string {
	slices.Sort(names)
	return slices.Compact(names)
}

// unrunnable says why a program of a listener cannot be started; "" where it can. A
// path that is not whole begins at the user's home, where it is started.
func (c Carrier) unrunnable(program string) string {
	path := program
	if strings.ContainsRune(program, filepath.Separator) && !filepath.IsAbs(program) {
		path = filepath.Join(c.UserHome, program)
	}
	_, err := exec.LookPath(path)
	switch {
	case err == nil:
		return ""
	case path == program && !filepath.IsAbs(program):
		return "there is no program " + program + " in PATH"
	case errors.Is(err, fs.ErrNotExist):
		return "there is no program " + path
	}
	return path + " is not a program that can be run"
}
