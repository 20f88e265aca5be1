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
	add("Asked last", str(s, "asked"))
	if c.WorkflowType != piton.TypeSession || c.Trigger == piton.TriggerPreRisky || c.Trigger == piton.TriggerError || c.Trigger == piton.TriggerManual {
		add("Description", c.Description) // else it only says again which files changed
	}
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

// maxInFolder is how many files of a folder stand in one row: a row is cut, and
// each file is to be named.
const maxInFolder = 10

// byFolder names many files, those of a folder together.
func byFolder(files []FileNow) (rows []string) {
	in := map[string][]string{}
	for _, f := range files {
		folder := path.Dir(f.Path)
		in[folder] = append(in[folder], path.Base(f.Path)+f.notes())
	}
	for _, folder := range slices.Sorted(maps.Keys(in)) {
		for part := range slices.Chunk(in[folder], maxInFolder) {
			if folder == "." || len(in[folder]) == 1 {
				rows = append(rows, path.Join(folder, strings.Join(part, ", ")))
			} else {
				rows = append(rows, folder+"/: "+strings.Join(part, ", "))
			}
		}
	}
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

// announcedRows are the steps of a plan that an agent told in words; none where it keeps
// todos.
func announcedRows(s map[string]any) []string {
	if len(list(s, "todos")) > 0 {
		return nil
	}
	return scalars(list(object(s["announced"]), "steps"))
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

// filesNow are the files of the work. since is nil where only the state is known.
func filesNow(s map[string]any, since *Since) (files []FileNow) {
	if since != nil && len(since.Files) > 0 {
		return since.Files
	}
	deleted := scalars(list(s, "files_deleted"))
	for _, f := range scalars(list(s, "files_modified")) {
		x := FileNow{Path: f, Saved: true}
		if slices.Contains(deleted, f) {
			x.Is = FileDeleted
		}
		files = append(files, x)
	}
	return files
}

// fileRows name each file; many are grouped by folder.
func fileRows(files []FileNow) (rows []string) {
	if len(files) > maxRows {
		return byFolder(files)
	}
	for _, f := range files {
		rows = append(rows, f.Path+f.notes())
	}
	return rows
}

// commandRows are the commands of the state, then those after the save.
func commandRows(s map[string]any, since *Since) (rows []string) {
	for _, x := range list(s, "commands") {
		c := object(x)
		row := cmp.Or(str(c, "command"), text(x))
		if failed, _ := c["failed"].(bool); failed {
			row += " (failed)"
		}
		rows = append(rows, row)
	}
	if since == nil {
		return rows
	}
	for _, c := range since.Commands {
		row := c.Command + " ("
		switch {
		case c.Running:
			row += "no end of it is known, "
		case c.Failed:
			row += "failed, "
		}
		rows = append(rows, row+afterSave+")")
	}
	return rows
}
