package plan

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/piton-project/piton"
)

// maxChildren bounds how many plans a plan may hold, and MaxNested how deep.
const (
	maxChildren = 100
	MaxNested   = 5
)

// ErrNested says that plans run each other too deep.
var ErrNested = fmt.Errorf("plans run each other more than %d deep, or in a circle", MaxNested)

// Embed is a plan with the plans that its steps run. load reads one by its file's name as a
// step writes it. Invalid where one cannot be read, where plans run each other in a circle,
// and where a step's inputs do not fit.
func Embed(p Plan, load func(file string) (Plan, error)) (Plan, error) {
	for _, s := range p.Steps {
		file, _ := s.Parameters["file"].(string)
		if _, has := p.Plans[file]; s.Action != Child || has {
			continue
		}
		if len(p.Plans) == maxChildren {
			return p, embedding(s, fmt.Errorf("a plan runs at most %d others", maxChildren))
		}
		child, err := load(file)
		if err != nil {
			return p, embedding(s, err)
		}
		p.Plans = maps.Clone(p.Plans)
		if p.Plans == nil {
			p.Plans = map[string]Plan{}
		}
		p.Plans[file] = child
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
