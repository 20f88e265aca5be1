package caller

import (
	"cmp"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/proc"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

// seen is a session as its hooks have left it.
type seen struct {
	id, agent, client string
	ended             bool
	began             time.Duration // ago
	elsewhere         bool          // in another project
	pid               int           // of its client
}

// TestSessionOf: which session a call belongs to that names none.
func TestSessionOf(t *testing.T) {
	alone := []seen{{id: "ses_0000000000000001", agent: "claude", client: "one"}}
	two := append(alone, seen{id: "ses_0000000000000002", agent: "claude", client: "two"})
	mixed := append(alone, seen{id: "ses_0000000000000003", agent: "gemini", client: "three"})
	cleared := []seen{
		{id: "ses_0000000000000001", agent: "claude", client: "one", ended: true, pid: 7, began: time.Hour},
		{id: "ses_0000000000000002", agent: "claude", client: "two", pid: 7},
	}
	unnoticed := []seen{
		{id: "ses_0000000000000001", agent: "claude", client: "one", pid: 7, began: time.Hour},
		{id: "ses_0000000000000002", agent: "claude", client: "two", pid: 7},
	}
	for _, c := range []struct {
		name     string
		sessions []seen
		from     Sender
		env      map[string]string
		above    []int // processes above the caller
		want     string
	}{
		{"the call's own id", two, Sender{IDs: []string{"two"}}, map[string]string{"CLAUDE_CODE_SESSION_ID": "one"}, nil, "ses_0000000000000002"},
		{"the call's second id is the known one", two, Sender{IDs: []string{"thread", "one"}}, nil, nil, "ses_0000000000000001"},
		{"an id of the call that no hook has reported", two, Sender{IDs: []string{"new"}}, nil, nil, "new"},
		{"the environment", two, Sender{}, map[string]string{"CLAUDE_CODE_SESSION_ID": "two"}, nil, "ses_0000000000000002"},
		{"the environment's conversation was cleared away", cleared, Sender{}, map[string]string{"CLAUDE_CODE_SESSION_ID": "one"}, nil, "ses_0000000000000002"},
		{"it ended and nothing else is live", cleared[:1], Sender{}, map[string]string{"CLAUDE_CODE_SESSION_ID": "one"}, nil, ""},
		{"the environment names a conversation without hooks", nil, Sender{}, map[string]string{"CLAUDE_CODE_SESSION_ID": "bare"}, nil, "bare"},
		{"a client inside another one's environment", mixed, Sender{Client: "gemini-cli-mcp-client"}, map[string]string{"CLAUDE_CODE_SESSION_ID": "one"}, nil, "ses_0000000000000003"},
		{"the folder's only live session", alone, Sender{}, nil, nil, "ses_0000000000000001"},
		{"the only one of the client that calls", mixed, Sender{Client: "claude-code"}, nil, nil, "ses_0000000000000001"},
		{"none of the client that calls", alone, Sender{Client: "codex-mcp-client"}, nil, nil, ""},
		{"one elsewhere", []seen{{id: "ses_0000000000000001", agent: "claude", client: "one", elsewhere: true}}, Sender{}, nil, nil, ""},
		{"a caller's own session is nobody's conversation", []seen{{id: "ses_0000000000000001", client: "one"}}, Sender{}, nil, nil, ""},
		{"several, one runs the caller", []seen{{id: "ses_0000000000000001", agent: "claude", client: "one", pid: 7}, {id: "ses_0000000000000002", agent: "claude", client: "two", pid: 8}}, Sender{}, nil, []int{5, 8}, "ses_0000000000000002"},
		{"two of one process, the end of the first unreported", unnoticed, Sender{}, nil, []int{7}, "ses_0000000000000002"},
		{"several", two, Sender{}, nil, nil, "several live sessions match: ses_000000000000000"},
		{"nothing was ever seen", nil, Sender{}, nil, nil, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := newCaller(t, Options{
				Getenv: func(k string) string { return c.env[k] }, Home: t.TempDir(),
				Ancestors: func() []proc.Ancestor { return processes(c.above) },
			})
			put(t, a, c.sessions)
			got, err := a.SessionOf(t.Context(), c.from)
			if err != nil {
				got = err.Error()
			}
			if c.want == "" && got != "" || !strings.Contains(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if code := piton.CodeOf(err); err != nil && code != piton.Invalid {
				t.Errorf("got the code %s, want invalid", code)
			}
		})
	}
}

func processes(pids []int) (list []proc.Ancestor) {
	for _, pid := range pids {
		p := proc.Ancestor{Identity: proc.Identity{PID: max(pid, -pid)}}
		if pid < 0 { // a process that is seen to be Gemini CLI
			p.Argv = []string{"node", "/usr/bin/gemini"}
		}
		list = append(list, p)
	}
	return list
}

// TestSessionOfACommand: a client that tells the commands it runs no session is found
// above them, and what is not above them is never taken.
func TestSessionOfACommand(t *testing.T) {
	two := []seen{{id: "ses_0000000000000001", agent: "gemini", client: "one", pid: 7}, {id: "ses_0000000000000002", agent: "gemini", client: "two", pid: 8}}
	for _, c := range []struct {
		name     string
		sessions []seen
		env      string
		above    []int
		want     string
	}{
		{"the client above it", two, "GEMINI_CLI", []int{5, 8}, "ses_0000000000000002"},
		{"the only live session, and not above it", two[:1], "GEMINI_CLI", []int{5}, ""},
		{"another client's", []seen{{id: "ses_0000000000000001", agent: "claude", client: "one", pid: 7}}, "GEMINI_CLI", []int{7}, ""},
		{"no agent runs it", two, "", []int{7}, ""},
		{"it has gone to another project", []seen{{id: "ses_0000000000000001", agent: "gemini", client: "one", pid: 7, elsewhere: true}}, "GEMINI_CLI", []int{5, 7}, "ses_0000000000000001"},
		{"the only live session of the folder, whose process nobody knows", []seen{{id: "ses_0000000000000001", agent: "gemini", client: "one"}}, "GEMINI_CLI", []int{5}, "ses_0000000000000001"},
		{"two of the folder whose processes nobody knows", []seen{{id: "ses_0000000000000001", agent: "gemini", client: "one"}, {id: "ses_0000000000000002", agent: "gemini", client: "two"}}, "GEMINI_CLI", []int{5}, ""},
		{"one whose process nobody knows, in another project", []seen{{id: "ses_0000000000000001", agent: "gemini", client: "one", elsewhere: true}}, "GEMINI_CLI", []int{5}, ""},
		{"it has ended, and its process goes on", []seen{{id: "ses_0000000000000001", agent: "gemini", client: "one", ended: true, pid: 7}}, "GEMINI_CLI", []int{7}, ""},
		{"a second conversation of the same process", append([]seen{{id: "ses_0000000000000003", agent: "gemini", client: "zero", pid: 8, began: time.Hour}}, two...), "GEMINI_CLI", []int{8}, "ses_0000000000000002"},
		{"the environment names it, and another is above", append([]seen{{id: "ses_0000000000000004", agent: "claude", client: "four", pid: 9}}, two...), "CLAUDECODE CLAUDE_CODE_SESSION_ID=four", []int{8}, "ses_0000000000000004"},
		{"it is named and unknown: none is guessed", []seen{{id: "ses_0000000000000004", agent: "claude", client: "four", pid: 9}}, "CLAUDECODE CLAUDE_CODE_SESSION_ID=five", []int{9}, ""},
		{"a client that is marked and tells nothing", []seen{{id: "ses_0000000000000004", agent: "claude", client: "four", pid: 9}}, "CLAUDECODE", []int{9}, "ses_0000000000000004"},
		{"the mark was taken out on the way", two, "", []int{5, -8}, "ses_0000000000000002"},
		{"the mark was taken out, and another client's session is live", []seen{{id: "ses_0000000000000001", agent: "claude", client: "one"}}, "", []int{5, -8}, ""},
		{"one client inside another: the nearer", []seen{{id: "ses_0000000000000001", agent: "claude", client: "one", pid: 7}, two[1]}, "GEMINI_CLI CLAUDE_CODE_SESSION_ID=one", []int{8, 7}, "ses_0000000000000002"},
		{"one client inside another, and neither is above", []seen{{id: "ses_0000000000000001", agent: "claude", client: "one", pid: 7}, two[1]}, "GEMINI_CLI CLAUDE_CODE_SESSION_ID=one", []int{5}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := newCaller(t, Options{
				Getenv: func(k string) string {
					for _, word := range strings.Fields(c.env) {
						if name, value, _ := strings.Cut(word, "="); name == k {
							return cmp.Or(value, "1")
						}
					}
					return ""
				}, Home: t.TempDir(),
				Ancestors: func() []proc.Ancestor { return processes(c.above) },
			})
			put(t, a, c.sessions)
			if got := a.Session(t.Context()); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// put makes sessions known, as of now.
func put(t *testing.T, a *Caller, list []seen) {
	t.Helper()
	if list == nil {
		return
	}
	st, err := a.Local(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	here, err := a.Project(t.Context(), "", true)
	if err != nil {
		t.Fatal(err)
	}
	err = st.Update(t.Context(), func(tx store.LocalTx) error {
		for _, s := range list {
			x := agent.Session{
				Identity: agent.Identity{ID: s.id, Agent: s.agent, ClientID: s.client, Project: here.ID, StartedAt: piton.At(time.Now().Add(-s.began)), SeenAt: a.Now(),
					Process: agent.Process{PID: s.pid, Space: "hidden from here, so that only the silence counts"}},
			}
			if s.elsewhere {
				x.Project = piton.NewID(piton.ProjectPrefix)
			}
			if s.ended {
				x.EndedAt = a.Now()
			}
			if err := tx.PutSession(t.Context(), redact.Value(x)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
