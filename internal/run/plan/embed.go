package plan

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/piton-project/piton"
)

// maxChildren bounds how many plans a plan may hold, and maxNested how deep.
const (
	maxChildren = 100
	maxNested   = 5
)

// Embed is a plan with the plans that its steps run, whose files lie beside its own. read
// reads one. Invalid where one cannot be read, where plans run each other in a circle, and
// where a step's inputs do not fit.
func Embed(p Plan, file string, read func(path string) (Plan, error)) (Plan, error) {
	return embed(p, file, read, 0)
}

func embed(p Plan, file string, read func(path string) (Plan, error), deep int) (Plan, error) {
	if deep > maxNested {
		return p, fmt.Errorf("plans run each other more than %d deep, or in a circle", maxNested)
	}
	all := map[string]Plan{}
	maps.Copy(all, p.Plans)
	for _, s := range p.Steps {
		name, _ := s.Parameters["file"].(string)
		if _, has := all[name]; s.Action != Child || has {
			continue
		}
		if len(all) == maxChildren {
			return p, embedding(s, fmt.Errorf("a plan runs at most %d others", maxChildren))
		}
		path := filepath.Clean(filepath.FromSlash(name))
		if filepath.ToSlash(path) != name || filepath.IsAbs(path) {
			return p, embedding(s, piton.Errorf(piton.Invalid, "read the plan "+name, "", "write the file of a plan as a path relative to this one, without './', as in %s", filepath.ToSlash(path)))
		}
		path = filepath.Join(filepath.Dir(file), path)
		child, err := read(path)
		if err == nil {
			child, err = embed(child, path, read, deep+1)
		}
		if err != nil {
			return p, embedding(s, err)
		}
		all[name] = child
	}
	if len(all) > 0 {
		p.Plans = all
	}
	return p, p.fitsChildren()
}

func embedding(s Step, err error) error {
	return piton.Errorf(piton.Invalid, "read the plan", "", "step %s (line %d): %w", s.ID, s.Line, err)
}

// fitsChildren holds the steps that run other plans against the inputs of these.
func (p Plan) fitsChildren() error {
	for _, s := range p.Steps {
		file, _ := s.Parameters["file"].(string)
		child, has := p.Plans[file]
		if s.Action != Child || !has {
			continue
		}
		given, _ := s.Parameters["inputs"].(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(given)) {
			if !slices.Contains(child.inputNames(), name) {
				return embedding(s, fmt.Errorf("the plan %s has no input %s%s", file, quoted(name), DidYouMean(name, child.inputNames())))
			}
		}
		for _, in := range child.Inputs {
			if _, is := given[in.Name]; in.Required && in.Default == nil && !is {
				return embedding(s, fmt.Errorf("the plan %s needs the input %s: inputs: {%[2]s: …}", file, in.Name))
			}
		}
	}
	return nil
}

// ChildFile is the file that a step's plan stands in, as it is written: which plan is run is
// part of what was checked, so it has no value in it.
func ChildFile(s Step) (string, error) {
	file, _ := s.Parameters["file"].(string)
	switch {
	case strings.TrimSpace(file) == "":
		return "", errors.New("write the file of the plan that the step runs, as in plan: child.yaml")
	case hasValue(file):
		return "", errors.New("the file of a plan has no values in it: which plan is run must be known before")
	}
	return file, nil
}
