package main

import "slices"

// atWork is a run whose first step waits for the file go, in a process of its own. In
// died that process is gone.
var (
	atWork = []string{"start run slow.yaml", "await began", "runs list --open"}
	died   = slices.Concat(atWork, []string{"kill"})
)

// situationsOfRuns are those of runs of plans.
var situationsOfRuns = []situation{
	{name: "a schedule that does not exist", gives: "runs schedule show nothing", before: []string{"person", "runs schedule add plan.yaml --cron @daily"}, from: "internal/app/schedules/schedules.go"},
	{name: "a schedule's id that does not exist", gives: "runs schedule show sch_zzzzzz", before: []string{"person", "runs schedule add plan.yaml --cron @daily"}, from: "internal/store/sqlstore/schedules.go"},
	{name: "no schedules", gives: "runs schedule list", from: "cmd/piton/internal/runs/schedule.go"},
	{name: "a schedule that is not said when", before: []string{"person"}, gives: "runs schedule add plan.yaml", from: "internal/app/schedules/add.go"},
	{name: "a schedule is asked for in the list", before: []string{"person", "runs schedule add plan.yaml --name nightly --cron @daily"}, gives: "runs schedule list nightly", from: "cmd/piton/internal/runs/schedule.go"},
	{name: "a run at work is begun again", before: atWork, gives: "run slow.yaml --resume", from: "internal/run/runner/owner.go"},
	{name: "a run at work is continued", before: atWork, gives: "runs continue $RUN", from: "internal/app/planruns/steer.go"},
	{name: "a run at work is shown", before: atWork, gives: "runs show $RUN", from: "internal/app/planruns/stand.go", then: []string{"write go"}},
	{name: "a run at work is all there is", before: atWork, gives: "resume", from: "internal/history/resume.go"},
	{name: "two runs at work are all there is", before: slices.Concat(atWork, []string{`write two.yaml name: two\nsteps:\n- {id: a, run: 'touch began2; until test -e go; do sleep 0.02; done'}\n`, "start run two.yaml", "await began2"}), gives: "list --open", from: "cmd/piton/list.go"},
	{name: "a run was taken over", before: slices.Concat(atWork, []string{"sql UPDATE runs SET fence = fence + 1", "write go"}), gives: "heard", from: "internal/run/runner/loop.go"},
	{name: "a run that is being cancelled is paused", before: slices.Concat(atWork, []string{"exec sh -c 'kill -STOP $PID'", "runs cancel $RUN"}), gives: "runs pause $RUN", from: "internal/store/sqlstore/runwrite.go"},
	{name: "a step is in doubt", before: slices.Concat(died, []string{"! run --resume $RUN"}), gives: "runs show $RUN", from: "internal/app/planruns/stand.go", then: []string{"write go"}},
	{name: "a run that died is paused", before: died, gives: "runs pause $RUN", from: "internal/app/planruns/steer.go", then: []string{"write go"}},
	{name: "a paused run is paused", before: slices.Concat(died, []string{"runs pause $RUN"}), gives: "runs pause $RUN", from: "internal/app/planruns/steer.go"},
	{name: "how a run is paused", before: died, gives: "runs pause --help", from: "cmd/piton/internal/runs/steer.go", then: []string{"write go"}},
	{name: "how a run is cancelled", before: died, gives: "runs cancel --help", from: "cmd/piton/internal/runs/steer.go"},
	{name: "a step asks", before: []string{"! run ask.yaml"}, gives: "runs show $RUN", from: "internal/app/planruns/stand.go", ends: 9},
	{name: "a signal that no step waits for", before: []string{`write sig.yaml name: sig\nsteps:\n- {id: a, wait: {signal: go}}\n`, "! run sig.yaml"}, gives: "runs signal $RUN stop", from: "internal/app/planruns/signal.go"},
	{name: "a run waits for a signal", before: []string{`write sig.yaml name: sig\nsteps:\n- {id: a, wait: {signal: go}}\n`, "! run sig.yaml"}, gives: "runs show $RUN", from: "internal/app/planruns/stand.go"},
	{name: "a run in doubt is undone", before: []string{`write u.yaml name: u\nsteps:\n- {id: z, run: 'true', undo: 'true'}\n- {id: a, run: 'touch began; sleep 60', undo: 'true'}\n`, "start run u.yaml", "await began", "runs list --open", "kill"}, gives: "runs undo $RUN", from: "internal/run/runner/undo.go", then: []string{"write go"}},
	{name: "a step was approved", before: []string{"person", "! run ask.yaml", "runs approve $RUN q --yes"}, gives: "runs show $RUN", from: "internal/app/planruns/stand.go"},
	{name: "a step is approved", before: []string{"person", "! run ask.yaml"}, gives: "runs approve $RUN q --yes", from: "internal/app/planruns/stand.go"},
	{name: "a step is approved without a terminal", before: []string{"person", "! run ask.yaml"}, gives: "runs approve $RUN", from: "cmd/piton/internal/runs/approve.go"},
	{name: "a step is not approved", before: []string{"linux", "person", "! run ask.yaml"}, gives: "exec tty -when y/N -type no^M piton runs approve $RUN", from: "internal/app/planruns/steer.go", ends: 9},
	{name: "the checkpoint of an unfinished run is deleted", before: []string{"! run failing.yaml", "runs show $RUN", "var HEAD chk_[0-9a-z]{16}"}, gives: "delete $HEAD", from: "internal/store/runrules.go"},
	{name: "a run that is over is cancelled", before: []string{"run plan.yaml"}, gives: "runs cancel $RUN", from: "internal/store/runrules.go"},
	{name: "a step that the plan does not have", before: []string{"! run failing.yaml"}, gives: "run --resume $RUN --from nothing", from: "internal/run/runner/resume.go"},
	{name: "steps of a run that is not there", before: []string{"! run failing.yaml"}, gives: "run plan.yaml --resume --from a", from: "internal/app/planruns/run.go", then: []string{"write ok"}},
	{name: "a run of a checkpoint that is not a plan", before: []string{"save --workflow w --state s.json"}, gives: "run --resume $1", from: "internal/app/planruns/find.go"},
	{name: "a plan without a name is resumed", before: []string{`write noname.yaml steps:\n- {id: a, run: 'test -e ok'}\n`, "! run noname.yaml"}, gives: "run noname.yaml --resume", from: "internal/app/planruns/find.go", then: []string{"write ok"}},
	{name: "a plan that has changed", before: []string{"! run failing.yaml", `write failing.yaml name: failing\nsteps:\n- {id: a, run: 'test -e ok'}\n`}, gives: "run failing.yaml --resume", from: "internal/app/planruns/gates.go", then: []string{"write ok"}},
	{name: "another plan for a run", before: []string{"! run failing.yaml", `write failing.yaml name: failing\nsteps:\n- {id: a, run: 'test -e ok'}\n`}, gives: "run failing.yaml --resume $RUN", from: "internal/app/planruns/gates.go", then: []string{"write ok"}},
	{name: "no run is unfinished", before: []string{"run plan.yaml"}, gives: "run --resume", from: "internal/app/planruns/find.go"},
	{name: "a run that came to its budget", before: []string{"! run bound.yaml"}, gives: "runs show $RUN", from: "internal/app/planruns/stand.go", with: "N=5"},
	{name: "a step that came to its budget", before: []string{`write tight.yaml name: tight\nsteps:\n- {id: a, run: 'test -e ok', retry: {attempts: 3}, budget: {tries: 1}}\n`, "! run tight.yaml"}, gives: "runs show $RUN", from: "internal/app/planruns/stand.go", then: []string{`write tight.yaml name: tight\nsteps:\n- {id: a, run: 'test -e ok', retry: {attempts: 3}, budget: {tries: 5}}\n`, "write ok"}},
	{name: "a run's state that is none", before: []string{"! run failing.yaml", `write odd.json {"plan":5}`, "save --workflow w --state odd.json", "sql UPDATE runs SET checkpoint_id = '$1'"}, gives: "runs show $RUN", from: "internal/run/runner/prepare.go"},
	{name: "a run's state that is damaged", before: []string{"! run failing.yaml", "list --json --limit 0", "var OLD chk_[0-9a-z]{16}.*\"(chk_[0-9a-z]{16})", "sql UPDATE manifests SET data = x'00' WHERE checkpoint > (SELECT MIN(checkpoint) FROM manifests)"}, gives: "run --resume $RUN", from: "internal/run/runner/prepare.go", with: "CHECKPOINT=$OLD", then: []string{"write ok"}},
	{name: "a run's steps are asked for in the list", before: []string{"run plan.yaml"}, gives: "runs list $RUN", from: "cmd/piton/internal/runs/list.go"},
	{name: "a command is to be run", gives: "rules verify 'make check'", from: "cmd/piton/internal/judge/verify.go"},
	{name: "the plan is missing", gives: "run", from: "cmd/piton/internal/runs/run.go"},
	{name: "the run is missing", gives: "runs show", from: "cmd/piton/internal/runs/args.go"},
	{name: "no runs", gives: "runs list", from: "cmd/piton/internal/runs/list.go"},
	{name: "no open runs", gives: "runs list --open", from: "cmd/piton/internal/runs/list.go"},
	{name: "an empty plan", gives: "run empty.yaml", from: "cmd/piton/internal/runs/run.go internal/run/plan/slips.go"},
	{name: "a plan with a mistake", gives: "run wrong.yaml", from: "internal/run/plan/slips.go"},
	{name: "a run that does not exist", before: []string{"run plan.yaml"}, gives: "runs show nothing", from: "internal/app/planruns/runs.go internal/app/planruns/find.go"},
	{name: "a run that is misspelt", before: []string{"! run failing.yaml"}, gives: "runs show failnig", from: "internal/app/planruns/runs.go"},
	{name: "a run of another project", before: []string{"! run failing.yaml", "write $DIR/elsewhere/x y"}, gives: "exec sh -c 'cd $DIR/elsewhere && piton runs show failing'", from: "internal/app/planruns/runs.go"},
	{name: "a plan without its ending", gives: "run plan", from: "cmd/piton/internal/runs/run.go"},
	{name: "runs are listed with run", gives: "run list", from: "cmd/piton/internal/runs/run.go"},
	{name: "a run is resumed with runs", before: []string{"! run failing.yaml"}, gives: "runs resume $RUN", from: "internal/cli/help.go", then: []string{"write ok"}},
	{name: "logs of a step that does not exist", before: []string{"run plan.yaml"}, gives: "runs logs $RUN nothing", from: "internal/app/planruns/logs.go"},
	{name: "an artifact that does not exist", before: []string{"run plan.yaml"}, gives: "runs artifacts $RUN nothing", from: "internal/app/planruns/artifacts.go"},
	{name: "an artifact without its name", before: []string{"run plan.yaml"}, gives: "runs artifacts $RUN -o x", from: "internal/app/planruns/artifacts.go"},
	{name: "a run that is done", before: []string{"run plan.yaml"}, gives: "run --resume $RUN", from: "internal/app/planruns/find.go", with: "STEP=a"},
	{name: "a run that was cancelled", before: []string{"! run failing.yaml", "runs cancel $RUN"}, gives: "run --resume $RUN", from: "internal/app/planruns/find.go", then: []string{"write ok"}},
	{name: "a run that failed is there", before: []string{"! run failing.yaml"}, gives: "run failing.yaml", from: "internal/run/runner/begin.go internal/app/planruns/find.go internal/store/runrules.go", then: []string{"write ok"}},
	{name: "a run failed", gives: "run failing.yaml", from: "internal/run/runner/commit.go internal/app/planruns/stand.go cmd/piton/internal/runs/run.go", then: []string{"write ok"}},
	{name: "a failed run is shown", before: []string{"! run failing.yaml"}, gives: "runs show $RUN", from: "internal/app/planruns/stand.go", then: []string{"write ok"}},
}
