package app

import (
	"os"
	"path/filepath"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/place"
)

// path is a path as the caller names it, made whole.
func (a *caller) path(name string) (string, error) {
	switch {
	case filepath.IsAbs(name):
		return filepath.Clean(name), nil
	case a.o.Dir != "":
		return filepath.Join(a.o.Dir, name), nil
	case !a.Placed():
		return "", nowhere(piton.Invalid)
	}
	return filepath.Abs(name)
}

// dir is the folder the caller works in.
func (a *caller) dir() (string, error) {
	if a.o.Dir != "" {
		return a.o.Dir, nil
	}
	if !a.Placed() {
		return "", nowhere(piton.Invalid)
	}
	here, err := os.Getwd()
	if err != nil {
		return "", &piton.Error{Code: piton.Unavailable, Op: "find the project", Hint: "go to a folder that exists", Err: err}
	}
	return here, nil
}

// Root is the root of the caller's work tree; outside of one its folder.
func (a *caller) Root() (string, error) {
	dir, err := a.dir()
	if err != nil {
		return "", err
	}
	return place.Root(dir), nil
}

// Placed tells whether the folder that the caller works in is known.
func (a *caller) Placed() bool { return a.o.Dir != "" || !a.o.Remote }

// nowhere is the error of what needs that folder where it is not known.
func nowhere(code piton.Code) error {
	return piton.Errorf(code, "find the project", "give the whole path of a folder: 'project DIR'", "the folder that you work in is not known here")
}
