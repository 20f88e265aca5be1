//go:build unix

package action

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/piton-project/piton"
)

// TestCollect: a step leaves regular files of its folder, and no others.
func TestCollect(t *testing.T) {
	base := t.TempDir()
	dir := filepath.Join(base, "work", "sub")
	token := "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
	for name, text := range map[string]string{"work/.git/HEAD": "", "work/sub/a.txt": "a", "work/sub/dist/b.js": "b", "work/sub/dist/deep/c.js": "c", "work/sub/secret.env": "TOKEN=" + token, "work/sub/bin": "\x00" + token, "work/sub/known": "\x00x hunter2hunter2 y", "outside": "o"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(base, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(base, name), []byte(text), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	for to, from := range map[string]string{"link": "a.txt", "out": "../../outside", "linked": "dist"} {
		if err := os.Symlink(from, filepath.Join(dir, to)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	large, err := os.Create(filepath.Join(dir, "large"))
	if err == nil {
		err = large.Truncate(maxArtifact + 1)
	}
	if err != nil {
		t.Fatal(err)
	}
	large.Close()
	own := func(names ...string) map[string]string {
		m := map[string]string{}
		for _, n := range names {
			m[n] = n
		}
		return m
	}
	for name, c := range map[string]struct {
		artifacts map[string]string
		dir       any
		want      string // names with paths, or a part of the error
	}{
		"none":                       {nil, nil, ""},
		"a file":                     {own("a.txt"), nil, "a.txt=a.txt"},
		"a name":                     {map[string]string{"app": "dist/b.js"}, nil, "app=dist/b.js"},
		"a pattern":                  {own("dist/**/*.js"), nil, "dist/b.js=dist/b.js dist/deep/c.js=dist/deep/c.js"},
		"a file twice":               {own("dist/*.js", "dist/b.js"), nil, "dist/b.js=dist/b.js"},
		"files behind a link":        {own("linked/*"), nil, "this is not a regular file"},
		"a missing one":              {own("no"), nil, "there is no such file"},
		"a pattern without a file":   {own("*.no"), nil, "there is no such file"},
		"a link":                     {own("link"), nil, "this is not a regular file"},
		"a link that leads out":      {own("out"), nil, "there is no such file"},
		"a file behind a link":       {own("linked/b.js"), nil, "this is not a regular file; a step leaves regular files"},
		"a value that leads out":     {map[string]string{"x": "../../outside"}, nil, "without '..'"},
		"a folder":                   {own("dist"), nil, "all files of a folder are FOLDER/**"},
		"a pipe":                     {own("pipe"), nil, "this is not a regular file"},
		"one that is too large":      {own("large"), nil, "the file is larger than it may be"},
		"a secret":                   {own("secret.env"), nil, "it holds what looks like a secret"},
		"a program that looks so":    {own("bin"), nil, "bin=bin"},
		"a value of the environment": {own("known"), nil, "it holds what looks like a secret"},
		"a folder of its own":        {own("b.js"), "dist", "b.js=b.js"},
		"a folder outside":           {own("outside"), base, "it is not in the project"},
	} {
		t.Run(name, func(t *testing.T) {
			call := Call{Dir: dir, Artifacts: c.artifacts, Parameters: map[string]any{"dir": c.dir}}
			left, err := call.Collect(NewSecrets("hunter2hunter2"), nil)
			var got []string
			for _, a := range left {
				got = append(got, a.Name+"="+a.Path)
			}
			if err != nil {
				if KnownOf(err) != Answered || !strings.Contains(err.Error(), c.want) || c.want == "" {
					t.Errorf("got %v, want %q, and that the step has failed", err, c.want)
				}
				return
			}
			if diff := cmp.Diff(c.want, strings.Join(got, " ")); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
	left, err := Call{Dir: dir, Artifacts: own("a.txt")}.Collect(nil, nil)
	want := piton.Artifact{Name: "a.txt", Path: "a.txt", Sum: "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb", Size: 1, Mode: "0640"}
	if err != nil || left[0].Artifact != want || string(left[0].Content.Get()) != "a" {
		t.Errorf("got %+v, %v", left, err)
	}
}
