package archive_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/zstd"
	"pgregory.net/rapid"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/archive"
	"github.com/piton-project/piton/internal/testkit/draw"
	"github.com/piton-project/piton/internal/testkit/need"
)

// forms are the two forms of a file.
var forms = []struct {
	name   string
	encode func(io.Writer, store.CleanEntries) error
}{
	{"compressed", archive.Encode},
	{"lines", archive.EncodeLines},
}

func encoded(t testing.TB, encode func(io.Writer, store.CleanEntries) error, list []store.Entry) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := encode(&b, sequence(list)); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestRoundTrip(t *testing.T) {
	for _, form := range forms {
		t.Run(form.name, func(t *testing.T) {
			draw.Check(t, func(t *rapid.T) {
				want := drawEntries(t)
				var a, b bytes.Buffer
				if err := errors.Join(form.encode(&a, sequence(want)), form.encode(&b, sequence(want))); err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(a.Bytes(), b.Bytes()) {
					t.Fatal("got two files of the same entries, want one")
				}
				got, err := collect(archive.Decode(iotest.OneByteReader(&a)))
				if err != nil {
					t.Fatal(err)
				}
				same(t, "read back", got, want)
			})
		})
	}
}

// What says where a state lies in this store does not go into a file.
func TestLocalFieldsStayHere(t *testing.T) {
	want := some()[:1]
	e := want[0]
	e.Checkpoint.Archive, e.Checkpoint.File, e.Checkpoint.Damaged = "piton-x", "/home/x", "the sum does not match"
	e.Checkpoint.Tags = []string{}
	e.Checkpoint.CreatedAt.Time = e.Checkpoint.CreatedAt.Add(12345) // below a millisecond
	got, err := collect(archive.Decode(bytes.NewReader(encoded(t, archive.Encode, []store.Entry{e}))))
	if err != nil {
		t.Fatal(err)
	}
	same(t, "read back", got, want)
}

// A file can be read without Piton: zstd, and sha256 over a line.
func TestReadableByOthers(t *testing.T) {
	cmd := exec.Command(need.Program(t, "zstd"), "-dc")
	cmd.Stdin = bytes.NewReader(encoded(t, archive.Encode, some()))
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	if plain := encoded(t, archive.EncodeLines, some()); !bytes.Equal(out, plain) {
		t.Fatalf("got\n%s\nwant\n%s", out, plain)
	}
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if want := `{"format":"piton-archive","version":1,"from":"2026-01-02T03:05:05.678Z","sum":"`; !strings.HasPrefix(lines[0], want) {
		t.Errorf("got the first line %s, want %s…", lines[0], want)
	}
	states := 0
	for i, l := range lines {
		if strings.HasPrefix(l, `{"checkpoint":`) {
			states++
			if state := lines[i+1]; !strings.Contains(l, `"sha256":"`+sum(state)+`"`) {
				t.Errorf("line %d: got the state %s, want the one that %s names", i+2, state, l)
			}
			continue
		}
		if i > 0 && strings.HasPrefix(lines[i-1], `{"checkpoint":`) {
			continue
		}
		body, tail, _ := strings.Cut(l, `,"sum":"`)
		before := strings.Join(append(append([]string{}, lines[:i]...), body), "\n")
		if want := sum(before) + `"}`; tail != want {
			t.Errorf("line %d: got the sum %s, want %s", i+1, tail, want)
		}
	}
	if want := fmt.Sprintf(`{"end":{"checkpoints":%d},"sum":"`, states); states != len(some()) || !strings.HasPrefix(lines[len(lines)-1], want) {
		t.Errorf("got the last line %s behind %d states, want %s", lines[len(lines)-1], states, want)
	}
	for i, l := range lines {
		if !json.Valid([]byte(l)) {
			t.Errorf("line %d: got %s, want JSON", i+1, l)
		}
	}
}

// good tells whether every entry is one of those that were written.
func good(got, want []store.Entry) bool {
	if len(got) > len(want) {
		return false
	}
	for i, e := range got {
		w := want[i]
		if e.Checkpoint.SHA256 != w.Checkpoint.SHA256 || !bytes.Equal(e.State, w.State) || e.Checkpoint.ID != w.Checkpoint.ID ||
			e.Workflow != w.Workflow || e.Origin != w.Origin || e.Checkpoint.StepName != w.Checkpoint.StepName {
			return false
		}
	}
	return true
}

func TestEveryFlippedByteIsNoticed(t *testing.T) {
	for _, form := range forms {
		t.Run(form.name, func(t *testing.T) {
			want := some()
			file := encoded(t, form.encode, want)
			noticed := 0
			for at := range file {
				for _, mask := range []byte{1, 0x20, 0x80, 0xff} {
					bad := bytes.Clone(file)
					bad[at] ^= mask
					got, err := collect(archive.Decode(bytes.NewReader(bad)))
					if !good(got, want) || err == nil && len(got) < len(want) {
						t.Fatalf("byte %d ^ %#x: got %d entries (%v) that are not those written", at, mask, len(got), err)
					}
					if err == nil {
						continue // a bit that zstd does not read
					}
					noticed++
					if code := piton.CodeOf(err); code != piton.Corrupt && (code != piton.Invalid || at > 30) {
						t.Fatalf("byte %d ^ %#x: got %v (%s), want corrupt", at, mask, err, code)
					}
				}
			}
			if all := 4 * len(file); noticed < all-8 {
				t.Errorf("got %d of %d flips noticed, want all but unused bits of the frame's header", noticed, all)
			}
		})
	}
}

func TestEveryTruncationIsNoticed(t *testing.T) {
	for _, form := range forms {
		t.Run(form.name, func(t *testing.T) {
			want := some()
			file := encoded(t, form.encode, want)
			for at := range file {
				got, err := collect(archive.Decode(bytes.NewReader(file[:at])))
				if code := piton.CodeOf(err); !good(got, want) || code != piton.Corrupt && (code != piton.Invalid || at > 30) {
					t.Fatalf("cut at %d of %d: got %d entries and %v, want corrupt", at, len(file), len(got), err)
				}
			}
			for _, tail := range []string{"x", "\n", "{}\n", string(file)} {
				got, err := collect(archive.Decode(strings.NewReader(string(file) + tail)))
				if piton.CodeOf(err) != piton.Corrupt || !good(got, want) {
					t.Errorf("with %.10q behind it: got %v, want corrupt", tail, err)
				}
			}
		})
	}
}

func TestEntriesBeforeTheDamage(t *testing.T) {
	want := some()
	file := encoded(t, archive.EncodeLines, want)
	at := bytes.LastIndex(file, want[3].State)
	file[at+3] ^= 1
	got, err := collect(archive.Decode(bytes.NewReader(file)))
	same(t, "before the damage", got, want[:3])
	var typed *piton.Error
	if !errors.As(err, &typed) || typed.Code != piton.Corrupt || !strings.Contains(err.Error(), want[3].Checkpoint.ID) || typed.Hint == "" {
		t.Errorf("got %v, want corrupt with the checkpoint's id and a hint", err)
	}
}

func compressed(t *testing.T, content []byte) []byte {
	t.Helper()
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	return z.EncodeAll(content, nil)
}

// reseal gives every line but the states the sum it should have.
func reseal(file string) string {
	var out strings.Builder
	state := false
	for l := range strings.Lines(file) {
		body, _, sealed := strings.Cut(l, `,"sum":"`)
		if sealed && !state {
			l = body + `,"sum":"` + sum(out.String()+body) + "\"}\n"
		}
		state = !state && strings.HasPrefix(l, `{"checkpoint":`)
		out.WriteString(l)
	}
	return out.String()
}

func TestDecodeRefuses(t *testing.T) {
	file := string(encoded(t, archive.EncodeLines, some()[:2]))
	if reseal(file) != file {
		t.Fatal("reseal changes a good file")
	}
	change := func(old, new string) []byte {
		if !strings.Contains(file, old) {
			t.Fatalf("the file does not hold %q", old)
		}
		return []byte(reseal(strings.Replace(file, old, new, 1)))
	}
	size := func(more int) string { return fmt.Sprintf(`"state_bytes":%d,`, len(some()[1].State)+more) }
	for _, c := range []struct {
		name  string
		file  []byte
		code  piton.Code
		words string
	}{
		{"nothing", nil, piton.Invalid, "not a Piton archive"},
		{"garbage", []byte("hello\n"), piton.Invalid, "not a Piton archive"},
		{"garbage without an end", bytes.Repeat([]byte{'x'}, 2<<20), piton.Invalid, "not a Piton archive"},
		{"other JSON", []byte(`{"id":"1","phase":"BUILD"}`), piton.Invalid, "not a Piton archive"},
		{"garbage, compressed", compressed(t, []byte("hello\n")), piton.Invalid, "not a Piton archive"},
		{"nothing, compressed", compressed(t, nil), piton.Corrupt, "too early"},
		{"a bomb", compressed(t, make([]byte, 100<<20)), piton.Corrupt, "longer than it may be"},
		{"a bomb behind a good beginning", compressed(t, append([]byte(file), make([]byte, 100<<20)...)), piton.Corrupt, "behind the last line"},
		{"a newer version", change(`"version":1`, `"version":2`), piton.Invalid, "version 2"},
		{"no version", change(`"version":1`, `"version":0`), piton.Invalid, "version 0"},
		{"a line of a kind not known", change(`{"end":`, `{"new":`), piton.Invalid, "kind"},
		{"a count that is wrong", change(`{"end":{"checkpoints":2}`, `{"end":{"checkpoints":3}`), piton.Corrupt, "the last line says 3"},
		{"a state too large", change(`"state_bytes":2,`, `"state_bytes":67108865,`), piton.Corrupt, "67108865"},
		{"a state larger than its record says", change(size(0), size(-1)), piton.Corrupt, "longer"},
		{"a state smaller than its record says", change(size(0), size(1)), piton.Corrupt, "its record says"},
		{"a negative size", change(`"state_bytes":2,`, `"state_bytes":-2,`), piton.Corrupt, "-2"},
		{"an id that is a path", change(`"id":"chk_aaaa000000000001"`, `"id":"../../etc/passwd"`), piton.Corrupt, "not a checkpoint's id"},
		{"a checkpoint of another workflow", change(`"workflow_id":"wf_aaaa000000000000"`, `"workflow_id":"wf_cccc000000000000"`), piton.Corrupt, "wf_cccc"},
		{"a record that is none", change(`"seq":1,"step_name"`, `"seq":"1","step_name"`), piton.Corrupt, "seq"},
		{"a state that is not JSON", change("{}\n", "[}\n"), piton.Corrupt, "sum"},
	} {
		got, err := collect(archive.Decode(bytes.NewReader(c.file)))
		if piton.CodeOf(err) != c.code || !strings.Contains(err.Error(), c.words) || !good(got, some()) {
			t.Errorf("%s: got %d entries and %v (%s), want %s with %q", c.name, len(got), err, piton.CodeOf(err), c.code, c.words)
			continue
		}
		if typed := err.(*piton.Error); typed.Hint == "" || typed.Op == "" {
			t.Errorf("%s: got %+v, want what was tried and a hint", c.name, typed)
		}
	}
}

// A reader that fails is not damage.
func TestDecodeOfAReaderThatFails(t *testing.T) {
	file := encoded(t, archive.Encode, some())
	for _, at := range []int{0, 2, 10, len(file) / 2, len(file) - 1} {
		_, err := collect(archive.Decode(io.MultiReader(bytes.NewReader(file[:at]), iotest.ErrReader(io.ErrUnexpectedEOF))))
		if piton.CodeOf(err) != piton.Unavailable {
			t.Errorf("after %d bytes: got %v, want unavailable", at, err)
		}
		own := piton.Errorf(piton.NotFound, "open", "", "gone")
		_, err = collect(archive.Decode(io.MultiReader(bytes.NewReader(file[:at]), iotest.ErrReader(own))))
		if piton.CodeOf(err) != piton.NotFound {
			t.Errorf("after %d bytes: got %v, want the reader's own error", at, err)
		}
	}
}

func TestEncodeRefuses(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*store.Entry)
		code   piton.Code
	}{
		{"a state that does not match its sum", func(e *store.Entry) { e.State = []byte("[]") }, piton.Corrupt},
		{"a state of another length", func(e *store.Entry) { e.State = []byte(`{"a":1}`) }, piton.Corrupt},
		{"no state", func(e *store.Entry) { *e = entry(workflowA, 1, "") }, piton.Invalid},
		{"a state that is not an object", func(e *store.Entry) { *e = entry(workflowA, 1, "[]") }, piton.Invalid},
		{"a state that is not compact", func(e *store.Entry) { *e = entry(workflowA, 1, "{\n}") }, piton.Invalid},
		{"a state with a blank behind an escaped quote", func(e *store.Entry) { *e = entry(workflowA, 1, `{"a":"\" ", "b":1}`) }, piton.Invalid},
		{"a state with blanks in a string", func(e *store.Entry) { *e = entry(workflowA, 1, `{"a":"\" \\ b"}`) }, ""},
		{"a state that is not JSON", func(e *store.Entry) { *e = entry(workflowA, 1, "{x}") }, piton.Invalid},
		{"a key twice", func(e *store.Entry) { *e = entry(workflowA, 1, `{"a":1,"a":2}`) }, piton.Invalid},
		{"a state too large", func(e *store.Entry) { *e = entry(workflowA, 1, `{"a":"`+strings.Repeat("x", 64<<20)+`"}`) }, piton.Invalid},
		{"a text that is not UTF-8", func(e *store.Entry) { e.Checkpoint.Name = "a\xffb" }, piton.Invalid},
		{"a workflow's text that is not UTF-8", func(e *store.Entry) { e.Workflow.Name = "a\xffb" }, piton.Invalid},
		{"an origin that is not UTF-8", func(e *store.Entry) { e.Origin = "\xff" }, piton.Invalid},
		{"a text without measure", func(e *store.Entry) { e.Checkpoint.Description = strings.Repeat("x", 1<<20) }, piton.Invalid},
		{"a time beyond the calendar", func(e *store.Entry) { e.Checkpoint.CreatedAt = piton.FromMillis(1 << 52) }, piton.Invalid},
		{"another workflow", func(e *store.Entry) { e.Checkpoint.WorkflowID = workflowB }, piton.Invalid},
		{"no id", func(e *store.Entry) { e.Checkpoint.ID = "" }, piton.Invalid},
	} {
		e := some()[0]
		c.change(&e)
		err := archive.Encode(io.Discard, sequence([]store.Entry{some()[1], e}))
		if piton.CodeOf(err) != c.code {
			t.Errorf("%s: got %v, want %s", c.name, err, c.code)
		} else if typed, ok := err.(*piton.Error); ok && (typed.Hint == "" || typed.Op == "") {
			t.Errorf("%s: got %+v, want what was tried and a hint", c.name, typed)
		}
	}
	own := piton.Errorf(piton.NotFound, "read", "", "gone")
	failing := func(yield func(redact.Clean[store.Entry], error) bool) {
		if yield(redact.Unchecked(some()[0]), nil) {
			yield(redact.Clean[store.Entry]{}, own)
		}
	}
	if err := archive.Encode(io.Discard, failing); err != error(own) {
		t.Errorf("got %v, want the entries' own error", err)
	}
	full := writer(func(b []byte) (int, error) { return 0, errors.New("no space left") })
	for _, form := range forms {
		if err := form.encode(full, sequence(some())); piton.CodeOf(err) != piton.Unavailable {
			t.Errorf("%s: got %v of a full disk, want unavailable", form.name, err)
		}
	}
}

type writer func([]byte) (int, error)

func (w writer) Write(b []byte) (int, error) { return w(b) }

// The deepest state that can be saved can be archived.
func TestDeepState(t *testing.T) {
	want := []store.Entry{entry(workflowA, 1, `{"a":`+strings.Repeat("[", 9998)+strings.Repeat("]", 9998)+`}`)}
	got, err := collect(archive.Decode(bytes.NewReader(encoded(t, archive.Encode, want))))
	if err != nil {
		t.Fatal(err)
	}
	same(t, "read back", got, want)
}

// Successive states that differ little cost little.
func TestSuccessiveStatesShare(t *testing.T) {
	var list []store.Entry
	var log strings.Builder
	plain := 0
	for i := range 60 {
		for j := range 1000 {
			log.WriteString(sum(fmt.Sprint(i, j))[:20])
		}
		list = append(list, entry(workflowA, i+1, `{"log":["`+log.String()+`"]}`))
		plain += log.Len()
	}
	// All that is new are 20 hex digits 60,000 times: 10 random bytes each.
	if size := len(encoded(t, archive.Encode, list)); size > 60*1000*10*5/4 {
		t.Errorf("got %d bytes for %d of states, want the sharing to be seen", size, plain)
	}
}

// What reading takes does not grow with the file.
func TestMemoryIsBoundedByAState(t *testing.T) {
	const each, n = 1 << 20, 128
	text := strings.Repeat("0123456789abcdef", each/16)
	r, w := io.Pipe()
	go func() {
		w.CloseWithError(archive.EncodeLines(w, func(yield func(redact.Clean[store.Entry], error) bool) {
			for i := range n {
				if !yield(redact.Unchecked(entry(workflowA, i+1, fmt.Sprintf(`{"n":%d,"text":%q}`, i, text))), nil) {
					return
				}
			}
		}))
	}()
	count, most := 0, uint64(0)
	for _, err := range archive.Decode(r) {
		if err != nil {
			t.Fatal(err)
		}
		if count++; count%16 == 0 {
			var m runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&m)
			most = max(most, m.HeapAlloc)
		}
	}
	if count != n || most > 32*each {
		t.Errorf("got %d entries with up to %d bytes alive, want %d within %d", count, most, n, 32*each)
	}
}

func FuzzDecode(f *testing.F) {
	for _, form := range forms {
		file := encoded(f, form.encode, some())
		for _, seal := range []bool{false, true} {
			f.Add(file, seal)
			f.Add(file[:len(file)/2], seal)
		}
	}
	f.Add([]byte(`{"format":"piton-archive","version":2,"sum":""}`+"\n"), true)
	f.Fuzz(func(t *testing.T, file []byte, seal bool) {
		if seal { // to get past the sums
			file = []byte(reseal(string(file)))
		}
		got, err := collect(archive.Decode(bytes.NewReader(file)))
		if code := piton.CodeOf(err); err != nil && code != piton.Invalid && code != piton.Corrupt {
			t.Fatalf("got %v (%s), want invalid or corrupt", err, code)
		}
		for _, e := range got {
			if sum(string(e.State)) != e.Checkpoint.SHA256 {
				t.Fatalf("got the state %q, which does not match its sum", e.State)
			}
		}
		if err != nil {
			return
		}
		// What was read can be written, and is then the same.
		again, err := collect(archive.Decode(bytes.NewReader(encoded(t, archive.EncodeLines, got))))
		if err != nil {
			t.Fatal(err)
		}
		same(t, "written again", again, got)
	})
}
