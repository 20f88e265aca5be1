package plan

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// maxPath bounds the length of an artifact's path.
const maxPath = 500

// artifacts reads which files a step leaves: their paths by their names. A path in a list
// is its own name, and may be a pattern; then each file that it matches is named by its
// path.
func (r *reader) artifacts(s *readStep, p field) {
	if p.none() {
		return
	}
	if slices.Contains([]string{Approve, Wait, "checkpoint", "http"}, s.Action) {
		r.add(p.line, "a step with the action %s leaves no files; write %s at the step that makes them", s.Action, p.name)
	}
	if s.Parameters["host"] != nil {
		r.add(p.line, "the files of a step with 'host' are on the other host; fetch them in a step of their own: run: scp HOST:FILE .")
	}
	pairs := p.value.pairs
	if p.value.kind != isObject {
		for _, x := range p.value.list() {
			pairs = append(pairs, pair{x.text, x.line, x})
		}
	}
	s.Artifacts = map[string]string{}
	for _, x := range pairs {
		if x.value.kind != isText {
			r.add(x.line, "%s wants paths, or names with paths, and not %s; as in artifacts: [dist/*.tar.gz], or {app: dist/app}", p.name, x.value.kind)
			continue
		}
		name, file := strings.TrimPrefix(x.name, "./"), strings.TrimPrefix(x.value.text, "./")
		s.texts = append(s.texts, placed{p.name, file, x.line})
		if err := artifact(name, file); err != nil {
			r.add(x.line, "%s: %s: %v", p.name, quoted(file), err)
		}
		s.Artifacts[name] = file
	}
}

// artifact reports what is wrong with one: its values are not known yet.
func artifact(name, file string) error {
	switch {
	case strings.Contains(file, "${env:"):
		return errors.New("a path is kept with the run, so it holds no ${env:NAME}")
	case hasValue(file):
	case strings.HasSuffix(file, "/"):
		return fmt.Errorf("an artifact is a file; all files of a folder are %s**", file)
	case LocalPath(file) != nil:
		return LocalPath(file)
	case !doublestar.ValidatePattern(file):
		return errors.New("the pattern cannot be read")
	case name != file && IsPattern(file):
		return errors.New("a name stands for one file; a pattern stands in a list, and each of its files is named by its path")
	}
	if name != file && (!idForm().MatchString(name) || len(name) > maxID) {
		return fmt.Errorf("%s cannot be its name: a name has letters, digits, '-' and '_'", quoted(name))
	}
	return nil
}

// LocalPath refuses a path or a pattern that leads out of the folder that it is relative to.
func LocalPath(file string) error {
	if len(file) > maxPath || !filepath.IsLocal(file) || path.Clean(file) != file {
		return errors.New("the path of an artifact is relative to the step's folder, without '..'")
	}
	return nil
}

// IsPattern tells whether a path is a pattern.
func IsPattern(file string) bool { return strings.ContainsAny(file, `*?[{\`) }
