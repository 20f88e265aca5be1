package setup

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/piton-project/piton/internal/client"
)

// NotInstalled begins the finding that a client has none of Piton's hooks; the client's
// title follows.
const NotInstalled = "Piton is not installed into "

// installed: over all scopes, every event has its hook.
func (x *exam) installed() Check {
	const name = "hooks"
	var missing, scopes []string
	wanted := x.client.hooks(x.Target)
	for _, w := range wanted {
		found := false
		for f, p := range x.hooks(true) {
			if w.coveredBy(p) {
				found, scopes = true, addNew(scopes, f.scope)
			}
		}
		if !found {
			missing = append(missing, w.event)
		}
	}
	if f, bad := x.unread(); bad && len(missing) > 0 {
		return client.Fail(name, "not known while "+f.path+" cannot be read", "fix that file first")
	}
	switch {
	case len(missing) == len(wanted):
		return client.Fail(name, NotInstalled+x.client.Title, x.runInit())
	case len(missing) > 0:
		return client.Fail(name, "missing: "+strings.Join(missing, ", "), x.initAgain(scopes))
	}
	detail := fmt.Sprintf("%d events, in the settings of: %s", len(wanted), strings.Join(scopes, ", "))
	if more := x.surplus(wanted); len(more) > 0 {
		detail += "; more than what is set here needs: " + strings.Join(more, ", ")
	}
	return client.Pass(name, detail)
}

// surplus lists events with a hook of ours that is not needed here, or not in this form: another project may need it.
func (x *exam) surplus(wanted []hook) []string {
	var more []string
	for _, p := range x.hooks(true) {
		if !slices.ContainsFunc(wanted, func(w hook) bool { return w.matches(p) }) {
			more = addNew(more, p.event)
		}
	}
	return more
}

// addNew adds a text to a list that does not have it.
func addNew(list []string, text string) []string {
	if slices.Contains(list, text) {
		return list
	}
	return append(list, text)
}

// hooksTwice: no event runs two different hooks of ours. The client runs identical command lines once.
func (x *exam) hooksTwice() Check {
	const name = "hooks twice"
	lines := map[string][]string{}
	var events, scopes []string
	for f, p := range x.hooks(true) {
		scopes = addNew(scopes, f.scope)
		if lines[p.event] = addNew(lines[p.event], p.command); len(lines[p.event]) > 1 {
			events = addNew(events, p.event)
		}
	}
	if len(events) == 0 {
		return client.Pass(name, "each event runs one hook of Piton's at most")
	}
	hint := x.runInit()
	if slices.Contains(scopes, "project") && slices.Contains(scopes, "user") {
		hint = fmt.Sprintf("keep one of them: 'piton uninstall --agent %[1]s --scope project' or 'piton uninstall --agent %[1]s --scope user'", x.client.name)
	}
	return client.Warn(name, fmt.Sprintf("handled twice (settings of: %s): %s", strings.Join(scopes, ", "), strings.Join(events, ", ")), hint)
}

// timeouts: no hook of ours is ended before it is done. A longer timeout is the user's wish.
func (x *exam) timeouts() Check {
	const name = "hook timeouts"
	said := func(n float64) string { return (time.Duration(n * float64(x.client.Hooks.Unit))).String() }
	for f, p := range x.hooks(false) {
		for _, w := range x.client.hooks(x.Target) {
			if !w.matches(p) {
				continue
			}
			has := p.timeout
			if has == 0 && w.event == x.client.Hooks.Stop {
				has = float64(x.client.Hooks.Default / x.client.Hooks.Unit)
			}
			if has > 0 && has < float64(w.timeout) {
				return client.Warn(name, fmt.Sprintf("%s: %s has %s and may need %s", f.path, w.event, said(has), said(float64(w.timeout))), x.initAgain([]string{f.scope}))
			}
		}
	}
	return client.Pass(name, "long enough for what hooks do")
}
