package project_test

import (
	"strings"
	"testing"

	"github.com/piton-project/piton/internal/judge/project"
)

func TestThinned(t *testing.T) {
	const a, b = "func TestA(t *testing.T) {\n\tt.Fatal(1)\n}\n", "func TestB(t *testing.T) {\n\tt.Fatal(2)\n}\n"
	for _, c := range []struct {
		name     string
		now, was []string // name and text by turns
		want     string
	}{
		{"as before", []string{"a_test.go", a}, []string{"a_test.go", a}, ""},
		{"a new file", []string{"a_test.go", a}, nil, ""},
		{"a file deleted", nil, []string{"x/a_test.go", a}, "x/a_test.go: all of its tests are gone: TestA"},
		{"one gone", []string{"a_test.go", a}, []string{"a_test.go", a + b}, "a_test.go: TestB is gone"},
		{"one that moved", []string{"a_test.go", a, "b_test.go", b}, []string{"a_test.go", a + b}, ""},
		{"a file that was renamed", []string{"c_test.go", a}, []string{"a_test.go", a}, ""},
		{"one skipped", []string{"t/a_test.py", "@pytest.mark.skip\ndef test_a():\n  f()\n"}, []string{"t/a_test.py", "def test_a():\n  f()\n"}, "t/a_test.py: test_a is skipped now"},
		{"tests in a file of code", []string{"src/a.rs", "fn f() {}\n"}, []string{"src/a.rs", "fn f() {}\n#[test]\nfn works() {\n  f();\n}\n"}, "src/a.rs: all of its tests are gone: works"},
		{"no test file", []string{"a.go", ""}, []string{"a.go", a}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			was := map[string]*string{}
			var changed []string
			for i := 0; i+1 < len(c.now); i += 2 {
				changed = append(changed, c.now[i])
			}
			for i := 0; i+1 < len(c.was); i += 2 {
				was[c.was[i]] = &c.was[i+1]
				changed = append(changed, c.was[i])
			}
			var got []string
			for _, thin := range project.Thinned(tree(t, c.now...), was, changed) {
				got = append(got, thin.Path+": "+thin.String())
			}
			if got := strings.Join(got, ", "); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
