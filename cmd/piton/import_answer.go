package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/store"
)

// leftOuts is what an import has left out.
type leftOuts struct {
	file  string        // the one being read
	list  []notImported // the first
	first error
	count int
}

// maxLeftOut bounds how many are named: a file can hold millions of values that are
// no checkpoints.
const maxLeftOut = 1000

// notImported is a file, or an entry of one, that was left out.
type notImported struct {
	File string `json:"file"`
	ID   string `json:"id,omitempty"`
	Why  string `json:"why"`
}

func (l *leftOuts) add(file, id string, err error) {
	if l.count++; l.count == 1 {
		l.first = err
	}
	if l.count <= maxLeftOut {
		l.list = append(l.list, notImported{file, id, message(wrap(err))})
	}
}

// entry leaves out an entry of the file being read.
func (l *leftOuts) entry(e store.Entry, err error) error {
	l.add(l.file, e.Checkpoint.ID, err)
	return nil
}

// failure is the error of an import that has read nothing.
func (l *leftOuts) failure() error {
	e := *wrap(l.first)
	if more := l.count - 1; more > 0 {
		e.Hint = strings.TrimPrefix(fmt.Sprintf("%s; %d more could not be read, and there is nothing else in it", e.Hint, more), "; ")
	}
	return &e
}

// outlook is what retention will do with what was imported; nil where nothing
// was.
func (a *app) outlook(ctx context.Context, k history.Keeper, r history.Imported) (*history.Outlook, error) {
	if r.Added == 0 {
		return nil, nil
	}
	set, err := a.settings("")
	if err != nil {
		return nil, err
	}
	if a.far != nil && set.Checkpoints.Archive == filepath.Join(a.home(), "archive") {
		k.Archive = nil // see pruneCommand
	}
	o, err := k.Outlook(ctx, set.Checkpoints.Retention, r)
	return &o, err
}

// printImported says what came, what was set aside and left out, and what
// retention will do.
func (a *app) printImported(r history.Imported, left leftOuts, o *history.Outlook) error {
	if left.count > 0 {
		a.status = statusOf(piton.CodeOf(left.first))
	}
	if a.json {
		list := left.list
		if list == nil {
			list = []notImported{}
		}
		return a.printJSON(struct {
			history.Imported
			LeftOut   []notImported    `json:"left_out"`
			More      int              `json:"left_out_more,omitempty"`
			Retention *history.Outlook `json:"retention,omitempty"`
		}{r, list, left.count - len(left.list), o})
	}
	for _, id := range r.IDs {
		if _, err := fmt.Fprintln(a.out, id); err != nil {
			return err
		}
	}
	fmt.Fprintf(a.err, "Imported %d checkpoints; %d were there already.\n", r.Added, r.Known)
	if r.Redacted > 0 {
		paths := make([]string, len(r.Paths))
		for i, x := range r.Paths {
			paths[i] = x.ID + x.Path
		}
		fmt.Fprintln(a.err, takenOut(r.Redacted, paths))
	}
	for _, x := range r.Aside {
		fmt.Fprintf(a.err, "piton: workflow %s has gone on by itself here and keeps its head: %d of the imported are on its branch %s.\n%s",
			line(firstOf(x.Workflow, x.WorkflowID)), x.Count, line(strings.Join(x.Branches, ", ")), asideHint(x))
	}
	for _, x := range left.list {
		fmt.Fprintf(a.err, "piton: left out: %s\n", line(strings.TrimSpace(x.File+" "+x.ID)+": "+strings.TrimPrefix(x.Why, x.File+": ")))
	}
	if more := left.count - len(left.list); more > 0 {
		fmt.Fprintf(a.err, "piton: left out: %d more\n", more)
	}
	if n := left.count; n > 0 {
		fmt.Fprintf(a.err, "Left out: %d. The rest is imported.\n", n)
	}
	if o != nil {
		fmt.Fprintln(a.err, outlookText(*o))
	}
	return nil
}

// asideHint says how to go on with what was set aside.
func asideHint(x history.Aside) string {
	return fmt.Sprintf("'piton list --workflow %s --branch %s' shows them, 'piton fork ID' goes on from one.\n", x.WorkflowID, line(x.Branches[0]))
}

// outlookText says what retention will do.
func outlookText(o history.Outlook) string {
	var b strings.Builder
	b.WriteString("Retention counts their age from today")
	if o.DeleteAfter != "" {
		b.WriteString(": after " + o.DeleteAfter + " prune deletes those that nothing protects")
	} else {
		b.WriteString(", and deletes none for its age")
	}
	if o.Archive+o.Delete > 0 {
		fmt.Fprintf(&b, ". The next prune keeps %d, archives %d, deletes %d ('piton prune --dry-run' says why)", o.Keep, o.Archive, o.Delete)
	}
	return b.String() + "."
}
