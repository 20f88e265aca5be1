package setup

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/piton-project/piton/internal/client"
)

// Unreadable names the check of settings that cannot be read.
const Unreadable = "settings"

// settingsRead: every settings file can be read.
func (x *exam) settingsRead() Check {
	const name = Unreadable
	if f, bad := x.unread(); bad {
		return client.Fail(name, f.err.Error(), "fix "+f.path+" by hand: the client may be ignoring all of it")
	}
	var there []string
	for _, f := range x.files {
		if f.text != nil {
			there = append(there, f.path)
		}
	}
	if len(there) == 0 {
		return client.Fail(name, "there are none yet", x.runInit())
	}
	return client.Pass(name, strings.Join(there, ", "))
}

// hookPaths: what the hooks run is there.
func (x *exam) hookPaths() Check {
	const name = "hook paths"
	var seen []string
	other := ""
	for f, p := range x.hooks(false) {
		program := x.expand(p.program)
		if whose := agentOf(p.command); whose != x.client.name {
			return client.Fail(name, fmt.Sprintf("%s: at %s, the hook is another client's: %s", f.path, p.event, p.command), x.initAgain([]string{f.scope}))
		}
		if slices.Contains(seen, program) || strings.Contains(program, "$") {
			continue
		}
		seen = append(seen, program)
		if bad := x.notRunning(f, program); bad.Name != "" {
			return bad
		}
		if filepath.IsAbs(program) && !x.presentHook(program) {
			other = f.path + " runs " + program + ", not " + x.Hook
		}
	}
	switch {
	case other != "":
		return client.Warn(name, other, x.runInit())
	case len(seen) == 0:
		return client.Pass(name, "no hooks, no paths")
	}
	return client.Pass(name, strings.Join(seen, ", "))
}

// notRunning is why a file's hooks cannot run their program; the zero Check where they can.
func (x *exam) notRunning(f source, program string) Check {
	const name = "hook paths"
	if !filepath.IsAbs(program) {
		if _, err := x.LookPath(program); err != nil {
			return client.Fail(name, f.path+" runs "+program+", which is not in PATH: its hooks do nothing", "put the folder of "+program+" into PATH")
		}
	} else if err := runnable(program); err != nil {
		return client.Fail(name, f.path+": "+err.Error(), x.initAgain([]string{f.scope}))
	}
	return Check{}
}

// presentHook reports whether a path leads to the piton-hook of this installation, as far as that is known.
func (x *exam) presentHook(program string) bool {
	return x.Hook == "" || program == x.Hook || sameFile(program, x.Hook)
}

// hooksRun: each line that is a hook runs to the end and reaches piton-hook, which
// answers an event that no client sends and does nothing else. The end of a line hides
// that its program is missing or broken, from the client too. A line that may do more than
// that, or whose program came with the project, is not run.
func (x *exam) hooksRun() Check {
	const name = "hooks run"
	shell, err := x.LookPath("sh")
	if x.Run == nil || err != nil {
		return client.Pass(name, "not tried: there is no shell here")
	}
	away, err := os.MkdirTemp("", "piton-doctor-") // what a hook of another version keeps of the event goes there
	if err != nil {
		return client.Warn(name, "not tried: "+err.Error(), "make the folder for temporary files writable, or set TMPDIR")
	}
	defer os.RemoveAll(away)
	var ran, left []string
	for f, p := range x.hooks(true) {
		if slices.Contains(ran, p.command) {
			continue
		}
		if !x.mayRun(f, p) {
			if !slices.Contains(left, f.path) {
				left = append(left, f.path)
			}
			continue
		}
		ran = append(ran, p.command)
		ctx, cancel := context.WithTimeout(x.ctx, maxHook)
		out, err := x.Run(ctx, []string{shell, "-c", "cd / && PITON_HOME=" + quote(away) + " && export PITON_HOME && printf %s " + quote(client.Ping) + " | { " + p.command + "\n}"})
		cancel()
		if err == nil && out == client.Pong {
			continue
		}
		why := "no piton-hook of this version answers"
		if errors.Is(err, context.DeadlineExceeded) {
			why = fmt.Sprintf("it does not end within %v", maxHook)
		}
		return client.Fail(name, f.path+": at "+p.event+", "+quoteShort(p.command)+" was run, and "+why+": nothing is saved and nobody is held", "see what '"+x.expand(p.program)+" --version' says; then "+x.initAgain([]string{f.scope}))
	}
	detail := fmt.Sprintf("hook lines that were run, each different one once: %d", len(ran))
	if len(left) > 0 {
		detail += "; not run, because they may do something else: those in " + strings.Join(left, ", ")
	}
	if len(ran) == 0 && len(left) > 0 {
		return client.Warn(name, "it is not known whether hooks run; "+detail, "look at these lines, or write them anew: "+x.initAgain([]string{string(User), string(Project)}))
	}
	return client.Pass(name, detail)
}

// maxHook is how long a hook line may take to answer doctor.
const maxHook = 10 * time.Second

// plainLine is a line that does nothing but run a program as a client's hook: one that Piton
// writes, or has written, or that a person has shortened.
var plainLine = sync.OnceValue(func() *regexp.Regexp {
	const program = `('[^']+'|"[^"$\\` + "`" + `]+"|(~/|\$HOME/|\$\{HOME\}/)?[\w./@+-]+)`
	return regexp.MustCompile(`^(command -v ` + program + ` >/dev/null 2>&1 && )?` + program + ` \w+( 2>/dev/null)?( \|\| (:|true))?$`)
})

// mayRun tells whether doctor may run a hook's line. What a project brings along runs the
// programs of this installation only.
func (x *exam) mayRun(f source, p place) bool {
	program := x.expand(p.program)
	if !plainLine().MatchString(p.command) || strings.Contains(program, "$") {
		return false
	}
	if program == hookName {
		found, err := x.LookPath(program)
		if program = found; err != nil {
			return false // hookPaths says so
		}
	}
	foreign := f.scope == string(Project) || f.scope == "local"
	return filepath.IsAbs(program) && (!foreign || x.Hook != "" && sameFile(program, x.Hook))
}

// expand puts the home in where a hand-written hook names it as the shell does.
func (x *exam) expand(program string) string {
	for _, home := range []string{"~/", "$HOME/", "${HOME}/"} {
		if rest, ok := strings.CutPrefix(program, home); ok && x.Home != "" {
			return filepath.Join(x.Home, rest)
		}
	}
	return program
}

// byHand: hooks of ours stand only where init and uninstall look.
func (x *exam) byHand() Check {
	const name = "hooks by hand"
	for _, f := range x.files {
		if len(f.places) > 0 && f.scope != "user" && f.scope != "project" {
			return client.Warn(name, f.path+" runs piton-hook; neither init nor uninstall touches it", "remove them there, unless you want them to stay")
		}
	}
	return client.Pass(name, "no other settings file runs piton-hook")
}

// failOpen: no line that runs piton-hook, whoever wrote it, passes its exit status on. A missing or crashing piton-hook would hold
// or disturb the agent at every event.
func (x *exam) failOpen() Check {
	const name = "hooks fail open"
	for _, f := range x.files {
		for _, line := range f.commands(f.text) {
			if strings.Contains(line, hookName) && !endsWell(line) {
				return client.Fail(name, f.path+": the end of "+quoteShort(line)+" is the hook's own exit status: a missing "+hookName+" holds the agent", "end the line in '2>/dev/null || :'; "+x.initAgain([]string{f.scope})+" does so with Piton's own")
			}
		}
	}
	return client.Pass(name, "no line hands a failure on")
}

func quoteShort(line string) string {
	if r := []rune(line); len(r) > 80 {
		line = string(r[:80]) + "…"
	}
	return fmt.Sprintf("%q", line)
}
