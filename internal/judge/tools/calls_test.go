package tools

import (
	"slices"
	"strings"
	"testing"
)

// facts are what is known of a call without the tree, in one line. Variables stand before it.
func facts(line string) string {
	words, env := fields(strings.ReplaceAll(line, `\n`, "\n")), []string(nil)
	for len(words) > 1 && Assignment(words[0]) {
		words, env = words[1:], append(env, words[0])
	}
	c, inner := NewCall(words), Plain(words)
	var all []string
	add := func(what string, is bool, more ...string) {
		if is {
			all = append(all, strings.TrimSpace(what+" "+strings.Join(more, " ")))
		}
	}
	add("is", c.Head != words[0], c.Head)
	dir := ""
	for w := Unwrap(words); w.Words != nil; w = Unwrap(w.Words) {
		dir = Join(dir, w.Dir)
		add("own", len(w.Own) > 0, w.Own...)
	}
	dir = Join(dir, Of(inner[0]).Dir(inner))
	add("in", dir != "", dir)
	add("runs", !slices.Equal(inner, words), inner...)
	if forms := Forms(words); !slices.Equal(forms[len(forms)-1], inner) {
		add("or", true, forms[len(forms)-1]...)
	}
	text, ok := c.Tool.ShellText(c.Words)
	add("shell", ok, text)
	add("each", c.Tool.Exec != "" && c.Tool.Executed(words) != nil, c.Tool.Executed(words)...)
	dry := c.DryRun(env)
	add("dry by", dry != "", dry)
	add("with", !slices.Equal(c.WithFlagsOf(env), c.Words), c.WithFlagsOf(env)...)
	add("can", c.Risk() != "", c.Risk())
	named, others := c.Changes()
	add("changes", len(named) > 0, named...)
	add("changes others", others)
	add("shows", len(c.Shown()) > 0, c.Shown()...)
	return strings.Join(all, "; ")
}

// TestCalls compares what is known of each call with testdata/calls.txt.
func TestCalls(t *testing.T) {
	t.Parallel()
	for _, c := range cases(t, "testdata/calls.txt") {
		if got, want := facts(c[0]), strings.Join(c[1:], ""); got != want {
			t.Errorf("%s\n got %s\nwant %s", c[0], got, want)
		}
	}
}

func TestWordsOfCalls(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		what string
		of   func([]string) []string
		line string
		want string
	}{
		{"compose files", ComposeFiles, "docker compose -f a.yml --file=b.yml --project-directory web up", "a.yml b.yml $web"},
		{"compose files", ComposeFiles, "docker compose -f a.yml exec web tail -f x", "a.yml"},
		{"compose files", ComposeFiles, "docker compose -f a.yml run -f x", "a.yml"},
		{"compose files", ComposeFiles, "docker compose up", ""},
		{"mounts", Mounts, "docker run -v ./a:/src --volume bb:/b:ro -v/c:/c -ti x", "./a bb /c"},
		{"mounts", Mounts, "docker run --mount type=bind,source=d,target=/d --mount=src=e,dst=/e --volumes-from f x", "d e f"},
		{"mounts", Mounts, `docker run -v C:\x:/x y`, `C:\x:/x`},
		{"mounts", Mounts, "docker run -p 1:1 x", ""},
		{"joined names", JoinNames, "docker-compose up", "docker compose up"},
		{"joined names", JoinNames, "/usr/bin/docker-compose up", "docker compose up"},
		{"joined names", JoinNames, "git-compose up", "git-compose up"},
		{"joined names", JoinNames, "docker up", "docker up"},
		{"patches", func(w []string) []string { return patched(strings.Join(w, "\n")) }, "'--- a/x.go' '+++ b/y z.go' '+++ b/x.go' '*** Move to: c.go' '--- x.go'", "x.go y z.go c.go"},
	} {
		if got := strings.Join(c.of(fields(c.line)), " "); got != c.want {
			t.Errorf("%s of %s: got %s, want %s", c.what, c.line, got, c.want)
		}
	}
	for line, want := range map[string]bool{
		"git stash": true, "git stash -u": true, "git stash push": true, "git stash push -m x": true, "git stash save x y": true, "git -C a stash": true,
		"git stash a": false, "git stash push a": false, "git stash push -- a": false, "git stash -k": false, "git stash push -p": false, "git stash --staged": false,
	} {
		if got := StashesAll(fields(line)); got != want {
			t.Errorf("%s takes every change: got %t, want %t", line, got, want)
		}
	}
	for _, c := range []struct{ dir, name, want string }{
		{"", "", ""}, {"a", "", "a"}, {"", "b", "b"}, {"a", "b", "a/b"}, {"a", "../b", "b"}, {"a", "..", ""}, {"a", "./", "a"}, {"a", "/b", "/b"}, {"a", "~/b", "~/b"},
		{"a", `C:\b`, `C:\b`}, {"a", "$X/b", "$X/b"}, {"a", "`x`", "`x`"}, {"a", "b/$X", "a/b/$X"}, {"", "b/$X", "b/$X"},
	} {
		if got := Join(c.dir, c.name); got != c.want {
			t.Errorf("%q in %q: got %q, want %q", c.name, c.dir, got, c.want)
		}
	}
}

// TestPatternsOfCalls says which calls a pattern names.
func TestPatternsOfCalls(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pattern, line string
		want          bool
	}{
		{"git push", "git push origin", true}, {"git push", "git -C a push", true}, {"git push", "git stash push", false}, {"git push", "hub push", false}, {"git push", "git", false},
		{"git push -f", "git push", false}, {"git push -f", "git push -f", true}, {"git push --force-with-lease", "git push --force-with-lease=x", true}, {"git push --x=a", "git push --x=b", false},
		{"git stash push", "git stash push", true}, {"git stash push", "git stash pop", false}, {"git stash push", "git stash", false},
		{"docker compose up", "docker compose up -d", true}, {"docker compose up", "docker-compose up", true}, {"docker compose up", "docker compose down", false},
		{"make test", "make lint test", true}, {"make test lint", "make lint test", false}, {"make lint test", "make lint fmt test", true}, {"make t*", "make test", true}, {"make t*", "make", false},
		{"npm test", "npm run test", true}, {"npm run build", "npm run build --x", true}, {"npm test", "npm run test:unit", false},
	} {
		if got := NewCall(fields(c.pattern)).Names(NewCall(fields(c.line))); got != c.want {
			t.Errorf("%s names %s: got %t, want %t", c.pattern, c.line, got, c.want)
		}
	}
}
