package installation

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/config"
	"github.com/piton-project/piton/internal/judge/debrief"
	"github.com/piton-project/piton/internal/mark/keep"
	"github.com/piton-project/piton/internal/setup"
)

// Init sets the hooks, the /checkpoint command and the MCP server of clients up. An agent
// can add to what is there, and take nothing of it out or put something else in its place.
func (a Setup) Init(ctx context.Context, r SetupRequest) (Changed, error) {
	const op = "set the hooks up"
	list, err := a.Targets(r, IsHere)
	if err != nil {
		return Changed{}, err
	}
	if len(list) == 0 {
		return Changed{}, piton.Errorf(piton.NotFound, op, "install one, or name it all the same: 'agent "+strings.Join(setup.Agents(), "', 'agent ")+"'", "no agent client is here: neither a program in PATH nor its settings")
	}
	if _, err := a.UsableConfig(list[0].Project); err != nil {
		return Changed{}, err
	}
	if list[0].Hook == "" {
		return Changed{}, piton.Errorf(piton.NotFound, op, HowToInstall, NoHook)
	}
	for i := range list {
		list[i].NoServer, list[i].StatusLine = r.NoMCP, r.StatusLine
		list[i].Verify = min(list[i].Verify+r.Verify, debrief.VerifyLimit)
	}
	out, err := change(list, setup.Init, r.DryRun, func(changes []setup.Change) error {
		if !slices.ContainsFunc(changes, takesOut) {
			return nil
		}
		return a.ByPerson(ctx, op, "it would change what Piton has there, which holds the agent")
	})
	if err == nil && len(out.Changes) > 0 && a.Config("").Restore.Mode == config.RestoreOn {
		out.Notes = append(out.Notes, "files that are not committed are kept in "+filepath.Join(a.Home(), keep.File)+" before an agent may change them, so that 'piton undo' brings them back; 'piton config set restore.mode off' turns that off")
	}
	return out, err
}

// takesOut tells whether a change takes a line out that names Piton.
func takesOut(c setup.Change) bool {
	left := map[string]int{}
	for line := range strings.Lines(string(c.After)) {
		left[bare(line)]++
	}
	for line := range strings.Lines(string(c.Before)) {
		left[bare(line)]--
		if left[bare(line)] < 0 && strings.Contains(line, "piton") {
			return true
		}
	}
	return false
}

// bare is a line without what its neighbours change.
func bare(line string) string { return strings.TrimRight(strings.TrimSpace(line), ", ") }

// Uninstall takes the hooks, the /checkpoint command and the MCP server out of clients' settings. Where no client is named, the
// user's service of the daemon goes too.
func (a Setup) Uninstall(ctx context.Context, r SetupRequest) (Changed, error) {
	list, err := a.Targets(r, setup.Installed)
	if err != nil {
		return Changed{}, err
	}
	out, err := change(list, setup.Uninstall, r.DryRun, func([]setup.Change) error {
		return a.ByPerson(ctx, "remove Piton's hooks", "an agent does not remove what holds it")
	})
	if err != nil {
		return out, err
	}
	if r.Agents == nil && r.Scope == setup.User {
		service, err := a.Service(ctx, ServiceRequest{Remove: true, DryRun: r.DryRun})
		if err != nil {
			return out, err
		}
		out.Changes, out.Notes, out.Diff = append(out.Changes, service.Changes...), append(out.Notes, service.Notes...), out.Diff+service.Diff
		if d, runs := a.Daemon(); runs && len(service.Changes) == 0 {
			out.Notes = append(out.Notes, fmt.Sprintf("the daemon of %s still runs (process %d): end it with Ctrl-C in its terminal, or with: kill %d", a.Options.Home, d.PID, d.PID))
		}
	}
	if path := filepath.Join(a.Home(), keep.File); r.Agents == nil && there(path) {
		out.Notes = append(out.Notes, "what is saved stays in "+a.Home()+", and the marks of files in "+path+"; delete them to be rid of them")
	}
	stay, err := a.Targets(r, func(x setup.Target) bool { return setup.Elsewhere(x) != "" })
	if err != nil {
		return out, err
	}
	other := setup.User
	if r.Scope == other {
		other = setup.Project
	}
	for _, x := range stay {
		if path := setup.Elsewhere(x); path != "" {
			out.Notes = append(out.Notes, fmt.Sprintf("Piton's hooks stay in %s: 'uninstall scope %s' takes those out", path, other))
		}
	}
	return out, nil
}

// there tells whether something is at a path.
func there(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// change plans for all targets, or fails for all, so that nothing is written by
// halves, and writes the plans unless the run is dry, or may refuses them.
func change(list Targets, plan func(setup.Target) (setup.Plan, error), dry bool, may func([]setup.Change) error) (Changed, error) {
	out := Changed{Agents: []string{}, Changes: []FileChange{}, Notes: []string{}, DryRun: dry, Targets: list}
	var changes []setup.Change
	for _, t := range list {
		p, err := plan(t)
		if err != nil {
			if len(list) > 1 {
				with := *caller.AsError(err)
				with.Hint += "; or leave " + setup.Title(t.Agent) + " out: " + "'agent' names the others"
				err = &with
			}
			return out, err
		}
		out.Agents, out.Notes, changes = append(out.Agents, t.Agent), append(out.Notes, p.Notes...), append(changes, p.Changes...)
		for _, c := range p.Changes {
			out.Changes = append(out.Changes, FileChange{t.Agent, c.Path, c.What, c.After == nil})
		}
	}
	out.Diff = setup.Diff(changes)
	if dry {
		return out, nil
	}
	if err := may(changes); err != nil {
		return out, err
	}
	return out, setup.Apply(changes)
}
