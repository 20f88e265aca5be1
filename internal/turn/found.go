package turn

import (
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/git"
	"github.com/piton-project/piton/internal/judge/debrief"
)

// found is what was seen of a turn from outside.
type found struct {
	changes   git.Changes
	gitErr    error
	script    agent.Transcript
	scriptErr error
	read      *debrief.Reading // of the script's calls
	links     *links
	tests     []debrief.Test
	doubts    []debrief.Doubt
	was       map[string]*string // settings and definitions of tests as they were, where the turn changed them
	verified  []agent.Verified   // what Piton ran itself
}

// cutOff reports whether the newest entry of the log is a person's interruption,
// and no hook has reported a prompt since, which the client may not have written
// yet.
func cutOff(s agent.Session, script agent.Transcript) bool {
	return !script.Interrupted.IsZero() && !script.LastOutputAt.After(script.Interrupted) && !s.PromptedAt.After(script.Interrupted)
}

// lags reports whether the agent's last words are missing in the transcript. The
// same words from before the last hold or stop do not count.
func lags(e agent.Event, s agent.Session, turn agent.Turn, f found) bool {
	if cutOff(s, f.script) {
		return false // what a person has cut off is never written
	}
	at := f.script.LastOutputAt
	return f.scriptErr != nil || !endsWith(e.LastOutput, f.script.LastOutput) ||
		!at.After(s.LastCheckpoint.Time) || !at.After(turn.EndedAt.Time)
}

// endsWith reports whether a text ends with other words, whatever the white space
// between and around them: Gemini CLI hands a hook all that was said in a turn,
// with a space between any two pieces in which it came. Empty words never match.
func endsWith(text, words string) bool {
	found := false
	for {
		text, words = strings.TrimRightFunc(text, unicode.IsSpace), strings.TrimRightFunc(words, unicode.IsSpace)
		if words == "" {
			return found
		}
		last, n := utf8.DecodeLastRuneInString(words)
		if r, m := utf8.DecodeLastRuneInString(text); r == last && m == n {
			text, words, found = text[:len(text)-m], words[:len(words)-n], true
			continue
		}
		return false
	}
}

// unfinished reports whether a call has no result and should have one at a stop.
// No event reports a command that fails, so it may have ended just now.
func unfinished(c agent.Call) bool {
	return c.EndedAt.IsZero() && !c.Background && c.Subagent == ""
}

// callSince reports whether the agent has called a tool after a moment.
func callSince(calls []agent.Call, after piton.Time) bool {
	for _, c := range slices.Backward(calls) {
		if c.StartedAt.After(after.Time) || c.EndedAt.After(after.Time) {
			return true
		}
	}
	return false
}

// changedAt is when a file was last changed, as far as it is known: by the work
// tree, or by the calls that name it.
func (f found) changedAt(path string) time.Time {
	var at time.Time
	for _, c := range f.changes.Files {
		if c.Path == path {
			at = c.ModTime
		}
	}
	for _, c := range f.script.Calls {
		named := c.Kind == agent.CallEdit && slices.ContainsFunc(c.Paths, func(p string) bool {
			return p == path || strings.HasSuffix(p, "/"+path)
		})
		if named && c.EndedAt.After(at) {
			at = c.EndedAt
		}
	}
	return at
}

// notes names what could not be looked at.
func (f found) notes() []string {
	var list []string
	if f.gitErr != nil {
		list = append(list, cleaned("git: "+cause(f.gitErr)))
	}
	if f.scriptErr != nil {
		list = append(list, cleaned("transcript: "+cause(f.scriptErr)))
	}
	if f.changes.Bounded != "" {
		list = append(list, "git: "+f.changes.Bounded)
	}
	if f.scriptErr == nil && !f.script.Complete {
		list = append(list, "transcript: the turn's beginning was not reached")
	}
	return list
}

// owned are the paths that are the agent's own work.
func owned(files []agent.FileChange) []string {
	var paths []string
	for _, f := range files {
		if f.Whose == agent.OwnerAgent {
			paths = append(paths, f.Path)
		}
	}
	return paths
}
