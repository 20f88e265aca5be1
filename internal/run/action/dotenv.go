package action

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/joho/godotenv"

	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store/localfs"
)

// maxDotenv bounds a file of variables.
const maxDotenv = 1 << 20

// Dotenv reads files of variables, NAME=VALUE a line, relative to a folder; a later file
// goes before an earlier one. secrets are the values that look like such by their names or
// forms: what the step shows is cleaned of them.
func Dotenv(dir string, files any) (vars map[string]string, secrets []string, err error) {
	list, is := files.([]any)
	if !is && files != nil {
		list = []any{files}
	}
	vars = map[string]string{}
	for _, f := range list {
		name, is := f.(string)
		if !is || strings.TrimSpace(name) == "" {
			return nil, nil, final(`the parameter "dotenv" is %s, and must be a file's name, or a list of them`, described(files))
		}
		if !filepath.IsAbs(name) {
			name = filepath.Join(dir, name)
		}
		text, err := localfs.ReadPlain(name, maxDotenv)
		if err != nil {
			return nil, nil, final("read the variables: %w", err)
		}
		read, err := godotenv.UnmarshalBytes(text)
		if err != nil { // its words may have a value in them
			return nil, nil, &Failed{Err: fmt.Errorf("read the variables: %w", errors.New(name+" is not a file of NAME=VALUE lines")), Final: true, Known: Before}
		}
		maps.Copy(vars, read)
	}
	for _, name := range slices.Sorted(maps.Keys(vars)) {
		if _, found := redact.Text(name + "=" + vars[name]); found > 0 {
			secrets = append(secrets, vars[name])
		}
	}
	return vars, secrets, nil
}
