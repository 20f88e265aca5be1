package installation

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/config"
	"github.com/piton-project/piton/internal/redact"
)

// ConfigChange says which key of which settings file is changed.
type ConfigChange struct {
	Key     string
	Value   string
	Project bool // of the project's file; else of the user's own
}

// ConfigChanged is a settings file that was changed.
type ConfigChanged struct {
	Changed    bool          `json:"changed"`               // the file was written; false if it said so already
	Key        string        `json:"key,omitempty"`         // absent: `edit`
	File       string        `json:"file"`                  // the settings file
	NeedsTrust bool          `json:"needs_trust,omitempty"` // the key counts only after `piton trust`
	Instead    *config.Value `json:"in_force,omitempty"`    // the value that is in force here in its place, from another layer; absent: this one is
}

// SetConfig sets a key of a settings file, once the value can be used.
func (a Setup) SetConfig(ctx context.Context, r ConfigChange) (ConfigChanged, error) {
	f, err := a.settingsFile(ctx, "set "+r.Key, r.Project)
	if err != nil {
		return ConfigChanged{}, err
	}
	changed, err := f.Set(r.Key, r.Value)
	return a.configChanged(f, r.Key, changed, err)
}

// UnsetConfig removes a key of a settings file.
func (a Setup) UnsetConfig(ctx context.Context, r ConfigChange) (ConfigChanged, error) {
	f, err := a.settingsFile(ctx, "unset "+r.Key, r.Project)
	if err != nil {
		return ConfigChanged{}, err
	}
	changed, err := f.Unset(r.Key)
	out, err := a.configChanged(f, r.Key, changed, err)
	out.NeedsTrust = false
	if out.Instead != nil && out.Instead.From == config.BuiltIn {
		out.Instead = nil
	}
	return out, err
}

// EditConfig has a person edit a settings file. edit is given the text and returns the
// new one; where that cannot be used, again is asked whether to go on with it.
func (a Setup) EditConfig(ctx context.Context, inProject bool, edit func(path string, text []byte) ([]byte, error), again func(error) bool) (ConfigChanged, error) {
	f, err := a.settingsFile(ctx, "edit the settings", inProject)
	if err == nil && inProject {
		err = a.ByPerson(ctx, "edit the settings", "an agent has no editor")
	}
	if err != nil {
		return ConfigChanged{}, err
	}
	was, err := f.Text()
	if err != nil {
		return ConfigChanged{}, err
	}
	text := was
	if text == nil {
		text = f.Begin()
	}
	for {
		if text, err = edit(f.Path, text); err != nil {
			return ConfigChanged{}, err
		}
		if was == nil && string(text) == string(f.Begin()) {
			return ConfigChanged{File: f.Path}, nil
		}
		changed, err := f.Replace(was, text)
		if piton.CodeOf(err) != piton.Invalid || !again(err) {
			return a.configChanged(f, "", changed, err)
		}
	}
}

// configChanged says what a change of a file comes to.
func (a Setup) configChanged(f config.File, key string, changed bool, err error) (ConfigChanged, error) {
	out := ConfigChanged{Changed: changed, Key: key, File: f.Path}
	if err != nil {
		e := *caller.AsError(err) // it may repeat a value
		text, secrets := redact.Text(caller.Message(err))
		if secrets > 0 {
			e.Err = piton.Errorf(e.Code, "", "", "%s", text)
		}
		return out, &e
	}
	a.ForgetConfig()
	root, err := a.Root()
	if err != nil {
		return out, nil //nolint:nilerr // the file is written
	}
	c := a.Config(root)
	if f.Project && !c.Project.Trusted {
		for _, left := range c.Project.LeftOut {
			out.NeedsTrust = out.NeedsTrust || left == key || key == ""
		}
	}
	for _, v := range c.Values() {
		if v.Key == key && !slices.Contains(strings.Split(v.From, ", "), f.Path) {
			out.Instead = &config.Value{Key: v.Key, Value: a.shownValue(v), From: v.From}
		}
	}
	return out, nil
}

// ConfigValue is one key as it is in force.
func (a Setup) ConfigValue(key string) (config.Value, error) {
	x, err := a.Settings()
	if err != nil {
		return config.Value{}, err
	}
	for _, v := range x.Keys {
		if v.Key == key {
			if _, raw := v.Value.(json.RawMessage); !raw && v.Value == nil {
				v.Value = json.RawMessage("null")
			}
			return v, nil
		}
	}
	return config.Value{}, config.UnknownKey(key)
}
