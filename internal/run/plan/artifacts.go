package plan

import (
	"errors"
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
	if slices.Contains([]string{Approve, Wait, "checkpoint", "http"}, s.Action) || s.Parameters["host"] != nil {
		r.add(p.line, "the step leaves no files on this machine; write %s at the step that makes them here, as with run: scp HOST:FILE .", p.name)
	}
	pairs := p.value.pairs
	if p.value.kind != isObject {
		for _, x := range p.value.list() {
			pairs = append(pairs, pair{x.text, x.line, x})
		}
	}
	s.Artifacts = map[string]string{}
	for _, x := range pairs {
		name, file := strings.TrimPrefix(x.name, "./"), strings.TrimPrefix(x.value.text, "./")
		if x.value.kind != isText || !leaves(name, file) {
			r.add(x.line, "%s wants paths in the step's folder, without '..' and ${env:NAME}: a list with files and patterns, as in [log.txt, dist/**], or names of letters, digits, '-' and '_' with a file each, as in {app: dist/app}; not %s", p.name, quoted(x.value.text))
			continue
		}
		s.texts = append(s.texts, placed{p.name, file, x.line})
		s.Artifacts[name] = file
	}
}

// leaves tells whether a step can leave a path or a pattern under a name: its values are not
// known yet. A path is kept with the run, so it has no secrets.
func leaves(name, file string) bool {
	own := name == file
	switch {
	case strings.Contains(file, "${env:"), !own && (!idForm().MatchString(name) || len(name) > maxID):
		return false
	case hasValue(file):
		return true
	}
	return LocalPath(file) == nil && doublestar.ValidatePattern(file) && (own || !isPattern(file))
}

// LocalPath refuses a path or a pattern that leads out of the folder that it is relative to.
func LocalPath(file string) error {
	if len(file) > maxPath || !filepath.IsLocal(file) || path.Clean(file) != file {
		return errors.New("the path of an artifact is relative to the step's folder, without '..'")
	}
	return nil
}

// isPattern tells whether a path is a pattern.
func isPattern(file string) bool { return strings.ContainsAny(file, `*?[{\`) }
