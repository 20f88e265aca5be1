package setup

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// parsed: every settings file can be read.
func (x *exam) parsed() Check {
	const name = "settings"
	var there []string
	for _, f := range x.files {
		if f.err != nil {
			return fail(name, f.err.Error(), "mend "+f.path+" by hand: the client may be ignoring all of it")
		}
		if f.text != nil {
			there = append(there, f.path)
		}
	}
	if len(there) == 0 {
		return fail(name, "there are none yet", x.runInit())
	}
	return pass(name, strings.Join(there, ", "))
}

// installed: over all scopes, every event has its hook.
func (x *exam) installed() Check {
	const name = "hooks"
	var missing, scopes []string
	wanted := x.client.hooks(x.Target)
	for _, w := range wanted {
		found := false
		for _, f := range x.files {
			if slices.ContainsFunc(f.places, w.heard) {
				found = true
				if !slices.Contains(scopes, f.scope) {
					scopes = append(scopes, f.scope)
				}
			}
		}
		if !found {
			missing = append(missing, w.event)
		}
	}
	switch {
	case len(missing) == len(wanted):
		return fail(name, "Piton is not installed into "+x.client.title, x.runInit())
	case len(missing) > 0:
		return fail(name, "missing: "+strings.Join(missing, ", "), x.initAgain(scopes))
	}
	detail := fmt.Sprintf("%d events, in the settings of: %s", len(wanted), strings.Join(scopes, ", "))
	if more := x.surplus(wanted); len(more) > 0 {
		detail += "; more than what is set here needs: " + strings.Join(more, ", ")
	}
	return pass(name, detail)
}

// surplus are events with a hook of ours that nobody asks for, or not so: another project may.
func (x *exam) surplus(wanted []hook) []string {
	var more []string
	for _, f := range x.files {
		for _, p := range f.places {
			fits := func(w hook) bool { return w.fits(p) }
			if p.counts && !slices.ContainsFunc(wanted, fits) && !slices.Contains(more, p.event) {
				more = append(more, p.event)
			}
		}
	}
	return more
}

func (x *exam) initAgain(scopes []string) string {
	if slices.Contains(scopes, "project") && !slices.Contains(scopes, "user") {
		return "run 'piton init --agent " + x.client.name + " --scope project'"
	}
	return x.runInit()
}

func (x *exam) runInit() string { return "run 'piton init --agent " + x.client.name + "'" }

// repeated: no event runs two different hooks of ours. The client runs identical command lines once.
func (x *exam) repeated() Check {
	const name = "hooks twice"
	lines := map[string][]string{}
	var events, scopes []string
	for _, f := range x.files {
		for _, p := range f.places {
			if !p.counts {
				continue
			}
			if !slices.Contains(scopes, f.scope) {
				scopes = append(scopes, f.scope)
			}
			if slices.Contains(lines[p.event], p.command) {
				continue
			}
			if lines[p.event] = append(lines[p.event], p.command); len(lines[p.event]) == 2 {
				events = append(events, p.event)
			}
		}
	}
	if len(events) == 0 {
		return pass(name, "no event is handled twice")
	}
	hint := x.runInit()
	if slices.Contains(scopes, "project") && slices.Contains(scopes, "user") {
		hint = fmt.Sprintf("keep one of them: 'piton uninstall --agent %[1]s --scope project' or 'piton uninstall --agent %[1]s --scope user'", x.client.name)
	}
	return warn(name, fmt.Sprintf("handled twice (settings of: %s): %s", strings.Join(scopes, ", "), strings.Join(events, ", ")), hint)
}

// stale: what the hooks run is there.
func (x *exam) stale() Check {
	const name = "hook paths"
	var seen []string
	other := ""
	for _, f := range x.files {
		for _, p := range f.places {
			program := x.expand(p.program)
			if whose := agentOf(p.command); whose != x.client.name {
				return fail(name, fmt.Sprintf("%s: at %s, the hook is another client's: %s", f.path, p.event, p.command), x.initAgain([]string{f.scope}))
			}
			if slices.Contains(seen, program) || strings.Contains(program, "$") {
				continue
			}
			seen = append(seen, program)
			if !filepath.IsAbs(program) {
				if _, err := x.LookPath(program); err != nil {
					return fail(name, f.path+" runs "+program+", which is not in PATH: its hooks do nothing", "put the folder of "+program+" into PATH")
				}
				continue
			}
			if err := runnable(program); err != nil {
				return fail(name, f.path+": "+err.Error(), x.initAgain([]string{f.scope}))
			}
			if x.Hook != "" && program != x.Hook && !sameFile(program, x.Hook) {
				other = f.path + " runs " + program + ", not " + x.Hook
			}
		}
	}
	switch {
	case other != "":
		return warn(name, other, x.runInit())
	case len(seen) == 0:
		return pass(name, "no hooks, no paths")
	}
	return pass(name, strings.Join(seen, ", "))
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
			return warn(name, f.path+" runs piton-hook; neither init nor uninstall touches it", "remove them there, unless you want them to stay")
		}
	}
	return pass(name, "none")
}
