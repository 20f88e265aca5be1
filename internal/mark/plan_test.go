package mark_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton/internal/mark"
)

// seen is what is at a path that has a text; "" for nothing, "empty" for an empty file.
func seen(text string) mark.Seen {
	switch text {
	case "":
		return mark.Seen{Missing: true}
	case "empty":
		return mark.Seen{Mode: 0o644, Sum: "0"}
	}
	return mark.Seen{Mode: 0o644, Size: int64(len(text)), Sum: text}
}

func left(text string) mark.Left { return mark.Left{Seen: seen(text)} }

var at = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// TestPlan is the table of what a restore does with one file, "mine" in the mark.
func TestPlan(t *testing.T) {
	file := mark.File{Path: "f", Code: ".M", Seen: seen("mine")}
	lacks := file
	lacks.Lacks = mark.LacksRoom
	unread := lacks
	unread.Sum = ""
	missing := mark.File{Path: "f", Seen: seen("")}
	restored := mark.Mark{Kind: mark.AtRestore}
	looked := func(l ...mark.Left) mark.Mark {
		m := mark.Mark{Kind: mark.AtCommand, LookedAt: at, Left: map[string]mark.Left{}}
		for _, l := range l {
			m.Left["f"] = l
		}
		return m
	}
	inHead, shared := left("head"), left("theirs")
	inHead.AsInHead, shared.Shared = true, true
	named, theirs := mark.Wish{Paths: []string{"f"}}, mark.Wish{Paths: []string{"f"}, Theirs: true}
	for _, x := range []struct {
		name   string
		m      mark.Mark
		f      mark.File
		now    mark.Current
		w      mark.Wish
		action mark.Action
		loss   mark.Loss
		reason string
	}{
		{"what the command removed", looked(left("")), file, mark.Current{Seen: seen("")}, mark.Wish{}, mark.BringBack, mark.Removed, ""},
		{"what it emptied", looked(left("empty")), file, mark.Current{Seen: seen("empty")}, mark.Wish{}, mark.BringBack, mark.Emptied, ""},
		{"what it reverted", looked(inHead), file, mark.Current{Seen: seen("head"), Clean: true}, mark.Wish{}, mark.BringBack, mark.Reverted, ""},
		{"what it wrote over", looked(left("gone")), file, mark.Current{Seen: seen("gone")}, mark.Wish{}, mark.BringBack, mark.Overwritten, ""},
		{"the mode alone", looked(mark.Left{Seen: mark.Seen{Mode: 0o755, Size: 4, Sum: "mine"}}), file, mark.Current{Seen: mark.Seen{Mode: 0o755, Size: 4, Sum: "mine"}}, mark.Wish{}, mark.BringBack, mark.Overwritten, ""},
		{"what is as it was", looked(left("gone")), file, mark.Current{Seen: seen("mine")}, mark.Wish{}, "", "", ""},
		{"what it had no part in", looked(), file, mark.Current{Seen: seen("")}, mark.Wish{}, "", "", ""},
		{"what it had no part in, named as theirs", looked(), file, mark.Current{Seen: seen("other")}, theirs, mark.BringBack, mark.Overwritten, ""},
		{"what changed since", looked(left("gone")), file, mark.Current{Seen: seen("other")}, mark.Wish{}, mark.Leave, mark.Overwritten, "it holds something else since"},
		{"what changed since, named", looked(left("gone")), file, mark.Current{Seen: seen("other")}, named, mark.Leave, mark.Overwritten, "it holds something else since"},
		{"what changed since, named as theirs", looked(left("gone")), file, mark.Current{Seen: seen("other")}, theirs, mark.BringBack, mark.Overwritten, ""},
		{"theirs without a name", looked(left("gone")), file, mark.Current{Seen: seen("other")}, mark.Wish{Theirs: true}, mark.Leave, mark.Overwritten, "it holds something else since"},
		{"what was removed since", looked(left("gone")), file, mark.Current{Seen: seen("")}, mark.Wish{}, mark.Leave, mark.Removed, "it holds something else since"},
		{"what another may have written", looked(shared), file, mark.Current{Seen: seen("theirs")}, mark.Wish{}, mark.Leave, mark.Overwritten, "another agent's command ran at the same time, and which of them wrote it is not known"},
		{"what another may have written, named as theirs", looked(shared), file, mark.Current{Seen: seen("theirs")}, theirs, mark.BringBack, mark.Overwritten, ""},
		{"what was committed since", looked(left("gone")), file, mark.Current{Seen: seen("gone"), Committed: true}, theirs, mark.Leave, mark.Overwritten, "HEAD has another version of it since: a commit, or another branch"},
		{"what was moved", looked(left("")), file, mark.Current{Seen: seen(""), Moved: true}, mark.Wish{}, mark.BringBack, mark.Moved, ""},
		{"what git calls clean and has other bytes", looked(left("head")), file, mark.Current{Seen: seen("head"), Clean: true, Odd: true}, mark.Wish{}, mark.BringBack, mark.Reverted, ""},
		{"an unseen end, and what git calls clean and has other bytes", mark.Mark{}, file, mark.Current{Seen: seen("head"), Clean: true, Odd: true}, mark.Wish{}, mark.Leave, mark.Reverted, "it holds something else, and by whom is not known"},
		{"what was not read, and is another file of its size", looked(mark.Left{Seen: unread.Seen}), unread, mark.Current{Seen: unread.Seen}, mark.Wish{}, mark.Leave, mark.Overwritten, "its bytes were not kept: the mark was full"},
		{"what was not read, and no end was seen of", looked(mark.Left{Unseen: true}), unread, mark.Current{Seen: unread.Seen}, mark.Wish{}, "", "", ""},
		{"what was not read, and nothing is known of", looked(), unread, mark.Current{Seen: unread.Seen}, mark.Wish{}, "", "", ""},
		{"what may not be written", looked(left("")), file, mark.Current{Seen: seen(""), Unsafe: "it lies behind a symbolic link"}, theirs, mark.Leave, mark.Removed, "it lies behind a symbolic link"},
		{"what is not kept", looked(left("")), lacks, mark.Current{Seen: seen("")}, theirs, mark.Leave, mark.Removed, "its bytes were not kept: the mark was full"},
		{"what the command made", looked(left("new")), missing, mark.Current{Seen: seen("new")}, mark.Wish{}, mark.Leave, mark.Made, "it was not there before, and an undo removes no file"},
		{"what a restore made", mark.Mark{Kind: mark.AtRestore, LookedAt: at, Left: map[string]mark.Left{"f": left("new")}}, missing, mark.Current{Seen: seen("new")}, mark.Wish{}, mark.Remove, mark.Made, ""},
		{"what a restore made, changed since", mark.Mark{Kind: mark.AtRestore, LookedAt: at, Left: map[string]mark.Left{"f": left("new")}}, missing, mark.Current{Seen: seen("other")}, mark.Wish{}, mark.Leave, mark.Made, "it holds something else since"},
		{"what a restore made, changed since, named as theirs", mark.Mark{Kind: mark.AtRestore, LookedAt: at, Left: map[string]mark.Left{"f": left("new")}}, missing, mark.Current{Seen: seen("other")}, theirs, mark.Leave, mark.Made, "it holds something else since"},
		{"an unseen end, and it is missing", mark.Mark{}, file, mark.Current{Seen: seen("")}, mark.Wish{}, mark.BringBack, mark.Removed, ""},
		{"an unseen end, and it is as in HEAD", mark.Mark{}, file, mark.Current{Seen: seen("head"), Clean: true}, mark.Wish{}, mark.BringBack, mark.Reverted, ""},
		{"an unseen end, and something else", mark.Mark{}, file, mark.Current{Seen: seen("other")}, mark.Wish{}, mark.Leave, mark.Overwritten, "it holds something else, and by whom is not known"},
		{"an unseen end, named as theirs", mark.Mark{}, file, mark.Current{Seen: seen("other")}, theirs, mark.BringBack, mark.Overwritten, ""},
		{"an unseen end of a restore, and a file made", restored, missing, mark.Current{Seen: seen("other")}, mark.Wish{}, mark.Leave, mark.Made, "it holds something else, and by whom is not known"},
		{"what is not asked for", looked(left("")), file, mark.Current{Seen: seen("")}, mark.Wish{Paths: []string{"g"}}, "", "", ""},
		{"a folder that is not read", looked(), mark.File{Path: "f", Seen: mark.Seen{Mode: 1 << 31}, Lacks: mark.LacksFolder}, mark.Current{Seen: mark.Seen{Mode: 1 << 31}}, mark.Wish{}, "", "", ""},
	} {
		x.m.Files = []mark.File{x.f}
		got := x.m.Plan(func(mark.File) mark.Current { return x.now }, x.w)
		switch {
		case x.action == "" && len(got) == 0:
		case x.action == "" || len(got) != 1:
			t.Errorf("%s: got %+v, want %q", x.name, got, x.action)
		case got[0].Action != x.action || got[0].Loss != x.loss || got[0].Reason != x.reason || got[0].Now != x.now.Seen:
			t.Errorf("%s: got %+v, want %s, %s, %q", x.name, got[0], x.action, x.loss, x.reason)
		}
	}
}

func TestWish(t *testing.T) {
	for _, x := range []struct {
		paths []string
		path  string
		want  bool
	}{
		{nil, "a", true}, {[]string{"a"}, "a", true}, {[]string{"a"}, "a/b", true}, {[]string{"a/"}, "a/b", true}, {[]string{"."}, "a/b", true},
		{[]string{"a"}, "ab", false}, {[]string{"a/b"}, "a", false}, {[]string{"b", "a"}, "a", true},
	} {
		if got := (mark.Wish{Paths: x.paths}).Takes(x.path); got != x.want {
			t.Errorf("%q takes %q: got %t", x.paths, x.path, got)
		}
	}
}

// history makes a mark for each command; what one is "file: before > after", with "-" for nothing.
func history(commands ...string) (all []mark.Mark) {
	for i, c := range commands {
		m := mark.Mark{ID: fmt.Sprint("mrk_", i), At: at.Add(time.Duration(i) * time.Minute), Left: map[string]mark.Left{}}
		m.LookedAt = m.At.Add(time.Second)
		for part := range strings.SplitSeq(c, ", ") {
			name, change, _ := strings.Cut(part, ": ")
			before, after, _ := strings.Cut(change, " > ")
			m.Files = append(m.Files, mark.File{Path: name, Code: "??", Seen: seen(strings.Trim(before, "-"))})
			if after != "" {
				m.Left[name] = left(strings.Trim(after, "-"))
			}
		}
		slices.SortFunc(m.Files, func(a, b mark.File) int { return strings.Compare(a.Path, b.Path) })
		all = append(all, m)
	}
	return all
}

func TestFold(t *testing.T) {
	for _, x := range []struct {
		name     string
		commands []string
		want     string
		broken   []string
	}{
		{"nothing", nil, "", nil},
		{"one", []string{"f: 1 > -"}, "f: 1 > ", nil},
		{"one after the other", []string{"f: 1 > 2", "f: 2 > 3", "f: 3 > -"}, "f: 1 > ", nil},
		{"another file", []string{"g: 1 > -", "f: 1 > 2"}, "f: 1 > 2, g: 1 > ", nil},
		{"one that had no part in it", []string{"f: 1 > 2", "f: 2", "f: 2 > 3"}, "f: 1 > 3", nil},
		{"back again", []string{"f: 1 > 2", "f: 2 > 1"}, "f: 1 > 1", nil},
		{"something else in between", []string{"f: 1 > 2, g: 1 > 2", "f: other > 3"}, "g: 1 > 2", []string{"f"}},
		{"something else in between, and more", []string{"f: 1 > 2", "f: other > 3", "f: 3 > 4"}, "", []string{"f"}},
		{"both at once", []string{"f: 1 > -, g: 1 > -", "f: 1 > -, g: 1 > -"}, "f: 1 > , g: 1 > ", nil},
		{"made again", []string{"f: 1 > -", "f: - > 2", "f: 2 > -"}, "f: 1 > ", nil},
	} {
		all, broken := mark.Fold(history(x.commands...))
		var got []string
		for _, f := range all.Files {
			got = append(got, f.Path+": "+f.Sum+" > "+all.Left[f.Path].Sum)
		}
		if strings.Join(got, ", ") != x.want || !slices.Equal(broken, x.broken) {
			t.Errorf("%s: got %q, broken %q, want %q, %q", x.name, got, broken, x.want, x.broken)
		}
		if n := len(x.commands); n > 0 && (all.ID != "mrk_0" || !all.LookedAt.Equal(at.Add(time.Duration(n-1)*time.Minute+time.Second))) {
			t.Errorf("%s: got %s, looked at %v", x.name, all.ID, all.LookedAt)
		}
	}
}

// TestFoldShared: what another agent may have written in between is nobody's to undo.
func TestFoldShared(t *testing.T) {
	marks := history("a: 1 > 2, b: 1 > 2", "a: 2 > 3")
	marks[0].Left["a"] = mark.Left{Seen: seen("2"), Shared: true}
	all, broken := mark.Fold(marks)
	if len(all.Files) != 1 || all.Files[0].Path != "b" || !slices.Equal(broken, []string{"a"}) {
		t.Errorf("got %+v, broken %q, want b alone", all.Files, broken)
	}
}

// TestFoldUnseen: an interrupted command tells no end. What is missing since comes back, the newest of it.
func TestFoldUnseen(t *testing.T) {
	marks := history("a: 1 > 2, b: 1", "a: 2, b: 1, c: 1, d: 1, e: 1", "c: 2, d: -, e: 1 > 2")
	marks[1].LookedAt, marks[1].Left = time.Time{}, nil
	all, broken := mark.Fold(marks)
	now := map[string]mark.Current{"a": {Seen: seen("2")}, "b": {Seen: seen("")}, "c": {Seen: seen("")}, "d": {Seen: seen("")}, "e": {Seen: seen("other")}}
	var got []string
	for _, v := range all.Plan(func(f mark.File) mark.Current { return now[f.Path] }, mark.Wish{}) {
		got = append(got, fmt.Sprint(v.File.Path, " ", v.Action, " ", v.File.Sum))
	}
	if want := "a bring_back 1, b bring_back 1, c bring_back 2, d bring_back 1, e leave 1"; strings.Join(got, ", ") != want || len(broken) > 0 {
		t.Errorf("got %q, broken %q, want %q", got, broken, want)
	}
	marks = marks[1:2]
	if all, _ = mark.Fold(marks); len(all.Files) != 5 || !all.LookedAt.IsZero() {
		t.Errorf("of one alone: got %+v", all)
	}
}

func TestTold(t *testing.T) {
	acts := func(commands ...string) []mark.Mark {
		all := history(commands...)
		for i := range all {
			all[i].Line = fmt.Sprintf("git clean\n%d", i)
		}
		slices.Reverse(all)
		return all
	}
	first := history("f: 1, g: 1, h: 1")[0]
	first.Whole = true
	lacking := acts("f: 1 > -, g: 1 > -")
	lacking[0].Files[0].Lacks = mark.LacksRoom
	reverted := acts("f: 1 > head")
	reverted[0].Left["f"] = mark.Left{Seen: seen("head"), AsInHead: true}
	reverted[0].Files[0].Code = ".M"
	written := acts("f: 1 > 2")
	written[0].Files[0].Code = ".M"
	none := acts("f: 1 > -")
	none[0].Files[0].Lacks = mark.LacksRoom
	tool := acts("f: 1 > -")
	tool[0].Line, tool[0].Tool = "", "apply_patch"
	long := acts("f: 1 > -")
	long[0].Line = strings.Repeat("rm -rf x; ", 30)
	own := acts("own: 1 > -")
	own[0].Files[0].CtimeNano = at.UnixNano()
	ignored, inner, behind := acts("f: 1 > -"), acts("f: 1 > -"), acts("f: 1 > -")
	ignored[0].Files[0].Code, inner[0].Files[0].Code, inner[0].Files[0].Inner = "", "", true
	behind[0].LookedAt = time.Time{}
	for _, x := range []struct {
		name  string
		first mark.Mark
		acts  []mark.Mark
		now   mark.Mark
		want  string
	}{
		{"nothing", first, nil, mark.Mark{}, ""},
		{"removed", first, acts("f: 1 > -"), mark.Mark{}, "`git clean 0` removed your uncommitted file `f`; 'piton undo' brings it back"},
		{"removed and emptied", first, acts("f: 1 > -, g: 1 > empty"), mark.Mark{}, "`git clean 0` removed 1 and emptied 1 of your uncommitted files; 'piton undo' brings them back"},
		{"reverted", first, reverted, mark.Mark{}, "`git clean 0` reverted your uncommitted file `f`; 'piton undo' brings it back"},
		{"written over", first, acts("f: 1 > 2"), mark.Mark{}, ""},
		{"by two", first, acts("f: 1 > -", "g: 1 > -"), mark.Mark{}, "`git clean 0` and 1 more removed 2 of your uncommitted files; 'piton undo', once for each, brings them back"},
		{"the agent's own", first, own, mark.Mark{}, ""},
		{"the agent's own since the beginning", own[0], own, mark.Mark{}, "`git clean 0` removed your uncommitted file `own`; 'piton undo' brings it back"},
		{"made by another meanwhile", first, acts("own: 1 > -"), mark.Mark{}, "`git clean 0` removed your uncommitted file `own`; 'piton undo' brings it back"},
		{"ignored, named", first, ignored, mark.Mark{Whole: true}, "`git clean 0` removed your uncommitted file `f`; 'piton undo' brings it back"},
		{"ignored, in a folder that is named", first, inner, mark.Mark{Whole: true}, ""},
		{"as in HEAD before", first, ignored, mark.Mark{Whole: true, Files: []mark.File{{Path: "f", Code: ".D", Seen: seen("")}}}, ""},
		{"in the background", first, behind, mark.Mark{}, "what ran since `git clean 0` began removed your uncommitted file `f`; 'piton undo' brings it back"},
		{"back again", first, acts("f: 1 > -"), history("f: 1")[0], ""},
		{"something else there", first, acts("f: 1 > -"), history("f: 2")[0], "`git clean 0` removed your uncommitted file `f`; 'piton undo' brings it back"},
		{"written over, and clean for git", first, written, mark.Mark{Whole: true}, "`git clean 0` reverted your uncommitted file `f`; 'piton undo' brings it back"},
		{"written over, and committed", first, written, mark.Mark{Whole: true, Head: "2"}, ""},
		{"moved", first, acts("f: 1 > -"), history("d/g: 1")[0], ""},
		{"removed where another has its bytes before", first, acts("f: 1 > -, d/g: 1"), history("d/g: 1")[0], "`git clean 0` removed your uncommitted file `f`; 'piton undo' brings it back"},
		{"not all kept", first, lacking, mark.Mark{}, "`git clean 0` removed 2 of your uncommitted files; 'piton undo' brings back 1 of them"},
		{"none kept", first, none, mark.Mark{}, "`git clean 0` removed your uncommitted file `f`; no copy of it was kept"},
		{"a tool", first, tool, mark.Mark{}, "apply_patch removed your uncommitted file `f`; 'piton undo' brings it back"},
		{"a long line", first, long, mark.Mark{}, "`rm -rf x; rm -rf x; rm -rf x; rm -rf x; rm -rf x; rm -rf x;…` removed your uncommitted file `f`; 'piton undo' brings it back"},
	} {
		got := mark.Ended{First: x.first, Commands: x.acts, Acts: x.acts, Now: x.now, Undo: "'piton undo'"}.Told()
		if got != x.want {
			t.Errorf("%s: got %q, want %q", x.name, got, x.want)
		}
	}
}

func TestFind(t *testing.T) {
	m := history("a: 1, b\xff: 2, c: 3")[0]
	for _, name := range []string{"a", "b\xff", "c"} {
		if f, ok := m.Find(name); !ok || f.Path != name {
			t.Errorf("%q: got %+v, %t", name, f, ok)
		}
	}
	if _, ok := m.Find("b"); ok {
		t.Error("what is not there was found")
	}
	m.Files[1].Lacks = mark.LacksRead
	if got := m.Lacking(); len(got) != 1 || got[0].Path != "b\xff" || m.Files[1].Kept() {
		t.Errorf("got %+v, want one", got)
	}
}
