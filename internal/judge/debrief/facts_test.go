package debrief

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton/internal/agent"
)

// Moments are told apart by their times, and by places in the turn where those are not known.
func TestMoments(t *testing.T) {
	t.Parallel()
	clock := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	at := func(seconds, call, command int) moment {
		return moment{At: clock.Add(time.Duration(seconds) * time.Second), Call: call, Command: command}
	}
	place := func(call, command int) moment { return moment{Call: call, Command: command} }
	for _, c := range []struct {
		a, b         moment
		after, later bool
	}{
		{at(1, 0, 0), beforeAll, true, true},
		{beforeAll, at(1, 0, 0), false, false},
		{at(2, 5, 0), at(1, 6, 0), true, true},
		{at(1, 6, 0), at(2, 5, 0), false, false},
		{at(1, 2, 0), at(1, 1, 0), true, true},
		{at(1, 1, 0), at(1, 2, 0), false, false},
		{at(1, 1, 1), at(1, 1, 0), true, true},
		{at(1, 1, 0), at(1, 1, 0), true, false},
		{at(1, 1, 0), at(1, 1, 1), false, false},
		{place(2, 0), at(9, 1, 0), true, true},
		{place(1, 0), at(0, 2, 0), false, false},
		{at(9, 1, 0), place(2, 0), false, false},
		{at(9, 3, 0), place(2, 0), true, true},
		{at(1, 0, 0), at(2, -1, -1), true, false},  // within the slack
		{at(1, 0, 0), at(3, -1, -1), false, false}, // only the file's time is known
		{at(4, 0, 0), at(3, -1, -1), true, true},
	} {
		if after, later := c.a.after(c.b), c.a.later(c.b); after != c.after || later != c.later {
			t.Errorf("%v and %v: got after %t, later %t", c.a, c.b, after, later)
		}
	}
	if beforeAll.none() != true || at(1, -1, -1).none() || place(0, 0).none() {
		t.Error("got a moment of which nothing is known, or none")
	}
}

// What Piton ran is told in words.
func TestWent(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		v    agent.Verified
		want string
	}{
		{agent.Verified{OK: true}, "passed"},
		{agent.Verified{ExitCode: -1}, "failed"},
		{agent.Verified{ExitCode: 1}, "failed with exit status 1"},
		{agent.Verified{ExitCode: 1, Measured: true}, "failed with exit status 1; whether it did so before this turn is not known"},
		{agent.Verified{ExitCode: 1, Measured: true, Before: agent.BeforePassed}, "failed with exit status 1"},
		{agent.Verified{ExitCode: 1, Measured: true, Before: agent.BeforeChanged}, "failed with exit status 1; whether it did so before this turn is not known, as the tree had changes then"},
		{agent.Verified{ExitCode: 1, Measured: true, Before: agent.BeforeNoTime}, "failed with exit status 1; whether it did so before this turn is not known, as the time ran out"},
		{agent.Verified{TimedOut: true, TookMS: 1_000_499}, "did not end within 1000s"},
		{agent.Verified{TimedOut: true, TookMS: 1500, Unsure: "x"}, "did not end within 2s: x"},
		{agent.Verified{TimedOut: true, TookMS: 3}, "did not end within 1s"},
		{agent.Verified{OK: true, Unsure: "the tree changed"}, "was not counted: the tree changed"},
	} {
		if got := Went(c.v); got != c.want {
			t.Errorf("%+v: got %q, want %q", c.v, got, c.want)
		}
	}
	for v, want := range map[*Verify]time.Duration{{}: time.Minute, {Timeout: -1}: time.Minute, {Timeout: 2}: 2, {Timeout: time.Hour}: 10 * time.Minute} {
		if got := v.Limit(); got != want {
			t.Errorf("%v: got %v, want %v", v.Timeout, got, want)
		}
	}
	many := strings.Fields(strings.Repeat("./a ", 21))
	for _, c := range []struct {
		run     string
		folders []string
		want    string
	}{
		{"go test ./...", []string{"./a", "./b"}, "go test ./a ./b"},
		{"go test -race ./... -v", []string{"."}, "go test -race . -v"},
		{"go test ./...", many[1:], "go test " + strings.Join(many[1:], " ")},
		{"go test ./...", many, "go test ./..."},
		{"go test ./...", nil, "go test ./..."},
		{"go test ./...", []string{"./a b"}, "go test ./..."},
		{"go test ./a", []string{"./b"}, "go test ./a"},
		{"cd x && go test ./...", []string{"./b"}, "cd x && go test ./..."},
		{"go -C x test ./...", []string{"./b"}, "go -C x test ./..."},
		{"CI=1 go test ./...", []string{"./b"}, "CI=1 go test ./..."},
		{"go test ./... | cat", []string{"./b"}, "go test ./... | cat"},
		{"make test", []string{"./b"}, "make test"},
		{"go test (", []string{"./b"}, "go test ("},
	} {
		if got := (Verify{Run: c.run}).Narrowed(c.folders); got != c.want {
			t.Errorf("%s: got %q, want %q", c.run, got, c.want)
		}
	}
	files := []string{"a.go", "b.py", "c.txt"}
	for v, want := range map[*Verify]string{{Run: "go test ./..."}: "[a.go c.txt]", {Run: "make test"}: "[a.go b.py c.txt]", {Run: "pytest", Files: []string{"**/*.py"}}: "[b.py]"} {
		if got := fmt.Sprint(v.OnlyFor(files)); got != want {
			t.Errorf("%s: got %s, want %s", v.Run, got, want)
		}
	}
}

// The bounds of a rule of someone's own, and what is said of one beyond them.
func TestBoundsOfRules(t *testing.T) {
	t.Parallel()
	sound := func(change func(r *Rule)) Rule {
		r := Rule{Name: "x", Include: []string{"**"}, Instruction: "do x", Evidence: []string{"x"}}
		change(&r)
		return r
	}
	list := func(n int) []string { return strings.Fields(strings.Repeat("x ", n)) }
	for what, c := range map[string]struct {
		rule Rule
		want string
	}{
		"sound":                 {sound(func(*Rule) {}), ""},
		"a long name":           {sound(func(r *Rule) { r.Name = strings.Repeat("ö", 60) }), ""},
		"a name too long":       {sound(func(r *Rule) { r.Name = strings.Repeat("ö", 61) }), "its name has 61 characters, at most 60 are shown"},
		"no name":               {sound(func(r *Rule) { r.Name = " " }), "it has no name"},
		"many globs":            {sound(func(r *Rule) { r.Include = list(100) }), ""},
		"too many globs":        {sound(func(r *Rule) { r.Exclude = list(101) }), "it has 101 globs, at most 100 are looked at"},
		"no globs":              {sound(func(r *Rule) { r.Include = nil }), "it includes no files"},
		"an empty glob":         {sound(func(r *Rule) { r.Exclude = []string{" "} }), "one of its globs is empty"},
		"no glob":               {sound(func(r *Rule) { r.Include = []string{"["} }), "`[` is not a glob"},
		"a long glob":           {sound(func(r *Rule) { r.Include = []string{strings.Repeat("x", 300)} }), ""},
		"a glob too long":       {sound(func(r *Rule) { r.Include = []string{strings.Repeat("x", 301)} }), "has too many stars"},
		"many stars":            {sound(func(r *Rule) { r.Include = []string{strings.Repeat("*a", 12)} }), ""},
		"too many stars":        {sound(func(r *Rule) { r.Include = []string{strings.Repeat("*a", 13)} }), "has too many stars"},
		"many choices":          {sound(func(r *Rule) { r.Include = []string{strings.Repeat("{a}", 4)} }), ""},
		"too many choices":      {sound(func(r *Rule) { r.Include = []string{strings.Repeat("{a}", 5)} }), "has too many stars"},
		"from the system":       {sound(func(r *Rule) { r.Include = []string{"/a"} }), "is not a path from the project's root"},
		"from a home":           {sound(func(r *Rule) { r.Include = []string{"~/a"} }), "is not a path from the project's root"},
		"up":                    {sound(func(r *Rule) { r.Include = []string{"../a"} }), "fits no file"},
		"dots within":           {sound(func(r *Rule) { r.Include = []string{"a/./b"} }), "fits no file"},
		"a folder":              {sound(func(r *Rule) { r.Include = []string{"a/"} }), "`a/` fits no file, only a folder"},
		"a long instruction":    {sound(func(r *Rule) { r.Instruction = strings.Repeat("ö", 400) }), ""},
		"too long":              {sound(func(r *Rule) { r.Instruction = strings.Repeat("ö", 401) }), "its instruction has 401 characters, at most 400 are shown"},
		"much evidence":         {sound(func(r *Rule) { r.Evidence = list(200) }), ""},
		"too much evidence":     {sound(func(r *Rule) { r.Evidence = list(201) }), "it names 201 commands as evidence, at most 200 are looked at"},
		"empty evidence":        {sound(func(r *Rule) { r.Evidence = []string{""} }), "one of its evidence commands is empty"},
		"long evidence":         {sound(func(r *Rule) { r.Evidence = []string{strings.Repeat("x", 300)} }), ""},
		"evidence too long":     {sound(func(r *Rule) { r.Evidence = []string{strings.Repeat("x", 301)} }), "is too long for evidence"},
		"a mark within":         {sound(func(r *Rule) { r.Evidence = []string{"x {test}"} }), "has {test} inside"},
		"a mark alone":          {sound(func(r *Rule) { r.Evidence = []string{"{test}"} }), ""},
		"then":                  {sound(func(r *Rule) { r.Then = &Follow{Instruction: "y", Evidence: []string{"y"}} }), ""},
		"then of nothing":       {sound(func(r *Rule) { r.Evidence, r.Then = nil, &Follow{Instruction: "y", Evidence: []string{"y"}} }), "its `then` is never asked for"},
		"then without words":    {sound(func(r *Rule) { r.Then = &Follow{Evidence: []string{"y"}} }), "its `then` is never asked for"},
		"then without evidence": {sound(func(r *Rule) { r.Then = &Follow{Instruction: "y"} }), "its `then` is never asked for"},
		"then too long":         {sound(func(r *Rule) { r.Then = &Follow{Instruction: strings.Repeat("y", 401), Evidence: []string{"y"}} }), "has 401 characters"},
		"then a mark":           {sound(func(r *Rule) { r.Then = &Follow{Instruction: "y", Evidence: []string{"{test}"}} }), "{test} cannot be the evidence of `then`"},
		"evidence of nothing":   {sound(func(r *Rule) { r.Instruction = " " }), "it names evidence for no instruction"},
		"sole and rest":         {sound(func(r *Rule) { r.Sole, r.Rest = true, true }), "it is both `sole` and `rest`"},
		"an ecosystem":          {sound(func(r *Rule) { r.Ecosystem = "go" }), ""},
		"none":                  {sound(func(r *Rule) { r.Ecosystem = "gone" }), "`gone` is not an ecosystem"},
		"off":                   {Rule{Name: "x", Off: true}, ""},
	} {
		err := c.rule.Check()
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", what, err, c.want)
		}
	}
}

// Names are quoted, short and without what could be read as mark-up.
func TestWordsOfOthers(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"": "`?`", "a `b`": "`a b`", "a\tb\n c": "`a b c`", "a\x07b\u202ec\uFFFDd": "`a\\x07b\\u202ecd`", "<b>x</b>": "`(b)x(/b)`", "<<a>>": "`<(a)>`", "a < b": "`a < b`",
		strings.Repeat("ö", 120): "`" + strings.Repeat("ö", 120) + "`", strings.Repeat("ö", 121): "`" + strings.Repeat("ö", 119) + "…`",
	} {
		if got := quote(text); got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
	names := func(n int) []string { return strings.Fields(strings.Repeat("a ", n)) }
	for _, c := range []struct {
		names []string
		want  string
	}{
		{nil, ""}, {names(1), "`a`"}, {names(8), "`a`" + strings.Repeat(", `a`", 7)}, {names(9), "`a`" + strings.Repeat(", `a`", 7) + ", and 1 more"},
		{[]string{strings.Repeat("b", 500)}, "`" + strings.Repeat("b", 119) + "…`"},
		{slices.Repeat([]string{strings.Repeat("b", 118)}, 5), strings.Repeat("`"+strings.Repeat("b", 118)+"`, ", 3) + "and 2 more"},
	} {
		if got := list(c.names); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
	for output, want := range map[string]string{
		"Exit code 1\nboom": "boom", "exit status 1\nWall time: 3\nOutput:\n boom\n": "boom", "boom\nExit code 1": "boom\nExit code 1",
		strings.Repeat("Exit code 1\n", 5): "Exit code 1",
	} {
		if got := told(output); got != want {
			t.Errorf("%q: got %q, want %q", output, got, want)
		}
	}
	lines := strings.TrimSpace(strings.Repeat("ab\n", 84))
	if got := excerpt(lines); got != strings.ReplaceAll(lines, "\n", " / ") {
		t.Errorf("got %s", got)
	}
	if got := excerpt(lines + "\nxyz"); len([]rune(got)) > excerptShown || !strings.HasPrefix(got, "ab / ab") || !strings.HasSuffix(got, " / xyz") || !strings.Contains(got, " … ") {
		t.Errorf("got %s", got)
	}
	for p, want := range map[string]string{"~/x": "/home/ann/x", "$HOME": "/home/ann", "${HOME}/x": "/home/ann/x", "~bob/x": "~bob/x", "$X/x": "$X/x", "x": "x"} {
		if got := newTurn(Input{Root: "/home/ann/shop"}).atHome(p); got != want {
			t.Errorf("%s: got %s, want %s", p, got, want)
		}
	}
	if got := newTurn(Input{Root: "/srv/shop"}).atHome("~/x"); got != "~/x" {
		t.Errorf("got %s, want the home left as it is", got)
	}
	for _, c := range [][3]string{{"d:/app", "src", "src"}, {"d:/app", "D:/x", "d:/x"}, {"d:/app", "/c/x", "c:/x"}, {"/app", "/c/x", "/c/x"}, {"5:/app", "/c/x", "/c/x"}, {"d:", "/c/x", "/c/x"}} {
		if got := onDrive(c[0], c[1]); got != c[2] {
			t.Errorf("%s below %s: got %s, want %s", c[1], c[0], got, c[2])
		}
	}
}
