package installation

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/config"
	"github.com/piton-project/piton/internal/git"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/setup"
)

// noVouching is why an agent may not trust, nor loosen, what holds it.
const noVouching = "an agent cannot vouch for a file"

// TrustList is the files that were trusted.
type TrustList struct {
	Files []Trust `json:"files"`
}

// Trust is how a project's settings file stands.
type Trust struct {
	Path    string     `json:"path"`               // the project's file
	Trusted bool       `json:"trusted"`            // its current text is trusted
	SHA256  string     `json:"sha256,omitempty"`   // of the text that was trusted; absent: it never was, or in another work tree
	At      piton.Time `json:"at,omitzero"`        // when it was; absent: as `sha256`
	LeftOut []string   `json:"left_out,omitempty"` // keys that do not count, or only in part, without trust
	Known   bool       `json:"-"`                  // this path was trusted once
	Stood   bool       `json:"-"`                  // what it asked for more then still counts
}

// TrustStatus tells whether the settings file of the caller's project is trusted.
func (a Setup) TrustStatus() (Trust, error) {
	root, err := a.Root()
	if err != nil {
		return Trust{}, err
	}
	p := a.Config(root).Project
	if p.Path == "" {
		_, err := config.ProjectText(root) // says why there is none
		if err == nil {
			err = piton.Errorf(piton.NotFound, "read the project's settings", "", "there is no %s", config.ProjectPath(root))
		}
		return Trust{}, err
	}
	all, err := config.LoadTrusts(a.Options.Home)
	before, known := all.Of(p.Path)
	return Trust{p.Path, p.Trusted, before.SHA256, before.At, p.LeftOut, known, p.Stood}, err
}

// Trusts lists the files that were trusted.
func (a Setup) Trusts() (TrustList, error) {
	all, err := config.LoadTrusts(a.Options.Home)
	out := TrustList{[]Trust{}}
	for _, x := range all.Files {
		text, err := config.ProjectText(filepath.Dir(x.Path))
		out.Files = append(out.Files, Trust{Path: x.Path, Trusted: err == nil && config.Sum(text) == x.SHA256, SHA256: x.SHA256, At: x.At})
	}
	return out, err
}

// Revoke takes the trust in the settings file of the caller's project back.
func (a Setup) Revoke(ctx context.Context) (Trust, error) {
	const op = "take the trust back"
	if err := a.ByPerson(ctx, op, noVouching); err != nil {
		return Trust{}, err
	}
	root, err := a.Root()
	if err != nil {
		return Trust{}, err
	}
	all, err := config.LoadTrusts(a.Options.Home)
	if err != nil {
		return Trust{}, err
	}
	path := config.ProjectPath(root)
	done, err := all.Revoke(a.Options.Home, path, git.RepositoryOf(root))
	if err == nil && !done {
		err = piton.Errorf(piton.NotFound, op, "'trust list' shows what is trusted", "%s was not trusted", path)
	}
	return Trust{Path: path}, err
}

// TrustQuestion is a project's settings file as a person has to see it before
// they trust it.
type TrustQuestion struct {
	Path    string
	Text    []byte
	Trusted bool       // this very text is trusted already
	Known   bool       // another text was trusted
	At      piton.Time // when
	Diff    string     // what has changed since; empty where the text from then was not kept
	LeftOut []error    // what does not count with trust either
	Keys    []string   // the keys that count with trust only
	Runs    []string   // the commands that would be run at stops
	Tells   []string   // what its listeners would run, and where they would send to

	root string
}

// AskTrust is what to show a person who may trust the settings file of the
// caller's project. It is refused inside an agent.
func (a Setup) AskTrust(ctx context.Context) (TrustQuestion, error) {
	if err := a.ByPerson(ctx, "trust the project's file", noVouching); err != nil {
		return TrustQuestion{}, err
	}
	root, err := a.Root()
	if err != nil {
		return TrustQuestion{}, err
	}
	q := TrustQuestion{Path: config.ProjectPath(root), root: root}
	if q.Text, err = config.ProjectText(root); err != nil {
		return q, err
	}
	all, err := config.LoadTrusts(a.Options.Home)
	if err != nil {
		return q, err
	}
	before, known := all.Of(q.Path)
	q.Known, q.At, q.Trusted = known, before.At, known && before.SHA256 == config.Sum(q.Text)
	if old, kept := before.Before(a.Options.Home); known && kept {
		q.Diff = setup.Diff([]setup.Change{{Path: q.Path, Before: old, After: q.Text}})
	}
	for _, err := range a.Config(root).Problems {
		if !errors.Is(err, config.ErrUntrusted) {
			q.LeftOut = append(q.LeftOut, err)
		}
	}
	asks, err := config.AsksOf(q.Text, a.Options.Getenv)
	if err != nil {
		return q, &piton.Error{Code: piton.Invalid, Op: "trust " + q.Path, Hint: "correct it first; nothing in it can be used", Err: err}
	}
	q.Keys, q.Runs, q.Tells = asks.Keys, asks.Runs, asks.Tells
	return q, nil
}

// Trust trusts the text that a person has seen.
func (a Setup) Trust(q TrustQuestion) error {
	all, err := config.LoadTrusts(a.Options.Home) // the answer may have taken long
	if err != nil {
		return err
	}
	_, secrets := redact.Text(string(q.Text)) // then no copy is kept to compare with
	return all.Give(a.Options.Home, q.Path, git.RepositoryOf(q.root), q.Text, secrets == 0, a.Options.Now())
}
