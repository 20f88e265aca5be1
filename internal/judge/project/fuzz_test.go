package project

import "testing"

func FuzzTargets(f *testing.F) {
	f.Add("test: a b\n\tgo test\n.PHONY: x\nV := 1\n", "tasks:\n  test:\n    cmds: [x]\n")
	f.Add("\n:\n::\n@:\n x", "tasks:\n\ttest\n  \"a\": \n tasks:")
	f.Fuzz(func(t *testing.T, makefile, taskfile string) {
		f := &folder{seek: newSeeker(), known: map[string]map[string]recipe{"make": rules(makefile), "task": taskRules(taskfile)}}
		for _, c := range []TestCommand{f.umbrella("make", targets(makefile)), f.umbrella("task", tasks(taskfile))} {
			if c.Run != "" && len(c.Matches) == 0 {
				t.Errorf("run %q, matches %q", c.Run, c.Matches)
			}
		}
	})
}
