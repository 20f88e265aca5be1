package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/states"
)

// openShown bounds the table of unfinished work on a terminal.
const openShown = 5

// printList prints checkpoints. more says how many are left out, title and
// nothing what a person is told of a list and of an empty one.
func (a *app) printList(page piton.Page, more int, title, nothing string) error {
	if a.json {
		return a.printPage(page)
	}
	if len(page.Checkpoints) == 0 {
		fmt.Fprintln(a.err, nothing)
		return nil
	}
	if !a.outTerminal() {
		if err := a.table(listRows(page.Checkpoints, 50, "")); err != nil {
			return err
		}
	} else {
		fmt.Fprintf(a.out, "%s\n\n", title)
		if err := a.markdown(listRows(page.Checkpoints, a.stepWidth(page.Checkpoints), " ago")); err != nil {
			return err
		}
		if more > 0 {
			fmt.Fprintf(a.out, "and %d more: piton list --open --limit 0\n", more)
		}
		fmt.Fprint(a.out, "\nResume: piton resume <id>\nInspect: piton inspect <id>\n")
	}
	if page.Next > 0 {
		fmt.Fprintf(a.err, "There are more: --cursor %d\n", page.Next)
	}
	return nil
}

func (a *app) printPage(page piton.Page) error {
	answer := struct {
		Checkpoints []piton.Checkpoint `json:"checkpoints"`
		Next        string             `json:"next_cursor,omitempty"`
	}{Checkpoints: page.Checkpoints}
	if answer.Checkpoints == nil {
		answer.Checkpoints = []piton.Checkpoint{}
	}
	if page.Next > 0 {
		answer.Next = strconv.FormatInt(page.Next, 10)
	}
	return a.printJSON(answer)
}

// listRows are the rows of a list, the head first.
func listRows(list []piton.Checkpoint, step int, ago string) [][]string {
	rows := [][]string{{"ID", "Workflow", "Step", "Progress", "Age"}}
	now := time.Now()
	for _, c := range list {
		mark, text := "", c.Step()
		if c.Damaged != "" {
			mark = "[damaged] "
		}
		if c.Completed {
			mark += "[completed] "
		}
		// A bar would end the cell.
		text = strings.ReplaceAll(mark+short(text, max(step-len(mark), 10)), "|", "¦")
		rows = append(rows, []string{c.ID, short(strings.ReplaceAll(c.Label(), "|", "¦"), 30), text, percent(c.Progress), states.Age(now.Sub(c.CreatedAt.Time)) + ago})
	}
	return rows
}

// stepWidth is the room a terminal leaves to the steps.
func (a *app) stepWidth(list []piton.Checkpoint) int {
	label := len("Workflow")
	for _, c := range list {
		label = max(label, len([]rune(short(c.Label(), 30))))
	}
	const rest = 20 + len("Progress") + len("100d ago") + 16 // id, two columns, bars
	if w := a.width(); w > 0 {
		return min(max(w-rest-label, 16), 50)
	}
	return 50
}
