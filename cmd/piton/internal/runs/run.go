package runs

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/planruns"
	"github.com/piton-project/piton/internal/cli"
	"github.com/piton-project/piton/internal/run/plan"
	"github.com/piton-project/piton/internal/screen"
	"github.com/piton-project/piton/internal/states"
	"github.com/piton-project/piton/internal/verbs"
)

// runFlags are what run is asked beside the request.
type runFlags struct {
	dir, output  string
	dryRun, wait bool
}

func runCommand(con console) *cobra.Command {
	var f runFlags
	c := cli.Asks(&cobra.Command{
		Use:   "run [PLAN]",
		Short: "Run a plan of steps, or resume a run",
		Long: `Run the steps of a PLAN, a file in YAML or JSON (- for standard input), and save a
checkpoint after each. A run that was interrupted, has failed or was killed is
continued with --resume: steps that are completed do not run again.

  piton run PLAN            a new run; an error where its workflow has an unfinished one
  piton run PLAN --resume   continues the unfinished run of the plan's workflow; where
                            there is none, a new one begins
  piton run --resume [ID]   continues a run with its own plan: the newest unfinished one
                            of the project, or a run, a workflow or a checkpoint. From
                            an older checkpoint a new branch begins.
  piton run PLAN --resume ID
                            continues that with another plan: a state whose actions are
                            another program's, say

With --key a start is repeated safely, as from cron: what has begun under the key is
the answer, finished or not, with its exit status; --resume continues it while it is
unfinished. Without a key a finished run means that a new one begins.

A changed plan or input is shown, and taken over with --accept-plan or a yes on a terminal.
A step that was interrupted and must not run twice is in doubt: --redo runs it again,
--took says that it did take effect, and --output what it has brought. A state that no
run of this store has written is shown, and run after a person's yes. Runs are seen and steered from any terminal with
'piton runs'. 'piton schema plan' describes plans.

Ctrl-C ends the running steps and saves; a second one ends at once.
Exit statuses: 7 a step failed or a budget is used up, 8 a step is in doubt, 9 a
person's approval or a signal is missing, 130 paused, cancelled or interrupted.`,
		Example: `  piton run release.yaml --input version=1.4
  piton run release.yaml --input version=1.4 --dry-run
  piton run --resume run_7m2k --redo publish
  piton run nightly.yaml --key "$(date +%F)" --resume --json`,
		ValidArgsFunction: con.completeRun,
		Args: func(c *cobra.Command, args []string) error {
			resume, _ := c.Flags().GetBool("resume")
			if len(args) > 2 || len(args) == 2 && (!resume || !con.App().IsRunRef(args[1])) {
				return piton.Errorf(piton.Invalid, c.CommandPath(), "values for the plan: --input NAME=VALUE", "one plan at a time, not %d: %s", len(args), strings.Join(args, " "))
			}
			return nil
		},
	}, func(c *cobra.Command, asked piton.RunRequest) error {
		r, err := f.request(con, c, asked)
		if err != nil {
			return err
		}
		return con.run(c.Context(), r, "")
	})
	f.flags(c)
	return c
}

func (f *runFlags) flags(c *cobra.Command) {
	x := c.Flags()
	x.StringVar(&f.dir, "dir", "", "the `DIR` where the steps work (default: where the plan says, in your clone of the project)")
	x.StringVar(&f.output, "output", "", "what the step of --took has brought, as `JSON` or @FILE: later steps use it")
	x.BoolVar(&f.dryRun, "dry-run", false, "check the plan, show what would run, and run nothing")
	x.BoolVar(&f.wait, "wait", false, "stay while nothing but a person's approval or a signal is missing")
}

// request is what is asked for.
func (f *runFlags) request(con console, c *cobra.Command, asked piton.RunRequest) (planruns.RunRequest, error) {
	r := planruns.RunRequest{RunRequest: asked, Dir: f.dir, DryRun: f.dryRun, Wait: f.wait}
	op, args := c.CommandPath(), c.Flags().Args()
	if c.Flags().Changed("output") {
		if len(r.Took) != 1 {
			return r, piton.Errorf(piton.Invalid, op, "name the step whose output it is: --took STEP --output JSON", "--output is of one step, and --took names %d", len(r.Took))
		}
		v, err := con.jsonValue(c.Context(), f.output)
		if err != nil {
			return r, err
		}
		r.Outputs = map[string]any{r.Took[0]: v}
	}
	switch {
	case len(args) == 0 && !r.Resume:
		return r, piton.Errorf(piton.Invalid, op, "give a plan's file, or --resume to continue a run; 'piton runs list --open' shows unfinished ones", "the plan is missing")
	case len(args) == 0:
		r.Ref, r.Workflow = r.Workflow, ""
	case len(args) == 1 && r.Resume && con.App().IsRunRef(args[0]):
		r.Ref = args[0]
	default:
		if len(args) == 2 {
			r.Ref = args[1]
		}
		var err error
		r.File = args[0]
		if r.Plan, err = con.readInput(c.Context(), args[0], "the plan"); err != nil {
			if meant := meantPlan(c, args[0]); meant != "" {
				err = &piton.Error{Code: piton.CodeOf(err), Hint: "did you mean 'piton " + meant + "'?", Err: err}
			}
			return r, err
		}
	}
	r.Wait = r.Wait || con.Person()
	if con.Person() {
		ask := con.Lines(c.Context())
		r.Ask = func(in plan.Input) (string, error) { return con.askInput(in, ask) }
		r.Accept = func(changes string) (bool, error) {
			return con.Yes("The plan has changed since this run began:\n\n"+con.ColourDiff(screen.Clean(changes))+"\n\nContinue with the changed plan?", ask)
		}
		r.Propose = func(text string) (bool, error) {
			return con.Yes("No run of this store has written this state. It would run:\n\n"+screen.Clean(text)+"\n\nRun it?", ask)
		}
	}
	return r, nil
}

// Run is what 'piton run' does with a request. hint is in the place of what is said of a run
// that has not ended well; "": how it goes on.
func Run(ctx context.Context, con *cli.Console, r planruns.RunRequest, hint string) error {
	return console{con}.run(ctx, r, hint)
}

// run runs, shows what happens, and sets the exit status.
func (con console) run(ctx context.Context, r planruns.RunRequest, hint string) error {
	if !signal.Ignored(syscall.SIGHUP) { // as nohup has it
		var stop context.CancelFunc
		ctx, stop = signal.NotifyContext(ctx, syscall.SIGHUP) // the terminal is gone: end the steps, and save
		defer stop()
	}
	show := con.watch(ctx)
	con.asksHere(ctx, show)
	r.Events = show.event
	ask, accept, propose := r.Ask, r.Accept, r.Propose
	if ask != nil {
		r.Propose = func(text string) (bool, error) { show.clear(); return propose(text) }
		r.Ask = func(in plan.Input) (string, error) { show.clear(); return ask(in) }
		r.Accept = func(changes string) (bool, error) { show.clear(); return accept(changes) }
	}
	x, err := con.App().Run(ctx, r)
	show.end()
	if err == nil && x.Status == piton.RunQueued && !x.Existing { // workers of another engine begin it
		x, err = con.App().Follow(ctx, x.RunID, r.Wait, con.following())
	}
	if err != nil {
		return err
	}
	if x.Hint = verbs.CommandLine(x.Hint); x.Hint != "" {
		x.Hint = cmp.Or(hint, x.Hint)
	}
	if x.Preview != nil {
		return cli.Answer(con, *x.Preview, nil, con.printPreview)
	}
	if con.Status = runStatus(ctx, x.Status); r.Undo && x.Status == piton.RunCancelled { // it was to be undone, and is
		con.Status = 0
	}
	if x.InDoubt {
		con.Status = cli.InDoubt
	}
	if x.Existing {
		con.Say("%s had begun under this key before; nothing was run now.", x.RunID)
	}
	return cli.Answer(con, x, nil, con.printResult)
}

// following says how a run gets on that others work on.
func (con console) following() func(planruns.RunRow) {
	said := ""
	return func(r planruns.RunRow) {
		text := fmt.Sprintf("%s: %s, %d of %s", r.ID, r.Word(), r.Done, screen.Counted(r.Total, "step"))
		if r.Now != "" {
			text += ", " + r.Now
		}
		if len(r.Stood) > 0 && r.Stood[0].Is == planruns.StandWorker {
			text += r.Stood[0].Says
		}
		if text != said {
			con.Say("%s", text)
		}
		said = text
	}
}

// runStatus is the exit status of how a run has ended.
func runStatus(ctx context.Context, s piton.RunStatus) int {
	switch {
	case s == piton.RunCompleted:
		return 0
	case s == piton.RunInDoubt:
		return cli.InDoubt
	case s == piton.RunWaiting:
		return cli.Waits
	case ctx.Err() != nil && (s == piton.RunRunning || s == piton.RunQueued): // others go on with it
		return cli.Interrupted
	case s == piton.RunRunning, s == piton.RunQueued: // another process works on it, or will, or has died
		return cli.StatusOf(piton.Conflict)
	case s == piton.RunPaused, s == piton.RunCancelled, s == piton.RunStopped && ctx.Err() != nil:
		return cli.Interrupted
	}
	return cli.StepFailed
}

// printResult writes how a run has ended.
func (con console) printResult(x planruns.RunResult) error {
	text := fmt.Sprintf("%s: %s, %d of %s", x.RunID, x.Word, x.State.Done(), screen.Counted(len(x.State.Plan), "step"))
	if x.DurationMS > 0 {
		text += ", " + states.Took(x.DurationMS)
	}
	if x.Recovered > 0 {
		text += fmt.Sprintf("; %s done before and not run again", screen.Counted(x.Recovered, "step"))
	}
	if err := con.Print(con.byStatus(x.Status, text) + "\n"); err != nil {
		return err
	}
	if x.Error != "" {
		con.Say("piton: %s", screen.Clean(x.Error))
	}
	con.SayHint(x.Hint)
	return nil
}

// askInput asks a person for an input of a plan.
func (con console) askInput(in plan.Input, answer func() (string, error)) (string, error) {
	text := "Input " + screen.Line(in.Name)
	if in.Description != "" {
		text += ": " + screen.Line(in.Description)
	}
	about := cmp.Or(in.Type, "string")
	if len(in.Options) > 0 {
		about = strings.Join(in.Options, ", ")
	}
	if err := con.Print(fmt.Sprintf("%s [%s] ", text, screen.Line(about))); err != nil {
		return "", err
	}
	value, err := answer()
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return value, err
}

// readInput reads what stands in a file of a plan, or on stdin.
func (con console) readInput(ctx context.Context, file, what string) ([]byte, error) {
	return con.ReadInput(ctx, file, "read "+what+" "+file, "", "'piton schema plan' describes plans")
}

// jsonValue is a value given as JSON, or as the name of a file that holds it.
func (con console) jsonValue(ctx context.Context, text string) (b json.RawMessage, err error) {
	b = []byte(text)
	if file, ok := strings.CutPrefix(text, "@"); ok {
		if b, err = con.readInput(ctx, file, "the output"); err != nil {
			return nil, err
		}
	}
	if !json.Valid(b) {
		err = piton.Errorf(piton.Invalid, "read the output", "a text stands in quotes: --output '\"done\"'", "it is not JSON")
	}
	return b, err
}

// meantPlan is the command that was probably meant where there is no file of a plan: one
// of 'piton runs', or the file with its ending.
func meantPlan(c *cobra.Command, file string) string {
	if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	if file == "resume" {
		return "run --resume"
	}
	if sub, _, err := c.Root().Find([]string{"runs", file}); err == nil && sub.Name() == file {
		return "runs " + file
	}
	for _, ending := range []string{".yaml", ".yml", ".json"} {
		if _, err := os.Stat(file + ending); err == nil {
			return "run " + screen.Quote(file+ending)
		}
	}
	return ""
}
