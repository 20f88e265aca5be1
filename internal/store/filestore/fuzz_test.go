package filestore

import (
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

// fuzzed are the files of a store that FuzzFolder writes, below its folder.
var fuzzed = []string{
	journalFile, storeFile, seedFile, workflows + "/" + oldFlow + ".json", workflows + "/" + newFlow + ".json", events + "/2026-03-04.jsonl", checkpoints + "/ckpt-any.json",
	checkpoints + "/" + stagedPrefix + "ckpt-any.json" + stagedSuffix, lockFile, stagedPrefix + storeFile + stagedSuffix,
}

// lastSum is the sum of a file that carries its own.
var lastSum = regexp.MustCompile(`"sum":\s*"[^"]*"\s*}\s*$`)

// withSum gives bytes the sum they need to be taken for the store's own, where
// that is possible: of a record, or of the whole.
func withSum(raw []byte) []byte {
	text := string(raw)
	if at := strings.Index(text, sumLine); at > 0 && len(text) >= at+len(sumLine)+64 {
		if sum, err := sumOf([]byte(text[:at-1] + "}")); err == nil {
			return []byte(text[:at+len(sumLine)] + sum + text[at+len(sumLine)+64:])
		}
	}
	if at := lastSum.FindStringIndex(text); at != nil {
		bare := text[:at[0]] + `"sum":""}`
		// As the store does it: what is not known is left out of the sum.
		for _, v := range []func() (any, *string){
			func() (any, *string) { j := &journal{}; return j, &j.Sum }, func() (any, *string) { m := &meta{}; return m, &m.Sum }, func() (any, *string) { w := &workflow{}; return w, &w.Sum },
		} {
			v, sum := v()
			dec := json.NewDecoder(strings.NewReader(bare))
			dec.DisallowUnknownFields()
			if dec.Decode(v) != nil {
				continue
			}
			*sum = ""
			if again, err := plain(v); err == nil {
				if got, err := sumOf(again); err == nil {
					return []byte(text[:at[0]] + `"sum":"` + got + `"}`)
				}
			}
		}
	}
	return raw
}

// tree is everything in a folder but one below it: names and contents.
func tree(t testing.TB, dir, but string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if file == but {
			return fs.SkipDir
		}
		all[file] = ""
		if err == nil && !d.IsDir() {
			var raw []byte
			raw, err = os.ReadFile(file)
			all[file] = string(raw)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// FuzzFolder puts any bytes into any file of a store, with a fitting sum if
// that is asked for, and uses the store. Nothing outside of it changes, what is
// answered sums up, and what is saved can be read again.
func FuzzFolder(f *testing.F) {
	template := f.TempDir()
	s := reopened(f, template)
	flow(f, s, oldFlow, "release")
	put(f, s, prepared(chkA, oldFlow, `{"a":1}`), prepared(chkB, oldFlow, someState))
	for which, name := range fuzzed {
		raw, err := os.ReadFile(filepath.Join(template, name))
		if err != nil {
			raw = []byte(`{}`)
		}
		f.Add(uint8(which), raw, true)
		f.Add(uint8(which), raw, false)
	}
	c, err := s.Checkpoint(f.Context(), chkB)
	raw, err2 := os.ReadFile(filepath.Join(template, c.File))
	if err != nil || err2 != nil {
		f.Fatal(err, err2)
	}
	for _, from := range []string{`"seq": 2`, `"state_bytes": `, `"ordinal": 2`, `"branch": "main"`, `"workflow_id": "`} {
		for _, to := range []string{"-1", "9223372036854775807", "../../../x", ""} {
			key, _, _ := strings.Cut(from, ":")
			f.Add(uint8(6), []byte(strings.Replace(string(raw), from, key+`: `+to, 1)), true)
		}
	}
	f.Add(uint8(6), raw, true)
	for _, text := range []string{
		`{"store":{"format":1,"transaction":99,"ordinal":9,"sum":""},"puts":["../../outside.json"],"sum":""}`, `{"store":{"format":1,"transaction":99,"ordinal":9,"sum":""},"removes":["../../outside.json","ckpt-any.json"],"sum":""}`,
		`{"store":{"format":1,"transaction":99,"ordinal":9,"sum":""},"events":[{"file":"events/../../outside.json","from":0,"lines":["{}"]}],"sum":""}`,
		`{"store":{"format":1,"transaction":99,"ordinal":9,"sum":""},"workflows":[{"id":"../../outside","name":"","type":"x","created_at":null,"seq":1,"closed":false,"branches":null,"sum":""},null],"sum":""}`,
		`{"store":{"format":1,"transaction":99,"ordinal":9,"sum":""},"seed":{"set":"../x","clear":["y"]},"sum":""}`,
	} {
		f.Add(uint8(0), []byte(text), true)
	}
	f.Fuzz(func(t *testing.T, which uint8, raw []byte, seal bool) {
		around := t.TempDir()
		dir := filepath.Join(around, "deep", "store")
		err := os.MkdirAll(dir, 0o700)
		if err == nil {
			err = os.CopyFS(dir, os.DirFS(template))
		}
		for _, name := range []string{"outside.json", "x", "deep/outside.json", "deep/x.json"} {
			if err == nil {
				err = os.WriteFile(filepath.Join(around, name), []byte("theirs"), 0o600)
			}
		}
		if seal {
			raw = withSum(raw)
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, fuzzed[int(which)%len(fuzzed)]), raw, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		before := tree(t, around, dir)
		use(t, dir)
		after := tree(t, around, dir)
		for name, was := range before {
			if after[name] != was {
				t.Fatalf("%s was %q, is %q", name, was, after[name])
			}
		}
		if len(after) != len(before) {
			t.Fatalf("got %d files outside, want %d", len(after), len(before))
		}
	})
}

// use does what can be done with a store. It fails where an answer is wrong.
func use(t testing.TB, dir string) {
	t.Helper()
	ctx := context.Background()
	s := reopened(t, dir)
	answers := func(s *Store) {
		page, err := s.List(ctx, piton.Query{})
		if err != nil {
			t.Fatalf("list: %v", err)
		}
		for _, c := range page.Checkpoints {
			state, err := s.State(ctx, c.ID)
			switch {
			case err == nil && !sums(state, c.SHA256):
				t.Fatalf("got %q for %+v, want what sums up", state, c)
			case err != nil && piton.CodeOf(err) != piton.Corrupt && (piton.CodeOf(err) != piton.NotFound || c.Archive == ""):
				t.Fatalf("state of %s: %v", c.ID, err)
			}
			s.Children(ctx, c.ID)
			s.Raw(ctx, c.ID)
			s.Branches(ctx, c.WorkflowID)
		}
		if _, err := s.Check(ctx); err != nil {
			t.Fatalf("check: %v", err)
		}
	}
	answers(s)
	id := piton.NewID(piton.CheckpointPrefix)
	err := s.Save(ctx, func(tx store.Tx) error {
		if err := tx.PutWorkflow(ctx, redact.Value(piton.Workflow{ID: "wf_0000000000000009", Type: piton.TypePlan, CreatedAt: piton.At(when)})); err != nil {
			return err
		}
		_, err := tx.Append(ctx, redact.Value(prepared(id, "wf_0000000000000009", `{"new":1}`)))
		return err
	})
	if code := piton.CodeOf(err); err != nil && code != piton.Invalid && code != piton.Unavailable && code != piton.Conflict {
		t.Fatalf("save: %v", err)
	}
	if err == nil {
		if got, err := reopened(t, dir).State(ctx, id); err != nil || string(got) != `{"new":1}` {
			t.Fatalf("what was saved: got %q, %v", got, err)
		}
	}
	for _, id := range []string{chkA, chkB} {
		s.MarkDamaged(ctx, id, redact.Value("for the test"))
		s.Save(ctx, func(tx store.Tx) error { return tx.Complete(ctx, id, piton.At(when)) })
	}
	s.Save(ctx, func(tx store.Tx) error { _, err := tx.Delete(ctx, []string{chkA}); return err })
	s.Repair(ctx)
	answers(reopened(t, dir))
}
