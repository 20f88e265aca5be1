package config_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/piton-project/piton/internal/config"
)

// told is what a user's file, a project's and the environment come to: the values that
// are not built in, and what is wrong.
func told(t *testing.T, text string) (all []string) {
	l := layers{env: map[string]string{}}
	user, rest, _ := strings.Cut("\n"+text, "\n-- project\n")
	rest, variables, _ := strings.Cut("\n"+rest, "\n-- env\n")
	if before, after, ok := strings.Cut(user, "\n-- env\n"); ok {
		user, variables = before, after
	}
	l.user, l.project = strings.TrimPrefix(user, "\n"), strings.TrimPrefix(rest, "\n")
	for line := range strings.Lines(variables) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
		l.env[name] = value
	}
	c, p := l.load(t)
	short := strings.NewReplacer(p.UserFile, "user", filepath.Join(p.Project, ".piton.yaml"), "project", p.Project, "folder")
	for _, v := range c.Values() {
		if v.From != config.BuiltIn {
			b, _ := json.Marshal(v.Value)
			all = append(all, fmt.Sprintf("%s = %s (%s)", v.Key, b, v.From))
		}
	}
	for _, err := range c.Problems {
		all = append(all, err.Error())
	}
	if len(c.Project.LeftOut) > 0 {
		all = append(all, "left out: "+strings.Join(c.Project.LeftOut, " "))
	}
	for i := range all {
		all[i] = strings.ReplaceAll(short.Replace(all[i]), "\n", `\n`)
	}
	return all
}

// set is a file behind a change of one setting, in one line, or why there was none.
func set(t *testing.T, text, change string) string {
	f := config.File{Path: filepath.Join(t.TempDir(), "config.yaml"), Getenv: func(string) string { return "" }}
	f.Within = filepath.Dir(f.Path)
	if err := os.WriteFile(f.Path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	key, value, sets := strings.Cut(change, " ")
	var err error
	if sets {
		_, err = f.Set(key, value)
	} else {
		_, err = f.Unset(key)
	}
	after, _ := os.ReadFile(f.Path)
	if err != nil && string(after) != text {
		t.Errorf("%s: got %v, and the file was changed", change, err)
	}
	if err != nil {
		return strings.ReplaceAll(err.Error(), f.Path, "user")
	}
	return strings.ReplaceAll(string(after), "\n", `\n`)
}

// TestFiles compares what settings files come to, and their changes, with testdata/files.txt.
func TestFiles(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/files.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range strings.Split("\n"+strings.TrimRight(string(text), "\n"), "\n== ")[1:] {
		name, part, _ := strings.Cut(part, "\n")
		at := slices.IndexFunc([]string{"\n? ", "\n=> "}, func(mark string) bool { return strings.Contains(part, mark) })
		switch at {
		case 0:
			file, changes, _ := strings.Cut(part, "\n? ")
			for change := range strings.SplitSeq(changes, "\n? ") {
				change, want, _ := strings.Cut(change, " => ")
				if got := set(t, file+"\n", change); got != want {
					t.Errorf("%s: %s\n got %s\nwant %s", name, change, got, want)
				}
			}
		default:
			file, want, _ := strings.Cut(part, "\n=> ")
			if got := strings.Join(told(t, file+"\n"), "\n=> "); got != want {
				t.Errorf("%s:\n got %s\nwant %s", name, got, want)
			}
		}
	}
}
