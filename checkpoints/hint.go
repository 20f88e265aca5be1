package checkpoints

import (
	"errors"
	"regexp"
	"strings"

	"github.com/piton-project/piton"
)

// phrase is a verb or an option in single quotes, as hints name them.
var phrase = regexp.MustCompile(`'([a-z_]+)(?: ([^']*))?'`)

// verbNames are the verbs of hints, as a program calls them. Other verbs are
// commands.
var verbNames = map[string]string{
	"save": "Store.Save", "load": "Store.Load", "list": "Store.List", "resume": "Store.Resume", "diff": "Store.Diff", "fork": "Store.Fork",
	"complete": "Store.Complete", "delete": "Store.Delete", "prune": "Store.Prune", "inspect": "Store.Load",
}

// optionNames are the options of hints, as a program sets them.
var optionNames = map[string]string{
	"parent": "Parent", "branch": "Branch", "workflow": "Workflow", "session": "Session", "name": "Name", "type": "Type", "step": "Step",
	"project": "Options.Dir", "store": "Options.Store", "nearest": "LoadNearest", "older_than": "OlderThan", "phase": "Phase",
}

// commands are verbs that the library does not have.
var commands = map[string]bool{"export": true, "import": true, "verify": true, "repair": true, "purge": true, "flush": true, "rules": true, "trust": true, "search": true, "sessions": true, "config": true}

// inGo rewrites the hint of an error for a program that calls this package.
func inGo(err error) error {
	var e *piton.Error
	if !errors.As(err, &e) {
		return err
	}
	mine := *e
	mine.Hint = phrase.ReplaceAllStringFunc(e.Hint, func(s string) string {
		m := phrase.FindStringSubmatch(s)
		word, rest := m[1], strings.TrimSpace(m[2])
		switch {
		case verbNames[word] != "":
			return verbNames[word]
		case commands[word]:
			return "'piton " + word + "'"
		case optionNames[word] != "" && rest == "":
			return optionNames[word]
		case optionNames[word] != "" && rest != strings.ToUpper(rest):
			return optionNames[word] + " " + rest
		case optionNames[word] != "":
			return optionNames[word]
		}
		return s
	})
	return &mine
}
