package filestore

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/testkit/need"
)

const someState = `{"b":1.0,"a":1e400,"c":-0,"d":"\ud800","e":"<\u00e9>","f":12345678901234567890123456789,"g":[]}`

// one makes a store with a line of three and returns the file of the second.
func one(t testing.TB) (dir, file string) {
	t.Helper()
	dir = t.TempDir()
	s := reopened(t, dir)
	flow(t, s, oldFlow, "release")
	put(t, s, prepared(chkA, oldFlow, `{"a":1}`), prepared(chkB, oldFlow, someState), prepared(chkC, oldFlow, `{"c":1}`))
	c, err := s.Checkpoint(t.Context(), chkB)
	if err != nil {
		t.Fatal(err)
	}
	return dir, filepath.Join(dir, c.File)
}

// listed fails unless all three are listed, the second as damaged, and its
// state is not answered; the others' are.
func listed(t testing.TB, s *Store, damaged bool) {
	t.Helper()
	page, err := s.List(t.Context(), piton.Query{Workflow: oldFlow})
	var ids []string
	for _, c := range page.Checkpoints {
		ids = append(ids, c.ID)
	}
	if err != nil || !slices.Equal(ids, []string{chkC, chkB, chkA}) {
		t.Fatalf("list: got %v, %v, want all three in order", ids, err)
	}
	b := page.Checkpoints[1]
	if b.Seq != 2 || b.Ordinal != 2 || damaged && b.Damaged == "" {
		t.Fatalf("got number %d, ordinal %d, damaged %q, want 2, 2 and why", b.Seq, b.Ordinal, b.Damaged)
	}
	if got, err := s.State(t.Context(), chkB); piton.CodeOf(err) != piton.Corrupt || got != nil {
		t.Fatalf("state: got %.60q, %v, want corrupt", got, err)
	}
	for id, want := range map[string]string{chkA: `{"a":1}`, chkC: `{"c":1}`} {
		if got, err := s.State(t.Context(), id); err != nil || string(got) != want {
			t.Fatalf("state of %s: got %q, %v, want %q", id, got, err, want)
		}
	}
}

func TestDamagedFileIsListedAndNotAnswered(t *testing.T) {
	for _, d := range []struct {
		name  string
		spoil func([]byte) []byte
	}{
		{"emptied", func(b []byte) []byte { return nil }},
		{"cut in the record", func(b []byte) []byte { return b[:100] }},
		{"cut in the state", func(b []byte) []byte { return b[:len(b)-10] }},
		{"cut at the end", func(b []byte) []byte { return b[:len(b)-2] }},
		{"longer", func(b []byte) []byte { return append(b, "x"...) }},
		{"twice", func(b []byte) []byte { return append(b, b...) }},
		{"zeros", func(b []byte) []byte { return make([]byte, len(b)) }},
		{"the id of another", func(b []byte) []byte { return bytes.Replace(b, []byte(chkB), []byte(chkA), 1) }},
		{"the id of none", func(b []byte) []byte { return bytes.Replace(b, []byte(chkB), []byte(chkD), 1) }},
		{"another number", func(b []byte) []byte { return bytes.Replace(b, []byte(`"seq": 2`), []byte(`"seq": 9`), 1) }},
		{"completed by hand", func(b []byte) []byte {
			return bytes.Replace(b, []byte(`"completed": false`), []byte(`"completed": true`), 1)
		}},
		{"another state under the old sum", func(b []byte) []byte { return bytes.Replace(b, []byte(`"b":1.0`), []byte(`"b":1.1`), 1) }},
		{"without its sum", func(b []byte) []byte {
			return bytes.Replace(b, []byte(`"record_sha256"`), []byte(`"record_sha257"`), 1)
		}},
		{"another JSON", func(b []byte) []byte { return []byte(`[1]`) }},
	} {
		t.Run(d.name, func(t *testing.T) {
			dir, file := one(t)
			warm := reopened(t, dir)
			if _, err := warm.List(t.Context(), piton.Query{}); err != nil {
				t.Fatal(err)
			}
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			bad := d.spoil(bytes.Clone(raw))
			if bytes.Equal(bad, raw) {
				t.Fatal("nothing was spoiled")
			}
			if err := need.Rewrite(file, bad); err != nil {
				t.Fatal(err)
			}
			if got, err := warm.State(t.Context(), chkB); piton.CodeOf(err) != piton.Corrupt || got != nil {
				t.Fatalf("state, from a store that knew it whole: got %.60q, %v, want corrupt", got, err)
			}
			s := reopened(t, dir)
			listed(t, s, !strings.Contains(d.name, "another state"))
			if faults, err := s.Check(t.Context()); err != nil || len(faults) == 0 && !strings.Contains(d.name, "another state") {
				t.Errorf("check: got %q, %v, want the fault", faults, err)
			}
			if err := s.MarkDamaged(t.Context(), chkB, redact.Value("its sum does not match")); err != nil {
				t.Fatal(err)
			}
			listed(t, s, true)
			// It stays where it is, whatever happens around it.
			do(t, s, func(tx store.Tx) error {
				_, err := tx.Delete(t.Context(), []string{chkA})
				return err
			})
			if b, err := s.Checkpoint(t.Context(), chkB); err != nil || b.ParentID != "" {
				t.Errorf("parent after the delete: got %q, %v, want none", b.ParentID, err)
			}
			if now, err := os.ReadFile(file); err != nil || !bytes.Equal(now, bad) {
				t.Errorf("the damaged file: got %q, %v, want it untouched", now, err)
			}
			if err := need.Rewrite(file, raw); err != nil {
				t.Fatal(err)
			}
			if got, err := s.State(t.Context(), chkB); err != nil || string(got) != someState {
				t.Errorf("state after the file was brought back: got %q, %v", got, err)
			}
		})
	}
}

// TestEveryFlippedByte spoils each byte of a file in turn, a third of them a day: the state is right
// or it is not answered, and the record is right or said to be damaged.
func TestEveryFlippedByte(t *testing.T) {
	dir, file := one(t)
	s := reopened(t, dir)
	want, err := s.Checkpoint(t.Context(), chkB)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	right, flips, tried := 0, 0, need.Share(t, 3)
	for i := range raw {
		if !tried(i) {
			continue
		}
		for _, bit := range []byte{0x01, 0x20, 0x80} {
			flips++
			bad := bytes.Clone(raw)
			bad[i] ^= bit
			if err := os.WriteFile(file, bad, 0o600); err != nil {
				t.Fatal(err)
			}
			reread(t, s)
			state, err := s.State(t.Context(), chkB)
			switch {
			case err == nil && string(state) == someState:
				right++
			case err == nil || piton.CodeOf(err) != piton.Corrupt:
				t.Fatalf("byte %d ^ %#x: got %q, %v, want the state or corrupt", i, bit, state, err)
			}
			got, err := s.Checkpoint(t.Context(), chkB)
			if err != nil {
				t.Fatalf("byte %d ^ %#x: %v", i, bit, err)
			}
			if got.Damaged == "" && (got.Seq != want.Seq || got.StepName != want.StepName || got.ParentID != want.ParentID || got.SHA256 != want.SHA256 || got.CreatedAt != want.CreatedAt || got.Completed) {
				t.Fatalf("byte %d ^ %#x: got the record %+v, not marked", i, bit, got)
			}
		}
	}
	// Only white space between keys may change unnoticed.
	if most := 150 * flips / (3 * len(raw)); right > most {
		t.Errorf("got %d of %d flips that hurt nothing, want at most %d", right, flips, most)
	}
}

func TestOtherProgramsMayFormatIt(t *testing.T) {
	dir, file := one(t)
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(strings.ReplaceAll(string(raw), "\n  ", "\n\t\t"), `": `, `" : `) + "\n\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s := reopened(t, dir)
	c, err := s.Checkpoint(t.Context(), chkB)
	got, err2 := s.State(t.Context(), chkB)
	if err != nil || c.Damaged != "" || err2 != nil || string(got) != someState {
		t.Errorf("got %q, %v, the state %q, %v; want it whole", c.Damaged, err, got, err2)
	}
}

func TestRaw(t *testing.T) {
	dir, file := one(t)
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, raw[:len(raw)-20], 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := reopened(t, dir).Raw(t.Context(), chkB)
	if err != nil || len(got) != 2 || string(got[0]) != someState[:len(someState)-20+len(tail)] || got[1] != nil {
		t.Errorf("got %q, %v, want the beginning and what is lost", got, err)
	}
}

// TestLostFiles takes away what can be known from the checkpoints.
func TestLostFiles(t *testing.T) {
	for _, spoil := range []struct{ name, glob, text string }{
		{"store.json damaged", storeFile, "{"}, {"store.json changed by hand", storeFile, `{"format":1,"transaction":99999,"ordinal":0,"sum":""}`}, {"workflow damaged", "workflows/*.json", "x"},
		{"workflow changed by hand", "workflows/*.json", `{"id":"` + oldFlow + `","name":"other","type":"x","created_at":null,"seq":0,"closed":true,"branches":null,"sum":""}`},
	} {
		t.Run(spoil.name, func(t *testing.T) {
			dir, _ := one(t)
			files, _ := filepath.Glob(filepath.Join(dir, spoil.glob))
			if len(files) != 1 {
				t.Fatalf("got %q, want one file", files)
			}
			if err := os.WriteFile(files[0], []byte(spoil.text), 0o600); err != nil {
				t.Fatal(err)
			}
			s := reopened(t, dir)
			if faults, err := s.Check(t.Context()); err != nil || len(faults) != 1 {
				t.Errorf("check: got %q, %v, want one fault", faults, err)
			}
			w, err := s.Workflow(t.Context(), "release", "")
			if err != nil {
				w, err = s.Workflow(t.Context(), "release", "prj_1")
			}
			if err != nil || w.Seq != 3 || w.HeadID != chkC || w.Closed || w.Type != piton.TypePhases {
				t.Fatalf("workflow: got %+v, %v, want its head and number", w, err)
			}
			put(t, s, prepared(chkD, oldFlow, `{}`))
			if c, err := s.Checkpoint(t.Context(), chkD); err != nil || c.Seq != 4 || c.Ordinal != 4 || c.ParentID != chkC {
				t.Errorf("the next: got %+v, %v, want the numbers 4", c, err)
			}
			if faults, err := reopened(t, dir).Check(t.Context()); err != nil || len(faults) != 0 {
				t.Errorf("check after a save: got %q, %v, want no fault", faults, err)
			}
		})
	}
}

// strange are files that no store of ours has written.
var strange = []string{
	``, `{}`, `[]`, `{"id":"x","sessionId":"s","phase":"p","phaseNumber":1,"createdAt":"2026-02-01T12:00:00Z","completed":true}`, `{"id":"chk_000000000000000b"}`,
	`{"phase":"","createdAt":"2026-02-01T12:00:00Z","phaseNumber":9223372036854775807}`, "\xff\xfe", `{"record_sha256":"x","state":{}}`, `{"a":1,"a":2}`,
}

// FuzzCheckpoint puts any bytes in the place of a checkpoint file.
func FuzzCheckpoint(f *testing.F) {
	dir, file := one(f)
	raw, err := os.ReadFile(file)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(raw)
	f.Add(raw[:len(raw)/2])
	for _, s := range strange {
		f.Add([]byte(s))
	}
	s := reopened(f, dir)
	f.Fuzz(func(t *testing.T, b []byte) {
		if err := os.WriteFile(filepath.Join(dir, checkpoints, "ckpt-any.json"), b, 0o600); err != nil {
			t.Fatal(err)
		}
		reread(t, s)
		withStranger(t, s, 4)
	})
}

// withStranger fails unless all are listed, the state of each is right or
// corrupt, and those of ours are right.
func withStranger(t testing.TB, s *Store, want int) []piton.Checkpoint {
	t.Helper()
	page, err := s.List(t.Context(), piton.Query{})
	if err != nil || len(page.Checkpoints) != want {
		t.Fatalf("list: got %d, %v, want %d checkpoints", len(page.Checkpoints), err, want)
	}
	for _, c := range page.Checkpoints {
		state, err := s.State(t.Context(), c.ID)
		switch {
		case err == nil && (!sums(state, c.SHA256) || c.StateBytes != int64(len(state))):
			t.Fatalf("got %q for %+v, want what sums up", state, c)
		case err == nil && c.Damaged != "":
			t.Fatalf("got %q of what is damaged: %s", state, c.Damaged)
		case err != nil && piton.CodeOf(err) != piton.Corrupt && (piton.CodeOf(err) != piton.NotFound || c.Archive == ""):
			t.Fatal(err)
		}
		if c.ID == chkA && string(state) != `{"a":1}` {
			t.Fatalf("the neighbour: got %q, %v", state, err)
		}
	}
	return page.Checkpoints
}

func TestStrangeFilesKeepTheirNumbers(t *testing.T) {
	for _, text := range strange {
		dir, _ := one(t)
		if err := os.WriteFile(filepath.Join(dir, checkpoints, "ckpt-any.json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		before := withStranger(t, reopened(t, dir), 4)
		s := reopened(t, dir)
		put(t, s, prepared(chkD, oldFlow, `{"d":1}`))
		after := withStranger(t, reopened(t, dir), 5)
		for _, c := range before {
			if !slices.ContainsFunc(after, func(d piton.Checkpoint) bool { return d.ID == c.ID && d.Seq == c.Seq && d.Ordinal == c.Ordinal }) {
				t.Errorf("%q: %s lost its id or number", text, c.ID)
			}
		}
	}
}

// TestASizeBelowNothing: a sum without a key can be made for any record.
func TestASizeBelowNothing(t *testing.T) {
	for _, size := range []string{"-1", "-2", "-9223372036854775808", "9223372036854775807"} {
		dir, file := one(t)
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		at := bytes.Index(raw, []byte(sumLine))
		raw = regexp.MustCompile(`"state_bytes": [0-9]+`).ReplaceAll(raw[:at+len(sumLine)+64], []byte(`"state_bytes": `+size))
		for _, end := range []string{stateLine + "xx", stateLine + "x", stateLine, stateLine + tail, bareTail} {
			if err := os.WriteFile(file, withSum([]byte(string(raw)+end)), 0o600); err != nil {
				t.Fatal(err)
			}
			s := reopened(t, dir)
			listed(t, s, true)
			if _, err := s.Raw(t.Context(), chkB); err != nil {
				t.Errorf("%s, %q: raw: %v", size, end, err)
			}
		}
	}
}

// TestTheOtherOfTwoFilesComesBack: of two files with one id the second is damaged, and
// whole once the first is gone, for who has an index as for who reads anew.
func TestTheOtherOfTwoFilesComesBack(t *testing.T) {
	dir, file := one(t)
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, checkpoints, "zz.json"), raw, 0o600); err != nil {
		t.Fatal(err)
	}
	withStranger(t, reopened(t, dir), 4)
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	s := reopened(t, dir)
	if diff := differ(seen(t, anew(t, dir)), seen(t, s)); diff != "" {
		t.Errorf("who has an index sees +, who reads anew -\n%s", diff)
	}
	if state, err := s.State(t.Context(), chkB); err != nil || string(state) != someState {
		t.Errorf("got %q, %v, want the state", state, err)
	}
}

// TestASumThatCannotBe: a sum that is no number does not stop a list, whether the record
// that says so sums up or not.
func TestASumThatCannotBe(t *testing.T) {
	dir, file := one(t)
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	sum := regexp.MustCompile(`"sha256": "..`)
	spoiled := sum.ReplaceAll(raw, []byte(`"sha256": "xx`))
	copied := filepath.Join(dir, checkpoints, "z.json") // the events do not know it
	for _, text := range [][]byte{spoiled, withSum(spoiled)} {
		err := errors.Join(os.WriteFile(file, text, 0o600), os.WriteFile(copied, bytes.Replace(text, []byte(chkB), []byte(chkD), 1), 0o600))
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range []*Store{reopened(t, dir), anew(t, dir)} {
			page, err := s.List(t.Context(), piton.Query{})
			damaged := 0
			for _, c := range page.Checkpoints {
				if c.Damaged != "" {
					damaged++
				}
			}
			if err != nil || len(page.Checkpoints) != 4 || damaged != 2 {
				t.Errorf("list: got %d, %d of them damaged, %v, want 4 and 2", len(page.Checkpoints), damaged, err)
			}
		}
	}
}
