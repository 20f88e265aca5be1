package headless

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client"
	"github.com/piton-project/piton/internal/client/claude"
	"github.com/piton-project/piton/internal/client/codex"
	"github.com/piton-project/piton/internal/client/gemini"
	"github.com/piton-project/piton/internal/run/action"
	"github.com/piton-project/piton/internal/run/plan"
)

// logging is a client whose log says what it is told to.
type logging struct {
	client.Client
	t   agent.Transcript
	err error
}

func (l logging) Transcript(string, time.Time, int64) (agent.Transcript, error) { return l.t, l.err }

var clock = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// working is an attempt of a client, whose log is there where it has one.
func working(t *testing.T, c client.Client) *work {
	t.Helper()
	home := t.TempDir()
	for _, name := range []string{"a/s1.jsonl", "b/s1.jsonl"} {
		path := filepath.Join(home, "projects", name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, nil, 0o644), os.Chtimes(path, clock, clock.Add(time.Duration(strings.Count(name, "b"))*time.Hour))); err != nil {
			t.Fatal(err)
		}
	}
	return &work{
		a: &Agent{Now: func() time.Time { return clock }, Prices: map[string]agent.Price{"m": {Input: 1e6}}},
		o: order{client: c, env: []string{"HOME=/nowhere", "CLAUDE_CONFIG_DIR=" + home}}, note: action.Note{Agent: "x", Session: "s1"},
	}
}

func tokens(n int64) piton.TokenUsage { return piton.TokenUsage{Input: n} }

// TestWhatIsAsked: each check in words, and the whole of a prompt.
func TestWhatIsAsked(t *testing.T) {
	t.Parallel()
	for want, c := range map[string]plan.Check{
		"the command succeeds: x": {Run: "x"},
		"there is a file: x":      {File: "x"},
		"a file was changed: x":   {Changed: "x"},
		"what was changed was verified by commands that succeeded after the last change": {Verified: true},
		"it holds for your last message (output.text, output.result): x":                 {Expr: "x"},
		"nothing": {},
	} {
		if got := demand(c); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	const alone, ends = "\n\nYou work without a terminal: nobody can answer questions.", "If you cannot do the task, end with a last line of this form: PITON: could not: REASON"
	checked := alone + " When you end, this is checked, whatever you say:\n- there is a file: f\n" + ends
	for _, c := range []struct {
		name string
		w    work
		say  func(w *work) string
		want string
	}{
		{"new", work{o: order{prompt: "p"}}, (*work).fresh, "p" + alone + " " + ends},
		{"checked", work{o: order{prompt: "p"}, c: action.Call{Check: []plan.Check{{File: "f"}}}}, (*work).fresh, "p" + checked},
		{"JSON", work{o: order{prompt: "p", output: "json"}}, (*work).fresh, "p\n\nEnd with a message that is JSON and nothing else." + alone + " " + ends},
		{"sent back", work{o: order{prompt: "p"}, c: action.Call{Words: "no"}}, (*work).fresh, "p\n\nA person has looked at an earlier result of this task and sent it back with these words:\nno" + alone + " " + ends},
		{"again", work{o: order{prompt: "p"}, again: true, memory: memory{Failing: []string{"a", "b"}}}, (*work).fresh,
			"p\n\nAn earlier attempt at this task was broken off: the program or the machine stopped. Look at what it has left before you go on.\n\nThis does not hold:\n- a\n- b" + alone + " " + ends},
		{"resumed", work{o: order{prompt: "p"}, memory: memory{Ended: "it slept"}}, (*work).resumed,
			"Your work on this task ended before it was done: it slept. Look at what is done already, then go on to the end.\n\nThe task was:\np" + alone + " " + ends},
		{"resumed, and checked", work{o: order{prompt: strings.Repeat("p", 2001)}, memory: memory{Failing: []string{"a"}}}, (*work).resumed,
			"The task is not done yet.\n\nThis does not hold:\n- a\n\nThe task was:\n" + strings.Repeat("p", 2000) + " …" + alone + " " + ends},
		{"resumed, and sent back", work{o: order{prompt: "p", output: "json"}, c: action.Call{Words: "no"}}, (*work).resumed,
			"A person has looked at your result and sent it back with these words:\nno\n\nGo on with the task.\n\nThe task was:\np\n\nEnd with a message that is JSON and nothing else." + alone + " " + ends},
		{"to be mended", work{c: action.Call{Check: []plan.Check{{File: "f"}}}}, func(w *work) string { return w.mend([]lack{{"f", "no f"}}) },
			"The task is not done: it was checked, and this does not hold.\n\nThis does not hold:\n- no f\n\nMend it, then end." + checked},
	} {
		if got := c.say(&c.w); got != c.want {
			t.Errorf("%s:\ngot  %q\nwant %q", c.name, got, c.want)
		}
	}
	for _, c := range [][2]string{{begin("abc", 3), "abc"}, {begin("abcd", 3), "abc …"}, {begin("aö", 2), "a …"}, {end(" abc\n", 3), "abc"}, {end("abcd", 3), "… bcd"}, {end("öa", 2), "… a"}} {
		if c[0] != c[1] {
			t.Errorf("got %q, want %q", c[0], c[1])
		}
	}
	w := work{denied: []string{"b", "a", "b"}}
	if got := w.refusedTools(); got != " (it was refused these tools: a, b)" || (&work{}).refusedTools() != "" {
		t.Errorf("got %q", got)
	}
}

// TestWhatAProcessHasUsed: what it tells, what its log tells, and what that costs.
func TestWhatAProcessHasUsed(t *testing.T) {
	t.Parallel()
	logged := func(n int64) client.Client {
		return logging{Client: claude.Client{}, t: agent.Transcript{Usage: tokens(n)}}
	}
	unpricing := func(n int64) client.Client {
		return logging{Client: pricedByUs{claude.Client{}}, t: agent.Transcript{Usage: tokens(n)}}
	}
	for _, c := range []struct {
		name        string
		c           client.Client
		counted     int64
		p           client.Progress
		used        int64
		cost        float64
		unpriced    string
		nextCounted int64
	}{
		{"nothing", logged(0), 0, client.Progress{Done: true}, 0, 0, "", 0},
		{"its own price", logged(9), 0, client.Progress{Done: true, Usage: tokens(5), CostUSD: 2}, 5, 2, "", 0},
		{"its own price is not told", logged(9), 0, client.Progress{Done: true, Usage: tokens(5), Model: "m"}, 5, 5, "", 0},
		{"our price", unpricing(9), 0, client.Progress{Done: true, Usage: tokens(5), CostUSD: 2, Model: "m"}, 5, 5, "", 0},
		{"no price", unpricing(9), 0, client.Progress{Done: true, Usage: tokens(5), Model: "n"}, 5, 0, "run.prices has no price of n", 0},
		{"broken off, and the log says more", unpricing(9), 0, client.Progress{Usage: tokens(5), Model: "m"}, 9, 9, "", 0},
		{"broken off, and the log says less", unpricing(4), 0, client.Progress{Usage: tokens(5), Model: "m"}, 5, 5, "", 0},
		{"of the whole session, in the log", unpricing(3), 4, client.Progress{Done: true, Usage: tokens(10), Cumulative: true, Model: "m"}, 3, 3, "", 10},
		{"of the whole session, in no log", unpricing(0), 4, client.Progress{Done: true, Usage: tokens(10), Cumulative: true, Model: "m"}, 6, 6, "", 10},
		{"of a session that began anew", unpricing(0), 20, client.Progress{Done: true, Usage: tokens(10), Cumulative: true, Model: "m"}, 10, 10, "", 10},
		{"of a session that was broken off", unpricing(0), 4, client.Progress{Usage: tokens(10), Cumulative: true, Model: "m"}, 6, 6, "", 4},
		{"a log that cannot be read", logging{Client: codex.Client{}, err: errors.New("x"), t: agent.Transcript{Usage: tokens(9)}}, 0, client.Progress{Usage: tokens(5), Model: "m"}, 5, 5, "", 0},
		{"a log of another form", logging{Client: pricedByUs{claude.Client{}}, t: agent.Transcript{Usage: tokens(9), Unreadable: "x"}}, 0, client.Progress{Usage: tokens(5), Model: "m"}, 5, 5, "", 0},
	} {
		w := working(t, c.c)
		w.memory.Counted, w.memory.Open = tokens(c.counted), true
		w.settle(c.p, clock)
		if w.used != tokens(c.used) || w.cost != c.cost || w.unpriced != c.unpriced || w.memory.Counted != tokens(c.nextCounted) || w.memory.Open {
			t.Errorf("%s: got %v, %v, %q, counted %v, open %t", c.name, w.used, w.cost, w.unpriced, w.memory.Counted, w.memory.Open)
		}
	}
	w := working(t, claude.Client{})
	if got := w.log(); !strings.HasSuffix(got, "projects/b/s1.jsonl") {
		t.Errorf("got the log %s, want the newer one", got)
	}
	w.note.Session = "s2"
	if got := w.log(); got != "" {
		t.Errorf("got the log %s, want none", got)
	}
	w.note.Session = "../x"
	if got := w.log(); got != "" {
		t.Errorf("got the log %s of no id", got)
	}
	w.memory.Model, w.o.task.Model = "remembered", "asked"
	for want, p := range map[string]client.Progress{"told": {Model: "told"}, "remembered": {}} {
		if got := w.model(p); got != want {
			t.Errorf("got the model %s, want %s", got, want)
		}
	}
	if w.memory.Model = ""; w.model(client.Progress{}) != "asked" {
		t.Error("got another model than the one that was asked for")
	}
	all := piton.TokenUsage{Input: 5, Output: 6, CacheRead: 7, CacheWrite: 8}
	for _, c := range []struct{ v, minus, more piton.TokenUsage }{
		{piton.TokenUsage{}, all, all},
		{piton.TokenUsage{Input: 1, Output: 2, CacheRead: 3, CacheWrite: 4}, piton.TokenUsage{Input: 4, Output: 4, CacheRead: 4, CacheWrite: 4}, piton.TokenUsage{Input: 4, Output: 4, CacheRead: 4, CacheWrite: 4}},
		{all, piton.TokenUsage{}, piton.TokenUsage{}},
		{piton.TokenUsage{Input: 6}, all, piton.TokenUsage{Output: 6, CacheRead: 7, CacheWrite: 8}},
		{piton.TokenUsage{Output: 7}, all, piton.TokenUsage{Input: 5, CacheRead: 7, CacheWrite: 8}},
		{piton.TokenUsage{CacheRead: 8}, all, piton.TokenUsage{Input: 5, Output: 6, CacheWrite: 8}},
		{piton.TokenUsage{CacheWrite: 9}, all, piton.TokenUsage{Input: 5, Output: 6, CacheRead: 7}},
	} {
		if m, o := minus(all, c.v), more(all, c.v); m != c.minus || o != c.more {
			t.Errorf("%v: got %v and %v", c.v, m, o)
		}
	}
}

// pricedByUs is a client that tells no price.
type pricedByUs struct{ client.Client }

func (pricedByUs) PricesItself() bool { return false }

// TestBudgets: what may still be used is kept.
func TestBudgets(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		left plan.Budget
		used int64
		cost float64
		p    client.Progress
		want string
	}{
		{plan.Budget{}, 1000, 1000, client.Progress{Usage: tokens(1000)}, ""},
		{plan.Budget{Tokens: 10}, 4, 0, client.Progress{Usage: tokens(6)}, ""},
		{plan.Budget{Tokens: 10}, 4, 0, client.Progress{Usage: tokens(7)}, "the budget of 10 tokens is used up: x has used 11"},
		{plan.Budget{CostUSD: 3}, 0, 1, client.Progress{Usage: tokens(2), Model: "m"}, ""},
		{plan.Budget{CostUSD: 3}, 0, 1.5, client.Progress{Usage: tokens(2), Model: "m"}, "the budget of $3.00 is used up: x has cost $3.50"},
	} {
		w := working(t, pricedByUs{claude.Client{}})
		w.c.Left, w.used, w.cost = c.left, tokens(c.used), c.cost
		err := w.over(c.p)
		var f final
		if got := fmt.Sprint(err); (err != nil || c.want != "") && (got != c.want || !errors.As(err, &f) || !f.overBudget) {
			t.Errorf("%v: got %v, want %q", c.left, err, c.want)
		}
	}
	for _, c := range []struct {
		c      client.Client
		left   float64
		prices map[string]agent.Price
		model  string
		before bool
		ok     bool
	}{
		{codex.Client{}, 0, nil, "m", true, true},
		{claude.Client{}, 1, nil, "m", true, true}, // it tells the price itself
		{codex.Client{}, 1, nil, "m", true, false},
		{codex.Client{}, 1, map[string]agent.Price{"m": {}}, "m", true, true},
		{codex.Client{}, 1, map[string]agent.Price{"codex": {}}, "m", true, true},
		{codex.Client{}, 1, map[string]agent.Price{"": {}}, "", true, false},
		{gemini.Client{}, 1, map[string]agent.Price{"m": {}}, "", true, true}, // not yet known
		{gemini.Client{}, 1, map[string]agent.Price{"m": {}}, "", false, false},
		{gemini.Client{}, 1, map[string]agent.Price{"m": {}}, "n", true, false},
		{gemini.Client{}, 1, nil, "", true, false},
	} {
		w := working(t, c.c)
		w.c.Left.CostUSD, w.a.Prices = c.left, c.prices
		if err := w.affordable(c.model, c.before); (err == nil) != c.ok {
			t.Errorf("%s, %q of %v: got %v", c.c.Name(), c.model, c.prices, err)
		}
	}
}

// TestFollowing: whole lines are followed, whatever pieces they come in, and what they
// say is noted, shown and held against the budget.
func TestFollowing(t *testing.T) {
	t.Parallel()
	var lines, said []string
	var notes []action.Note
	var log strings.Builder
	w := working(t, logging{Client: pricedByUs{claude.Client{}}, t: agent.Transcript{Usage: tokens(7)}})
	w.c.Say = func(text string) { said = append(said, text) }
	w.c.Log = &log
	w.c.Note = func(_ context.Context, n action.Note) error { notes = append(notes, n); return nil }
	ctx, stop := context.WithCancelCause(t.Context())
	p := client.Progress{}
	f := &following{w: w, ctx: ctx, stop: stop, began: clock, peeked: clock, follow: func(line []byte) client.Progress {
		lines = append(lines, string(line))
		p.News = nil
		key, value, _ := strings.Cut(string(line), " ")
		switch key {
		case "session":
			p.Session = value
		case "model":
			p.Model = value
		case "used":
			p.Usage = tokens(int64(len(value)))
		case "call":
			p.News = []client.News{{Call: true, Text: value}}
		case "says":
			p.News = []client.News{{Text: strings.ReplaceAll(value, "|", "\n")}}
		}
		return p
	}}
	write := func(pieces ...string) {
		for _, piece := range pieces {
			if n, err := io.WriteString(f, piece); n != len(piece) || err != nil {
				t.Fatalf("got %d, %v", n, err)
			}
		}
	}
	write("sess", "ion s9\nx\n\n", "y", "\n", "says one|two\ncall run it\n")
	if got := strings.Join(lines, "|"); got != "session s9|x|y|says one|two|call run it" || !f.called {
		t.Errorf("got the lines %s, called %t", got, f.called)
	}
	if got := strings.Join(said, "|"); got != "one|> run it" || log.String() != "one\ntwo\n> run it\n" {
		t.Errorf("got %s said, and logged %q", got, &log)
	}
	if len(notes) != 1 || notes[0].Session != "s9" {
		t.Errorf("got the notes %+v, want the session once", notes)
	}
	write("used xx\n") // too soon after the note
	if len(notes) != 1 {
		t.Errorf("got %d notes, want no second one within ten seconds", len(notes))
	}
	w.noted = clock.Add(-noteEvery)
	write("used xxx\n")
	if len(notes) != 2 || notes[1].Usage != tokens(3) {
		t.Errorf("got the notes %+v, want the usage", notes)
	}
	w.noted = clock.Add(-time.Hour)
	write("z\n") // no more was used
	if len(notes) != 2 {
		t.Errorf("got %d notes, want none of what is known", len(notes))
	}
	write("model m\n")
	if w.memory.Model != "m" || ctx.Err() != nil {
		t.Errorf("got the model %q (%v)", w.memory.Model, ctx.Err())
	}
	write(strings.Repeat("a", maxLine), "a", "bc\nnext")
	if got := lines[len(lines)-1]; got != "model m" {
		t.Errorf("got a line of %d bytes, want it left out", len(got))
	}
	f.flush()
	if got := lines[len(lines)-1]; got != "next" || len(f.rest) != 0 {
		t.Errorf("got %q, want the last line without an end", got)
	}
	w.c.Left.CostUSD = 1
	write("model n\n")
	if got := context.Cause(ctx); got == nil || got.Error() != "the budget of $1.00 cannot be kept: run.prices has no price of n" {
		t.Errorf("got %v, want the budget that cannot be kept", got)
	}
	write("session s10\n")
	if w.note.Session != "s9" {
		t.Error("a line after the end was followed")
	}
	// Where a client tells its usage only at the end, the log is looked at.
	for _, c := range []struct {
		name  string
		left  plan.Budget
		p     client.Progress
		after time.Duration
		log   int64
		want  int64
	}{
		{"a budget of tokens", plan.Budget{Tokens: 100}, client.Progress{}, peekEvery, 7, 7},
		{"a budget of money", plan.Budget{CostUSD: 100}, client.Progress{}, peekEvery, 7, 7},
		{"no budget", plan.Budget{}, client.Progress{}, peekEvery, 7, 0},
		{"too soon", plan.Budget{Tokens: 100}, client.Progress{}, peekEvery - 1, 7, 0},
		{"it has told", plan.Budget{Tokens: 100}, client.Progress{Usage: tokens(2)}, peekEvery, 7, 2},
		{"it has told of its session", plan.Budget{Tokens: 100}, client.Progress{Usage: tokens(2), Cumulative: true}, peekEvery, 7, 7},
		{"it is done", plan.Budget{Tokens: 100}, client.Progress{Done: true}, peekEvery, 7, 0},
		{"an empty log", plan.Budget{Tokens: 100}, client.Progress{}, peekEvery, 0, 0},
	} {
		w := working(t, logging{Client: claude.Client{}, t: agent.Transcript{Usage: tokens(c.log)}})
		w.c.Left = c.left
		f := &following{w: w, p: c.p, began: clock, peeked: clock.Add(-c.after)}
		if f.peek(); f.p.Usage != tokens(c.want) {
			t.Errorf("%s: got %v, want %d", c.name, f.p.Usage, c.want)
		}
	}
}

// TestHowAClientEnds: what is said of one that has not come to an end of its work, and
// which errors no other try can mend.
func TestHowAClientEnds(t *testing.T) {
	t.Parallel()
	w := &work{note: action.Note{Agent: "x"}}
	for _, c := range []struct {
		p      client.Progress
		code   int
		stderr string
		want   string
		final  bool
	}{
		{client.Progress{Failure: " no \n"}, 1, "boom", "x: no", false},
		{client.Progress{}, 3, " boom\n", "x: it ended with status 3 before its work was done: boom", false},
		{client.Progress{}, 0, "", "x: it ended with status 0 before its work was done", false},
		{client.Progress{Failure: "no", Status: 400}, 1, "", "x: no", true},
		{client.Progress{Failure: "no", Status: 401}, 1, "", "x: no", true},
		{client.Progress{Failure: "no", Status: 402}, 1, "", "x: no", true},
		{client.Progress{Failure: "no", Status: 403}, 1, "", "x: no", true},
		{client.Progress{Failure: "no", Status: 404}, 1, "", "x: no", true},
		{client.Progress{Failure: "no", Status: 429}, 1, "", "x: no", false},
		{client.Progress{Failure: "no", Status: 500}, 1, "", "x: no", false},
	} {
		err := w.gaveUp(c.p, c.code, c.stderr)
		var f final
		if err.Error() != c.want || errors.As(err, &f) != c.final {
			t.Errorf("%+v: got %v", c.p, err)
		}
	}
	for _, c := range []struct {
		cause error
		want  string
		final bool
	}{
		{nil, "x could not be started: e", true}, {errors.New("why"), "x was ended: why", false}, {overBudget("much"), "much", true},
	} {
		ctx, stop := context.WithCancelCause(t.Context())
		if stop(c.cause); c.cause == nil {
			ctx = t.Context()
		}
		err := ended(ctx, "x", errors.New("e"))
		var f final
		if err.Error() != c.want || errors.As(err, &f) != c.final {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
	var f *action.Failed
	if err := w.failed(overBudget("much")); !errors.As(err, &f) || !f.Final || !f.OverBudget || w.memory.Ended != "much" {
		t.Errorf("got %+v", err)
	}
	if err := w.failed(errors.New("why")); !errors.As(err, &f) || f.Final || f.OverBudget {
		t.Errorf("got %+v", err)
	}
}

// TestOrders: the parameters of a step as an agent gets them.
func TestOrders(t *testing.T) {
	t.Parallel()
	a := &Agent{Clients: []client.Client{claude.Client{}, gemini.Client{}, codex.Client{}}, LookPath: func(name string) (string, error) {
		if name == "claude" {
			return "", exec.ErrNotFound
		}
		return "/bin/" + name, nil
	}}
	dir := t.TempDir()
	for _, c := range []struct {
		p     map[string]any
		check []plan.Check
		want  string
	}{
		{map[string]any{"prompt": "p"}, nil, "gemini auto 1 true edit [] [] gate no-shell"},
		{map[string]any{"prompt": "p", "agent": "codex", "rounds": 3, "resume": false, "output": "json", "permissions": "read", "tools": []any{"a", nil, 7}, "args": []any{"b"}}, []plan.Check{{Run: "x"}}, "codex json 3 false read [a  7] [b] gate checked"},
		{map[string]any{"prompt": "p", "agent": "codex", "rounds": -1.0, "resume": true, "output": "text", "permissions": "full"}, []plan.Check{{File: "x"}}, "codex text 0 true full [] [] gate "},
		{map[string]any{"prompt": "p", "agent": "gemini"}, []plan.Check{{Verified: true}}, "gemini auto 1 true edit [] [] gate checked no-shell"},
		{map[string]any{"prompt": " "}, nil, "the prompt is empty"},
		{map[string]any{"prompt": "p", "agent": "claude"}, nil, `claude is not installed: no program "claude" in the search path`},
		{map[string]any{"prompt": "p", "output": "xml"}, nil, `the output is "xml", and must be auto, json or text`},
		{map[string]any{"prompt": "p", "dir": "none"}, nil, "the folder " + dir + "/none is not there"},
	} {
		o, err := a.order(action.Call{Parameters: c.p, Dir: dir, Check: c.check})
		got := fmt.Sprint(err)
		if err == nil {
			got = fmt.Sprint(o.client.Name(), " ", o.output, " ", o.rounds, " ", o.resume, " ", o.task.Rights, " ", o.task.Tools, " ", o.task.Args, " gate ", o.getenv(agent.GateEnv))
			if o.program != "/bin/"+o.client.Name() {
				t.Errorf("got the program %s", o.program)
			}
		}
		if got != c.want {
			t.Errorf("%v: got %s, want %s", c.p, got, c.want)
		}
	}
	a.LookPath = func(string) (string, error) { return "", exec.ErrNotFound }
	if _, _, err := a.choose(""); err == nil || err.Error() != "no agent is installed; claude, gemini, codex can be used" {
		t.Errorf("got %v", err)
	}
	if a.LookPath = nil; true {
		if path, err := a.lookPath("sh"); err != nil || path == "" {
			t.Errorf("got %s, %v", path, err)
		}
	}
	if a.now().IsZero() || a.Effect(plan.Step{}) != plan.Idempotent {
		t.Error("got no time, or another effect")
	}
	if m := recall(map[string]any{"generation": "x", "model": "m"}); m.Model != "" {
		t.Errorf("got %+v of what cannot be read", m)
	}
	if m := recall((memory{Model: "m", Generation: 2}).data()); m.Model != "m" || m.Generation != 2 {
		t.Errorf("got %+v", m)
	}
	if a, b := sessionID("k", 0), sessionID("k", 1); a == b || len(a) != 36 || a[14] != '8' || a != sessionID("k", 0) {
		t.Errorf("got %s and %s", a, b)
	}
}
