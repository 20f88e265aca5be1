package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWalk(t *testing.T) {
	dir := files(t, "go.mod", "module "+module+"\n\ngo 1.26\n",
		"low/low.go", `package low

import "sort"

func Each(n int, fn func(int)) {
	for i := range n {
		fn(i)
	}
}

func Sort(x sort.Interface) { sort.Sort(x) }

func Rare() {}
`,
		"high/high.go", `package high

import "`+module+`/low"

type list []int

func (l list) Len() int           { return len(l) }
func (l list) Less(i, j int) bool { return l[i] < l[j] }
func (l list) Swap(i, j int)      {}

func Root(rare bool) {
	low.Each(3, func(i int) { note(i) })
	low.Sort(list{1, 2})
	if rare {
		low.Rare()
	}
}

func note(int) {}
`)
	tr := loadTree(dir)
	ran := profile{
		module + "/low/low.go":   {5: 3, 6: 3, 7: 3, 11: 3},
		module + "/high/high.go": {7: 3, 8: 3, 11: 3, 12: 3, 13: 3, 14: 3, 19: 3},
	}
	w := tr.walk([]string{"high.Root"}, ran)
	want := `(high.list).Len
(high.list).Less
high.Root >
high.note
low.Each >
low.Sort >
low.Each -> high.Root`
	if diff := cmp.Diff(want, w.String()); diff != "" {
		t.Errorf("want (-), got (+):\n%s", diff)
	}
	if diff := cmp.Diff([]int{6, 3, 2, 1}, w.figures()); diff != "" {
		t.Errorf("want (-), got (+):\n%s", diff)
	}
	defer func() {
		if recover() == nil {
			t.Error("got no error for a root that is gone, want one")
		}
	}()
	tr.walk([]string{"high.Gone"}, ran)
}
