package debrief

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/piton-project/piton/internal/agent"
)

// foldersAtEase is over how many top-level folders a change may spread without
// a word.
const foldersAtEase = 3

// observe notes what demands nothing: edits that failed, files edited without
// having been read, changes all over the place.
func (t *turn) observe() (all []string) {
	for _, look := range []func() string{t.failedEdits, t.unreadFirst, t.spread} {
		contained(func() { all = append(all, look()) })
	}
	return slices.DeleteFunc(all, func(text string) bool { return text == "" })
}

// failedEdits names the files of which an edit failed and none succeeded after.
func (t *turn) failedEdits() string {
	var files []string
	for i, c := range t.calls {
		if c.Kind != agent.CallEdit || !c.errs() {
			continue
		}
		for _, p := range c.Paths {
			rel, ok := t.relative(c.Dir, p)
			if ok && !slices.ContainsFunc(t.calls[i+1:], func(later *call) bool { return later.mentions(File{Path: rel}) }) {
				files = union(files, rel)
			}
		}
	}
	if len(files) == 0 {
		return ""
	}
	return "An edit failed and was not made since: " + list(files)
}

// unreadFirst names the changed files that an edit tool changed before anything
// showed them in this turn.
func (t *turn) unreadFirst() string {
	if t.Partial || !t.Earlier {
		return "" // what was seen before is not known
	}
	files := t.unreadFiles()
	if len(files) > 0 && !t.followed {
		t.follow() // it may have been read by another name
		files = t.unreadFiles()
	}
	if len(files) == 0 {
		return ""
	}
	return "Edited without having been read in this turn or before: " + list(files)
}

func (t *turn) unreadFiles() (files []string) {
	seen := map[string]bool{}
	for _, p := range t.Known {
		seen[p] = true
	}
	docs := func(p string) bool {
		return slices.ContainsFunc(t.Rules, func(r Rule) bool { return r.docs() && r.includes(p) })
	}
	var known []string  // what was shown: files and folders
	var unasked []*call // shell calls; what they show is dear to tell
	noted := func(p string) bool {
		return seen[p] || slices.ContainsFunc(known, func(k string) bool { return k == "." || inside(p, k) })
	}
	shownBefore := func(p string) bool {
		if noted(p) {
			return true
		}
		for _, c := range unasked {
			known = append(known, t.paths(c)...)
		}
		unasked = nil
		return noted(p)
	}
	for i, c := range t.calls {
		switch c.Kind {
		case agent.CallRead:
			known = append(known, t.paths(c)...)
		case agent.CallShell:
			unasked = append(unasked, c)
			for _, f := range t.files {
				if strings.Contains(c.Command, baseName(f.Path)) {
					seen[f.Path] = true // shown, made or moved in some way
				}
			}
		case agent.CallEdit:
			for _, e := range c.edits {
				changed := slices.ContainsFunc(t.files, func(f file) bool { return f.Path == e.path && !f.Created })
				asks := changed && !c.knows() && !docs(e.path) && !c.Created
				if asks && !shownBefore(e.path) && !namedBy(t.calls[:i], e.path) {
					files = union(files, e.path)
				}
				seen[e.path] = true
			}
		}
	}
	return files
}

// knows tells an edit that its tool refuses where the file is not known: Claude's
// want it read, Codex's patch quotes the lines around what it changes.
func (c *call) knows() bool {
	return slices.Contains([]string{"Edit", "MultiEdit", "Write", "NotebookEdit", "apply_patch"}, c.Tool)
}

// namedBy tells whether one of the calls has shown something of a file: it printed its
// name, as searches do, or it ran what its log does not tell.
func namedBy(calls []*call, file string) bool {
	name := baseName(file)
	return slices.ContainsFunc(calls, func(c *call) bool {
		return strings.Contains(c.Call.Output, name) || c.Kind == agent.CallOther && slices.Contains([]string{"write_stdin", "exec"}, c.Tool)
	})
}

// spread names the top-level folders if there are many.
func (t *turn) spread() string {
	var folders []string
	for _, f := range t.files {
		if top, _, ok := strings.Cut(f.Path, "/"); ok {
			folders = union(folders, top)
		}
	}
	if len(folders) <= foldersAtEase {
		return ""
	}
	slices.Sort(folders)
	return fmt.Sprintf("The changes spread over %d top-level folders (%s): do they belong together?", len(folders), list(folders))
}

// astray names the work item if none of the changed files is one that its plan
// names.
func (t *turn) astray() []string {
	if t.Item == "" || len(t.Planned) == 0 || len(t.planned()) > 0 {
		return nil
	}
	return []string{"The active work item " + quote(t.Item) + " plans changes in " + list(t.Planned) + ", and no file of this turn is among them: is it the right one?"}
}

// planned are the changed files that the plan names.
func (t *turn) planned() (files []string) {
	for _, f := range t.files {
		if slices.ContainsFunc(t.Planned, func(plan string) bool { return t.plans(plan, f.Path) }) {
			files = append(files, f.Path)
		}
	}
	return files
}

// plans tells whether a plan's path, glob or folder takes the file.
func (t *turn) plans(plan, file string) bool {
	if path.IsAbs(plan) {
		plan, _ = t.relative("", plan)
	}
	plan = strings.TrimPrefix(plan, "./")
	folder := strings.TrimSuffix(plan, "/")
	return folder != "" && (folder == "." || inside(file, folder)) || match(plan, file)
}
