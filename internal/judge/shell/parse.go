package shell

import "fmt"

// Parse returns the commands that line runs, in order: those of subshells,
// loops, substitutions, called functions, eval and `bash -c` too, but not what
// a string or a here-document merely mentions. It reads bash, else mksh, POSIX
// or zsh. A line over 64 KB, nested or branching without reason, or in no
// dialect's grammar is an error; then use ReadLoose.
func Parse(line string) (found []Command, err error) {
	w := &walker{}
	// A hook must outlive a slip of the grammar's parser.
	defer func() {
		if r := recover(); r != nil {
			found, err = nil, fmt.Errorf("shell: parser: %v", r)
		}
	}()
	err = w.script(line, &scope{exits: true, suspect: true, funcs: map[string]function{}}, fate{runs: true, counts: true})
	if err == nil && w.steps > maxSteps {
		err = errComplex
	}
	if err != nil {
		return nil, err
	}
	waited(w.found)
	return w.found, nil
}

// waited lifts the background status of what a later wait or fg waits for. The
// status that wait returns need not be theirs, so they become Hidden.
func waited(found []Command) {
	wait := false
	for i := len(found) - 1; i >= 0; i-- {
		c := &found[i]
		switch {
		case c.Status == Background && wait:
			c.Status = Hidden
		case c.Status != Background && len(c.Words) > 0 && (c.Words[0] == "wait" || c.Words[0] == "fg"):
			wait = true
		}
	}
}
