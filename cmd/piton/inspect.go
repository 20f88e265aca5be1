package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/history"
)

func inspectCommand(a *app) *cobra.Command {
	var withState bool
	c := &cobra.Command{
		Use:               "inspect ID",
		Short:             "Show a checkpoint: metadata, state, lineage, changes",
		Example:           "  piton inspect chk_7m2k\n  piton inspect chk_7m2k --json --state | jq .changes",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: a.completeIDs,
		RunE: func(c *cobra.Command, args []string) error {
			k, err := a.keeper(c.Context(), true)
			if err != nil {
				return err
			}
			x, err := k.Inspect(c.Context(), args[0])
			if err != nil {
				return err
			}
			if a.json {
				return a.printInspectionJSON(x, withState)
			}
			return a.printInspection(x)
		},
	}
	c.Flags().BoolVar(&withState, "state", false, "with --json: the state too")
	return c
}

func (a *app) printInspectionJSON(x history.Inspection, withState bool) error {
	if x.Damage != nil && withState {
		return x.Damage
	}
	answer := struct {
		Checkpoint piton.Checkpoint   `json:"checkpoint"`
		Parent     *piton.Checkpoint  `json:"parent,omitempty"`
		Children   []piton.Checkpoint `json:"children"`
		Changes    json.RawMessage    `json:"changes,omitempty"`
		State      json.RawMessage    `json:"state,omitempty"`
	}{Checkpoint: x.Checkpoint, Parent: x.Parent, Children: x.Children, Changes: x.Changes}
	if answer.Children == nil {
		answer.Children = []piton.Checkpoint{}
	}
	if withState {
		answer.State = x.State
	}
	return a.printJSON(answer)
}

func (a *app) printInspection(x history.Inspection) error {
	c := x.Checkpoint
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n", a.bold("## "+c.ID))
	rows := [][2]string{
		{"Created", c.CreatedAt.String()}, {"Workflow", c.Label()}, {"Type", c.WorkflowType}, {"Trigger", string(c.Trigger)},
		{"Branch", fmt.Sprintf("%s, number %d", c.Branch, c.Seq)}, {"Step", c.Step()}, {"Name", c.Name}, {"Description", c.Description},
		{"Task", c.TaskSummary}, {"Tags", strings.Join(c.Tags, ", ")}, {"Progress", percent(c.Progress)}, {"Session", c.SessionID},
		{"Made by", strings.TrimSpace(c.Origin.Agent + " " + c.Origin.ClientVersion + " " + c.Origin.Host)},
		{"Git", strings.TrimSpace(c.Origin.GitHead + " " + c.Origin.GitBranch)},
		{"State", fmt.Sprintf("%d bytes, sha256 %s", c.StateBytes, c.SHA256)}, {"Damaged", c.Damaged},
	}
	if c.Completed {
		rows = append(rows, [2]string{"Completed", c.CompletedAt.String()})
	}
	for _, r := range rows {
		if r[1] != "" && r[1] != "-" {
			fmt.Fprintf(&b, "**%s**: %s\n", r[0], line(r[1]))
		}
	}
	if x.State != nil {
		var pretty bytes.Buffer
		if err := json.Indent(&pretty, x.State, "", "  "); err != nil {
			return &piton.Error{Code: piton.Corrupt, Op: "inspect " + c.ID, Err: err}
		}
		fmt.Fprintf(&b, "\n### State Snapshot\n\n```json\n%s\n```\n", pretty.Bytes())
	}
	fmt.Fprintf(&b, "\n### Lineage\n- Parent: %s\n- Children: %s\n", relative(x.Parent), relatives(x.Children))
	if n := changes(x.Changes); n != "" {
		fmt.Fprintf(&b, "\n### Changes against the parent\n%s", n)
	}
	_, err := fmt.Fprint(a.out, b.String())
	return err
}

func relative(c *piton.Checkpoint) string {
	if c == nil {
		return "none (the first)"
	}
	return fmt.Sprintf("%s (%s)", c.ID, line(c.Step()))
}

func relatives(cs []piton.Checkpoint) string {
	if len(cs) == 0 {
		return "none (latest)"
	}
	var names []string
	for i := range cs {
		names = append(names, relative(&cs[i]))
	}
	return strings.Join(names, ", ")
}

// changesShown bounds the changes a person is shown.
const changesShown = 40

// changes writes a patch for people, a line an operation.
func changes(patch []byte) string {
	var ops []struct {
		Op, Path string
		Value    json.RawMessage
	}
	if json.Unmarshal(patch, &ops) != nil {
		return ""
	}
	var b strings.Builder
	for i, o := range ops {
		if i == changesShown {
			fmt.Fprintf(&b, "- and %d more\n", len(ops)-i)
			break
		}
		fmt.Fprintf(&b, "- %s %s %s\n", o.Op, o.Path, short(string(o.Value), 80))
	}
	return b.String()
}
