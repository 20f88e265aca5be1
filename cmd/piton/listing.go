package main

import (
	"fmt"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/states"
)

// printList prints checkpoints. more says how many are left out, title and
// nothing what a person is told of a list and of an empty one.
func (con *console) printList(list app.Listing, more int, title, nothing string) error {
	if len(list.Checkpoints) == 0 {
		con.say("%s", nothing)
		return nil
	}
	if !con.forPerson() {
		if err := con.table(listRows(list.Checkpoints, 50, "")); err != nil {
			return err
		}
	} else if err := con.printTitled(list.Checkpoints, more, title); err != nil {
		return err
	}
	if list.Next != "" {
		con.say("There are more: --cursor %s", list.Next)
	}
	return nil
}

func (con *console) printTitled(list []piton.Checkpoint, more int, title string) error {
	if err := con.print(title + "\n\n"); err != nil {
		return err
	}
	if err := con.markdown(listRows(list, con.stepWidth(list), " ago")); err != nil {
		return err
	}
	rest := "\nResume: piton resume <id>\nInspect: piton inspect <id>\n"
	if more > 0 {
		rest = fmt.Sprintf("and %d more: piton list --open --limit 0\n", more) + rest
	}
	return con.print(rest)
}

// listRows are the rows of a list, the head first.
func listRows(list []piton.Checkpoint, step int, ago string) [][]string {
	rows := [][]string{{"ID", "Workflow", "Step", "Progress", "Age"}}
	now := time.Now()
	for _, c := range list {
		mark := ""
		if c.Damaged != "" {
			mark = "[damaged] "
		}
		if c.Completed {
			mark += "[completed] "
		}
		text := mark + cell(c.Step(), max(step-len(mark), 10))
		rows = append(rows, []string{c.ID, cell(c.Label(), 30), text, percent(c.Progress), states.Age(now.Sub(c.CreatedAt.Time)) + ago})
	}
	return rows
}

// stepWidth is the room a terminal leaves to the steps.
func (con *console) stepWidth(list []piton.Checkpoint) int {
	label := len("Workflow")
	for _, c := range list {
		label = max(label, len([]rune(short(c.Label(), 30))))
	}
	const rest = 20 + len("Progress") + len("100d ago") + 16 // id, two columns, bars
	if w := con.width(); w > 0 {
		return min(max(w-rest-label, 16), 50)
	}
	return 50
}
