//go:build unix

package action

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/piton-project/piton/internal/run/plan"
)

// shownBy is what an approval shows.
func shownBy(t *testing.T, c Call) string {
	t.Helper()
	_, err := Approve{}.Do(t.Context(), c)
	var w *Wait
	if !errors.As(err, &w) {
		t.Fatalf("got %v, want that it waits", err)
	}
	return w.Shown
}

func TestApproveShows(t *testing.T) {
	files := map[string]string{"a.md": "# A\n", "docs/b.md": "one\ntwo\n", "docs/deep/c.md": "c", "steer.txt": "a\x1b[2Jb\u202ec\r\n", "empty": ""}
	for _, tc := range []struct {
		name string
		show any
		want string
	}{
		{"nothing", nil, "Ship it?"},
		{"a text", "see below", "Ship it?\n\nsee below"},
		{"texts", []any{"one", p{"text": "two"}, 3.0}, "Ship it?\n\none\n\ntwo\n\n3"},
		{"a file", p{"file": "a.md"}, "Ship it?\n\na.md (4 bytes)\n# A"},
		{"files", p{"file": "docs/**/*.md"}, "Ship it?\n\ndocs/b.md (8 bytes)\none\ntwo\n\ndocs/deep/c.md (1 bytes)\nc"},
		{"a file that is not there", p{"file": "none.md"}, "Ship it?\n\nnone.md: there is no such file"},
		{"an empty file", p{"file": "empty"}, "Ship it?\n\nempty (0 bytes)"},
		{"what would steer a terminal", p{"file": "steer.txt"}, "Ship it?\n\nsteer.txt (12 bytes)\na\\x1b[2Jb\\u202ec"},
		{"a command", p{"run": "echo out; echo err >&2"}, "Ship it?\n\n$ echo out; echo err >&2\nout\nerr"},
		{"a program", p{"run": []any{"echo", "a b"}}, "Ship it?\n\n$ [\"echo\",\"a b\"]\na b"},
		{"a command that fails", p{"run": "echo bad; exit 3"}, "Ship it?\n\n$ echo bad; exit 3 (exit status 3)\nbad"},
		{"a value", p{"a": 1.0, "b": 2.0}, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c, _ := call(t, p{"message": "Ship it?", "show": tc.show})
			for name, text := range files {
				name = filepath.Join(c.Dir, name)
				if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, []byte(text), 0o600)); err != nil {
					t.Fatal(err)
				}
			}
			if tc.want == "" {
				if _, err := (Approve{}).Do(t.Context(), c); !isFinal(err) {
					t.Errorf("got %v, want a final failure", err)
				}
				return
			}
			if got := shownBy(t, c); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
			if got := shownBy(t, c); got != tc.want {
				t.Errorf("the second time: got %q, want the same", got)
			}
		})
	}
}

// What is too long to be shown is part of what is approved all the same.
func TestApproveShowsOfTheWhole(t *testing.T) {
	long := strings.Repeat("0123456789\n", 20000)
	change := long[:100000] + "X" + long[100001:]
	for _, tc := range []struct {
		name string
		p    func(text string, dir string) any
	}{
		{"a file", func(text, dir string) any {
			if err := os.WriteFile(filepath.Join(dir, "long"), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			return p{"file": "long"}
		}},
		{"a command", func(text, dir string) any {
			if err := os.WriteFile(filepath.Join(dir, "long"), []byte(strings.Repeat(text, 10)), 0o600); err != nil {
				t.Fatal(err)
			}
			return p{"run": "cat long >&2"}
		}},
		{"a text", func(text, dir string) any { return text }},
		{"the last of many", func(text, dir string) any { return []any{long, long, long, text} }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c, _ := call(t, p{"message": "Ship it?"})
			c.Parameters["show"] = tc.p(long, c.Dir)
			before := shownBy(t, c)
			if len(before) > 64<<10 || !strings.Contains(before, "sha256 of the whole") || !strings.Contains(before, "left out") {
				t.Errorf("got %d bytes, want it shortened, with the sum of the whole", len(before))
			}
			if again := shownBy(t, c); again != before {
				t.Error("it shows something else the second time")
			}
			c.Parameters["show"] = tc.p(change, c.Dir)
			if shownBy(t, c) == before {
				t.Error("a change in the middle shows nowhere")
			}
		})
	}
}

func TestApproveReadsNoPipes(t *testing.T) {
	c, _ := call(t, p{"show": p{"file": "*"}})
	c.Description = "Ship it?"
	if err := syscall.Mkfifo(filepath.Join(c.Dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := shownBy(t, c); got != "Ship it?\n\npipe: it is not a regular file" {
		t.Errorf("got %q", got)
	}
}

func TestApproveCheck(t *testing.T) {
	for _, tc := range []struct {
		name string
		p    p
		want string
	}{
		{"a question and files", p{"message": "a", "show": []any{p{"file": "*.md"}, p{"run": "git diff"}, p{"run": []any{"cat", "${{ inputs.file }}"}}}}, ""},
		{"no question", p{}, `needs the parameter "message"`},
		{"a value in a command", p{"message": "a", "show": p{"run": "cat ${{ inputs.file }}"}}, "write the command as a list"},
		{"a pattern that is none", p{"message": "a", "show": p{"file": "[a"}}, "not a pattern of files"},
		{"a word that is none", p{"message": "a", "show": p{"fil": "x"}}, `did you mean "file"?`},
		{"two at once", p{"message": "a", "show": p{"file": "x", "run": "y"}}, `one of "text", "file" and "run"`},
		{"a list of files", p{"message": "a", "show": p{"file": []any{"x"}}}, `"file" is a list`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			err := Approve{}.Check(plan.Step{Parameters: tc.p})
			if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
				t.Errorf("got %v, want %q in it", err, tc.want)
			}
		})
	}
}

// TestApproveShowsAllFiles lets no change of a file pass that is one too many to be
// shown.
func TestApproveShowsAllFiles(t *testing.T) {
	c, _ := call(t, p{"message": "Ship it?", "show": p{"file": "*"}})
	for i := range maxFiles + 2 {
		if err := os.WriteFile(filepath.Join(c.Dir, fmt.Sprintf("f%03d", i)), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	before := shownBy(t, c)
	if again := shownBy(t, c); again != before || !strings.Contains(before, "2 more files are not shown") {
		t.Errorf("got %s, then %s, want the same, and how many files are not shown", before, again)
	}
	if err := os.WriteFile(filepath.Join(c.Dir, fmt.Sprintf("f%03d", maxFiles+1)), []byte("y"), 0o600); err != nil {
		t.Fatal(err)
	}
	if shownBy(t, c) == before {
		t.Error("a file that is not shown has changed, and what is shown has not")
	}
}

// TestShownFilesStayInTheProject: what an approval shows lies in the project, however it
// is named and whatever leads there.
func TestShownFilesStayInTheProject(t *testing.T) {
	outside := t.TempDir()
	for _, c := range []struct {
		name, file string
		links      map[string]string // in the run's folder
		want       string            // what is shown; "": it is refused
	}{
		{"a file beside", "a.md", nil, "a.md (1 bytes)\nA"},
		{"a path with dots that stays", "docs/../a.md", nil, "a.md (1 bytes)\nA"},
		{"the whole path of a file of the project", "DIR/a.md", nil, "a.md (1 bytes)\nA"},
		{"above the run's folder, in the repository", "../top.md", nil, "top.md (1 bytes)\nT"},
		{"above the repository", "../../secret", nil, ""},
		{"a whole path elsewhere", "OUTSIDE/secret", nil, ""},
		{"a pattern elsewhere", "OUTSIDE/*", nil, ""},
		{"a system file", "/etc/passwd", nil, ""},
		{"a link that stays", "in.md", map[string]string{"in.md": "a.md"}, "in.md (1 bytes)\nA"},
		{"a link to a file elsewhere", "out.md", map[string]string{"out.md": "OUTSIDE/secret"}, ""},
		{"a link with dots elsewhere", "out.md", map[string]string{"out.md": "../../secret"}, ""},
		{"a file behind a linked folder", "out/secret", map[string]string{"out": "OUTSIDE"}, ""},
		{"a pattern behind a linked folder", "out/*", map[string]string{"out": "OUTSIDE"}, ""},
		{"a pattern does not walk through links", "**/secret", map[string]string{"out": "OUTSIDE"}, "**/secret: there is no such file"},
		{"a link to a link elsewhere", "one", map[string]string{"one": "two", "two": "OUTSIDE/secret"}, ""},
		{"a link to nothing", "dead", map[string]string{"dead": "none"}, "dead: it is not there"},
		{"dots behind a linked folder", "out/../secret", map[string]string{"out": "OUTSIDE/sub"}, "secret: there is no such file"},
	} {
		t.Run(c.name, func(t *testing.T) {
			top := t.TempDir()
			call, _ := call(t, map[string]any{"message": "Ship it?"})
			call.Dir = filepath.Join(top, "repo", "work")
			named := strings.NewReplacer("DIR", call.Dir, "OUTSIDE", outside).Replace
			err := errors.Join(os.MkdirAll(call.Dir, 0o700), os.MkdirAll(filepath.Join(top, "repo", ".git"), 0o700), os.MkdirAll(filepath.Join(outside, "sub"), 0o700))
			for name, text := range map[string]string{filepath.Join(call.Dir, "a.md"): "A", filepath.Join(top, "repo", "top.md"): "T", filepath.Join(top, "secret"): "S", filepath.Join(outside, "secret"): "S"} {
				err = errors.Join(err, os.WriteFile(name, []byte(text), 0o600))
			}
			for name, to := range c.links {
				err = errors.Join(err, os.Symlink(named(to), filepath.Join(call.Dir, name)))
			}
			if err != nil {
				t.Fatal(err)
			}
			call.Parameters["show"] = map[string]any{"file": named(c.file)}
			_, err = Approve{}.Do(t.Context(), call)
			var wait *Wait
			var failed *Failed
			switch {
			case errors.As(err, &wait):
				if got := strings.TrimPrefix(wait.Shown, "Ship it?\n\n"); got != c.want && !strings.HasSuffix(got, c.want) || c.want == "" || strings.Contains(got, "\nS") {
					t.Errorf("got %q, want %q", got, c.want)
				}
			case !errors.As(err, &failed) || c.want != "":
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}
