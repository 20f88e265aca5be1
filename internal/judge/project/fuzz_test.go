package project

import "testing"

func FuzzTargets(f *testing.F) {
	f.Add("test: a b\n\tgo test\n.PHONY: x\nV := 1\n", "tasks:\n  test:\n    cmds: [x]\n")
	f.Add("\n:\n::\n@:\n x", "tasks:\n\ttest\n  \"a\": \n tasks:")
	f.Fuzz(func(t *testing.T, makefile, tasks string) {
		f, s := &folder{known: map[string]definitions{"make": rules(makefile), "task": taskfile(tasks)}}, AtRoot("")
		for _, c := range []TestCommand{s.umbrella(f, "make"), s.umbrella(f, "task")} {
			if c.Run != "" && len(c.Matches) == 0 {
				t.Errorf("run %q, matches %q", c.Run, c.Matches)
			}
		}
	})
}
