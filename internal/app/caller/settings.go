package caller

import (
	"cmp"
	"errors"
	"slices"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/place"
	"github.com/piton-project/piton/internal/config"
	"github.com/piton-project/piton/internal/redact"
)

// Config are the settings of a work tree, with what could not be used of them;
// root is empty for those of no project.
func (a *env) Config(root string) config.Config {
	if root != "" {
		return a.ConfigNow(root)
	}
	if a.user == nil { // asked for at every step of a command
		c, configured := a.load("")
		a.user, a.configured = &c, configured
	}
	return *a.user
}

// ForgetConfig has the user's settings read anew, after they were changed.
func (a *env) ForgetConfig() { a.user = nil }

// ConfigNow are the settings of a work tree as they are now, also of no project. It keeps
// nothing, so that several goroutines may ask.
func (a *env) ConfigNow(root string) config.Config {
	c, _ := a.load(root)
	return c
}

// load reads the settings of a work tree. configured is the store that they name,
// whatever the caller has named for itself.
func (a *env) load(root string) (c config.Config, configured string) {
	c = config.Load(place.Settings(a.Options.Getenv, a.Options.Environ, root))
	configured = c.Store
	if a.Options.Store != "" {
		c.Store, c.From["store"] = config.WithHome(a.Options.Store, a.Options.Getenv), cmp.Or(a.Options.StoreFrom, "the caller")
	}
	if c.From["checkpoints.archive"] == "" {
		c.Checkpoints.Archive = a.archiveBeside(c.Store, c.Checkpoints.Archive)
	}
	return c, configured
}

// UsableConfig is Config, with the first setting that cannot be used as an error. What needs
// trust is left out and stops nobody: 'piton trust' speaks of it.
func (a *env) UsableConfig(root string) (config.Config, error) {
	c := a.Config(root)
	i := slices.IndexFunc(c.Problems, func(err error) bool { return !errors.Is(err, config.ErrUntrusted) })
	if i < 0 {
		return c, nil
	}
	e := *AsError(c.Problems[i])
	e.Hint = cmp.Or(e.Hint, "fix it there; 'piton doctor' names all that is wrong")
	return c, &e
}

// warnOfSettings says once what of the user's settings cannot be used, where
// that stops nothing.
func (a *env) warnOfSettings() {
	if p := a.Config("").Problems; len(p) > 0 && !a.warned {
		a.Options.Warn(&piton.Error{Code: piton.Invalid, Hint: "'piton doctor' names all that is wrong", Err: p[0]})
	}
	a.warned = true
}

// IsConfigured tells whether the store in use is the one that settings and
// environment name, and not one that the caller has named for itself.
func (a *env) IsConfigured() bool {
	named := a.Config("").Store
	if _, err := a.WholeSpec(named); err != nil || a.Options.Store == "" {
		return true // an error is told where the store is opened
	}
	return a.sameStore(a.configured, named)
}

// RedactRules are what redaction keeps, as the user has allowed it.
func (a *env) RedactRules() *redact.Rules {
	allow := a.Config("").Allow
	return &redact.Rules{Names: allow.Names, Patterns: allow.Patterns}
}

// AsError finds the typed error in err; what has been wrapped around it stays in
// the message. Any other error is Internal.
func AsError(err error) *piton.Error {
	var e *piton.Error
	switch {
	case !errors.As(err, &e):
		return &piton.Error{Code: piton.Internal, Err: err}
	case error(e) == err:
		return e
	}
	return &piton.Error{Code: e.Code, Hint: e.Hint, Err: err}
}

// Message is what an error says, without what was tried.
func Message(err error) string {
	e := AsError(err)
	if e.Err == nil {
		return string(e.Code)
	}
	return e.Err.Error()
}

// Missing tells whether err says that there is nothing yet: no store, no project, no row.
func Missing(err error) bool {
	var e *piton.Error
	return errors.As(err, &e) && e.Code == piton.NotFound
}

// UnlessMissing is err; nil where it says that there is nothing yet.
func UnlessMissing(err error) error {
	if Missing(err) {
		return nil
	}
	return err
}

// Retention is the policy that the settings name. Settings that cannot be used
// are Invalid: a slip in a bound must not delete at its default.
func (a *env) Retention() (piton.Retention, error) {
	set, err := a.UsableConfig("")
	return set.Checkpoints.Retention, err
}
