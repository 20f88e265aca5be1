package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client/clients"
	"github.com/piton-project/piton/internal/config"
	"github.com/piton-project/piton/internal/judge/debrief"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/states"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/turn"
)

func rulesTestCommand(a *app) *cobra.Command {
	var file, save string
	c := &cobra.Command{
		Use:   "test [SESSION]",
		Short: "Show what each rule makes of the last turn, or of a recorded one",
		Long: `Show, for the last turn in this project (or of SESSION), what each rule saw and
decided, with the rules that are in force now, and whether the agent would be
held. Nothing is written and nothing is run. The turn is read again from the
transcript and from git, so that it is seen as the work tree is now; --save
keeps it, with its secrets taken out, and --turn reads it back.`,
		Example:           "  piton rules test\n  piton rules test ses_9p4q --save turn.json\n  piton rules test --turn turn.json --json",
		Args:              atMostOne(piton.SessionPrefix),
		ValidArgsFunction: a.completeSessions,
		RunE: func(c *cobra.Command, args []string) error {
			if file != "" && (len(args) > 0 || save != "") {
				return piton.Errorf(piton.Invalid, c.CommandPath(), "leave the others out", "--turn reads a turn that was recorded; SESSION and --save record one")
			}
			if file != "" {
				return a.testRecorded(c.Context(), file)
			}
			return a.testSession(c.Context(), append(args, "")[0], save)
		},
	}
	c.Flags().StringVar(&file, "turn", "", "read the turn from `FILE`, where --save has put it")
	c.Flags().StringVar(&save, "save", "", "keep the turn in `FILE`, which must not be there yet")
	return c
}

func (a *app) testRecorded(ctx context.Context, file string) error {
	const op, hint = "read the recorded turn", "give a file that 'piton rules test --save' has written"
	f, err := openInput(ctx, file)
	if err != nil {
		return &piton.Error{Code: piton.Invalid, Op: op, Hint: hint, Err: err}
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxRecorded+1))
	if err == nil && len(b) > maxRecorded {
		err = fmt.Errorf("%s is larger than %d bytes", file, maxRecorded)
	}
	var x turn.Recorded
	if err == nil {
		err = json.Unmarshal(b, &x)
	}
	if err == nil && x.Root == "" {
		err = errors.New("it names no work tree")
	}
	if err != nil {
		return &piton.Error{Code: piton.Invalid, Op: op, Hint: hint, Err: err}
	}
	root, err := workTree()
	if err != nil {
		return err
	}
	return a.printTested(x, a.heeded(root).Debrief)
}

// maxRecorded bounds a recorded turn.
const maxRecorded = 64 << 20

func (a *app) testSession(ctx context.Context, ref, save string) error {
	st, err := a.open(ctx, true)
	if err != nil {
		return err
	}
	var s agent.Session
	if ref != "" {
		s, err = st.Session(ctx, ref)
	} else {
		s, err = a.lastTurn(ctx)
	}
	if err != nil {
		return err
	}
	client, ok := clients.ByName(s.Agent)
	if !ok || s.Turn == 0 {
		return piton.Errorf(piton.NotFound, "read the turn", "'piton sessions' shows the agents' own", "the session %s has no turn of an agent", s.ID)
	}
	cfg := a.heeded(s.Root)
	t := turn.Turns{
		Client: client, Home: a.home(), TempDir: os.TempDir(), Log: a.log(),
		Open:     a.local,
		Settings: func(string) debrief.Settings { return cfg.Debrief },
		Changed: func(root string, was *string) debrief.Settings {
			p := a.places(root)
			p.Was = cmp.Or(was, new(string))
			return config.Load(p).Debrief
		},
	}
	x, err := t.Replay(ctx, s.ID)
	if err != nil {
		return err
	}
	if save != "" {
		if err := a.saveRecorded(x, save); err != nil {
			return err
		}
	}
	return a.printTested(x, cfg.Debrief)
}

// lastTurn is the session of this project that was last seen in a turn.
func (a *app) lastTurn(ctx context.Context) (agent.Session, error) {
	const op, hint = "find the last turn", "work with an agent here first, or name a session: 'piton sessions'"
	p, err := a.project(ctx, ".", false)
	if missing(err) {
		return agent.Session{}, piton.Errorf(piton.NotFound, op, hint, "no agent was seen in this project yet")
	}
	if err != nil {
		return agent.Session{}, err
	}
	list, err := a.store.Sessions(ctx, store.SessionQuery{Project: p.ID, Limit: sessionsAsked})
	if err != nil {
		return agent.Session{}, err
	}
	for _, s := range list {
		if _, ok := clients.ByName(s.Agent); ok && s.Turn > 0 {
			return s, nil
		}
	}
	return agent.Session{}, piton.Errorf(piton.NotFound, op, hint, "no agent was seen at work in this project yet")
}

// saveRecorded keeps a turn without its secrets.
func (a *app) saveRecorded(x turn.Recorded, file string) error {
	b, err := json.MarshalIndent(x, "", " ")
	if err == nil {
		b, _, err = redact.JSON(b)
	}
	if err != nil {
		return err
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return piton.Errorf(piton.Conflict, "keep the turn", "give another name", "%s is there already", file)
	}
	if err == nil {
		_, err = f.Write(append(b, '\n'))
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return &piton.Error{Code: piton.Unavailable, Op: "keep the turn", Err: err}
	}
	fmt.Fprintf(a.err, "Kept in %s\n", line(file))
	return nil
}

// testedJSON is what 'piton rules test' prints, as docs/json.md has it.
type testedJSON struct {
	Session      string             `json:"session,omitempty"`
	Agent        string             `json:"agent,omitempty"`
	Turn         int                `json:"turn"`
	Root         string             `json:"root"`
	ElapsedMS    int64              `json:"elapsed_ms"`
	Held         bool               `json:"held"`
	Reason       agent.Reason       `json:"reason"`
	Files        []agent.FileChange `json:"files"`
	Tests        []string           `json:"tests"`
	Rules        []debrief.Report   `json:"rules"`
	Categories   []string           `json:"categories"`
	Actions      []string           `json:"actions"`
	Observations []string           `json:"observations"`
	Message      string             `json:"message,omitempty"`
	Notes        []string           `json:"notes,omitempty"`
}

func (a *app) printTested(x turn.Recorded, set debrief.Settings) error {
	d, r := x.Decide(set)
	out := testedJSON{
		x.Session, x.Agent, x.Turn, x.Root, x.ElapsedMS, d.Held, d.Reason, d.Files, []string{}, []debrief.Report{},
		d.Categories, d.Actions, d.Observations, d.Message, d.Notes,
	}
	for _, t := range x.Input(set).Tests {
		run, _ := redact.Text(t.Run)
		out.Tests = append(out.Tests, run)
	}
	for _, p := range r.Rules {
		out.Rules = append(out.Rules, redacted(p))
	}
	if a.json {
		return a.printJSON(out)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Turn %d of %s in %s: %s of work, %d calls\n", x.Turn, firstOf(line(x.Session), "a recorded session"), a.shortPath(x.Root, 60), states.Age(time.Duration(x.ElapsedMS)*time.Millisecond), len(x.Calls))
	rows(&b, "files", out.Files, fileText)
	rows(&b, "tests", out.Tests, text)
	for _, p := range out.Rules {
		fmt.Fprintf(&b, "\n%s: %s\n", a.bold(line(p.Rule)), line(p.Verdict))
		rows(&b, "files", p.Files, text)
		if p.Instruction != "" {
			rows(&b, "asks for", []string{p.Instruction}, text)
		}
		rows(&b, "evidence", p.Evidence, evidenceText)
	}
	b.WriteString("\n")
	rows(&b, "no rule", unruled(out.Files, out.Rules), text)
	if len(out.Files) > 0 {
		rows(&b, "idle rules", idle(set, out.Rules), text)
	}
	rows(&b, "actions", out.Actions, text)
	rows(&b, "noticed", out.Observations, text)
	rows(&b, "notes", out.Notes, text)
	verdict := a.green("let go")
	if out.Held {
		verdict = a.yellow("held")
	}
	fmt.Fprintf(&b, "The agent would be %s, because %s\n", verdict, firstOf(why[out.Reason], line(string(out.Reason))))
	_, err := io.WriteString(a.out, b.String())
	return err
}

// unruled are the agent's files that no rule takes.
func unruled(files []agent.FileChange, rules []debrief.Report) []string {
	taken := map[string]bool{}
	for _, r := range rules {
		for _, f := range r.Files {
			taken[f] = true
		}
	}
	var left []string
	for _, f := range files {
		if f.Whose == agent.OwnerAgent && !taken[f.Path] {
			left = append(left, f.Path)
		}
	}
	return left
}

// idle are the rules of the user's and the project's own that took no file.
func idle(set debrief.Settings, took []debrief.Report) []string {
	var names []string
	for _, r := range set.InForce() {
		if r.Profile == "" && !slices.ContainsFunc(took, func(p debrief.Report) bool { return p.Rule == r.Name }) {
			names = append(names, fmt.Sprintf("%s (%s)", r.Name, strings.Join(r.Include, ", ")))
		}
	}
	return names
}

// redacted is a report without secrets: it quotes commands and outputs.
func redacted(p debrief.Report) debrief.Report {
	p.Instruction, _ = redact.Text(p.Instruction)
	p.Verdict, _ = redact.Text(p.Verdict)
	p.Files = append([]string{}, p.Files...)
	for i, f := range p.Files {
		p.Files[i], _ = redact.Text(f)
	}
	p.Evidence = append([]agent.Evidence{}, p.Evidence...)
	for i := range p.Evidence {
		e := &p.Evidence[i]
		e.Command, _ = redact.Text(e.Command)
		e.Why, _ = redact.Text(e.Why)
	}
	return p
}
