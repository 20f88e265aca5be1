package main

import (
	"bytes"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMutants(t *testing.T) {
	t.Chdir(files(t, "shop.go", "package shop\n"))
	list := mutants(parse("shop.go", []byte(`package shop

func price(n int, free bool) (int, error) {
	if n < 0 && free {
		n += 1
	}
	switch n {
	case 7:
		n++
	}
	return n, nil
}
`)))
	var got []string
	for _, x := range list {
		if _, err := parser.ParseFile(token.NewFileSet(), "", x.mutated(), 0); err != nil {
			t.Errorf("%s: got %v, want a mutant that can be parsed", x.what, err)
		}
		_, after, _ := strings.Cut(x.diff(), "    +")
		got = append(got, x.what+": "+strings.TrimSpace(after))
	}
	want := []string{
		"a condition is negated: if !(n < 0 && free) {",
		"&& becomes ||: if n < 0 || free {",
		"< becomes <=: if n <= 0 && free {",
		"0 becomes one more: if n < (0 + 1) && free {",
		"an assignment is left out: ",
		"1 becomes one more: n += (1 + 1)",
		"a statement or case is left out: ",
		"7 becomes one more: case (7 + 1):",
		"++ becomes --: n--",
		"zero values are returned: return *new(int), *new(error)",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("want (-), got (+):\n%s", diff)
	}
}

// TestMutate tries every mutant of a module whose tests look at one of two functions.
func TestMutate(t *testing.T) {
	dir := files(t, "go.mod", "module shop\n\ngo 1.26\n", fileName, "",
		"a/a.go", "package a\n\nfunc Less(x, y int) bool { return x < y }\n\nfunc Unseen(x int) int {\n\treturn x * 2\n}\n",
		"a/a_test.go", "package a\n\nimport \"testing\"\n\nfunc TestLess(t *testing.T) {\n\tif Less(1, 1) || !Less(1, 2) {\n\t\tt.Fail()\n\t}\n}\n")
	t.Chdir(dir)
	before, err := os.ReadFile("a/a.go")
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := command([]string{"mutate", "-n", "20"}, &out); err == nil || !strings.Contains(err.Error(), "90 %") {
		t.Errorf("got %v, want an error: too few were killed", err)
	}
	for _, want := range []string{
		"killed    a/a.go:3: < becomes <=", "killed    a/a.go:3: zero values are returned",
		"survived  a/a.go:6: * becomes /\n    -\treturn x * 2\n    +\treturn x / 2\n", "2 of 5 mutants were killed",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("got %s, want %q in it", &out, want)
		}
	}
	after, err := os.ReadFile("a/a.go")
	if err != nil || cmp.Diff(string(before), string(after)) != "" {
		t.Errorf("got %s (%v), want the tree unchanged", after, err)
	}
	out.Reset()
	if err := command([]string{"mutate", "-since", "landing"}, &out); err != nil || !strings.Contains(out.String(), "nothing is mutated") {
		t.Errorf("got %q (%v), want it said that there is no history", &out, err)
	}
}
