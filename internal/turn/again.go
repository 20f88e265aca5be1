package turn

import (
	"context"
	"slices"
	"strings"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/judge/debrief"
)

// asked are the actions of the turn's last hold; nil before the first. It reads
// nothing where the agent was not held.
func (h *handler) asked(ctx context.Context, s agent.Session) []string {
	if s.Holds == 0 {
		return nil
	}
	const newest = 8 // stops that were let through may lie behind the hold
	list, err := h.store.Decisions(ctx, s.ID, newest)
	if err != nil {
		h.log().WarnContext(ctx, "the last hold was not read", "session", s.ID, "err", err)
		return nil
	}
	for _, d := range list {
		if d.Held && d.Turn == s.Turn {
			return d.Actions
		}
	}
	return nil
}

// repeats reports whether another hold would say only what the last has said
// (docs/spec.md, "Loop guard"): nothing else is asked for, and the agent has
// edited none of its files since. It was told that it may say why something
// cannot be done, and by now it has. What needs a program that the calls have
// shown to be missing counts as asked, edits or not.
func (x situation) repeats(actions []string) bool {
	if x.session.Holds == 0 || len(x.asked) == 0 {
		return false
	}
	absent := debrief.Absent(x.found.script.Calls)
	edited := len(x.editedAgain()) > 0
	return !slices.ContainsFunc(actions, func(action string) bool {
		if needs(action, absent) {
			return false
		}
		return edited || !slices.ContainsFunc(x.asked, func(was string) bool { return sameAction(was, action) })
	})
}

// again is the message of another hold. Where it asks for the same as the last,
// it says what is new: which files were edited since.
func (x situation) again(message string, actions []string) string {
	same := func(action string) bool {
		return slices.ContainsFunc(x.asked, func(was string) bool { return sameAction(was, action) })
	}
	files := x.editedAgain()
	if x.session.Holds == 0 || len(files) == 0 || !slices.ContainsFunc(actions, same) {
		return message
	}
	names := ""
	for i, f := range files[:min(len(files), 3)] {
		if i > 0 {
			names += ", "
		}
		names += "`" + inline(cut(shownName(f), maxNamed)) + "`"
	}
	if more := len(files) - 3; more > 0 {
		names += " and " + count(more, "more file")
	}
	rest, _ := strings.CutPrefix(message, agent.Prefix)
	return agent.Prefix + "edited since the last debrief: " + names + ". " + strings.ToUpper(rest[:min(1, len(rest))]) + rest[min(1, len(rest)):]
}

// editedAgain are the agent's files that were edited since the last hold: a call
// names them, or their time is younger.
func (x situation) editedAgain() []string {
	since := x.session.LastCheckpoint
	if since.IsZero() {
		return nil
	}
	var files []string
	for _, path := range owned(x.result.Files) {
		if x.found.changedAt(path).After(since.Time) {
			files = append(files, path)
		}
	}
	return files
}

// sameAction reports whether two actions ask for the same: the time of a log
// check aside, which grows.
func sameAction(a, b string) bool { return withoutSince(a) == withoutSince(b) }

func withoutSince(action string) string {
	before, after, found := strings.Cut(action, " --since ")
	if !found {
		return action
	}
	return before + strings.TrimLeft(after, "0123456789mhs")
}

// needs reports whether an action names a command of one of these programs.
func needs(action string, programs []string) bool {
	for i, span := range strings.Split(action, "`") {
		if i%2 == 0 {
			continue
		}
		for _, word := range strings.Fields(span) {
			if slices.Contains(programs, word[strings.LastIndex(word, "/")+1:]) {
				return true
			}
		}
	}
	return false
}

// running is the check, or the fetching of packages, that still goes on in the
// background, as the client names it; "" where there is none, or where the client does not wake at its end.
func (x situation) running() string {
	for _, b := range x.event.Background {
		if !b.Running || b.Type == agent.BackgroundSubagent || b.Kind != "" && b.Kind != agent.CallShell {
			continue
		}
		line := b.Command
		for _, c := range x.found.script.Calls {
			if line == "" && b.ID != "" && c.Task == b.ID {
				line = c.Command
			}
		}
		if line = cleaned(line); line != "" && x.input.Awaited(line) {
			return line
		}
	}
	return ""
}

// own is what the rules make of the newest prompt's calls alone, where a person
// had interrupted the agent before: what it did until then may have been given
// up, and is no reason to hold (docs/spec.md, "Loop guard"). nil elsewhere.
func own(x situation) *debrief.Result {
	since := x.found.script.AnewAt
	if !x.session.TurnOpen || since.IsZero() || !x.input.CallsSeen || since.Before(x.turn.StartedAt.Time) {
		return nil
	}
	in := x.input
	in.Read, in.Calls = nil, slices.DeleteFunc(slices.Clone(in.Calls), func(c agent.Call) bool { return c.StartedAt.Before(since) })
	in.Partial = false
	before := debrief.Read(in.Root, slices.DeleteFunc(slices.Clone(x.input.Calls), func(c agent.Call) bool { return !c.StartedAt.Before(since) }), in.Resolve)
	shown, _ := before.Seen()
	known, _ := agent.Seen(nil).With(shown)
	in.Known = slices.Clone(in.Known)
	for _, f := range in.Files {
		if known.Has(f.Path) {
			in.Known = append(in.Known, f.Path)
		}
	}
	r := debrief.Look(in)
	return &r
}
