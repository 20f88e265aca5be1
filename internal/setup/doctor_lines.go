package setup

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
)

// patient: no hook of ours is ended before it is done. A longer timeout is the user's wish.
func (x *exam) patient() Check {
	const name = "hook timeouts"
	said := func(n float64) string { return (time.Duration(n * float64(x.client.unit))).String() }
	for _, f := range x.files {
		for _, p := range f.places {
			for _, w := range x.client.hooks(x.Target) {
				if !w.fits(p) {
					continue
				}
				has := p.timeout
				if has == 0 && w.event == x.client.stop {
					has = float64(x.client.unset / x.client.unit)
				}
				if has > 0 && has < float64(w.timeout) {
					return warn(name, fmt.Sprintf("%s: %s has %s and may need %s", f.path, w.event, said(has), said(float64(w.timeout))), x.initAgain([]string{f.scope}))
				}
			}
		}
	}
	return pass(name, "long enough for what hooks do")
}

// guarded: no line with piton-hook in it, whoever wrote it, hands its exit status on. One that is gone, or dies, would hold or
// bother the agent at every event.
func (x *exam) guarded() Check {
	const name = "hooks fail open"
	for _, f := range x.files {
		for _, line := range f.commands(f.text) {
			if strings.Contains(line, hookName) && !guarded(line) {
				return fail(name, f.path+": the end of "+quoteCut(line)+" is the hook's own exit status: a missing "+hookName+" holds the agent", "end the line in '2>/dev/null || :'; "+x.initAgain([]string{f.scope})+" does so with Piton's own")
			}
		}
	}
	return pass(name, "no line hands a failure on")
}

// guarded tells whether a command line ends well, whatever becomes of what it runs.
func guarded(line string) bool {
	line = strings.TrimRight(line, " \t\n;")
	last := line[strings.LastIndexAny(line, "|;&\n")+1:]
	return slices.Contains([]string{":", "true", "exit 0"}, strings.TrimSpace(last))
}

func quoteCut(line string) string {
	if r := []rune(line); len(r) > 80 {
		line = string(r[:80]) + "…"
	}
	return fmt.Sprintf("%q", line)
}

// agentOf is the client that a line of ours runs its program for.
func agentOf(command string) string {
	for _, words := range simpleCommands(command) {
		if baseName(words[0]) == hookName && len(words) > 1 {
			return words[1]
		}
	}
	return ""
}

// older: no open session began before its settings were last changed. Such a one runs the hooks that were there then.
func (x *exam) older() Check {
	const name = "open sessions"
	var old []string
	of, open := "", 0
	for _, s := range x.Sessions {
		if s.Agent != x.client.name {
			continue
		}
		open++
		for _, f := range x.files {
			info, err := os.Stat(f.path)
			if err == nil && len(f.places) > 0 && info.ModTime().After(s.Started) && !slices.Contains(old, s.ID) {
				old, of = append(old, s.ID), f.path
			}
		}
	}
	if len(old) > 0 {
		return warn(name, of+" was changed after these sessions began, which may run older hooks: "+strings.Join(old, ", "), "start them again when they are done")
	}
	return pass(name, fmt.Sprintf("%d, none older than its hooks", open))
}
