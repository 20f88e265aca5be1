package caller

import (
	"os"
	"path/filepath"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/place"
)

// Path is a path as the caller names it, made whole.
func (a *env) Path(name string) (string, error) {
	if filepath.IsAbs(name) {
		return filepath.Clean(name), nil
	}
	dir, err := a.Dir()
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, name), nil
}

// Dir is the folder the caller works in.
func (a *env) Dir() (string, error) {
	if a.Options.Dir != "" {
		return a.Options.Dir, nil
	}
	if !a.Placed() {
		return "", NotPlaced(piton.Invalid)
	}
	here, err := os.Getwd()
	if err != nil {
		return "", &piton.Error{Code: piton.Unavailable, Op: "find the project", Hint: "go to a folder that exists", Err: err}
	}
	return here, nil
}

// Root is the root of the caller's work tree; outside of one its folder.
func (a *env) Root() (string, error) {
	dir, err := a.Dir()
	if err != nil {
		return "", err
	}
	return place.Root(dir), nil
}

// Placed tells whether the folder that the caller works in is known.
func (a *env) Placed() bool { return a.Options.Dir != "" || !a.Options.Remote }

// NotPlaced is the error, with the code, of what needs that folder where it is not known.
func NotPlaced(code piton.Code) error {
	return piton.Errorf(code, "find the project", "give the whole path of a folder: 'project DIR'", "the folder that you work in is not known here")
}
