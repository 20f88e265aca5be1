package filestore

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
)

const ref = "chk_0000000000000001"

func TestEditSeed(t *testing.T) {
	set, clear := seedChange{Set: ref}, seedChange{Clear: []string{ref, "V1St"}}
	for _, c := range []struct {
		name      string
		change    seedChange
		raw, want string
	}{
		{"none yet", set, ``, "{\n  \"state\": {\n    \"checkpointRef\": \"" + ref + "\"\n  }\n}\n"},
		{"empty object", set, `{}`, `{"state": {"checkpointRef": "` + ref + `"}}`},
		{"without state", set, "{\n  \"v\": 1e400\n}\n", "{\n  \"v\": 1e400,\n  \"state\": {\"checkpointRef\": \"" + ref + "\"}\n}\n"},
		{"empty state", set, `{"state":{ }}`, `{"state":{"checkpointRef": "` + ref + `" }}`},
		{"indented as its neighbours", set, "{\"state\": {\n    \"a\": 1,\n    \"b\": [ 2 ]\n  } , \"x\":-0}", "{\"state\": {\n    \"a\": 1,\n    \"b\": [ 2 ],\n    \"checkpointRef\": \"" + ref + "\"\n  } , \"x\":-0}"},
		{"other value", set, `{"b":"\u00e9","state":{"checkpointRef" :  "old","z":1},"a":12345678901234567890}`, `{"b":"\u00e9","state":{"checkpointRef" :  "` + ref + `","z":1},"a":12345678901234567890}`},
		{"value null", set, `{"state":{"checkpointRef":null}}`, `{"state":{"checkpointRef":"` + ref + `"}}`},
		{"twice, the last counts", set, `{"state":{"checkpointRef":"a","checkpointRef":"b"}}`, `{"state":{"checkpointRef":"a","checkpointRef":"` + ref + `"}}`},
		{"an escaped key", set, `{"state":{"checkpoint\u0052ef":"a"}}`, `{"state":{"checkpoint\u0052ef":"` + ref + `"}}`},
		{"clear", clear, `{"state": {"a":1, "checkpointRef": "` + ref + `", "b":2}}`, `{"state": {"a":1, "b":2}}`},
		{"clear the first", clear, `{"state": { "checkpointRef":"V1St" , "b":2}}`, `{"state": { "b":2}}`},
		{"clear the only one", clear, `{"state": { "checkpointRef":"V1St" }}`, `{"state": {  }}`},
		{"clear another's", clear, `{"state": {"checkpointRef": "other"}}`, ""},
		{"clear none", clear, `{"state": {}}`, ""},
		{"clear where there is no file", clear, ``, ""},
		{"clear a number", clear, `{"state": {"checkpointRef": 7}}`, ""},
		{"deeper is not it", clear, `{"x":{"state":{"checkpointRef":"` + ref + `"}},"state":{"y":{"checkpointRef":"` + ref + `"}}}`, ""},
		{"state is no object", set, `{"state":[1]}`, ""},
		{"no object", set, `[1]`, ""},
		{"no JSON", set, `{"state":{`, ""},
		{"two values", set, `{} {}`, ""},
		{"a byte order mark", set, "\ufeff{}", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.want == "" {
				c.want = c.raw
			}
			if got := string(editSeed([]byte(c.raw), c.change)); got != c.want {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

// FuzzSeed changes any bytes: what is no JSON stays as it is, what is JSON
// stays JSON, says what was set, and is as before once that is cleared again.
func FuzzSeed(f *testing.F) {
	for _, s := range []string{
		``, `{}`, `{"state":{}}`, "{\n\t\"a\" : 1e400 ,\n\t\"state\": {\"x\":\"\\ud800\"}\r\n}", `{"state":{"checkpointRef":"x","b":[{}]}}`, `{"state":null}`,
		`{"state":{"checkpointRef":"x","checkpointRef":1}}`, `[]`, "\xff", `{"a":"\xff"}`, `{"state":1,"state":{"a":{"state":{}}}}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		after := editSeed(raw, seedChange{Set: ref})
		if len(raw) > 0 && !json.Valid(raw) {
			if !bytes.Equal(raw, after) {
				t.Fatalf("got %q of what is no JSON, want it as it was", after)
			}
			return
		}
		if bytes.Equal(raw, after) {
			return // no object, or another kind of state
		}
		if !json.Valid(after) {
			t.Fatalf("got %q, want JSON", after)
		}
		top := membersOf(after, span{0, len(after)})
		got := membersOf(after, top.last("state").value).last("checkpointRef")
		if got == nil || string(after[got.value.from:got.value.to]) != `"`+ref+`"` {
			t.Fatalf("got %q, want it to name %s", after, ref)
		}
		if again := editSeed(after, seedChange{Set: ref}); !bytes.Equal(again, after) {
			t.Fatalf("set twice: got %q, want %q", again, after)
		}
		cleared := editSeed(after, seedChange{Clear: []string{ref}})
		before := membersOf(raw, span{0, len(raw)})
		if before == nil || before.last("state") == nil {
			return // state itself stays
		}
		had := membersOf(raw, before.last("state").value)
		if had != nil && had.last("checkpointRef") == nil && !bytes.Equal(cleared, raw) {
			t.Fatalf("set and cleared: got %q, want %q", cleared, raw)
		}
	})
}

func TestSeedFollowsTheStore(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, seedFile)
	original := "{\n  \"version\": 1.0,\n  \"state\": {\n    \"learning\": {\"x\": 1e400}\n  },\n  \"unknown\": [ ]\n}"
	if err := os.WriteFile(path, []byte(original), 0o640); err != nil {
		t.Fatal(err)
	}
	want := func(what, text string) {
		t.Helper()
		raw, err := os.ReadFile(path)
		if err != nil || string(raw) != text {
			t.Fatalf("%s: got %q, %v, want %q", what, raw, err, text)
		}
	}
	named := func(id string) string {
		return "{\n  \"version\": 1.0,\n  \"state\": {\n    \"learning\": {\"x\": 1e400},\n    \"checkpointRef\": \"" + id + "\"\n  },\n  \"unknown\": [ ]\n}"
	}
	s := reopened(t, dir)
	flow(t, s, oldFlow, "")
	want("after a workflow", original)
	put(t, s, prepared(chkA, oldFlow, `{}`))
	want("after a save", named(chkA))
	put(t, s, prepared(chkB, oldFlow, `{}`))
	want("after a second", named(chkB))
	do(t, s, func(tx store.Tx) error { return tx.Complete(t.Context(), chkA, piton.At(when)) })
	want("after another was completed", named(chkB))
	do(t, s, func(tx store.Tx) error { return tx.Complete(t.Context(), chkB, piton.At(when)) })
	want("after it was completed", original)
	put(t, s, prepared(chkC, oldFlow, `{}`))
	do(t, s, func(tx store.Tx) error {
		_, err := tx.Delete(t.Context(), []string{chkC})
		return err
	})
	want("after it was deleted", original)
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("mode: got %v, %v, want -rw-r-----", info.Mode(), err)
	}
	for _, broken := range []string{"{not JSON", "[]", `{"state":7}`} {
		if err := os.WriteFile(path, []byte(broken), 0o600); err != nil {
			t.Fatal(err)
		}
		put(t, s, prepared(piton.NewID(piton.CheckpointPrefix), oldFlow, `{}`))
		want("after a save beside what cannot be changed", broken)
	}
}

// TestSeedBehindALink: what a link leads to is not the store's to write.
func TestSeedBehindALink(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	target := filepath.Join(other, "real.json")
	const theirs = `{"a":1}`
	if err := os.WriteFile(target, []byte(theirs), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, filepath.Join(dir, seedFile)); err != nil {
		t.Fatal(err)
	}
	s := reopened(t, dir)
	flow(t, s, oldFlow, "")
	put(t, s, prepared(chkA, oldFlow, `{}`))
	if info, err := os.Lstat(filepath.Join(dir, seedFile)); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("got %v, %v, want the link still there", info.Mode(), err)
	}
	if raw, err := os.ReadFile(target); err != nil || string(raw) != theirs {
		t.Errorf("got %q, %v, want the file behind the link as it was", raw, err)
	}
	if faults, err := s.Check(t.Context()); err != nil || len(faults) != 1 || !strings.Contains(faults[0], seedFile) {
		t.Errorf("check: got %q, %v, want it to say that the link was left alone", faults, err)
	}
}

// do runs fn in a transaction and fails the test on an error.
func do(t testing.TB, s *Store, fn func(store.Tx) error) {
	t.Helper()
	if err := s.Save(t.Context(), fn); err != nil {
		t.Fatalf("save: got %v, want no error", err)
	}
}
