package git

import (
	"strings"
	"testing"
)

func commitFile(name, text string) func(work) {
	return func(w work) {
		w.write(name, text)
		w.git("add", "--", name)
		w.git("commit", "-q", "-m", name)
	}
}

// old makes a commit as others made it before the turn.
func (w work) old(name, text string) {
	w.write(name, text)
	w.git("add", "--", name)
	w.gitWith([]string{"GIT_COMMITTER_DATE=2001-01-01T00:00:00Z"}, "commit", "-q", "-m", name)
}

func do(steps ...func(work)) func(work) {
	return func(w work) {
		for _, step := range steps {
			step(w)
		}
	}
}

func git(args string) func(work) { return func(w work) { w.git(strings.Fields(args)...) } }

func TestCommitted(t *testing.T) {
	for _, tc := range []struct {
		name           string
		before, during func(work)
		want           []string
	}{
		{"one file", nothing, commitFile("a", "1"), []string{`M "a" committed`}},
		{"committed, then edited again", nothing, do(commitFile("a", "1"), write("a", "2")), []string{`.M "a" committed`}},
		{"what was dirty before", write("a", "1"), git("commit -qam x"), []string{`M "a" committed`}},
		{"dirty before, edited and committed", write("a", "1"), commitFile("a", "2"), []string{`M "a" committed`}},
		{"dirty before and not committed", write("a", "1"), commitFile("b", "2"), []string{`M "b" committed`}},
		{"dirty before and taken back, another committed", write("a", "1"), do(git("checkout -q a"), commitFile("b", "2")),
			[]string{` "a"`, `M "b" committed`}},
		{"untracked before", write("new", "1"), commitFile("new", "1"), []string{`A "new" committed`}},
		{"made and deleted again", nothing, do(commitFile("new", "1"), git("rm -q new"), git("commit -qm x")), nil},
		{"made, then deleted in the work tree", nothing, do(commitFile("new", "1"), func(w work) { w.remove("new") }),
			[]string{`.D "new" deleted committed`}},
		{"deleted", nothing, do(git("rm -q a"), git("commit -qm x")), []string{`D "a" deleted committed`}},
		{"deleted, then there again", nothing, do(git("rm -q a"), git("commit -qm x"), write("a", "1")),
			[]string{`?? "a" untracked committed`}},
		{"undone by a second commit", nothing, do(commitFile("a", "1"), git("revert --no-edit HEAD")), nil},
		{"renamed", nothing, do(git("mv a z"), git("commit -qm x")), []string{`R "z" < "a" committed`}},
		{"renamed twice", nothing, do(git("mv a y"), git("commit -qm x"), git("mv y z"), git("commit -qm x")),
			[]string{`R "z" < "a" committed`}},
		{"dirty before, renamed and committed", write("a", lines("a")+"1"), do(git("mv a z"), git("commit -qam x")),
			[]string{`R "z" < "a" committed`}},
		{"weird names", nothing, commitFile("\xff\n\":(top)", "1"), []string{`A "\xff\n\":(top)" committed`}},
		{"pulled", nothing, func(w work) { w.old("a", "theirs") }, nil},
		{"pulled, and one of our own on top", nothing, do(func(w work) { w.old("a", "theirs") }, commitFile("b", "ours")),
			[]string{`M "b" committed`}},
		{"merged", do(git("checkout -qb side"), func(w work) { w.old("b", "theirs") }, git("checkout -q main")),
			do(commitFile("a", "ours"), git("merge -q --no-edit side")), []string{`M "a" committed`, `M "b" committed`}},
		{"fast-forwarded", do(git("checkout -qb side"), func(w work) { w.old("b", "theirs") }, git("checkout -q main")), git("merge -q side"), nil},
		{"merged with a conflict", do(git("checkout -qb side"), func(w work) { w.old("a", "theirs") }, git("checkout -q main"), func(w work) { w.old("a", "ours") }),
			do(func(w work) { w.conflict("merge", "-q", "side") }, write("a", "both"), git("commit -qam joined")), []string{`M "a" committed`}},
		{"amended", func(w work) { w.old("b", "theirs") }, do(write("a", "1"), git("commit -qa --amend --no-edit")),
			[]string{`M "a" committed`}},
		{"only the message amended", nothing, git("commit -q --amend -m other"), nil},
		{"reset to an older commit", commitFile("a", "1"), git("reset -q --hard HEAD~1"), nil},
		{"reset, keeping the files", commitFile("a", "1"), git("reset -q HEAD~1"), []string{`.M "a"`}},
		{"rebased onto others' work",
			do(git("branch up"), commitFile("a", "1"), git("checkout -q up"), func(w work) { w.old("b", "theirs") }, git("checkout -q main")),
			do(git("rebase -q up"), commitFile("dir/c", "1")), []string{`M "dir/c" committed`}},
		{"another branch", do(git("checkout -qb side"), func(w work) { w.old("b", "theirs") }, git("checkout -q main"), write("a", "1")),
			git("checkout -q side"), nil},
		{"another branch, and a commit there", do(git("checkout -qb side"), func(w work) { w.old("b", "theirs") }, git("checkout -q main")),
			do(git("checkout -q side"), commitFile("a", "1")), []string{`M "a" committed`}},
		{"a branch without history", nothing, do(git("checkout -q --orphan new"), git("rm -rqf ."), commitFile("x", "1")),
			[]string{`A "x" committed`}},
		{"a branch without a commit", nothing, do(git("checkout -q --orphan new"), git("rm -rqf .")), nil},
		{"signatures are not looked at", git("config log.showSignature true"), commitFile("a", "1"), []string{`M "a" committed`}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			equalLines(t, turn(t, committed(t), tc.before, tc.during), tc.want)
		})
	}
}

func TestFirstCommit(t *testing.T) {
	for _, format := range []string{"sha1", "sha256"} {
		t.Run(format, func(t *testing.T) {
			w := newWork(t, "--object-format="+format)
			w.git("config", "log.showRoot", "false")
			got := turn(t, w, write("before", "1"), do(commitFile("a", "1"), commitFile("b", "1"), write("new", "1")))
			equalLines(t, got, []string{`A "a" committed`, `A "b" committed`, `?? "new" untracked`})
		})
	}
}

func TestBaselineCommitLost(t *testing.T) {
	for _, lost := range []string{strings.Repeat("1", 40), "--output=x", "HEAD~1"} {
		t.Run(lost, func(t *testing.T) {
			w := committed(t)
			b, err := w.repo().Baseline(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			b.Head = lost
			commitFile("a", "1")(w)
			got := changes(t, w, &b)
			if len(got) == 0 || got[0] != `M "a" committed` {
				t.Errorf("got %q, want a", got)
			}
		})
	}
}

func TestManyCommitted(t *testing.T) {
	w := committed(t)
	got := turn(t, w, nothing, func(w work) {
		for i := range 600 {
			w.write("many/"+strings.Repeat("x", i%30)+string(rune('a'+i%26))+strings.Repeat("y", i/30), "1")
		}
		w.commit()
	})
	if len(got) != 600 {
		t.Errorf("got %d files, want 600", len(got))
	}
}
