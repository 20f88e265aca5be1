package sqlite_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/sqlite"
)

// page is SQLite's page size.
const page = 4096

// whole makes a store, closes it and returns the file's bytes and the states
// in it by id.
func whole(t testing.TB) ([]byte, map[string]string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "piton.db")
	s := open(t, path, sqlite.Options{})
	states := map[string]string{}
	for i := range 12 {
		state := fmt.Sprintf(`{"n":%d,"text":"%s"}`, i, strings.Repeat(fmt.Sprint("word", i, " "), i*i*20))
		states[add(t, s, state).ID] = state
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return file, states
}

// spoiled opens a file of these bytes and uses everything in it. Any error
// with a code will do, a wrong state or a panic will not. It returns how many
// states came back.
func spoiled(t testing.TB, name string, file []byte, states map[string]string) (intact int) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "piton.db")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if r := recover(); r != nil {
			t.Errorf("%s: panic: %v", name, r)
		}
	}()
	typed := func(err error) {
		t.Helper()
		if code := piton.CodeOf(err); err != nil && (code == piton.Internal || code == piton.Conflict) {
			t.Errorf("%s: got %s (%v), want the code of a damaged file", name, code, err)
		}
	}
	ctx := t.Context()
	s, err := sqlite.Open(ctx, path, sqlite.Options{})
	if err != nil {
		typed(err)
		if hint(err) == "" {
			t.Errorf("%s: %v: got no hint, want one", name, err)
		}
		return 0
	}
	defer s.Close()
	for id, want := range states {
		got, err := s.State(ctx, id)
		typed(err)
		if err == nil && string(got) != want {
			t.Errorf("%s: got a wrong state %.80q, want %.80q or an error", name, got, want)
		}
		if err == nil {
			intact++
		}
		c, err := s.Checkpoint(ctx, id)
		typed(err)
		if err == nil && c.ID != id {
			t.Errorf("%s: got the record of %s, want %s or an error", name, c.ID, id)
		}
		_, err = s.Children(ctx, id)
		typed(err)
		typed(s.MarkDamaged(ctx, id, redact.Value("x")))
	}
	_, err = s.List(ctx, piton.Query{})
	typed(err)
	_, err = s.List(ctx, piton.Query{Open: true})
	typed(err)
	_, err = s.Sessions(ctx, store.SessionQuery{})
	typed(err)
	_, err = s.Project(ctx, redact.Name("p"), redact.Value([]piton.Alias{{Kind: piton.AliasPath, Value: "/p"}}))
	typed(err)
	typed(event(ctx, s))
	return intact
}

func TestSpoiledPages(t *testing.T) {
	file, states := whole(t)
	rnd := rand.New(rand.NewPCG(1, 2))
	pages := len(file) / page
	opened := 0
	step := 1
	if testing.Short() {
		step = 5
	}
	for p := 0; p < pages; p += step {
		for name, spoil := range map[string]func([]byte){
			"zeros":   func(b []byte) { clear(b) },
			"ones":    func(b []byte) { copy(b, bytes.Repeat([]byte{0xff}, len(b))) },
			"noise":   func(b []byte) { fill(rnd, b) },
			"another": func(b []byte) { copy(b, file[(p+1)%pages*page:][:page]) },
			"shifted": func(b []byte) { copy(b[8:], b) },
		} {
			bad := bytes.Clone(file)
			spoil(bad[p*page : (p+1)*page])
			if spoiled(t, fmt.Sprintf("page %d of %s", p+1, name), bad, states) > 0 {
				opened++
			}
		}
	}
	if opened == 0 {
		t.Error("got no state from any spoiled file, want those that are not concerned")
	}
}

func fill(rnd *rand.Rand, b []byte) {
	for i := range b {
		b[i] = byte(rnd.Uint32())
	}
}

func TestFlippedBits(t *testing.T) {
	file, states := whole(t)
	rounds := 200
	if testing.Short() {
		rounds = 60
	}
	rnd := rand.New(rand.NewPCG(3, 4))
	for i := range rounds {
		bad := bytes.Clone(file)
		flips := 1 + i%3
		var where []int
		for range flips {
			at := rnd.IntN(len(file))
			if i%4 == 0 { // the schema and the header, which every open reads
				at %= 2 * page
			}
			bad[at] ^= 1 << rnd.IntN(8)
			where = append(where, at)
		}
		spoiled(t, fmt.Sprint("bits flipped in bytes ", where), bad, states)
	}
}

func TestTruncatedFile(t *testing.T) {
	file, states := whole(t)
	for _, n := range []int{1, 15, 16, 99, 100, 511, 512, page - 1, page, page + 1, 2 * page, len(file) / 2, len(file) - page, len(file) - 1} {
		spoiled(t, fmt.Sprintf("the first %d bytes", n), file[:n], states)
	}
	if n := spoiled(t, "the file with bytes added", append(bytes.Clone(file), "more"...), states); n != len(states) {
		t.Errorf("the file with bytes added: got %d states, want %d", n, len(states))
	}
}

func TestNoDatabase(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	noise := make([]byte, 10*page)
	fill(rnd, noise)
	for name, content := range map[string][]byte{
		"text": []byte("Dear diary,\n"), "long text": bytes.Repeat([]byte("no database "), 1000), "noise": noise, "zeros": make([]byte, 3*page), "JSON": []byte(`{"a":1}`),
		"a header alone": append([]byte("SQLite format 3\x00"), make([]byte, 84)...),
	} {
		path := filepath.Join(t.TempDir(), "piton.db")
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := sqlite.Open(t.Context(), path, sqlite.Options{})
		if piton.CodeOf(err) != piton.Corrupt || hint(err) == "" {
			t.Errorf("%s: got %v, want corrupt with a hint", name, err)
		}
		if err != nil && !strings.Contains(err.Error(), path) {
			t.Errorf("%s: got %q, want the path in it", name, err)
		}
		after, err := os.ReadFile(path)
		if err != nil || !bytes.Equal(after, content) {
			t.Errorf("%s: the file has changed (%v), want it as it was", name, err)
		}
	}
}
