package page

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/planruns"
)

// TestLanes: each line of work goes down in one lane to the checkpoint that it began from,
// and a lane that has ended is used again.
func TestLanes(t *testing.T) {
	for _, c := range []struct{ name, list, want string }{
		{"one line", "c<b b<a a", "0:out 0:in0-0,out 0:in0-0"},
		{"a fork", "d<a c<b b<a a", "0:out 1:past0-0,out 1:past0-0,in1-1,out 0:in0-0,in1-0"},
		{"a fork from a fork", "e<d d<a c<a b<a a", "0:out 0:in0-0,out 1:past0-0,out 2:past0-0,past1-1,out 0:in0-0,in1-0,in2-0"},
		{"a lane that has ended", "d b<a a c", "0: 0:out 0:in0-0 0:"},
		{"a part of a list", "c<b d<x", "0:out 1:past0-0,out"},
	} {
		var all []piton.Checkpoint
		for _, text := range strings.Fields(c.list) {
			var x piton.Checkpoint
			x.ID, x.ParentID, _ = strings.Cut(text, "<")
			all = append(all, x)
		}
		rows, _ := lanes(all)
		var got []string
		for _, r := range rows {
			var lines []string
			for _, l := range r.Through {
				text := fmt.Sprintf("%s%d-%d", l.is, l.from, l.to)
				if l.is == "out" {
					text = "out"
				}
				lines = append(lines, text)
				if l.Path() == "" {
					t.Errorf("%s: a line has no path", c.name)
				}
			}
			got = append(got, fmt.Sprintf("%d:%s", r.Lane, strings.Join(lines, ",")))
		}
		if text := strings.Join(got, " "); text != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.name, text, c.want)
		}
	}
}

// TestGraph: no two steps lie on one another, a step stands right of what it depends on, and
// few lines cross.
func TestGraph(t *testing.T) {
	var steps []planruns.RunStep
	for i := range 60 {
		s := planruns.RunStep{ID: fmt.Sprint("s", i), Stage: i / 10}
		if i >= 10 {
			s.Dependencies = []string{fmt.Sprint("s", (i-10)/10*10+9-i%10)} // turned round from stage to stage
		}
		steps = append(steps, s)
	}
	g := layout(steps)
	at := map[[2]int]bool{}
	for _, n := range g.Nodes {
		if n.X < 0 || n.Y < 0 || n.X+nodeWide > g.Wide || n.Y+nodeHigh > g.High {
			t.Errorf("%s lies outside: %d, %d of %d, %d", n.ID, n.X, n.Y, g.Wide, g.High)
		}
		if at[[2]int{n.X, n.Y}] {
			t.Errorf("%s lies on another", n.ID)
		}
		at[[2]int{n.X, n.Y}] = true
	}
	y := map[string]int{}
	for _, n := range g.Nodes {
		y[n.ID] = n.Y
	}
	crossings := 0
	for i, a := range steps[10:] {
		for _, b := range steps[10+i+1:] {
			if a.Stage == b.Stage && (y[a.ID] < y[b.ID]) != (y[a.Dependencies[0]] < y[b.Dependencies[0]]) {
				crossings++
			}
		}
	}
	if crossings > 0 || len(g.Edges) != 50 {
		t.Errorf("%d of %d lines cross", crossings, len(g.Edges))
	}
}

// TestBars: each step that has begun has one, in the order of time; of many the
// newest.
func TestBars(t *testing.T) {
	begin := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	at := func(s int) piton.Time { return piton.At(begin.Add(time.Duration(s) * time.Second)) }
	list := []planruns.RunStep{{ID: "b", StartedAt: at(50), EndedAt: at(100)}, {ID: "a", StartedAt: at(0), EndedAt: at(50)}, {ID: "c"}, {ID: "d", StartedAt: at(10), Interrupted: true}}
	bars, ticks := timed(list, begin.Add(time.Hour))
	if got := fmt.Sprintf("%d %s %d %d %s %d %d %d %s", len(bars), bars[0].ID, bars[0].X, bars[0].Wide, bars[1].ID, bars[1].X, bars[1].Wide, len(ticks), ticks[4].Label); got != "2 a 0 500 b 500 500 5 1m40s" {
		t.Errorf("got %s", got)
	}
	list = nil
	for i := range 1000 {
		list = append(list, planruns.RunStep{ID: fmt.Sprint(i), StartedAt: at(i), EndedAt: at(i + 1)})
	}
	if bars, _ = timed(list, begin); len(bars) != maxBars || bars[0].ID != "880" || bars[0].X != 0 {
		t.Errorf("got %d bars, the first %+v", len(bars), bars[0])
	}
	if bars, _ := timed(nil, begin); bars != nil {
		t.Errorf("of nothing: %v", bars)
	}
}

// TestAgain: with a step all that depend on it run again.
func TestAgain(t *testing.T) {
	steps := []planruns.RunStep{{ID: "d", Dependencies: []string{"c"}}, {ID: "a"}, {ID: "b", Dependencies: []string{"a"}}, {ID: "c", Dependencies: []string{"b"}}, {ID: "e", Dependencies: []string{"a"}}}
	if got := strings.Join(again(steps, "b"), " "); got != "d b c" {
		t.Errorf("got %s", got)
	}
}

// TestTree: a state is shown in its order, searched by names and values, and cut where it
// is large.
func TestTree(t *testing.T) {
	const state = `{"z":{"deep":{"key":"needle"},"other":1},"list":[{"name":"x"},{"name":"Needle too"}],"needle":{"all":"of it"},"n":12345678901234567890}`
	for words, want := range map[string]string{
		"":       `z{deep{key=needle} other=1} list{0{name=x} 1{name=Needle too}} needle{all=of it} n=12345678901234567890`,
		"needle": `z{deep{key=needle}} list{1{name=Needle too}} needle{all=of it}`,
		"other":  `z{other=1}`,
		"nix":    ``,
	} {
		tr := tree{words: words, left: maxNodes}
		if got := flat(tr.of(json.RawMessage(state))); got != want {
			t.Errorf("%q:\ngot  %s\nwant %s", words, got, want)
		}
	}
	tr := tree{left: 2}
	if got := flat(tr.of(json.RawMessage(`{"a":1,"b":2,"c":3,"d":4}`))); got != "a=1 b=2" || tr.cut != 2 {
		t.Errorf("cut: %s, %d", got, tr.cut)
	}
	if got := shownValue(json.RawMessage(`"` + strings.Repeat("x", 600) + `"`)); len(got) > 530 || !strings.HasSuffix(got, "(600 bytes)") {
		t.Errorf("a long value: %s", got)
	}
}

func flat(list []node) string {
	var all []string
	for _, n := range list {
		if n.Kids != nil {
			all = append(all, n.Name+"{"+flat(n.Kids)+"}")
			continue
		}
		all = append(all, n.Name+"="+n.Value)
	}
	return strings.Join(all, " ")
}

// TestChanges: each change has what was there before, also in lists, whose items move up.
func TestChanges(t *testing.T) {
	for _, c := range []struct{ from, to, want string }{
		{`{"a":{"x/y":1},"b":"old"}`, `{"a":{"x/y":2},"c":{"k":[1]}}`, `/a/x~1y: 1 > 2|/b: old > |/c:  > {"k":[1]}`},
		{`{"a":["first","second","third","x"]}`, `{"a":["third","x"]}`, `/a/0: first > third|/a/1: second > x|/a/2: third > |/a/2: x > `},
		{`{}`, `{}`, ``},
	} {
		list, more, err := changesOf([]byte(c.from), []byte(c.to))
		var got []string
		for _, x := range list {
			got = append(got, fmt.Sprintf("%s: %s > %s", x.Path, x.Was, strings.Join(strings.Fields(x.Is), "")))
		}
		slices.Sort(got)
		if text := strings.Join(got, "|"); text != c.want || more != 0 || err != nil {
			t.Errorf("got  %s\nwant %s (%d more, %v)", text, c.want, more, err)
		}
	}
}

// TestHugeStates: of a wide and of a deep state a part is shown.
func TestHugeStates(t *testing.T) {
	deep, wide := tree{left: maxNodes}, tree{left: maxNodes}
	all := deep.of(json.RawMessage(strings.Repeat(`{"a":[`, 5000) + strings.Repeat(`]}`, 5000)))
	n := 0
	for ; len(all) > 0; n++ {
		all = all[0].Kids
	}
	if n != maxDepth {
		t.Errorf("the deep one is shown to a depth of %d", n)
	}
	wide.of(json.RawMessage(`{"l":[` + strings.TrimSuffix(strings.Repeat(`{"k":1},`, 400000), ",") + `]}`))
	if wide.cut < 390000 || wide.left > 0 {
		t.Errorf("of the wide one %d are left out", wide.cut)
	}
}

// TestWords: numbers and times as people write them.
func TestWords(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{number(int64(0)), "0"}, {number(999), "999"}, {number(1000), "1,000"}, {number(-1234567), "-1,234,567"},
		{bytesOf(0), "0 B"}, {bytesOf(999), "999 B"}, {bytesOf(1536), "1.5 KB"}, {bytesOf(64 << 10), "64 KB"}, {bytesOf(16 << 20), "16 MB"},
		{took(0), ""}, {took(12), "12ms"}, {took(1500), "1.5s"}, {took(61000), "1m01s"}, {took(3 * 3600 * 1000), "3h00m"},
		{base("/home/ann/shop/api"), "shop/api"}, {base("/"), "/"}, {base("/x"), "x"}, {typed("undo", "--project", "/a b/c'd"), `piton undo --project '/a b/c'\''d'`},
		{usd(1.005), "$1.00"}, {words("in_doubt"), "in doubt"}, {line(" a\nb"), "a"}, {address("run", "a/b?c"), "/run/a%2Fb%3Fc"},
		{string(ticks("`a<b` and <i>")), "<code>a&lt;b</code> and &lt;i&gt;"}, {age(piton.Time{}), ""}, {age(piton.At(time.Now().Add(-3 * time.Hour))), "3h ago"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}
