package states

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/piton-project/piton"
)

// maxRows bounds each list of a brief.
const maxRows = 40

// Resumed is what a brief tells of.
type Resumed struct {
	Checkpoint    piton.Checkpoint
	State         []byte
	RecoveredFrom string   // the damaged checkpoint that this one stands in for
	Changed       []string // what is no longer as the checkpoint recorded it
}

// Brief writes what an agent needs to go on: where the work stands, what was
// decided, what is still to do (docs/spec.md, "Verbs").
func Brief(r Resumed, now piton.Time) (string, error) {
	s, err := Read(r.State)
	c := r.Checkpoint
	if err != nil {
		return "", &piton.Error{Code: piton.Corrupt, Op: "read the state of " + c.ID, Err: err}
	}
	b := &brief{}
	if r.RecoveredFrom != "" {
		b.line("WARNING: checkpoint %s is damaged; this is its nearest intact ancestor, %s.\n", r.RecoveredFrom, c.ID)
	}
	b.line("## Restored State\n")
	b.line("**Workflow**: %s (%s)", oneLine(c.Label()), oneLine(c.WorkflowType))
	b.line("**Step**: %s", oneLine(c.Step()))
	if c.Progress != nil {
		b.line("**Progress**: %d%%", *c.Progress)
	}
	b.line("**Saved**: %s, %s ago%s", c.CreatedAt, Age(now.Sub(c.CreatedAt.Time)), madeBy(c.Origin))
	done, doing, pending := progressOf(c, s)
	files := scalars(list(s, "files_modified"))
	b.list("Context", "- ", contextRows(c, s))
	b.list("Completed", "- [x] ", done)
	b.list("In Progress", "- [ ] ", doing)
	b.list("Pending", "- [ ] ", pending)
	b.newest("Decisions Made", "", decisionRows(s))
	b.list(fmt.Sprintf("Files Modified (%d)", len(files)), "- ", byFolder(files))
	b.list("Todos", "- ", todoRows(s))
	b.newest("Results", "- ", resultRows(s))
	b.list("Not Verified Yet", "- ", scalars(list(s, "unverified")))
	b.list("Criteria", "- ", criterionRows(s))
	b.list("Commands of the last turn", "- ", commandRows(s))
	b.list("What subagents said", "- ", outputRows(s))
	if e := object(get(s, "last_error", "lastError")); e != nil {
		b.list("Last error", "- ", []string{cmp.Or(str(e, "message"), text(e))})
	}
	b.list("State", "- ", unknown(s, shapes))
	b.list("Changed since (look before you go on)", "- ", r.Changed)
	b.line("\n---\n")
	if c.Finishes() {
		b.line("This work counts as finished: do not repeat it, and ask what is to be done next.")
	} else {
		b.line("Continuing from %s.", oneLine(c.Step()))
		if task := currentTask(c, s, doing, pending); task != "" {
			b.line("Current task: %s", oneLine(task))
		}
		b.line("%s", advice(s))
	}
	b.line("The whole state: 'piton load %s'.", c.ID)
	return b.String(), nil
}

// brief is a text that is being written.
type brief struct{ strings.Builder }

func (b *brief) line(format string, args ...any) { fmt.Fprintf(b, format+"\n", args...) }

// list writes the first rows under a title; nothing where there are none.
func (b *brief) list(title, bullet string, rows []string) {
	if len(rows) == 0 {
		return
	}
	b.line("\n### %s", title)
	for _, r := range rows[:min(len(rows), maxRows)] {
		b.line("%s%s", bullet, oneLine(r))
	}
	if n := len(rows) - maxRows; n > 0 {
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

// contextRows say where the work is done and what it is.
func contextRows(c piton.Checkpoint, s map[string]any) (rows []string) {
	add := func(label, value string) {
		if value != "" {
			rows = append(rows, label+": "+value)
		}
	}
	ctx := object(s["context"])
	add("Project", str(ctx, "project_name"))
	add("Path", str(ctx, "project_path"))
	add("BRD", str(ctx, "brd_file"))
	add("Specs", strings.Join(scalars(list(ctx, "spec_files")), ", "))
	rows = append(rows, unknown(ctx, contextShapes)...)
	add("Git HEAD", str(s, "git_head"))
	add("Branch", str(s, "git_branch"))
	add("Task", cmp.Or(str(s, "task_summary", "query"), c.TaskSummary))
	add("Description", c.Description)
	return rows
}

func decisionRows(s map[string]any) (rows []string) {
	for _, x := range list(s, "decisions") {
		d := object(x)
		row := cmp.Or(str(d, "decision"), text(x))
		if why := str(d, "rationale"); why != "" {
			row += " (" + why + ")"
		}
		if row != "" {
			rows = append(rows, fmt.Sprintf("%d. %s", len(rows)+1, row))
		}
	}
	return rows
}

// byFolder lists files by folder.
func byFolder(files []string) (rows []string) {
	in := map[string][]string{}
	for _, f := range files {
		in[path.Dir(f)] = append(in[path.Dir(f)], f)
	}
	for folder, files := range in {
		if len(files) == 1 {
			rows = append(rows, files[0])
		} else {
			rows = append(rows, fmt.Sprintf("%s/* (%d files)", folder, len(files)))
		}
	}
	slices.Sort(rows)
	return rows
}

func todoRows(s map[string]any) (rows []string) {
	for _, x := range list(s, "todos") {
		t := object(x)
		mark := "[ ] "
		switch str(t, "status") {
		case "completed":
			mark = "[x] "
		case "in_progress":
			mark = "[ ] (in progress) "
		}
		if what := cmp.Or(str(t, "content", "subject"), text(x)); what != "" {
			rows = append(rows, mark+what)
		}
	}
	return rows
}

// resultRows list what the steps of a plan brought, under the steps' names.
func resultRows(s map[string]any) (rows []string) {
	names := map[string]string{}
	for _, x := range list(s, "plan") {
		names[scalar(object(x)["id"])] = stepName(x)
	}
	for _, x := range list(s, "results") {
		r := object(x)
		id := scalar(get(r, "step_id", "stepId"))
		output, known := r["output"]
		if !known {
			output = x
		}
		rows = append(rows, row(cmp.Or(names[id], id, "result"), output)...)
	}
	return rows
}

func criterionRows(s map[string]any) (rows []string) {
	for _, x := range list(s, "isc_criteria", "iscCriteria") {
		c := object(x)
		rows = append(rows, fmt.Sprintf("%s (%s)", cmp.Or(str(c, "subject"), text(x)), cmp.Or(str(c, "status"), "pending")))
	}
	return rows
}

func commandRows(s map[string]any) (rows []string) {
	for _, x := range list(s, "commands") {
		c := object(x)
		row := cmp.Or(str(c, "command"), text(x))
		if failed, _ := c["failed"].(bool); failed {
			row += " (failed)"
		}
		rows = append(rows, row)
	}
	return rows
}

func outputRows(s map[string]any) (rows []string) {
	outputs := object(s["agent_outputs"])
	for _, name := range slices.Sorted(maps.Keys(outputs)) {
		rows = append(rows, row(name, outputs[name])...)
	}
	for _, x := range list(s, "agent_outputs") {
		rows = append(rows, text(x))
	}
	return rows
}

// A shape says what a key must hold for the brief to put it in words.
const (
	aScalar  = ' '
	anObject = '{'
	aList    = '['
	aFlat    = 'f' // a list of scalars
	nested   = '*' // a list or an object
)

// shapes are the keys of a state that the brief puts in words. What else a
// caller has saved is listed in a section of its own, and so is what has
// another shape: the states of callers' own types have no form.
var shapes = map[string]rune{
	"context": anObject, "last_error": anObject, "lastError": anObject, "token_usage": anObject,
	"plan": aList, "results": aList, "decisions": aList, "todos": aList, "isc_criteria": aList, "iscCriteria": aList, "commands": aList,
	"files_modified": aFlat, "completed_phases": aFlat, "pending_phases": aFlat, "unverified": aFlat, "agent_outputs": nested,
	"git_head": aScalar, "git_branch": aScalar, "task_summary": aScalar, "taskSummary": aScalar, "query": aScalar, "current_phase": aScalar,
	"phase": aScalar, "phase_number": aScalar, "phaseNumber": aScalar, "phase_total": aScalar, "phaseTotal": aScalar,
	"current_step_index": aScalar, "currentStepIndex": aScalar,
}

// contextShapes are those of the context.
var contextShapes = map[string]rune{"project_name": aScalar, "project_path": aScalar, "brd_file": aScalar, "spec_files": aFlat}

// fits reports whether a value has a shape.
func fits(v any, shape rune) bool {
	xs, isList := v.([]any)
	_, isObject := v.(map[string]any)
	switch shape {
	case aScalar:
		return !isList && !isObject
	case anObject:
		return isObject
	case aList:
		return isList
	case aFlat:
		return isList && flat(xs...)
	case nested:
		return isList || isObject
	}
	return false
}

// unknown lists what the caller's own keys hold, and known ones that have
// another shape.
func unknown(s map[string]any, shapes map[string]rune) (rows []string) {
	for key, v := range s {
		if !fits(v, shapes[key]) {
			rows = append(rows, row(key, v)...)
		}
	}
	slices.Sort(rows)
	return rows
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
