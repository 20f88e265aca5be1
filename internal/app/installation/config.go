package installation

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/app/place"
	"github.com/piton-project/piton/internal/config"
	"github.com/piton-project/piton/internal/judge/debrief"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store/postgres"
)

// Settings are the settings in force in the caller's work tree, without secrets.
type Settings struct {
	Keys     []config.Value `json:"keys"`              // every key with the value in force here
	Problems []Problem      `json:"problems"`          // what could not be used
	UserFile string         `json:"user_file"`         // the path of the user's settings
	Project  *Trust         `json:"project,omitempty"` // absent: the project has no file

	ProjectFile string `json:"-"` // where the project's file lies or would lie
}

// Problem is a setting that could not be used.
type Problem struct {
	Message    string `json:"message"`
	Hint       string `json:"hint,omitempty"`
	NeedsTrust bool   `json:"needs_trust,omitempty"` // only because `piton trust` is missing
}

// Settings shows each setting in force, and where it came from.
func (a Setup) Settings() (Settings, error) {
	root, err := a.Root()
	if err != nil {
		return Settings{}, err
	}
	c := a.Config(root)
	if err := a.strayFile(root); err != nil {
		c.Problems = append(c.Problems, err)
	}
	out := Settings{Keys: c.Values(), Problems: []Problem{}, UserFile: config.UserFile(a.Options.Getenv), ProjectFile: config.ProjectPath(root)}
	for i, v := range out.Keys {
		out.Keys[i].Value = a.shownValue(v)
	}
	for _, err := range c.Problems {
		p := Problem{NeedsTrust: errors.Is(err, config.ErrUntrusted), Hint: caller.AsError(err).Hint}
		p.Message, _ = redact.Text(err.Error())
		out.Problems = append(out.Problems, p)
	}
	if c.Project.Path != "" {
		out.Project = &Trust{Path: c.Project.Path, Trusted: c.Project.Trusted, LeftOut: c.Project.LeftOut}
	}
	return out, nil
}

// strayFile says that a settings file in the caller's folder is not the one of
// its work tree, which alone is read.
func (a Setup) strayFile(root string) error {
	here, err := a.Dir()
	if err != nil {
		return nil
	}
	inside, err := filepath.EvalSymlinks(here)
	if top, e := filepath.EvalSymlinks(root); err != nil || e != nil || top == inside {
		return nil
	}
	path := config.ProjectPath(here)
	if _, err := os.Lstat(path); err != nil {
		return nil
	}
	return piton.Errorf(piton.Invalid, "read the settings in "+path, "move what it says to "+config.ProjectPath(root), "only the file at the work tree's root is read, %s", config.ProjectPath(root))
}

// shownValue is a value as a file would have it, without secrets: a store's
// address may hold a password.
func (a Setup) shownValue(v config.Value) any {
	if s, ok := v.Value.(string); ok && v.Key == "store" {
		switch {
		case s == "":
			return "sqlite:" + place.Database(a.Options.Home)
		case caller.IsPostgres(s):
			return postgres.Shown(s)
		}
	}
	b, err := json.Marshal(asInFile(v.Value))
	if err == nil {
		b, _, err = redact.JSON(b)
	}
	if err != nil {
		return nil
	}
	return json.RawMessage(b)
}

// asInFile gives rules and commands the names they have in a file.
func asInFile(v any) any {
	switch x := v.(type) {
	case []debrief.Rule:
		list := []Rule{}
		for _, r := range x {
			list = append(list, ruleOf(r, "", debrief.Preview{}))
		}
		return list
	case []debrief.Verify:
		list := []verifyCommand{}
		for _, x := range x {
			out := verifyCommand{Run: x.Run, Files: x.Files, When: x.When}
			if x.Timeout > 0 {
				out.Timeout = x.Timeout.String()
			}
			list = append(list, out)
		}
		return list
	case []string:
		return append([]string{}, x...)
	}
	return v
}

type verifyCommand struct {
	Run     string   `json:"run"`
	Files   []string `json:"files,omitempty"`
	Timeout string   `json:"timeout,omitempty"`
	When    string   `json:"when,omitempty"`
}
