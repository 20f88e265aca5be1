package debrief

import (
	"slices"
	"strings"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/judge/shell"
	"github.com/piton-project/piton/internal/judge/tools"
)

// ranSince reports whether something ran since the file's last change that loads,
// builds or calls it. Listing, printing, committing and installing run nothing; of a
// program that is not known it is taken to be so.
// Rule: docs/spec.md, "It ran".
func (t *turn) ranSince(f file) bool {
	return slices.ContainsFunc(t.calls, func(c *call) bool {
		switch {
		case c.NeverRan || c.own:
			return false
		case c.Kind == agent.CallOther:
			return c.moment(-1).after(f.last) && !saysLooking.said(c.Tool)
		}
		return slices.ContainsFunc(c.commands, func(cmd *command) bool {
			wrote := c.at == f.last.Call && cmd.at <= max(f.last.Command, 0) // what wrote the file is not a run of it
			return !wrote && c.moment(cmd.at).after(f.last) && cmd.runs(f)
		})
	})
}

// idleDoes are the things that commands do which run nothing of a project.
const idleDoes = tools.Reads | tools.Prints | tools.Mentions | tools.Trivial | tools.Nothing | tools.Idle | tools.Commits | tools.Joins | tools.Fetches |
	tools.Delivers | tools.Installs | tools.Formats | tools.Moves | tools.Probes | tools.Loud

// starts reports whether a command may start a program of the project, here: not on
// another machine, and none that only bears the name of a known one.
func (c *command) starts() bool {
	if c.unreadable || len(c.Words) == 0 || c.DryRun() || c.does(idleDoes|tools.Talks) {
		return false
	}
	posing := !tools.Known(c.Words[0]) && tools.Known(c.name())
	return !posing && !slices.Contains([]string{"chroot", "nsenter", "ssh"}, c.name())
}

// runs reports whether a command may load, build or call a changed file.
func (c *command) runs(f file) bool {
	if c.unreadable || len(c.Words) == 0 || c.DryRun() {
		return false
	}
	program := tools.Of(c.Words[0])
	switch {
	case c.does(tools.Talks):
		return strings.Contains(c.text, "localhost") || strings.Contains(c.text, "127.0.0.1") || strings.Contains(c.text, "0.0.0.0")
	case program.Script != nil:
		return !c.inlineOnly() || strings.Contains(c.line, stemOf(f.Path))
	case c.does(idleDoes):
		return false
	case program.Ecosystem != "" && f.ecosystem != "" && program.Ecosystem != f.ecosystem:
		return strings.Contains(c.text, baseName(f.Path))
	case c.turn.kindOf(c) != noCheck:
		return false // it is a check, and judged as one
	}
	return true
}

// inlineOnly reports whether an interpreter is given its program on the line: python -c,
// python - <<E.
func (c *command) inlineOnly() bool {
	fed := c.Stdin != "" && !slices.ContainsFunc(c.Words[1:], func(w string) bool { return !strings.HasPrefix(w, "-") })
	return fed || c.does(tools.Program)
}

// stemOf is a file's name without folder and extensions; of one that stands for its
// folder, the folder's name.
func stemOf(path string) string {
	stem, _, _ := strings.Cut(baseName(path), ".")
	if dir := folderOf(path); slices.Contains([]string{"index", "mod", "__init__", "main", "lib"}, stem) && dir != "" {
		return baseName(dir)
	}
	return stem
}

// blindSince reports whether a command ran since a moment that cannot be read, or one
// that told of checks which went well on another machine: what they took nobody knows.
func (t *turn) blindSince(m moment) bool {
	return t.ran(func(c *call, cmd *command) bool {
		return !c.NeverRan && (cmd.unreadable || t.hosted(c, cmd, m)) && c.moment(cmd.at).after(m)
	})
}

// hosted reports whether a command told that the checks of what was pushed since a
// moment went well on another machine.
func (t *turn) hosted(c *call, cmd *command, m moment) bool {
	if !cmd.does(tools.Hosted) || c.Background || c.EndedAt.IsZero() || c.status(cmd) != shell.Yes {
		return false
	}
	watch := slices.Contains(cmd.Words, "watch")
	odd := func(w string) bool {
		return w == "-R" || strings.HasPrefix(w, "--repo") || strings.HasPrefix(w, "--json")
	}
	if slices.ContainsFunc(cmd.Words, odd) || watch && !slices.Contains(cmd.Words, "--exit-status") {
		return false
	}
	return t.ran(func(other *call, x *command) bool {
		return len(x.Words) > 1 && x.Words[0] == "git" && slices.Contains(x.Words, "push") && other.moment(x.at).after(m)
	})
}
