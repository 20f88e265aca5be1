package planruns

import (
	"cmp"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/run/runner"
)

// standTexts are what is said of each stand; the words in braces are filled in (filler).
var standTexts = map[Stand]standText{
	StandRunning:     {word: "running", Command: "piton runs logs {run} --follow", hint: "'runs logs {run} follow' shows what it writes, 'runs pause {run}' pauses it"},
	StandUnseen:      {word: "running", Command: "piton runs show {run}", hint: "its process cannot be seen from here; when its lease has ended, 'run resume {run}{options}' takes it over"},
	StandQueued:      {word: "queued", Command: "piton runs show {run}", hint: "its daemon begins it when there is room; 'run resume {run}{options}' begins it here and now, 'runs cancel {run}' takes it out"},
	StandWorker:      {word: "queued", Waits: true, Says: ": a worker of Temporal begins it, which is piton-temporal worker", Command: "piton-temporal worker", hint: "a worker of Temporal begins it, piton-temporal worker; 'run resume {run}{options} engine piton' begins it here and now, 'runs cancel {run}' takes it out"},
	StandNoDaemon:    {Waits: true, Says: ": it is left to the daemon, and none runs", Command: "piton serve", hint: "no daemon runs: 'serve' goes on with it; 'run resume {run}{options}' does so here and now, 'runs cancel {run}' ends it"},
	StandGoesOn:      {word: "goes on", Says: ": the daemon continues it by itself", Command: "piton runs show {run}", hint: "the daemon continues it by itself"},
	StandInDoubt:     {word: "in doubt", Waits: true, Says: ", step {step}: nobody knows whether it took effect", Command: "piton runs show {run}", hint: "see whether step {step} took effect; if it did: 'run resume {run}{options} took {step}', with 'output JSON' where later steps need what it has brought; to run it again: 'run resume {run}{options} redo {step}'{more}"},
	StandApproval:    {word: "waits for a person", Waits: true, Says: ", step {step} asks: {asks}", Command: "piton runs approve {run} {step}", hint: "'runs approve {run} {step}' answers, {then}"},
	StandTimer:       {word: "waits", Idle: true, Says: ", step {step} {asks}", Command: "piton run --resume {run}", hint: "when the time has come, 'run resume {run}{options}' continues it"},
	StandSignal:      {word: "waits for a signal", Waits: true, Says: ", step {step} {asks}", Command: "piton runs signal {run} {name}", hint: "'runs signal {run} {name}' sends the signal, {then}"},
	StandChild:       {word: "waits for a run", Waits: true, Says: ", step {step} {asks}", Command: "piton runs show {name}", hint: "'runs show {name}' shows what that waits for, {then}"},
	StandAnswered:    {word: "answered", Waits: true, Says: ": a person has answered; it goes on when it is resumed", Command: "piton run --resume {run}{flags}", hint: "'run resume {run}{options}' continues it with the answer"},
	StandInterrupted: {word: "interrupted", Waits: true, Says: ": its process has died", Command: "piton run --resume {run}", hint: "'run resume {run}{options}' continues it; what is completed does not run again"},
	StandBudget:      {Idle: true, Command: "piton run --resume {run}{flags}", hint: "raise the budget: 'run resume {run}{options}' continues it; what is completed does not run again"},
	StandStepBudget:  {Idle: true, Command: "piton runs show {run}", hint: "raise the step's budget in the plan, {plan}; what is completed does not run again"},

	Stand(piton.RunCompleted): {},
	Stand(piton.RunCancelled): {},
}

// resumable is what is said of each other stand.
var resumable = standText{Idle: true, Command: "piton run --resume {run}", hint: "'run resume {run}{options}' continues it; what is completed does not run again"}

// stands is how a run stands: where steps wait for a person, one for each, else one.
func (f runFacts) stands(r RunRow) (list []Stood) {
	add := func(is Stand, step, asks, name string) {
		text, ok := standTexts[is]
		if !ok {
			text = resumable
		}
		fill := f.filler(r, step, asks, name)
		if f.undone && r.Status == piton.RunFailed {
			text.hint = strings.Replace(text.hint, "what is completed does not run again", "what was undone runs again", 1)
		}
		for _, s := range []*string{&text.Says, &text.Command, &text.hint} {
			*s = fill.Replace(*s)
		}
		list = append(list, Stood{is, text, step})
	}
	if r.Status.Ended() {
		add(Stand(r.Status), "", "", "")
		return list
	}
	if !r.Works() {
		for _, step := range f.doubts {
			add(StandInDoubt, step, "", "")
		}
	}
	for _, q := range f.open() {
		asks, _, _ := strings.Cut(strings.TrimSpace(q.Text), "\n")
		add(StandApproval, q.StepID, asks, "")
	}
	for _, x := range f.others {
		paused := x.is == StandChild && r.Status == piton.RunPaused
		if worked := r.Works() && r.Owner.Host != runner.EngineHost; !f.answered && !worked && !paused {
			add(x.is, x.step, x.why, x.name)
		}
	}
	if len(list) == 0 {
		add(f.alone(r), "", "", "")
	}
	return list
}

// alone is how a run stands for which no person's word is missing.
func (f runFacts) alone(r RunRow) Stand {
	cause, goesOn := r.Cause, f.goesOn(r)
	switch {
	case r.Alive == caller.OwnerAlive:
		return StandRunning
	case r.Alive == caller.OwnerUnknown:
		return StandUnseen
	case r.Status == piton.RunQueued && r.Daemon == piton.EngineTemporal:
		return StandWorker
	case r.Status == piton.RunQueued && (f.daemon || !goesOn):
		return StandQueued
	case goesOn && f.daemon:
		return StandGoesOn
	case goesOn && (r.Status == piton.RunQueued || r.Status == piton.RunStopped):
		return StandNoDaemon
	case f.allAnswered(), f.answered:
		return StandAnswered
	case r.Status == piton.RunRunning:
		return StandInterrupted
	case raises[cause] != "":
		return StandBudget
	case cause == piton.CauseStepBudget:
		return StandStepBudget
	}
	return Stand(r.Status)
}

// goesOn tells whether the daemon of this home continues a run by itself, if it runs.
func (f runFacts) goesOn(r RunRow) bool {
	if !mayGoOn(r) {
		return false
	}
	x, ok := unattended(r, f)
	return ok && x.GoesOn
}

func (f runFacts) filler(r RunRow, step, asks, name string) *strings.Replacer {
	options, flags, more := "", "", ""
	if raise := raises[r.Cause]; raise != "" {
		options, flags = " "+raise, " --"+strings.Replace(raise, "_", "-", 1)
	}
	if len(f.doubts) > 1 {
		more = "; each step in doubt needs one of them"
	}
	plan := "then 'run " + r.PlanFile + " resume " + r.ID + " accept_plan' continues it"
	if r.PlanFile == "" || strings.ContainsAny(r.PlanFile, "' ") {
		plan = "and resume " + r.ID + " with the changed plan"
	}
	then := "then 'run resume " + r.ID + options + "' continues"
	switch {
	case r.Alive == caller.OwnerAlive:
		then = "and the run goes on"
	case r.Alive == caller.OwnerUnknown:
		then = "and the run goes on if its process is alive"
	case f.ours && f.daemon && r.Status == piton.RunWaiting:
		then = "and the daemon continues it"
	}
	return strings.NewReplacer("{run}", r.ID, "{step}", step, "{asks}", asks, "{name}", name, "{options}", options, "{flags}", flags, "{plan}", plan, "{more}", more, "{then}", then)
}

func (r *RunRow) stand(f runFacts) {
	r.Stood = f.stands(*r)
	r.Stands, r.Answered = r.Stood[0].Is, f.allAnswered() && !r.Status.Ended()
}

// Word is how a run stands, for a column.
func (r RunRow) Word() string {
	return cmp.Or(standTexts[r.Stands].word, StatusWord(r.Status))
}

// StatusWord is a status for people.
func StatusWord(s piton.RunStatus) string {
	if s == piton.RunWaiting {
		return standTexts[StandApproval].word
	}
	return strings.ReplaceAll(string(s), "_", " ")
}

// Says is what a run does, or what it waits for.
func (r RunRow) Says() string {
	if len(r.Stood) > 0 && r.Stood[0].Says != "" {
		return strings.TrimLeft(r.Stood[0].Says, ",: ")
	}
	return cmp.Or(r.Error, r.Now)
}

// Waits tells whether a run stands still until a person does something for it.
func (r RunRow) Waits() bool { return len(r.Stood) > 0 && r.Stood[0].Waits }

// standsNow is how a run stands that has just been worked on or queued.
func standsNow(r RunRow, s runner.State) Stood {
	f := stateFacts(r.ID, s, nil)
	f.daemon, f.ours = r.Status == piton.RunQueued, r.Status == piton.RunQueued
	return f.stands(r)[0]
}

// raises is the option, with its value's form, that raises the budget of a run that is
// used up.
var raises = map[piton.RunCause]string{
	piton.CauseBudgetTokens: "max_tokens N",
	piton.CauseBudgetCost:   "max_cost USD",
	piton.CauseBudgetTime:   "max_time DURATION",
	piton.CauseBudgetTries:  "max_tries N",
}
