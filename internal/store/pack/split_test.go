package pack_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/piton-project/piton/internal/store/pack"
	"github.com/piton-project/piton/internal/testkit/draw"
)

// document draws JSON as nobody would write it: odd keys, numbers and escapes,
// long strings, deep and flat containers.
func document(r *rapid.T, depth int) string {
	kind := rapid.IntRange(0, 7).Draw(r, "kind")
	if depth == 0 {
		kind %= 4
	}
	list := func(open, end string, member func(i int) string) string {
		var b strings.Builder
		b.WriteString(open)
		for i := range rapid.IntRange(0, 6).Draw(r, "members") {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(member(i))
		}
		return b.String() + end
	}
	switch kind {
	case 0:
		return rapid.SampledFrom([]string{"-0", "1e400", "12345678901234567890123456789", "0.1000000000000000055511151231257827", "true", "null"}).Draw(r, "scalar")
	case 1:
		return `"` + rapid.SampledFrom([]string{"", `\u0041\/`, `\"`, `\\`, "ключ", `\ud800`, `,{}[]`}).Draw(r, "text") + `"`
	case 2:
		word := rapid.SampledFrom([]string{"x", "ab,", `\\`, `\"`, "ключ "}).Draw(r, "word")
		return `"` + strings.Repeat(word, rapid.IntRange(0, 9000).Draw(r, "times")) + `"`
	case 3:
		n := rapid.IntRange(0, 2000).Draw(r, "seed")
		return fmt.Sprintf(`"%x"`, random(n))
	case 4, 5:
		return list("[", "]", func(int) string { return document(r, depth-1) })
	default:
		return list("{", "}", func(i int) string {
			return fmt.Sprintf(`"%s%d":`, rapid.SampledFrom([]string{"", "b", "a", `\n`}).Draw(r, "key"), 9-i) + document(r, depth-1)
		})
	}
}

// edit changes a text in one place.
func edit(r *rapid.T, s []byte) []byte {
	at := rapid.IntRange(0, len(s)).Draw(r, "at")
	gone := rapid.IntRange(0, min(len(s)-at, 3000)).Draw(r, "gone")
	added := random(rapid.IntRange(0, 3000).Draw(r, "added"))
	return slices.Concat(s[:at], added, s[at+gone:])
}

// TestGrownStatesComeBack packs a line of states, each on the one before or on
// what was read back of it, from the smallest to some of several runs.
func TestGrownStatesComeBack(t *testing.T) {
	draw.Check(t, func(r *rapid.T) {
		s := newShelf()
		var base *pack.Layout
		state := bytes.Repeat([]byte(document(r, 3)), rapid.IntRange(1, 30).Draw(r, "times"))
		for range rapid.IntRange(2, 6).Draw(r, "saves") {
			m, l, err := s.grow(state, base)
			if err != nil {
				r.Fatal(err)
			}
			if got, err := pack.Unpack(m, 0, s.get); err != nil || !bytes.Equal(got, state) {
				r.Fatalf("got %d bytes, %v, want the %d of the state", len(got), err, len(state))
			}
			if base = l; rapid.Bool().Draw(r, "read back") {
				base = s.readBack(r, m)
			}
			for range rapid.IntRange(0, 4).Draw(r, "edits") {
				state = edit(r, state)
			}
		}
	})
}

// readBack makes a base of what the shelf holds.
func (s *shelf) readBack(t interface{ Fatal(...any) }, manifest []byte) *pack.Layout {
	ns, err := pack.Numbers(manifest)
	if err != nil {
		t.Fatal(err)
	}
	var contents [][]byte
	for _, n := range ns {
		sum, data, err := s.get(n)
		if err != nil {
			t.Fatal(err)
		}
		c, err := pack.Content(sum, data)
		if err != nil {
			t.Fatal(err)
		}
		contents = append(contents, c)
	}
	return pack.NewLayout(contents, ns)
}

// prose is a JSON array of n elements of about 2 KB.
func prose(n int) []string {
	words := strings.Fields("the state of a build its tests and their failures file function error branch merge agent result line number value request")
	r := rand.New(rand.NewPCG(1, 2))
	var list []string
	for i := range n {
		var b strings.Builder
		fmt.Fprintf(&b, `{"id":%d,"text":"`, i)
		for b.Len() < 1900 {
			fmt.Fprintf(&b, "%s %x ", words[r.IntN(len(words))], r.IntN(256))
		}
		b.WriteString(`","files":["a.go","b.go"]}`)
		list = append(list, b.String())
	}
	return list
}

// TestSmallChangesCostLittle changes a state of 1 MB in one way after the other
// and looks at what each adds to what is stored.
func TestSmallChangesCostLittle(t *testing.T) {
	list, more := prose(500), prose(600)[500:]
	join := func(s ...string) string { return strings.Join(s, ",") }
	shape := func(step int, top string, a, b []string) []byte {
		return fmt.Appendf(nil, `{"step":%d,"top":[%s],"run":{"agents":[{"log":{"first":[%s]},"done":true},{"log":{"second":[%s]}}]},"end":"here"}`, step, top, join(a...), join(b...))
	}
	for name, next := range map[string]func(i int) []byte{
		"a counter":      func(i int) []byte { return shape(i+1, "", list[:250], list[250:]) },
		"a list's end":   func(i int) []byte { return shape(i, "", list[:250], append(slices.Clone(list[250:]), more[:i]...)) },
		"a list's begin": func(i int) []byte { return shape(i, join(more[:i]...), list[:250], list[250:]) },
		"two lists": func(i int) []byte {
			return shape(i, "", append(slices.Clone(list[:250]), more[:i]...), append(slices.Clone(list[250:]), more[50:50+i]...))
		},
		"an edit": func(i int) []byte { l := slices.Clone(list); l[300] = more[i]; return shape(i, "", l[:250], l[250:]) },
		"an element gone": func(i int) []byte {
			return shape(i, "", slices.Delete(slices.Clone(list[:250]), 100, 100+i), list[250:])
		},
	} {
		s := newShelf()
		var base *pack.Layout
		for i := range 12 {
			before := s.stored
			var err error
			if _, base, err = s.grow(next(i), base); err != nil {
				t.Fatal(err)
			}
			// The first change breaks runs open.
			if got := s.stored - before; i > 1 && got > 9<<10 {
				t.Errorf("%s, change %d: got %d bytes stored, want at most 9 KB", name, i, got)
			} else if i == 1 && got > 180<<10 {
				t.Errorf("%s, first change: got %d bytes stored, want less than some runs", name, got)
			}
		}
	}
}

// TestSmallStatesShareWithoutABase: what is packed without a look at the state
// before shares its pieces all the same.
func TestSmallStatesShareWithoutABase(t *testing.T) {
	s, list := newShelf(), prose(30)
	for i := 10; i < 30; i++ {
		before := s.stored
		if _, err := s.put([]byte(`{"list":[` + strings.Join(list[:i], ",") + `]}`)); err != nil {
			t.Fatal(err)
		}
		if got := s.stored - before; i > 10 && got > 4<<10 {
			t.Errorf("element %d: got %d bytes stored, want at most 4 KB", i, got)
		}
	}
}

// TestOddStatesTakeLinearTime: nothing of these shapes may cost more than their
// length. With more than that the test does not end in time.
func TestOddStatesTakeLinearTime(t *testing.T) {
	for name, state := range map[string]string{
		"deep nesting":  strings.Repeat(`{"a":[`, 1_000_000) + strings.Repeat(`]}`, 1_000_000),
		"one string":    `{"a":"` + strings.Repeat("x", 8<<20) + `"}`,
		"only quotes":   strings.Repeat(`""`, 4<<20),
		"only escapes":  `{"a":"` + strings.Repeat(`\\`, 4<<20) + `"}`,
		"only commas":   strings.Repeat(`,`, 8<<20),
		"small numbers": `{"a":[` + strings.Repeat("0,", 4<<20) + `0]}`,
	} {
		s := newShelf()
		m, l, err := s.grow([]byte(state), nil)
		if err == nil {
			m, _, err = s.grow([]byte(state+" "), l)
		}
		got, err2 := pack.Unpack(m, 0, s.get)
		if err != nil || err2 != nil || string(got) != state+" " {
			t.Errorf("%s: got %d bytes, %v, %v, want %d", name, len(got), err, err2, len(state)+1)
		}
	}
}

// FuzzPack packs any bytes on any others.
func FuzzPack(f *testing.F) {
	f.Add([]byte(`{"a":[1,2]}`), []byte(`{"a":[1,2,3]}`), 100)
	f.Add([]byte(`"`), []byte(`\"`), 70_000)
	f.Fuzz(func(t *testing.T, a, b []byte, times int) {
		s := newShelf()
		times = min(max(times, 1), 100_000/(len(a)+len(b)+1)+1)
		a = bytes.Repeat(a, times)
		b = slices.Concat(a, b, a)
		_, base, err := s.grow(a, nil)
		if err != nil {
			t.Fatal(err)
		}
		m, _, err := s.grow(b, base)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := pack.Unpack(m, 0, s.get); err != nil || !bytes.Equal(got, b) {
			t.Errorf("got %d bytes, %v, want %d", len(got), err, len(b))
		}
	})
}

// TestWellIsSmaller: a state that is compressed well is cut alike, takes less room,
// and both come back.
func TestWellIsSmaller(t *testing.T) {
	state := []byte(`{"list":[` + strings.Join(prose(300), ",") + `]}`)
	size := map[bool]int{}
	sums := map[bool][][32]byte{}
	for _, well := range []bool{false, true} {
		plan, err := pack.Packer{Well: well}.Pack(state, nil)
		if err != nil {
			t.Fatal(err)
		}
		var back []byte
		for _, b := range plan.New {
			content, err := pack.Content(b.Sum[:], b.Data)
			if err != nil {
				t.Fatal(err)
			}
			back = append(back, content...)
			size[well] += len(b.Data)
			sums[well] = append(sums[well], b.Sum)
		}
		if !bytes.Equal(back, state) {
			t.Errorf("well %t: got another state back", well)
		}
	}
	if size[true] >= size[false] || size[false] > size[true]*5/4 {
		t.Errorf("got %d bytes, and well %d, want well a little less", size[false], size[true])
	}
	if !slices.Equal(sums[true], sums[false]) {
		t.Error("got other blobs, want the same ones")
	}
}

func BenchmarkPack(b *testing.B) {
	list := prose(1000)
	state := func(n int) []byte { return []byte(`{"list":[` + strings.Join(list[:n], ",") + `]}`) }
	old, grown := state(999), state(1000)
	s := newShelf()
	_, base, err := s.grow(old, nil)
	if err != nil {
		b.Fatal(err)
	}
	for name, on := range map[string]*pack.Layout{"anew": nil, "grown": base} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(grown)))
			for b.Loop() {
				if _, err := (pack.Packer{}).Pack(grown, on); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func TestPlainIsNotCompressed(t *testing.T) {
	state := []byte(`{"text":"` + strings.Repeat("the same words ", 1000) + `"}`)
	plan, err := pack.Packer{Plain: true}.Pack(state, nil)
	if err != nil {
		t.Fatal(err)
	}
	stored := 0
	for _, b := range plan.New {
		if b.Data[0] != 0 {
			t.Errorf("got a blob of encoding %d, want it as it is", b.Data[0])
		}
		stored += len(b.Data)
	}
	if packed, _ := (pack.Packer{}).Pack(state, nil); len(packed.New) == 0 || stored < 2*len(packed.New[0].Data) {
		t.Errorf("got %d bytes", stored)
	}
}

// TestWhollyNewLiesInItsManifest: what has nothing in common with the state before it is
// written as it came, and what grows out of it is in blobs again.
func TestWhollyNewLiesInItsManifest(t *testing.T) {
	list := prose(170)
	state := func(from, to int) []byte { return []byte(`{"list":[` + strings.Join(list[from:to], ",") + `]}`) }
	packed := func(by pack.Packer, state []byte, base *pack.Layout) (*pack.Layout, bool) {
		t.Helper()
		plan, err := by.Pack(state, base)
		if err != nil {
			t.Fatal(err)
		}
		layout := plan.Layout(make([]uint64, len(plan.New)))
		held, ok, err := pack.Held(layout.Manifest())
		if err != nil || ok && (!bytes.Equal(held, state) || len(plan.New) > 0 || plan.Leans()) {
			t.Errorf("got %d bytes held, %d blobs, %v", len(held), len(plan.New), err)
		}
		return layout, ok
	}
	_, base, err := newShelf().grow(state(0, 5), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		name  string
		state []byte
		base  *pack.Layout
		by    pack.Packer
		want  bool
	}{
		{"wholly new", state(20, 25), base, pack.Packer{}, true},
		{"wholly new, the first of an epoch", state(20, 25), base, pack.Packer{Well: true}, false},
		{"grown", state(0, 10), base, pack.Packer{}, false},
		{"without a base", state(20, 25), nil, pack.Packer{}, false},
		{"large, wholly new", state(6, 160), base, pack.Packer{}, true},
		{"wholly new, far away", state(20, 25), base, pack.Packer{Far: true}, true},
		{"100 KB, wholly new, far away", state(6, 60), base, pack.Packer{Far: true}, false},
	} {
		layout, got := packed(x.by, x.state, x.base)
		if got != x.want {
			t.Errorf("%s: it lies in its manifest: %t", x.name, got)
		}
		if !got {
			continue
		}
		if _, again := packed(x.by, state(160, 165), layout); !again {
			t.Errorf("%s: another new one behind it has blobs", x.name)
		}
		if _, grown := packed(x.by, append(bytes.TrimSuffix(bytes.Clone(x.state), []byte("]}")), ",1]}"...), layout); grown {
			t.Errorf("%s: what grew out of it has no blobs", x.name)
		}
	}
}

// TestSqueezed: what gains nothing stays as it came.
func TestSqueezed(t *testing.T) {
	for size, shrinks := range map[int]bool{100: false, 5000: true, 300 << 10: true} {
		state := bytes.Repeat([]byte("x"), size)
		manifest, err := pack.Squeezed(state)
		back, ok, err2 := pack.Held(manifest)
		if err != nil || err2 != nil || !ok || !bytes.Equal(back, state) || (len(manifest) < size) != shrinks {
			t.Errorf("%d bytes: got %d, %t, %v, %v", size, len(manifest), ok, err, err2)
		}
	}
}
