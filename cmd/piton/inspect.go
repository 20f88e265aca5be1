package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/wI2L/jsondiff"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/cli"
	"github.com/piton-project/piton/internal/diff"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/screen"
)

func inspectCommand(con console) *cobra.Command {
	var raw bool
	c := cli.Asks(&cobra.Command{
		Use:   "inspect ID | NAME",
		Short: "Show a checkpoint: metadata, state, lineage, changes",
		Long: `Show a checkpoint, given by its id or by the name it was saved with: metadata, a
snapshot of its state, lineage, and what changed against its parent. Long states
are cut: 'piton load ID' prints them in full. With --json the changes are RFC 6902.

--raw prints what can still be read of a damaged state, to repair it by hand: its
fragments in order, with a line in place of what is lost. For an intact checkpoint
it prints the state.`,
		Example: `  piton inspect chk_7m2k
  piton inspect chk_7m2k --json --state | jq .changes
  piton inspect chk_7m2k --raw > mend.txt`,
		Args:              cli.AtMostOne(piton.CheckpointPrefix),
		ValidArgsFunction: con.CompleteIDs,
	}, func(c *cobra.Command, r piton.InspectRequest) error {
		if raw {
			left, err := con.App().Raw(c.Context(), r.OneRequest)
			return cli.Answer(con, left, err, cli.Paged(con, c, con.printRemains))
		}
		withState := r.State
		r.State = con.JSON && withState
		x, err := con.App().Inspect(c.Context(), r)
		if con.JSON && !withState {
			x.State = nil
		}
		return cli.Answer(con, x, err, cli.Paged(con, c, con.printInspection))
	})
	c.Flags().BoolVar(&raw, "raw", false, "what can still be read of a damaged state")
	c.MarkFlagsMutuallyExclusive("raw", "state")
	return c
}

// gap stands in the place of what is lost of a state.
const gap = "[… lost …]"

// printRemains prints what can still be read of a state, byte for byte in a
// pipe.
func (con console) printRemains(r history.Remains) error {
	var b strings.Builder
	read := 0
	for _, part := range r.Fragments {
		text := gap
		if part != nil {
			text = *part
			read += len(text)
		}
		b.WriteString(strings.TrimSuffix(text, "\n") + "\n")
	}
	text := b.String()
	if screen.IsTerminal(con.Out) {
		text = screen.Clean(text)
	}
	if _, err := io.WriteString(con.Out, text); err != nil {
		return err
	}
	if c := r.Checkpoint; c.Damaged != "" {
		con.Say("piton: %s is damaged (%s); %d of its %d bytes can still be read, and their content is not verified", c.ID, screen.Line(c.Damaged), read, c.StateBytes)
	}
	return nil
}

// printInspection writes all that is known of a checkpoint for people.
func (con console) printInspection(x history.Inspection) error {
	c := x.Checkpoint
	var b strings.Builder
	fmt.Fprintf(&b, "Checkpoint Details\n\n%s\n\n", "## "+c.ID)
	step := c.Step()
	if c.StepNumber != nil {
		step = fmt.Sprintf("%s (number %d)", step, *c.StepNumber)
	}
	if c.PhaseNumber > 0 {
		step = fmt.Sprintf("%s (phase %d of %d)", step, c.PhaseNumber, c.PhaseTotal)
	}
	for _, r := range [][2]string{
		{"Created", con.When(c.CreatedAt)}, {"Workflow", c.Label()}, {"Type", c.WorkflowType}, {"Trigger", string(c.Trigger)},
		{"Branch", fmt.Sprintf("%s, number %d", c.Branch, c.Seq)}, {"Step", step}, {"Name", c.Name}, {"Description", c.Description},
		{"Task", c.TaskSummary}, {"Tags", strings.Join(c.Tags, ", ")}, {"Progress", screen.Percent(c.Progress)}, {"Session", c.SessionID},
		{"Duration", milliseconds(c.DurationMS)}, {"Tokens", tokens(c.TokenUsage)}, {"Made by", madeBy(c)}, {"Git", gitOf(c)},
		{"State", fmt.Sprintf("%d bytes, sha256 %s", c.StateBytes, c.SHA256)}, {"Completed", con.When(c.CompletedAt)},
		{"Archive", c.Archive}, {"File", c.File},
	} {
		if r[1] != "" && r[1] != "-" {
			fmt.Fprintf(&b, "**%s**: %s\n", r[0], screen.Line(r[1]))
		}
	}
	if c.Damaged != "" {
		fmt.Fprintf(&b, "**Damaged**: %s\n", con.Red(screen.Line(c.Damaged)))
	}
	if x.State != nil {
		text, err := snapshot(c.ID, x.State)
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "\n### State Snapshot\n\n```json\n%s\n```\n", text)
	}
	fmt.Fprintf(&b, "\n### Lineage\n- Parent: %s\n- Children: %s\n", relative(x.Parent), relatives(x.Children))
	if x.ParentState != nil {
		patch, err := diff.Operations(x.ParentState, x.State)
		if err != nil {
			return err
		}
		if len(patch) > 0 {
			b.WriteString("\n### Changes against the parent\n\n" + con.changesIn(c.ID, patch))
		}
	}
	return con.Print(con.Rendered(b.String()))
}

// Bounds of what a person is shown: lines of a snapshot and characters of each,
// children, and changes against the parent.
const (
	maxLines    = 120
	maxLine     = 300
	maxChildren = 10
	maxPatch    = 40
)

// snapshot writes a state with indents, safe for a terminal, cut where it is
// long.
func snapshot(id string, state []byte) (string, error) {
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, state, "", "  "); err != nil {
		return "", &piton.Error{Code: piton.Corrupt, Op: "inspect " + id, Err: err}
	}
	lines := strings.Split(string(screen.CleanJSON(pretty.Bytes())), "\n")
	for i, l := range lines {
		if r := []rune(l); len(r) > maxLine {
			lines[i] = string(r[:maxLine]) + "…"
		}
	}
	if n := len(lines) - maxLines; n > 0 {
		lines = append(lines[:maxLines], fmt.Sprintf("… and %d more lines: piton load %s", n, id))
	}
	return strings.Join(lines, "\n"), nil
}

// changesIn writes what changed in a checkpoint's state as Markdown.
func (con console) changesIn(id string, patch jsondiff.Patch) string {
	text, all := con.changes(patch, maxPatch)
	text = "```text\n" + text + "```\n"
	if !all {
		text += "\nMore of them: piton diff " + id + "\n"
	}
	return text
}

// tokens writes how many tokens were used; "" where that is not known.
func tokens(u *piton.TokenUsage) string {
	if u == nil || *u == (piton.TokenUsage{}) {
		return ""
	}
	return fmt.Sprintf("input %d, output %d, cache read %d, cache write %d", u.Input, u.Output, u.CacheRead, u.CacheWrite)
}

func madeBy(c piton.Checkpoint) string {
	text := ""
	for _, part := range [][2]string{{"", strings.TrimSpace(c.Origin.Agent + " " + c.Origin.ClientVersion)}, {" on ", c.Origin.Host}, {" by ", c.Origin.By}} {
		if text != "" && part[1] != "" {
			text += part[0]
		}
		text += part[1]
	}
	return text
}

func gitOf(c piton.Checkpoint) string {
	return strings.TrimSpace(c.Origin.GitHead + " " + c.Origin.GitBranch)
}

func relative(c *piton.Checkpoint) string {
	if c == nil {
		return "none (the first)"
	}
	return fmt.Sprintf("%s (%s)", c.ID, screen.Line(c.Step()))
}

func relatives(cs []piton.Checkpoint) string {
	if len(cs) == 0 {
		return "none (latest)"
	}
	var names []string
	for i := range cs {
		if i == maxChildren {
			names = append(names, fmt.Sprintf("and %d more", len(cs)-i))
			break
		}
		names = append(names, relative(&cs[i]))
	}
	return strings.Join(names, ", ")
}

// milliseconds writes a duration for people; "" for none.
func milliseconds(ms int64) string {
	if ms == 0 {
		return ""
	}
	return (time.Duration(ms) * time.Millisecond).String()
}
