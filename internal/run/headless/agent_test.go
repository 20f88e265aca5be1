package headless

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/run/action"
	"github.com/piton-project/piton/internal/run/plan"
)

func TestAStepIsCompleted(t *testing.T) {
	s := newStage(t)
	s.client("claude", "ends 'It is 7.\\n```json\\n{\\\"n\\\":7}\\n```'\n")
	c := s.call(with(with(prompt("- count"), "env", map[string]any{"TEAM": "blue"}), "tools", []any{"Bash(go test *)"}))
	r, err := s.do(c)
	if err != nil {
		t.Fatal(err)
	}
	id := sessionID(c.Key, 0)
	out := r.Output.(map[string]any)
	if out["text"] != "It is 7.\n```json\n{\"n\":7}\n```" || out["session"] != id || out["agent"] != "claude" || out["model"] != "claude-opus-5-5" || out["cost_usd"] != 0.5 {
		t.Errorf("got the output %v", out)
	}
	if got := out["result"].(map[string]any)["n"]; got != 7.0 {
		t.Errorf("got the result %v, want 7", got)
	}
	if want := (piton.TokenUsage{Input: 100, Output: 10}); r.Usage != want || r.CostUSD != 0.5 || r.Note.Session != id || r.Note.Usage != want {
		t.Errorf("got usage %v, cost %v, note %+v; want %v and 0.5", r.Usage, r.CostUSD, r.Note, want)
	}
	if len(s.notes) == 0 || s.notes[0].Session != id || s.notes[0].Agent != "claude" {
		t.Errorf("got the notes %+v, want the session before the client starts", s.notes)
	}
	for _, want := range []string{"--session-id " + id, "--permission-mode acceptEdits", "--allowedTools=Bash(go test *)"} {
		if got := s.was("argv", 1); !strings.Contains(got, want) || strings.Contains(got, "count") {
			t.Errorf("got the arguments %q, want %q and no prompt", got, want)
		}
	}
	if got := s.was("prompt", 1); !strings.HasPrefix(got, "- count\n") || !strings.Contains(got, couldNotMark) {
		t.Errorf("got the prompt %q", got)
	}
	env := "\n" + s.was("env", 1) + "\n"
	for _, want := range []string{"PITON_RUN_ID=" + s.run, "PITON_STEP_ID=work", "PITON_STEP_GATE=", "PITON_IDEMPOTENCY_KEY=" + c.Key, "TEAM=blue"} {
		if !strings.Contains(env, "\n"+want+"\n") {
			t.Errorf("got the environment %s, want %s", env, want)
		}
	}
	for _, not := range []string{"CLAUDECODE=", "CLAUDE_CODE_SESSION_ID=", "GEMINI_CLI=", "CODEX_THREAD_ID=", "PITON_STEP_ID=outer"} {
		if strings.Contains(env, "\n"+not) {
			t.Errorf("the environment has %s of the session around", not)
		}
	}
	if !strings.Contains(s.log.String(), "It is 7.") {
		t.Errorf("got the log %q, want the message", s.log.String())
	}
}

func TestASessionGoesOnAfterACrash(t *testing.T) {
	s := newStage(t)
	s.client("claude", "if [ $n = 1 ]; then init; say working; kill -9 $$; fi\nends 'Done.'\n")
	c := s.call(prompt("build it"))
	_, err := s.do(c)
	if err == nil || !strings.Contains(err.Error(), "before its work was done") {
		t.Fatalf("got %v, want a client that was broken off", err)
	}
	r, err := s.do(next(c, s.notes[len(s.notes)-1]))
	if err != nil {
		t.Fatal(err)
	}
	if got := s.was("argv", 2); !strings.Contains(got, "--resume "+sessionID(c.Key, 0)) {
		t.Errorf("got the arguments %q, want the session resumed", got)
	}
	if got := s.was("prompt", 2); !strings.Contains(got, "broken off") || !strings.Contains(got, "build it") {
		t.Errorf("got the prompt %q, want what happened and the task", got)
	}
	if r.Note.Session != sessionID(c.Key, 0) {
		t.Errorf("got the session %s", r.Note.Session)
	}
}

func TestASessionThatIsGoneIsBegunAnew(t *testing.T) {
	s := newStage(t)
	s.client("claude", "case \"$*\" in *--resume*) echo 'No conversation found with session ID: x' >&2; exit 1;; esac\nends 'Done.'\n")
	c := s.call(prompt("build it"))
	r, err := s.do(next(c, action.Note{Agent: "claude", Session: "lost"}))
	if err != nil {
		t.Fatal(err)
	}
	if got := s.was("prompt", 2); s.starts() != 2 || !strings.HasPrefix(got, "build it") || !strings.Contains(got, "broken off") {
		t.Errorf("got %d starts and the prompt %q, want the task again", s.starts(), got)
	}
	if r.Note.Session != sessionID(c.Key, 0) {
		t.Errorf("got the session %s, want the step's own", r.Note.Session)
	}
}

func TestAnIDThatIsTakenIsLeft(t *testing.T) {
	s := newStage(t)
	s.client("claude", "if [ $n = 1 ]; then echo 'Error: Session ID x is already in use.' >&2; exit 1; fi\nends 'Done.'\n")
	c := s.call(prompt("build it"))
	r, err := s.do(c)
	if want := sessionID(c.Key, 1); err != nil || r.Note.Session != want {
		t.Errorf("got the session %s (%v), want %s", r.Note.Session, err, want)
	}
}

func TestResumeCanBeSwitchedOff(t *testing.T) {
	s := newStage(t)
	s.client("claude", "ends 'Done.'\n")
	c := s.call(with(prompt("build it"), "resume", false))
	_, err := s.do(next(c, action.Note{Agent: "claude", Session: sessionID(c.Key, 0), Data: memory{Began: time.Now()}.data()}))
	if got := s.was("argv", 1); err != nil || !strings.Contains(got, "--session-id "+sessionID(c.Key, 1)) {
		t.Errorf("got the arguments %q (%v), want a new session", got, err)
	}
}

// An agent that says it is done is not believed.
func TestAClaimWithoutTheCheckIsNotCompleted(t *testing.T) {
	s := newStage(t)
	s.client("claude", "ends 'All tests pass.'\n")
	r, err := s.do(s.call(prompt("mend it"), plan.Check{Run: "echo boom; exit 3"}))
	var f *action.Failed
	if !errors.As(err, &f) || f.Final || r.Output != nil || !strings.Contains(err.Error(), "the command `echo boom; exit 3` ended with status 3: boom") {
		t.Fatalf("got %v, %v; want the step failed by its check", r, err)
	}
	if s.starts() != 2 || !strings.Contains(s.was("argv", 2), "--resume ") || !strings.Contains(s.was("prompt", 2), "status 3: boom") {
		t.Errorf("got %d starts, the second %q with %q; want one more round that is told of it", s.starts(), s.was("argv", 2), s.was("prompt", 2))
	}
	if want := (piton.TokenUsage{Input: 200, Output: 20}); f.Result.Usage != want || f.Result.CostUSD != 1 {
		t.Errorf("got usage %v and cost %v, want both rounds", f.Result.Usage, f.Result.CostUSD)
	}
}

func TestWhatACheckFindsIsMended(t *testing.T) {
	s := newStage(t)
	s.client("claude", "[ $n = 2 ] && echo fixed >done.txt\nends 'Done.'\n")
	r, err := s.do(s.call(prompt("mend it"), plan.Check{File: "done.txt"}, plan.Check{Run: "grep -q fixed done.txt"}))
	if err != nil || r.Note.Data["failing"] != nil {
		t.Fatalf("got %+v, %v; want it completed", r.Note, err)
	}
	if got := s.was("prompt", 2); !strings.Contains(got, "there is no file done.txt") || !strings.Contains(got, "grep -q fixed") {
		t.Errorf("got the prompt %q, want both checks", got)
	}
}

func TestWorkThatGoesRoundInACircleEnds(t *testing.T) {
	s := newStage(t)
	s.repository()
	s.client("claude", "ends 'Done.'\n")
	_, err := s.do(s.call(with(prompt("mend it"), "rounds", 5.0), plan.Check{File: "done.txt"}))
	var f *action.Failed
	if !errors.As(err, &f) || !f.Final || !strings.HasPrefix(err.Error(), "no progress: ") || s.starts() != 2 {
		t.Errorf("got %v after %d starts, want no progress after 2", err, s.starts())
	}
}

// The next attempt knows what did not hold at the last one.
func TestNoProgressIsSeenOverAttempts(t *testing.T) {
	s := newStage(t)
	s.repository()
	s.client("claude", "ends 'Done.'\n")
	c := s.call(with(prompt("mend it"), "rounds", 0.0), plan.Check{File: "done.txt"})
	_, err := s.do(c)
	var f *action.Failed
	if !errors.As(err, &f) || f.Final {
		t.Fatalf("got %v, want a failure that may be tried again", err)
	}
	_, err = s.do(next(c, s.notes[len(s.notes)-1]))
	if !errors.As(err, &f) || !f.Final || !strings.HasPrefix(err.Error(), "no progress: ") {
		t.Errorf("got %v, want no progress", err)
	}
	if got := s.was("prompt", 2); !strings.Contains(got, "there is no file done.txt") {
		t.Errorf("got the prompt %q, want what did not hold", got)
	}
}

func TestAnAgentThatCouldNot(t *testing.T) {
	s := newStage(t)
	s.client("claude", "ends 'I looked.\\n\\n**PITON: could not: there is no such file**'\n")
	_, err := s.do(s.call(prompt("mend it"), plan.Check{Run: "false"}))
	var no *action.CouldNot
	if !errors.As(err, &no) || no.Reason != "there is no such file" || no.Result.Usage.Input != 100 {
		t.Errorf("got %v, want that it could not", err)
	}
}

func TestCouldNot(t *testing.T) {
	for message, want := range map[string]string{
		"PITON: could not: no key":             "no key",
		"Sorry.\n\npiton: could not: no key\n": "no key",
		"> `PITON: could not: no key`":         "no key",
		"PITON: could not:":                    "it gives no reason",
		"Done.":                                "",
		"":                                     "",
		"PITON: could not: x\nThen I could.":   "",
		"I was told to say PITON: could not: REASON.": "",
	} {
		if got := couldNot(message); got != want {
			t.Errorf("got %q of %q, want %q", got, message, want)
		}
	}
}

func TestABudgetOfTokensEndsTheAgent(t *testing.T) {
	s := newStage(t)
	s.client("claude", "init\nsay one 600\nsay two 600\nexec sleep 600\n")
	c := s.call(prompt("work"))
	c.Left.Tokens = 1000
	_, err := s.do(c)
	var f *action.Failed
	if !errors.As(err, &f) || !f.Final || !f.OverBudget || !strings.Contains(err.Error(), "the budget of 1000 tokens is used up") {
		t.Errorf("got %v, want the budget used up", err)
	}
	if f != nil && f.Result.Usage.Total() != 1220 {
		t.Errorf("got usage %v, want 1220 tokens", f.Result.Usage)
	}
}

func TestABudgetOfMoney(t *testing.T) {
	for _, x := range []struct {
		name, agent, model string
		prices             map[string]agent.Price
		want               string
	}{
		{"no price of a model", "codex", "gpt-5.5", nil, "the budget of $1.00 cannot be kept: run.prices has no price of gpt-5.5"},
		{"a client that names no model", "codex", "", map[string]agent.Price{"gpt-5.5": {}}, "the budget of $1.00 cannot be kept: run.prices has no price of codex"},
		{"the price of another", "gemini", "", map[string]agent.Price{"gemini-2.5-flash": {}}, "the budget of $1.00 cannot be kept: run.prices has no price of gemini-2.5-pro"},
		{"used up", "gemini", "", map[string]agent.Price{"gemini": {Input: 2e6}}, "the budget of $1.00 is used up: gemini has cost $200.00"},
	} {
		t.Run(x.name, func(t *testing.T) {
			s := newStage(t)
			s.client("codex", "exit 1\n")
			s.client("gemini", `echo '{"type":"init","session_id":"s","model":"gemini-2.5-pro"}'; sleep 0.2`+"\n"+`echo '{"type":"result","status":"success","stats":{"total_tokens":110,"input_tokens":100,"output_tokens":10}}'`+"\nsleep 20\n")
			s.agent.Prices = x.prices
			c := s.call(with(with(prompt("work"), "agent", x.agent), "model", x.model))
			c.Left.CostUSD = 1
			_, err := s.do(c)
			var f *action.Failed
			if !errors.As(err, &f) || !f.Final || err.Error() != x.want {
				t.Errorf("got %v, want %s", err, x.want)
			}
		})
	}
}

func TestAnUnknownCostIsSaidSo(t *testing.T) {
	s := newStage(t)
	s.client("codex", `echo '{"type":"thread.started","thread_id":"t1"}'; echo '{"type":"item.completed","item":{"type":"agent_message","text":"Done."}}'; echo '{"type":"turn.completed","usage":{"input_tokens":1000000,"cached_input_tokens":400000,"output_tokens":0}}'`)
	c := s.call(with(prompt("work"), "agent", "codex"))
	r, err := s.do(c)
	out, _ := r.Output.(map[string]any)
	if err != nil || out["cost_unknown"] != "run.prices has no price of codex" || out["cost_usd"] != nil || r.Note.Session != "t1" {
		t.Fatalf("got %v, %v; want the cost unknown", out, err)
	}
	s.agent.Prices = map[string]agent.Price{"codex": {Input: 5, CacheRead: 0.5}}
	r, err = s.do(c)
	if err != nil || r.CostUSD != 3.2 || r.Usage.CacheRead != 400000 {
		t.Errorf("got %v and $%v (%v), want $3.2", r.Usage, r.CostUSD, err)
	}
	// In the same thread the client counts on: what is new counts.
	r, err = s.do(next(c, r.Note))
	if err != nil || r.Usage.Total() != 0 {
		t.Errorf("got %v (%v), want nothing new", r.Usage, err)
	}
}

// What a process has used that was killed with us stands in the client's log.
func TestUsageOfABrokenOffProcessCounts(t *testing.T) {
	s := newStage(t)
	s.client("claude", "ends 'Done.'\n")
	c := s.call(prompt("work"))
	id, began := sessionID(c.Key, 0), time.Now().Add(-time.Hour).UTC()
	at := began.Add(time.Minute).Format(time.RFC3339)
	logs := filepath.Join(s.home, ".claude/projects/p")
	if err := os.MkdirAll(logs, 0o755); err != nil {
		t.Fatal(err)
	}
	text := `{"type":"user","timestamp":"` + at + `","turnOrigin":"sdk","message":{"role":"user","content":"work"}}` + "\n" +
		`{"type":"assistant","timestamp":"` + at + `","message":{"id":"m1","role":"assistant","content":[{"type":"text","text":"x"}],"usage":{"input_tokens":700,"output_tokens":70}}}` + "\n"
	if err := os.WriteFile(filepath.Join(logs, id+".jsonl"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	noted := action.Note{Agent: "claude", Session: id, Data: memory{Began: began, Started: began, Open: true, Told: piton.TokenUsage{Input: 100}}.data()}
	r, err := s.do(next(c, noted))
	if want := (piton.TokenUsage{Input: 600 + 100, Output: 70 + 10}); err != nil || r.Usage != want {
		t.Errorf("got %v (%v), want %v: what was not noted, and this attempt's", r.Usage, err, want)
	}
}

// What an agent has started ends with it, wherever it has gone.
func TestNothingGoesOn(t *testing.T) {
	for _, x := range []struct{ name, script string }{
		{"at a cancellation", "init; sleep 300 & setsid sleep 300 & echo $! >$B/far; echo $$ >$B/near; wait\n"},
		{"at its own end", "setsid sleep 300 >/dev/null 2>&1 & echo $! >$B/far; echo $$ >$B/near; ends 'Done.'\n"},
	} {
		t.Run(x.name, func(t *testing.T) {
			s := newStage(t)
			s.client("claude", x.script)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			c := s.call(prompt("work"))
			if x.name == "at a cancellation" {
				go func() {
					s.pid("near")
					cancel()
				}()
			}
			if _, err := s.agent.Do(ctx, c); ctx.Err() != nil && !errors.Is(err, context.Canceled) {
				t.Errorf("got %v, want the cancellation", err)
			}
			for _, name := range []string{"near", "far"} {
				pid := s.pid(name)
				if pid == 0 {
					t.Errorf("the %s process has not begun", name)
				}
				// It was killed, and may not have ended yet.
				for end := time.Now().Add(time.Minute); running(pid); time.Sleep(5 * time.Millisecond) {
					if time.Now().After(end) {
						t.Fatalf("the %s process %d still runs", name, pid)
					}
				}
			}
		})
	}
}

// pid waits for a process of the script to write its id as a whole line.
func (s *stage) pid(name string) (pid int) {
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		text, _ := os.ReadFile(s.bin + "/" + name)
		if line, whole := strings.CutSuffix(string(text), "\n"); whole {
			pid, _ = strconv.Atoi(line)
			return pid
		}
	}
	return 0
}

// running tells whether a process runs; one that only waits to be collected does not.
func running(pid int) bool {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err == nil && !strings.Contains(string(b), ") Z ")
}

func TestFailures(t *testing.T) {
	for _, x := range []struct {
		name, script, want string
		final              bool
	}{
		{"its model is not reached", `init; echo '{"type":"result","subtype":"success","is_error":true,"api_error_status":529,"result":"API Error: overloaded"}'; exit 1`, "claude: API Error: overloaded", false},
		{"its key is refused", `init; echo '{"type":"result","subtype":"success","is_error":true,"api_error_status":401,"result":"Invalid API key"}'; exit 1`, "claude: Invalid API key", true},
		{"it ends in the middle", "init; echo out of memory >&2; exit 9", "claude: it ended with status 9 before its work was done: out of memory", false},
		{"it says nothing", "exit 0", "claude: it ended with status 0 before its work was done", false},
	} {
		t.Run(x.name, func(t *testing.T) {
			s := newStage(t)
			s.client("claude", x.script)
			_, err := s.do(s.call(prompt("work")))
			var f *action.Failed
			if !errors.As(err, &f) || err.Error() != x.want || f.Final != x.final {
				t.Errorf("got %v (final %v), want %s", err, f != nil && f.Final, x.want)
			}
		})
	}
}

func TestWhatCannotBegin(t *testing.T) {
	for _, x := range []struct {
		name       string
		parameters map[string]any
		want       string
	}{
		{"no prompt", prompt(" "), "the prompt is empty"},
		{"no such agent", with(prompt("x"), "agent", "copilot"), `there is no agent "copilot"; there are claude, gemini, codex`},
		{"not installed", with(prompt("x"), "agent", "gemini"), `gemini is not installed: no program "gemini" in the search path`},
		{"rights that are none", with(prompt("x"), "permissions", "all"), `the permissions are "all", and must be read, edit or full`},
		{"no such folder", with(prompt("x"), "dir", "/nowhere"), "the folder /nowhere is not there"},
	} {
		s := newStage(t)
		s.client("claude", "ends 'Done.'\n")
		_, err := s.do(s.call(x.parameters))
		var f *action.Failed
		if !errors.As(err, &f) || !f.Final || err.Error() != x.want || s.starts() != 0 {
			t.Errorf("%s: got %v, want %s", x.name, err, x.want)
		}
	}
}

func TestAPersonsWordsAreHandedOn(t *testing.T) {
	for _, x := range []struct {
		name  string
		noted action.Note
	}{{"to a new session", action.Note{}}, {"to the session there is", action.Note{Agent: "claude", Session: "s"}}} {
		s := newStage(t)
		s.client("claude", "ends 'Done.'\n")
		c := s.call(prompt("write it"))
		c.Words, c.Noted = "Too long.", x.noted
		if _, err := s.do(c); err != nil || !strings.Contains(s.was("prompt", 1), "sent it back with these words:\nToo long.") {
			t.Errorf("%s: got the prompt %q (%v), want the words", x.name, s.was("prompt", 1), err)
		}
	}
}
