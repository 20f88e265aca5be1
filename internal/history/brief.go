package history

import (
	"fmt"
	"path"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/piton-project/piton"
)

// linesShown bounds each list of the brief.
const linesShown = 40

// Brief writes what an agent needs to go on: where the work stands, what was
// decided, what is still to do (docs/spec.md, "Verbs").
func Brief(r Resumption, now piton.Time) (string, error) {
	s, err := decode(r.State)
	if err != nil {
		return "", &piton.Error{Code: piton.Corrupt, Op: "read the state of " + r.Checkpoint.ID, Err: err}
	}
	c := r.Checkpoint
	b := &briefing{}
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
	b.context(c, s)
	done, doing, pending := progressOf(c, s)
	b.list("Completed", done, "- [x] ")
	b.list("In Progress", doing, "- [ ] ")
	b.list("Pending", pending, "- [ ] ")
	b.decisions(s)
	b.files(s)
	b.todos(s)
	b.results(s)
	b.rest(s)
	b.unknown(s)
	if len(r.Drift) > 0 {
		var rows []string
		for _, d := range r.Drift {
			rows = append(rows, fmt.Sprintf("%s: was %s, is %s", d.What, orNone(d.Was), orNone(d.Is)))
		}
		b.list("Changed since (look before you go on)", rows, "- ")
	}
	b.line("\n---\n")
	if c.Finishes() {
		b.line("This work counts as finished: do not repeat it, and ask what is to be done next.")
		b.line("The whole state: 'piton load %s'.", c.ID)
		return b.String(), nil
	}
	b.line("Continuing from %s.", oneLine(c.Step()))
	if task := currentTask(c, s, doing, pending); task != "" {
		b.line("Current task: %s", oneLine(task))
	}
	b.line("%s", advice(s))
	b.line("The whole state: 'piton load %s'.", c.ID)
	return b.String(), nil
}

type briefing struct{ strings.Builder }

func (b *briefing) line(format string, args ...any) { fmt.Fprintf(b, format+"\n", args...) }

func (b *briefing) list(title string, rows []string, bullet string) {
	if len(rows) == 0 {
		return
	}
	b.line("\n### %s", title)
	for i, r := range rows {
		if i == linesShown {
			b.line("- and %d more", len(rows)-i)
			break
		}
		b.line("%s%s", bullet, oneLine(r))
	}
}

func (b *briefing) context(c piton.Checkpoint, s map[string]any) {
	ctx := object(s["context"])
	var rows []string
	for _, f := range []struct{ label, key string }{{"Project", "project_name"}, {"Path", "project_path"}, {"BRD", "brd_file"}} {
		if v := str(ctx, f.key); v != "" {
			rows = append(rows, f.label+": "+v)
		}
	}
	if specs := list(ctx, "spec_files"); len(specs) > 0 {
		rows = append(rows, "Specs: "+strings.Join(texts(specs), ", "))
	}
	var more []string
	for key, v := range ctx {
		if !slices.Contains(contextShown, key) || !usual(v, shape[key]) {
			more = append(more, row(key, v)...)
		}
	}
	slices.Sort(more)
	rows = append(rows, more...)
	for _, f := range []struct{ label, key string }{{"Git HEAD", "git_head"}, {"Branch", "git_branch"}} {
		if v := str(s, f.key); v != "" {
			rows = append(rows, f.label+": "+v)
		}
	}
	if v := firstOf(str(s, "task_summary", "query"), c.TaskSummary); v != "" {
		rows = append(rows, "Task: "+v)
	}
	if c.Description != "" {
		rows = append(rows, "Description: "+c.Description)
	}
	b.list("Context", rows, "- ")
}

func (b *briefing) decisions(s map[string]any) {
	var rows []string
	for _, x := range list(s, "decisions") {
		d := object(x)
		row := firstOf(str(d, "decision"), text(x))
		if why := str(d, "rationale"); why != "" {
			row += " (" + why + ")"
		}
		if row != "" {
			rows = append(rows, row)
		}
	}
	if len(rows) == 0 {
		return
	}
	b.line("\n### Decisions Made")
	from := max(len(rows)-linesShown, 0) // the newest are the ones in force
	if from > 0 {
		b.line("(%d older ones are in the state: 'piton load')", from)
	}
	for i, r := range rows[from:] {
		b.line("%d. %s", from+i+1, oneLine(r))
	}
}

// files lists the modified files by folder.
func (b *briefing) files(s map[string]any) {
	files := texts(list(s, "files_modified"))
	if len(files) == 0 {
		return
	}
	count := map[string]int{}
	name := map[string]string{}
	for _, f := range files {
		d := path.Dir(f)
		count[d]++
		name[d] = f
	}
	var rows []string
	for d, n := range count {
		if n == 1 {
			rows = append(rows, name[d])
			continue
		}
		rows = append(rows, fmt.Sprintf("%s/* (%d files)", d, n))
	}
	sort.Strings(rows)
	b.list(fmt.Sprintf("Files Modified (%d)", len(files)), rows, "- ")
}

func (b *briefing) todos(s map[string]any) {
	var rows []string
	for _, x := range list(s, "todos") {
		t := object(x)
		mark := "[ ] "
		switch str(t, "status") {
		case "completed":
			mark = "[x] "
		case "in_progress":
			mark = "[ ] (in progress) "
		}
		if what := firstOf(str(t, "content", "subject"), text(x)); what != "" {
			rows = append(rows, mark+what)
		}
	}
	b.list("Todos", rows, "- ")
}

// rest is what only some kinds have: criteria, last commands, errors, what
// subagents said.
func (b *briefing) rest(s map[string]any) {
	b.list("Not Verified Yet", texts(list(s, "unverified")), "- ")
	var rows []string
	for _, x := range list(s, "isc_criteria", "iscCriteria") {
		c := object(x)
		rows = append(rows, fmt.Sprintf("%s (%s)", firstOf(str(c, "subject"), text(x)), firstOf(str(c, "status"), "pending")))
	}
	b.list("Criteria", rows, "- ")
	rows = nil
	for _, x := range list(s, "commands") {
		c := object(x)
		row := firstOf(str(c, "command"), text(x))
		if failed, _ := c["failed"].(bool); failed {
			row += " (failed)"
		}
		rows = append(rows, row)
	}
	b.list("Commands of the last turn", rows, "- ")
	rows = nil
	for name, x := range object(s["agent_outputs"]) {
		rows = append(rows, row(name, x)...)
	}
	sort.Strings(rows)
	for _, x := range list(s, "agent_outputs") {
		rows = append(rows, text(x))
	}
	b.list("What subagents said", rows, "- ")
	if e := object(firstOfAny(s["last_error"], s["lastError"])); e != nil {
		b.list("Last error", []string{firstOf(str(e, "message"), text(e))}, "- ")
	}
}

func firstOfAny(xs ...any) any {
	for _, x := range xs {
		if x != nil {
			return x
		}
	}
	return nil
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

// Age writes a duration as people say it: 40s, 12m, 2h, 3d.
func Age(d time.Duration) string {
	switch {
	case d < time.Minute:
		return strconv.Itoa(max(int(d.Seconds()), 0)) + "s"
	case d < time.Hour:
		return strconv.Itoa(int(d.Minutes())) + "m"
	case d < 48*time.Hour:
		return strconv.Itoa(int(d.Hours())) + "h"
	}
	return strconv.Itoa(int(d.Hours()/24)) + "d"
}

// oneLine keeps a text from breaking the brief's form, and from steering the
// terminal it is shown on.
func oneLine(s string) string {
	s = strings.Join(strings.FieldsFunc(piton.Printable(s), func(r rune) bool {
		return unicode.IsSpace(r) || unicode.Is(unicode.Bidi_Control, r)
	}), " ")
	if r := []rune(s); len(r) > 400 {
		return string(r[:400]) + " …"
	}
	return s
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

func texts(xs []any) []string {
	var ss []string
	for _, x := range xs {
		if s := scalar(x); s != "" {
			ss = append(ss, s)
		}
	}
	return ss
}

func itoa(n int) string { return strconv.Itoa(n) }
