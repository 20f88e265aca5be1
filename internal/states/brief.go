package states

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/piton-project/piton"
)

// Resumed is what a brief tells of.
type Resumed struct {
	Checkpoint    piton.Checkpoint
	State         []byte
	RecoveredFrom string   // the damaged checkpoint that this one stands in for
	Changed       []string // what is no longer as the checkpoint recorded it
	Since         *Since   // what the session did after the save; nil: it was not asked
	Store         string   // names the store in the commands; empty where they find it by themselves
	Elsewhere     bool     // no run of this store has made the checkpoint
}

// Brief writes what an agent needs to go on: where the work stands, what was
// decided, what is still to do (docs/spec.md, "Verbs").
func Brief(r Resumed, now piton.Time) (string, error) {
	s, err := Read(r.State)
	c := r.Checkpoint
	if err != nil {
		return "", &piton.Error{Code: piton.Corrupt, Op: "read the state of " + c.ID, Err: err}
	}
	s = merged(s, r.Since)
	b := &brief{}
	if r.RecoveredFrom != "" {
		b.line("WARNING: checkpoint %s is damaged; this is its nearest intact ancestor, %s.\n", r.RecoveredFrom, c.ID)
	}
	b.line("%s\n", Heading)
	task := taskOf(c, s)
	if task != "" {
		b.line("**Task**: %s", oneLine(task))
	}
	if r.Since != nil && r.Since.Asked != "" {
		b.line("**Asked after the save**: %s", oneLine(r.Since.Asked))
	}
	b.line("**Workflow**: %s (%s)", oneLine(c.Label()), oneLine(c.WorkflowType))
	if step := c.Step(); step != task && step != c.Label() {
		b.line("**Step**: %s", oneLine(step))
	}
	if p := progressNow(c.Progress, r.Since); p != nil {
		b.line("**Progress**: %d%%", *p)
	}
	b.line("**Saved**: %s, %s ago%s", c.CreatedAt, Age(now.Sub(c.CreatedAt.Time)), madeBy(c.Origin))
	if line := r.Since.line(c.CreatedAt); line != "" {
		b.line("**Since the last save**: %s", oneLine(line))
	}
	done, doing, pending := progressOf(c, s)
	files := filesNow(s, r.Since)
	b.list("Context", "- ", contextRows(c, s))
	b.list("Completed", "- [x] ", done)
	b.list("In Progress", "- [ ] ", doing)
	b.list("Pending", "- [ ] ", pending)
	b.newest("Decisions Made", "", decisionRows(s))
	b.list("Todos", "- ", todoRows(s))
	b.list("Plan that the agent announced (how much of it is done is not recorded)", "- ", announcedRows(s))
	b.list("Not Verified Yet", "- ", scalars(list(s, "unverified")))
	b.first(maxFileRows, fmt.Sprintf("Files Modified (%d)", len(files)), "- ", fileRows(files))
	b.newest("Results", "- ", resultRows(s))
	b.list("Criteria", "- ", criterionRows(s))
	b.newest("Commands of the last turn", "- ", commandRows(s, r.Since))
	b.list("What subagents said", "- ", outputRows(s))
	if r.Since != nil && r.Since.Said != "" {
		b.list("The agent's last words", "- ", []string{r.Since.Said})
	}
	if e := object(get(s, "last_error", "lastError")); e != nil {
		b.list("Last error", "- ", []string{cmp.Or(str(e, "message"), text(e))})
	}
	b.list("State", "- ", unknown(s, shapes()))
	b.list("Changed since (look before you go on)", "- ", changedRows(r))
	b.line("\n---\n")
	if c.Finishes() {
		b.line("This work counts as finished: do not repeat it, and ask what is to be done next.")
	} else {
		b.ahead(r, s, task, doing, pending)
	}
	b.line("The whole state as it was saved: 'piton load %s%s'.", c.ID, storeFlag(r.Store))
	return piton.Fence(b.String()), nil
}

// Heading begins a brief, and a prompt that is one (Quoted).
const Heading = "## Restored State"

// ahead says what is to be done, and how to take over what the brief lists.
func (b *brief) ahead(r Resumed, s map[string]any, task string, doing, pending []string) {
	c := r.Checkpoint
	if step := c.Step(); step != task {
		b.line("Continuing from %s.", oneLine(step))
	}
	if next := currentTask(c, s, doing, pending); next != "" && next != task {
		b.line("Current task: %s", oneLine(next))
	}
	if todos, open := todosOf(s); c.WorkflowType == piton.TypeSession && len(todos) == 0 {
		b.line("No list of todos was kept: go by the task, the files and what was said.")
	} else if len(todos) > 0 && open == 0 {
		b.line("All todos are done.")
	}
	if run := str(s, "run_id"); c.WorkflowType == piton.TypePlan && piton.IsID(piton.RunPrefix, run) {
		if r.Elsewhere {
			b.line("This is a run of a plan that was worked on elsewhere: 'piton run --resume %s%s' shows a person what is left of it, and continues it after a yes; nothing that is completed runs again.", c.ID, storeFlag(r.Store))
			return
		}
		if slices.ContainsFunc(doing, func(step string) bool { return strings.Contains(step, halted["waiting"]) }) {
			b.line("This is a run of a plan that waits: 'piton runs show %s%s' shows for what, and with which command it goes on. Nothing that is completed runs again.", run, storeFlag(r.Store))
			return
		}
		b.line("This is a run of a plan: 'piton run --resume %s%s' continues it and repeats nothing that is completed.", run, storeFlag(r.Store))
		return
	}
	b.line("%s", advice(s))
}

// taskOf is what the work is: what the person asked for.
func taskOf(c piton.Checkpoint, s map[string]any) string {
	return cmp.Or(str(s, "task_summary", "taskSummary", "query"), c.TaskSummary)
}

// progressNow is the progress as it is now: the todos after the save count.
func progressNow(saved *int, since *Since) *int {
	if since == nil || len(since.Todos) == 0 {
		return saved
	}
	done := 0
	for _, t := range since.Todos {
		if !t.Open() {
			done++
		}
	}
	done = 100 * done / len(since.Todos)
	return &done
}

// changedRows are what is not as the checkpoint recorded it, and what others
// changed after it.
func changedRows(r Resumed) []string {
	rows := slices.Clone(r.Changed)
	if r.Since != nil {
		for _, f := range r.Since.Others {
			rows = append(rows, f+": changed after the save, by whom is not known")
		}
	}
	return rows
}

// storeFlag names the store in a command, in double quotes where the shell asks for some.
func storeFlag(store string) string {
	switch store = oneLine(store); {
	case store == "":
		return ""
	case strings.ContainsAny(store, " '\"\\$`&;|<>()*?[#~!"):
		store = `"` + inQuotes.Replace(store) + `"`
	}
	return " --store " + store
}

var inQuotes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`, "`", "\\`")

// brief is a text that is being written.
type brief struct{ strings.Builder }

func (b *brief) line(format string, args ...any) { fmt.Fprintf(b, format+"\n", args...) }

// list writes the first rows under a title; nothing where there are none.
func (b *brief) list(title, bullet string, rows []string) { b.first(maxRows, title, bullet, rows) }

// first is list with another bound.
func (b *brief) first(most int, title, bullet string, rows []string) {
	if len(rows) == 0 {
		return
	}
	b.line("\n### %s", title)
	for _, r := range rows[:min(len(rows), most)] {
		b.line("%s%s", bullet, oneLine(r))
	}
	if n := len(rows) - most; n > 0 {
		b.line("- and %d more", n)
	}
}

// newest writes the last rows: the newest are the ones in force.
func (b *brief) newest(title, bullet string, rows []string) {
	if n := len(rows) - maxRows; n > 0 {
		title += fmt.Sprintf("\n%s(%d older ones are in the state: 'piton load')", bullet, n)
		rows = rows[n:]
	}
	b.list(title, bullet, rows)
}

func madeBy(o piton.Origin) string {
	switch {
	case o.Agent != "" && o.Host != "":
		return ", by " + oneLine(o.Agent) + " on " + oneLine(o.Host)
	case o.Host != "":
		return ", on " + oneLine(o.Host)
	}
	return ""
}

// advice says how to take over what the brief has listed.
func advice(s map[string]any) string {
	switch todos, decisions := len(list(s, "todos")) > 0, len(list(s, "decisions")) > 0; {
	case todos && decisions:
		return "Take the todos above over into your own list, keep to the decisions, and look at the files before you change them."
	case todos:
		return "Take the todos above over into your own list, and look at the files before you change them."
	case decisions:
		return "Keep to the decisions, and look at the files before you change them."
	}
	return "Look at the files before you change them."
}
