package states

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/testkit/draw"
)

// notes is n elements of a list, 300 bytes each.
func notes(seed, n int) []string {
	r := rand.New(rand.NewPCG(uint64(seed), 1))
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf(`{"id":%d,"text":"%x \n %s","tags":["a","b"],"in":{"deep":[[%d],{"x":-0}]}}`, i, r.Uint64(), strings.Repeat("work, \\\"quoted\\\" ", 12), r.IntN(1000))
	}
	return list
}

// shaped is a state with counters at the front, two lists, one of them deep,
// and todos that describe looks at.
func shaped(step int, top, deep []string) []byte {
	return fmt.Appendf(nil, `{"step":%d,"name":"work","query":"build it","current_step_index":%d,"plan":[{"id":"a","status":"completed"},{"id":"b"}],"top":[%s],"run":{"n":%d,"agents":[{"name":"main","log":{"list":[%s],"open":true}},{"name":"b"}]},"end":{"at":%d}}`,
		step, step%2, strings.Join(top, ","), step*7, strings.Join(deep, ","), step)
}

// saidBy is what a state says of itself, for some types that it may have.
func saidBy(c Clean) string {
	s, err := c.Said()
	text := fmt.Sprint(err)
	for _, kind := range []string{"", piton.TypePlan, piton.TypeConductor, piton.TypePhases, piton.TypeSession} {
		record := piton.Checkpoint{InWorkflow: piton.InWorkflow{WorkflowType: kind}}
		err := Describe(&record, s)
		b, err2 := json.Marshal(record)
		text += fmt.Sprintf("\n%s %v %v", b, err, err2)
	}
	return text
}

// wantSame cleans a state with a memory and without and compares.
func wantSame(t interface{ Fatalf(string, ...any) }, r *Recent, state []byte) {
	given := bytes.Clone(state)
	got, err := r.Clean(Line{}, state, nil)
	want, wantErr := (*Recent)(nil).Clean(Line{}, given, nil)
	if fmt.Sprint(err) != fmt.Sprint(wantErr) || !slices.Equal(got.TakenOut, want.TakenOut) {
		t.Fatalf("got the secrets %q and error %v, want %q and %v", got.TakenOut, err, want.TakenOut, wantErr)
	}
	if !bytes.Equal(got.JSON.Get(), want.JSON.Get()) {
		t.Fatalf("got a state of %d bytes, want one of %d", len(got.JSON.Get()), len(want.JSON.Get()))
	}
	if got, want := saidBy(got), saidBy(Clean{JSON: want.JSON}); err == nil && got != want {
		t.Fatalf("got %s, want %s", got, want)
	}
	if !bytes.Equal(state, given) {
		t.Fatalf("the caller's bytes were changed")
	}
}

// TestShortWayIsTaken: the ordinary changes are found to be such. What is
// prepared then is the other tests' matter.
func TestShortWayIsTaken(t *testing.T) {
	top, deep := notes(1, 200), notes(2, 400)
	without := func(l []string, from, to int) []string { return append(append([]string{}, l[:from]...), l[to:]...) }
	with := func(l []string, at int, s ...string) []string {
		return append(append(append([]string{}, l[:at]...), s...), l[at:]...)
	}
	base := look(shaped(9, top, deep))
	for name, state := range map[string][]byte{
		"nothing":               shaped(9, top, deep),
		"counters":              shaped(10, top, deep),
		"a list grows deep":     shaped(10, top, append(deep, notes(3, 7)...)),
		"a list grows at top":   shaped(11, append(top, notes(3, 7)...), deep),
		"both grow":             shaped(1234567, append(top, notes(3, 7)...), append(deep, notes(4, 8)...)),
		"at their begin":        shaped(9, append(notes(3, 7), top...), append(notes(4, 1), deep...)),
		"in the middle":         shaped(9, with(top, 100, notes(3, 3)...), with(deep, 17, notes(4, 4)...)),
		"elements go":           shaped(9, without(top, 10, 14), without(deep, 200, 399)),
		"elements change":       shaped(9, with(without(top, 10, 11), 10, notes(8, 1)...), with(without(deep, 10, 11), 10, notes(9, 1)...)),
		"a key at the top":      bytes.Replace(shaped(9, top, deep), []byte(`"end":{`), []byte(`"brand-new":{"id":1},"end":{`), 1),
		"a key deep inside":     bytes.Replace(shaped(9, top, deep), []byte(`"id":333,`), []byte(`"brand-new":[],"id":333,`), 1),
		"a key goes":            bytes.Replace(shaped(9, top, deep), []byte(`"query":"build it",`), nil, 1),
		"a text changes inside": bytes.Replace(shaped(9, top, deep), []byte(`"id":333,"text":"`), []byte(`"id":333,"text":"so `), 1),
	} {
		got := base.grown(state, nil)
		if got == nil || !bytes.Equal(got.state, state) {
			t.Errorf("%s: the short way was not taken", name)
			continue
		}
		if again := look(state); !reflect.DeepEqual(got.members, again.members) || len(got.marks) < len(again.marks)*3/4 || !marksFit(got) {
			t.Errorf("%s: got other marks than a look at the whole", name)
		}
	}
}

// marksFit tells whether every mark is where and in what it says.
func marksFit(s *scanned) bool {
	for _, m := range s.marks {
		x := scanner{text: s.state}
		if !x.scan(0, m.at) || x.last != m.at || !alike(x.frame(len(x.stack)-1), m.in) {
			return false
		}
	}
	return true
}

func TestOutOfTheOrdinary(t *testing.T) {
	top, deep := notes(1, 200), notes(2, 400)
	pad := strings.Repeat(`"pad",`, 300) // marks between a member and its neighbours
	top = append(top, `{"of":"x","value":"hunter2real9"}`, `{"command":"tool","x":[`+pad+`1],"args":["-u","bob:hunter2real9"]}`, `{"args":["--level","8sdf7sd9f87sdf98sdf","x0","9sdf7sd9f87sdf98sdf"]}`, `{"headers":[["Accept","x1y2z3w4v5u6"]]}`,
		`{"name":"host","x":[`+pad+`1],"value":"hunter2real8"}`, `{"name":"db_password","key":"host","x":[`+pad+`2],"value":"hunter2real7"}`, `{"command":"curl","x":[`+pad+`3],"args":["-v"]}`)
	plain := string(shaped(9, top, deep))
	place := `"id":350,"text":"`
	change := func(old, new string) string { return strings.Replace(plain, old, new, 1) }
	for name, state := range map[string]string{
		"a secret in a text":      change(place, place+"ghp_0123456789abcdefghij0123456789abcdef "),
		"a name that is a secret": change(`"id":350,"text":`, `"id":350,"password":`),
		"the list's own name":     change(`"list":[`, `"password":[`),
		"a list under a name":     change(`"log":{"list":`, `"api_key":{"list":`),
		"a duplicate key":         change(`"id":350,`, `"id":350,"id":1,`),
		"a duplicate far off":     change(`"end":{`, `"step":1,"end":{`),
		"a duplicate by escapes":  change(`"end":{`, `"st\u0065p":1,"end":{`),
		"a key at the top":        change(`"end":{`, `"phase":"x","end":{`),
		"a new key twice":         change(`"end":{`, `"brand-new":1,"brand-new":2,"end":{`),
		"a new key, far apart":    strings.Replace(change(`"end":{`, `"brand-new":1,"end":{`), `"query"`, `"brand-new":0,"query"`, 1),
		"and bent":                strings.Replace(change(`"end":{`, `"brand-new":1,"end":{`), `"query"`, `"brand\u002dnew":0,"query"`, 1),
		"bent far off":            change(`"end":{`, `"qu\u0065ry":1,"end":{`),
		"an object taken apart":   change(`"text":"`, `"a":1},{"text":"`),
		"two objects made one":    strings.Replace(plain, `]}},{"id":350,`, `]},`, 1),
		"a key gone":              change(`"query":"build it",`, ``),
		"another query":           change(`"build it"`, `"build\u0020that"`),
		"an escaped key":          change(`"query"`, `"qu\u0065ry"`),
		"white space":             change(place, " "+place),
		"indented":                indented(plain),
		"spaced":                  spaced(plain),
		"spaced and changed":      strings.Replace(spaced(plain), `"id": 350`, `"id": 351, "new": [1, 2]`, 1),
		"a number in two":         strings.Replace(spaced(plain), `"id": 350`, `"id": 3 50`, 1),
		"a word in two":           strings.Replace(spaced(plain), `"open": true`, `"open": tr ue`, 1),
		"a blank for a comma":     strings.Replace(spaced(plain), `"a", "b"`, `"a" "b"`, 1),
		"a form feed":             strings.Replace(spaced(plain), `"a", "b"`, "\"a\",\f\"b\"", 1),
		"blanks around":           " \n" + spaced(plain) + "\t ",
		"a tab in a text":         strings.Replace(spaced(plain), `"id": 350, "text": "`, "\"id\": 350, \"text\": \"\t", 1),
		"a newline at the end":    plain + "\n",
		"not UTF-8":               change(place, place+"\xff"),
		"a lone surrogate":        change(place, place+`\ud800`),
		"no escape":               change(place, place+`\x`),
		"a control character":     change(place, place+"\x01"),
		"a comma too many":        change(`},{"id":350`, `},,{"id":350`),
		"a colon gone":            change(`"id":350`, `"id"350`),
		"a bracket gone":          change(`"deep":[[`, `"deep":[`),
		"another bracket":         change(`{"id":350`, `["id":350`),
		"NaN":                     change(`"id":350`, `"id":NaN`),
		"a big number":            change(`"id":350`, `"id":1e400`),
		"cut off":                 plain[:len(plain)-1],
		"cut off in the middle":   plain[:len(plain)/2],
		"more behind it":          plain + "{}",
		"another after it":        plain + "," + plain[1:],
		"twice":                   plain + plain,
		"an array":                "[" + plain + "]",
		"closed and open again":   change(`{"id":350`, `1],"list2":[{"id":350`),
		"deeper than 10,000":      change(`"id":350`, `"id":`+strings.Repeat("[", 10_000)+strings.Repeat("]", 10_000)),
		"a name for a value":      change(`"value":"hunter2real9"`, `"name":"db_password","value":"hunter2real9"`),
		"a value's name":          change(`"of":"x","value"`, `"name":"db_password","value"`),
		"a name far from it":      change(`"name":"host"`, `"name":"db_password"`),
		"another beside it":       change(`"name":"host"`, `"name":"host","key":"db_password"`),
		"the last name goes":      change(`"name":"db_password","key":"host"`, `"name":"db_password"`),
		"names change places":     change(`"name":"db_password","key":"host"`, `"key":"host","name":"db_password"`),
		"arguments far from it":   change(`"args":["-v"]`, `"args":["-u","bob:hunter2real8"]`),
		"a name that is a list":   change(`"name":"host"`, `"name":["db_password"]`),
		"an element beside names": strings.Replace(change(`"name":"host","x":["pad"`, `"name":"host","x":["pud"`), `"key":"host","x":["pad"`, `"key":"host","x":["pud"`, 1),
		"an option":               change(`["--level",`, `["--token",`),
		"an option's value":       change(`"x0",`, `"--token",`),
		"a program":               change(`"command":"tool"`, `"command":"curl"`),
		"a header's name":         change(`["Accept",`, `["Authorization",`),
		"a todo":                  change(`"end":`, `"todos":[{"status":"completed"}],"end":`),
		"wrong step":              change(`"current_step_index":1`, `"current_step_index":-1`),
		"nothing":                 "",
		"small":                   `{"a":1}`,
	} {
		t.Run(name, func(t *testing.T) {
			r := &Recent{}
			wantSame(t, r, []byte(plain))
			if len(r.last) == 0 {
				t.Fatal("the state was not remembered")
			}
			for _, s := range []string{state, plain, state, state} {
				wantSame(t, r, []byte(s))
			}
		})
	}
}

// snippets are what random edits put in: parts of JSON, sound or not.
var snippets = []string{`,`, `"`, `\`, `{`, `}`, `[`, `]`, `:`, ` `, "\n", "\xff", `,{"id":1}`, `"id":2,`, `"x":1,`, `{"id":3,"text":"a"},`, `"password":"hunter2",`, `"step":4,`,
	`1`, `-`, `e`, `\u0041`, `\ud800`, `[[],[]],`, `"todos":[],`, `"query":"x",`, `"n1":1,`, `"n\u0031":1,`, `"n2":{"a":1},`, `},{"n1":1,`, `ghp_0123456789abcdefghij0123456789abcdef`, `]},{"log":{"list":[`, `},{`, `],[`, `"a\"b":[1,2],`,
	`"name":"DB_PASSWORD",`, `"name":"main",`, `"key":"host",`, `"value":"hunter2real9",`, `{"name":"DB_PASSWORD","value":"hunter2real9"},`, `{"value":"hunter2real9","name":"host"},`, `"args":["-x","--token","8sdf7sd9f87sdf98sdf"],`,
	`"--token","8sdf7sd9f87sdf98sdf",`, `"8sdf7sd9f87sdf98sdf",`, `"args":["a","b","8sdf7sd9f87sdf98sdf","c"],`, `"--token",`, `["Authorization","x1y2z3w4v5"],`, `"Authorization",`, `"secrets":{"x":"a"},`, `"secrets":{"x":"hunter2real9"},`, `"command":"curl",`, `"args":["-u","bob:hunter2real9"],`, `"n\u0061me":"token",`,
	`"run":["-u","bob:hunter2real9"],`, `"run":["a","--token","8sdf7sd9f87sdf98sdf"],`, `"-----BEGIN RSA PRIVATE KEY-----","MIIEhunter2realhunter2real9hunter2real9hunter2real9",`, `"stdin":"hunter2real9","command":"gh secret set X",`, `"sensitive":true,`,
	`"type":"random_password",`, `"instances":[{"attributes":{"result":"hunter2real9"}}],`, `"attributes":{"result":"hunter2real9"},`, `"result":"hunter2real9",`, `"encryption":{"key":"8sdf7sd9f87sdf98sdf"},`}

// TestShortWayGivesTheSame edits states at random and prepares each with the
// memory of the one before and without.
func TestShortWayGivesTheSame(t *testing.T) {
	draw.Check(t, func(r *rapid.T) {
		k := &Recent{}
		top, deep := notes(1, rapid.IntRange(0, 150).Draw(r, "top")), notes(2, rapid.IntRange(150, 300).Draw(r, "deep"))
		state := shaped(rapid.IntRange(0, 200).Draw(r, "step"), top, deep)
		good := state
		for range rapid.IntRange(2, 8).Draw(r, "saves") {
			if rapid.IntRange(0, 3).Draw(r, "spaced") == 0 {
				state = []byte(spaced(string(state)))
			}
			wantSame(r, k, state)
			if _, err := Compact(state); err == nil {
				good = state
			}
			state = bytes.Clone(good)
			for range rapid.IntRange(0, 4).Draw(r, "edits") {
				switch rapid.IntRange(0, 4).Draw(r, "kind") {
				case 0, 1: // any bytes, anywhere
					at := rapid.IntRange(0, len(state)).Draw(r, "at")
					gone := min(rapid.SampledFrom([]int{0, 0, 1, 2, 9, 300, 5000}).Draw(r, "gone"), len(state)-at)
					state = bytes.Join([][]byte{state[:at], []byte(rapid.SampledFrom(snippets).Draw(r, "added")), state[at+gone:]}, nil)
				case 2: // behind a comma or an opening bracket
					marks := []string{",", "[", "{", `"id":`, `"text":"`}
					m := rapid.SampledFrom(marks).Draw(r, "mark")
					at := rapid.IntRange(0, len(state)).Draw(r, "at")
					if i := bytes.Index(state[at:], []byte(m)); i >= 0 {
						at += i + len(m)
						state = bytes.Join([][]byte{state[:at], []byte(rapid.SampledFrom(snippets).Draw(r, "added")), state[at:]}, nil)
					}
				case 3: // sound: elements come and go
					deep = append(append([]string{}, deep[rapid.IntRange(0, 3).Draw(r, "gone"):]...), notes(rapid.IntRange(3, 99).Draw(r, "seed"), rapid.IntRange(0, 9).Draw(r, "added"))...)
					state = shaped(rapid.IntRange(0, 200).Draw(r, "step"), top, deep)
				case 4: // a part moves
					from := rapid.IntRange(0, len(state)-1).Draw(r, "from")
					part := bytes.Clone(state[from:min(len(state), from+rapid.SampledFrom([]int{10, 300, 4000}).Draw(r, "length"))])
					at := rapid.IntRange(0, len(state)).Draw(r, "at")
					state = bytes.Join([][]byte{state[:at], part, state[at:]}, nil)
				}
			}
		}
	})
}

func TestRecentIsSafeForManyAtOnce(t *testing.T) {
	r := &Recent{}
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for i := range 10 {
				wantSame(t, r, shaped(i, notes(g, 100+i), notes(2, 200)))
			}
		})
	}
	wg.Wait()
}

func TestRecentKeepsTwoLines(t *testing.T) {
	r := &Recent{}
	for i, workflow := range []string{"a", "b", "a", "c", "c"} {
		if _, err := r.Clean(Line{Workflow: workflow}, shaped(i, nil, notes(1, 300)), nil); err != nil {
			t.Fatal(err)
		}
	}
	kept := func(workflow string) bool { return r.get(Line{Workflow: workflow}) != nil }
	if len(r.last) != 2 || !kept("a") || kept("b") || !kept("c") {
		t.Errorf("got %d states, want those of a and c", len(r.last))
	}
}

// FuzzShortWay prepares any bytes between two sound halves.
func FuzzShortWay(f *testing.F) {
	for _, s := range snippets {
		f.Add(uint(40_000), uint(5), []byte(s))
	}
	plain := shaped(9, notes(1, 100), notes(2, 200))
	f.Fuzz(func(t *testing.T, at, gone uint, added []byte) {
		r := &Recent{}
		wantSame(t, r, plain)
		from := min(at, uint(len(plain)))
		to := min(from+gone, uint(len(plain)))
		changed := bytes.Join([][]byte{plain[:from], added, plain[to:]}, nil)
		wantSame(t, r, changed)
		wantSame(t, r, plain)
	})
}

// spaced is JSON as many programs write it.
func spaced(state string) string {
	var b strings.Builder
	in := false
	for i := range len(state) {
		b.WriteByte(state[i])
		if state[i] == '"' && (i < 1 || state[i-1] != '\\' || i > 1 && state[i-2] == '\\') {
			in = !in
		}
		if !in && (state[i] == ',' || state[i] == ':') {
			b.WriteByte(' ')
		}
	}
	return b.String()
}

func indented(state string) string {
	var b bytes.Buffer
	if err := json.Indent(&b, []byte(state), "", "\t"); err != nil {
		panic(err)
	}
	return b.String()
}
