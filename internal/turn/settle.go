package turn

import (
	"context"
	"os"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/judge/debrief"
)

// Claude Code writes the agent's last words while the stop hook already runs: 1 to
// 73 ms after its start, also on a machine with much other work; the results of
// calls are there before. Codex and Gemini CLI have written them before. Where the
// last event is older than lately, and each call in the log has its result, the log
// is complete. Where the words never come, which no client was seen to do, nothing
// but these times is lost, all counted from the hook's own start.
const (
	lately      = time.Second
	settleFor   = 250 * time.Millisecond // for words
	settleCalls = 500 * time.Millisecond // for what is evidence (see behind)
	settleLeast = 50 * time.Millisecond  // from when the log was read first
	settleEvery = 10 * time.Millisecond
	clockSlack  = 2 * time.Second // between the times of hooks and those of a log
)

// settle reads the transcript again until the agent's last words are in it, so
// that the calls before them are too; before is the session's last event. Without
// it a quick turn would look as if it had changed, or verified, nothing.
func (h *handler) settle(ctx context.Context, s agent.Session, before piton.Time, turn agent.Turn, f found) found {
	f = h.settled(ctx, s, before, turn, f)
	if f.scriptErr == nil && f.script.Unreadable == "" {
		f.script.Unreadable = lacks(s, f.script)
	}
	return f
}

// behindHooks is how far a log may lie behind what hooks have seen, once it is
// settled: another hook may have kept the client from writing.
const behindHooks = 10 * time.Second

// lacks says what a settled log lacks of what hooks have seen in this turn; ""
// where it lacks nothing.
func lacks(s agent.Session, script agent.Transcript) string {
	if !workSeen(s) {
		return ""
	}
	if len(script.Calls) == 0 {
		return "hooks saw the agent work in this turn, and it names no call"
	}
	if endsBefore(s, script, behindHooks) {
		return "it ends before the last work that hooks saw"
	}
	return ""
}

// endsBefore reports whether a log ends before the last work that hooks have seen in
// this turn, by more than so much.
func endsBefore(s agent.Session, script agent.Transcript, by time.Duration) bool {
	if !workSeen(s) {
		return false
	}
	newest := script.LastOutputAt
	for _, c := range script.Calls {
		for _, at := range []time.Time{c.StartedAt, c.EndedAt} {
			if at.After(newest) {
				newest = at
			}
		}
	}
	return newest.Before(s.WorkedAt.Add(-by))
}

func (h *handler) settled(ctx context.Context, s agent.Session, before piton.Time, turn agent.Turn, f found) found {
	e := h.event
	quick := h.at.Sub(before.Time) <= lately
	if e.LastOutput == "" || s.Transcript == "" || !quick && !slices.ContainsFunc(f.script.Calls, unfinished) {
		return f
	}
	now := time.Now()
	began := h.Began
	if began.IsZero() {
		began = now
	}
	read := logState{} // what was read is not known: it is read once more in any case
	for lags(e, s, turn, f) {
		end := began.Add(settleFor)
		if f.scriptErr == nil && behind(s, f.script) {
			end = began.Add(settleCalls)
		}
		if least := now.Add(settleLeast); end.Before(least) {
			end = least // git took long: the client had its time, and gets a last look
		}
		if !time.Now().Before(end) {
			break
		}
		select {
		case <-ctx.Done():
			return f
		case <-time.After(settleEvery):
		}
		is := stateOfLog(s.Transcript)
		if is == read && is != (logState{}) {
			continue // nothing was written
		}
		read = is
		f.script, f.scriptErr = h.transcript(s, turn)
		f.read = debrief.Read(s.Root, f.script.Calls, f.links.resolve)
	}
	return f
}

// logState tells whether a log was written to; the zero value where it cannot be told.
type logState struct {
	size int64
	at   time.Time
}

func stateOfLog(path string) logState {
	info, err := os.Stat(path)
	if err != nil {
		return logState{}
	}
	return logState{info.Size(), info.ModTime()}
}

// behind reports whether a log lacks what counts as evidence: a call's result, or
// the last work that hooks have seen. Else it is the agent's last words alone.
func behind(s agent.Session, script agent.Transcript) bool {
	return slices.ContainsFunc(script.Calls, unfinished) || endsBefore(s, script, clockSlack)
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
