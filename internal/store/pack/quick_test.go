package pack

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// comeBack holds what quick writes against the library's decoder, which is the one
// that reads blobs.
func comeBack(t interface{ Fatalf(string, ...any) }, content []byte) (size int, ok bool) {
	data, ok := quick(content, []byte{encZstd})
	if !ok {
		return len(content), false
	}
	got, err := decode(nil, data)
	if err != nil || !bytes.Equal(got, content) {
		t.Fatalf("%d bytes, %.60q: got %.60q, %v", len(content), content, got, err)
	}
	return len(data), true
}

func TestQuickBlobsComeBack(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	noise := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(rnd.Uint32())
		}
		return b
	}
	for _, x := range []struct {
		name    string
		content []byte
		want    bool // it gains
	}{
		{"nothing", nil, false},
		{"what does not repeat", noise(5000), false},
		{"one letter", bytes.Repeat([]byte("a"), 4096), true},
		{"one letter, as long as a block", bytes.Repeat([]byte("a"), runMax), true},
		{"longer than a block", bytes.Repeat([]byte("a"), runMax+1), false},
		{"words", bytes.Repeat([]byte(`{"role":"assistant","content":"done"},`), 500), true},
		{"literals of more than 64 KB before the first copy", append(noise(100_000), bytes.Repeat([]byte("xyzt"), 3000)...), true},
		{"a copy from far back", append(append(append([]byte{}, noise(300)...), bytes.Repeat([]byte("0123456789"), 5000)...), bytes.Repeat([]byte("q"), 900)...), true},
	} {
		if _, ok := comeBack(t, x.content); ok != x.want {
			t.Errorf("%s: it gains: %v, want %v", x.name, ok, x.want)
		}
	}
	// All numbers of sequences, of literals and of copied bytes that are written in
	// another way than those before.
	for _, n := range []int{1, 2, 126, 127, 128, 129, 255, 256, 5000, 20000} {
		var b bytes.Buffer
		for i := range n {
			fmt.Fprintf(&b, "%c%c%c", rnd.IntN(256), rnd.IntN(256), i)
			b.WriteString("abcdefgh"[:4+i%4])
		}
		content := b.Bytes()[:min(b.Len(), runMax)]
		comeBack(t, content)
	}
	for n := 1; n < 70_000; n += 1 + n/20 {
		comeBack(t, append(noise(n), noise(n)...))
		same := noise(min(n, 50_000))
		comeBack(t, append(append(append([]byte{}, same...), 'x'), same...))
		comeBack(t, append(append([]byte("abcdefghi"), bytes.Repeat([]byte("z"), n)...), "abcdefghi"...))
	}
	// Text of every length, of words that come again.
	words := strings.Fields(strings.Repeat("the tests of part one failed in line two because nobody had mended what the importer left behind ", 3))
	for range 2000 {
		var b strings.Builder
		for size := 1 + rnd.IntN(1<<(4+rnd.IntN(13))); b.Len() < size; {
			if b.WriteString(words[rnd.IntN(len(words))]); rnd.IntN(9) == 0 {
				fmt.Fprintf(&b, "%x", rnd.Uint64())
			}
			b.WriteByte(' ')
		}
		comeBack(t, []byte(b.String())[:min(b.Len(), runMax)])
	}
}

// TestReadBack: a frame that is not read as its content is found when it is written,
// whichever bit of it is wrong.
func TestReadBack(t *testing.T) {
	content := bytes.Repeat([]byte(`{"role":"assistant","content":"done"},`), 50)
	frame, ok := quick(content, nil)
	if !ok || !comesBack(frame, content) {
		t.Fatalf("the frame itself: gains %v", ok)
	}
	if comesBack(frame, content[1:]) || comesBack(frame[:len(frame)-1], content) {
		t.Error("another content or a part of the frame came back")
	}
	for i := range frame {
		for bit := range 8 {
			other := bytes.Clone(frame)
			other[i] ^= 1 << bit
			got, err := decode(nil, append([]byte{encZstd}, other...))
			if want := err == nil && bytes.Equal(got, content); comesBack(other, content) != want {
				t.Errorf("byte %d, bit %d: got %v", i, bit, !want)
			}
		}
	}
}

// TestQuickTakesWhatS2Writes: what a frame cannot say, or a decoder would refuse, is
// not made into one. s2 writes none of it.
func TestQuickTakesWhatS2Writes(t *testing.T) {
	const literal, copy2, copy4 = 0, 2, 3
	for _, x := range []struct {
		name    string
		content string
		found   []byte
		want    bool
	}{
		{"a copy", "abcdabcd", []byte{8, 3<<2 | literal, 'a', 'b', 'c', 'd', 3<<2 | copy2, 4, 0}, true},
		{"a copy in two parts", "aaaaaaa", []byte{7, 0<<2 | literal, 'a', 3<<2 | copy2, 1, 0, 1<<2 | copy2, 1, 0}, true},
		{"a copy of two bytes", "abcdab", []byte{6, 3<<2 | literal, 'a', 'b', 'c', 'd', 1<<2 | copy2, 4, 0}, false},
		{"a copy from before the beginning", "abcdabcd", []byte{8, 3<<2 | literal, 'a', 'b', 'c', 'd', 3<<2 | copy4, 5, 0, 0, 0}, false},
		{"a copy of what is not there yet", "aaaa", []byte{4, 3<<2 | copy2, 1, 0}, false},
		{"more than the content", "abcdabc", []byte{7, 3<<2 | literal, 'a', 'b', 'c', 'd', 3<<2 | copy2, 4, 0}, false},
		{"less than the content", "abcdabcde", []byte{9, 3<<2 | literal, 'a', 'b', 'c', 'd', 3<<2 | copy2, 4, 0}, false},
		{"cut off", "abcdabcd", []byte{8, 3<<2 | literal, 'a', 'b', 'c', 'd', 3<<2 | copy2, 4}, false},
	} {
		q := quickRoom{found: x.found}
		data, ok := q.take([]byte(x.content), nil)
		if ok != x.want {
			t.Errorf("%s: got %v, want %v", x.name, ok, x.want)
		}
		if ok && len(data) == 0 {
			t.Errorf("%s: got no literals", x.name)
		}
	}
}

func FuzzQuick(f *testing.F) {
	f.Add([]byte("abcabcabcabc"), uint16(3))
	f.Add([]byte{0, 255, 1}, uint16(70))
	f.Fuzz(func(t *testing.T, b []byte, times uint16) {
		comeBack(t, b)
		if n := int(times); len(b)*n <= runMax {
			comeBack(t, append(bytes.Repeat(b, n), b[:len(b)/2]...))
		}
	})
}
