package shell

import (
	"slices"
	"testing"
)

func TestTargets(t *testing.T) {
	for line, want := range map[string][]string{
		"go test":                            {"."},
		"go test std":                        {"/"},
		"go test ./a/... ../x/...":           {"a", "../x"},
		"cd a && go test ..":                 {"."},
		"go build ../x":                      {"../x"},
		"pytest /y/test_z.py::test_a":        {"/y/test_z.py"},
		"pytest":                             nil,
		"pytest --ignore /x":                 nil,
		"npx vitest run ../x":                {"../x"},
		"jest ../x":                          {"../x"},
		"jest --testPathPattern=/api/":       {"."},
		"python -m unittest discover -s ../": {".."},
		"cargo test --test x":                nil,
	} {
		found, err := Parse(line)
		if err != nil {
			t.Fatal(err)
		}
		if got := found[len(found)-1].Targets(); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", line, got, want)
		}
	}
}
