//go:build unix

package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/piton-project/piton/internal/testkit/need"
)

// verbTime bounds any verb on a folder of a few files, however they look.
const verbTime = 60 * time.Second

// shared is a home, a store's folder, and what lies around it and is nobody's
// to touch.
type shared struct {
	t                    *testing.T
	home, store, outside string
	ids                  []string
}

// ran is what a verb answered.
type ran struct {
	status      int
	out, errOut string
}

// piton runs a verb in this process. It fails the test when the verb panics or
// takes too long.
func (p shared) piton(args ...string) ran {
	p.t.Helper()
	return p.with("", args...)
}

func (p shared) with(in string, args ...string) ran {
	p.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	env := map[string]string{"HOME": filepath.Join(p.home, "user"), "PITON_HOME": filepath.Join(p.home, "state"), "PITON_STORE": ""}
	if p.store != "" {
		env["PITON_STORE"] = "file:" + p.store
	}
	var out, errOut bytes.Buffer
	done := make(chan string, 1)
	var status int
	go func() {
		defer func() {
			if x := recover(); x != nil {
				done <- fmt.Sprintf("panic: %v\n%s", x, debug.Stack())
			}
			close(done)
		}()
		status = run(ctx, args, strings.NewReader(in), &out, &errOut, func(key string) string { return env[key] })
	}()
	select {
	case bad := <-done:
		if bad != "" {
			p.t.Fatalf("piton %q: %s", args, bad)
		}
	case <-time.After(verbTime):
		p.t.Fatalf("piton %q: it still runs after %s", args, verbTime)
	}
	return ran{status, out.String(), errOut.String()}
}

// template is a store's folder with three checkpoints, a branch, a finished
// workflow and another program's file; each test works on a copy.
func template(t *testing.T) shared {
	p := shared{t: t, home: t.TempDir(), store: filepath.Join(t.TempDir(), "store")}
	for _, args := range [][]string{
		{"save", "--workflow", "w", "--step-name", "One", "--state", "-"}, {"save", "--workflow", "w", "--step-name", "Two", "--state", "-"},
		{"save", "--workflow", "w", "--step-name", "Three", "--state", "-"}, {"save", "--workflow", "done", "--step-name", "Over", "--state", "-"},
	} {
		got := p.with(`{"a":["`+args[4]+`"]}`, args...)
		if got.status != 0 {
			t.Fatalf("piton %q: %+v", args, got)
		}
		p.ids = append(p.ids, strings.TrimSpace(got.out))
	}
	if got := p.piton("complete", "--workflow", "done"); got.status != 0 {
		t.Fatalf("complete: %+v", got)
	}
	theirs := `{"id":"V1StGXR8_Z5jdHi6B-myT","sessionId":"s1","phase":"Build","phaseNumber":3,"createdAt":"2026-02-01T12:00:00.000Z","completed":false,"taskSummary":"t","iscCriteria":[],"metadata":{}}`
	if err := os.WriteFile(filepath.Join(p.store, "checkpoints", "ckpt-theirs.json"), []byte(theirs), 0o600); err != nil {
		t.Fatal(err)
	}
	return p
}

// copied is a copy of a place with the outside around the store: a folder above
// it that holds a login script, JSON, an archive's name, and a store's files.
func (p shared) copied(t *testing.T) shared {
	t.Helper()
	q := shared{t: t, home: t.TempDir(), outside: t.TempDir(), ids: p.ids}
	q.store = filepath.Join(q.outside, "deep", "store")
	err := errors.Join(os.MkdirAll(q.store, 0o700), os.CopyFS(q.store, os.DirFS(p.store)), os.CopyFS(q.home, os.DirFS(p.home)))
	for name, text := range map[string]string{
		".bashrc": "export A=1\n", "settings.json": `{"a":1}`, "piton-20260102-0123456789abcdef.jsonl.zst": "x", "victim/one.json": `{"b":2}`,
		"victim/checkpoints/ckpt-x.json": "{}", "victim/events/2026-01-01.jsonl": "{}\n", "deep/beside.json": `{}`, "ckpt-x.json": "{}",
	} {
		name = filepath.Join(q.outside, name)
		err = errors.Join(err, os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, []byte(text), 0o640))
	}
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// around is everything outside of the store: names, kinds, modes, contents.
func (p shared) around() map[string]string {
	p.t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(p.outside, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if file == p.store {
			return fs.SkipDir
		}
		info, err := d.Info()
		text := ""
		if err == nil && info.Mode().IsRegular() {
			var raw []byte
			raw, err = os.ReadFile(file)
			text = string(raw)
		}
		all[file] = fmt.Sprintf("%v %q", info.Mode(), text)
		return err
	})
	if err != nil {
		p.t.Fatal(err)
	}
	return all
}

// verbs are those that read and write a store.
func (p shared) verbs() [][]string {
	one, two := p.ids[0], p.ids[1]
	return [][]string{
		{"list", "--open"}, {"load", two, "--nearest"}, {"inspect", two, "--raw"}, {"resume", "--workflow", "w"}, {"branches", "w"}, {"diff", one, two}, {"search", "two"}, {"verify"}, {"doctor"},
		{"save", "--workflow", "w", "--state", "-"}, {"fork", one, "--branch", "try"}, {"complete", "--workflow", "w"}, {"verify", "--repair"}, {"export", "--all", "--output", "-"},
		{"flush"}, {"delete", one}, {"prune"}, {"delete", "--workflow", "w", "--yes"}, {"list", "--json"},
	}
}

// oneIn is of how many hostile cases one is tried a day.
const oneIn = 9

// unharmed runs the verbs and fails the test where anything outside has
// changed, or a verb fails without saying why.
func (p shared) unharmed(verbs [][]string) {
	p.t.Helper()
	before := p.around()
	for _, args := range verbs {
		got := p.with(`{"state":"of stdin"}`, args...)
		if got.status != 0 && got.errOut+got.out == "" {
			p.t.Errorf("piton %q: status %d and not a word", args, got.status)
		}
		after := p.around()
		for name, was := range before {
			if after[name] != was {
				p.t.Fatalf("piton %q changed %s: was %s, is %s", args, name, was, after[name])
			}
		}
		for name, is := range after {
			if _, known := before[name]; !known {
				p.t.Fatalf("piton %q made %s: %s", args, name, is)
			}
		}
	}
}

// replacements are what can stand in a file's place.
var replacements = []struct {
	name string
	put  func(p shared, file string) error
}{
	{"a link to a file outside", func(p shared, file string) error { return os.Symlink(filepath.Join(p.outside, ".bashrc"), file) }},
	{"a link to JSON outside", func(p shared, file string) error { return os.Symlink("../../../settings.json", file) }},
	{"a link to what is not there", func(p shared, file string) error { return os.Symlink(filepath.Join(p.outside, "new"), file) }},
	{"a link to a folder outside", func(p shared, file string) error { return os.Symlink(filepath.Join(p.outside, "victim"), file) }},
	{"a link to itself", func(p shared, file string) error { return os.Symlink(filepath.Base(file), file) }},
	{"a link to a device", func(p shared, file string) error { return os.Symlink("/dev/zero", file) }},
	{"a second name of a file outside", func(p shared, file string) error { return os.Link(filepath.Join(p.outside, ".bashrc"), file) }},
	{"a pipe", func(p shared, file string) error { return syscall.Mkfifo(file, 0o600) }},
	{"an empty folder", func(p shared, file string) error { return os.Mkdir(file, 0o700) }},
	{"a full folder", func(p shared, file string) error { return os.MkdirAll(filepath.Join(file, "a", "b.json"), 0o700) }},
	{"a giant", func(p shared, file string) error {
		return errors.Join(os.WriteFile(file, []byte(`{"a":1}`), 0o600), os.Truncate(file, 1<<40))
	}},
	{"garbage", func(p shared, file string) error { return os.WriteFile(file, []byte("\x00\xff{{\"\n"), 0o600) }},
	{"nothing in it", func(p shared, file string) error { return os.WriteFile(file, nil, 0o600) }},
	{"deep JSON", func(p shared, file string) error {
		return os.WriteFile(file, []byte(strings.Repeat(`{"a":[`, 1<<19)), 0o600)
	}},
	{"JSON null", func(p shared, file string) error { return os.WriteFile(file, []byte("null\n"), 0o600) }},
}

// TestHostileFolder puts all kinds of things in the place of each file of a
// store: no verb reaches outside, panics or hangs.
func TestHostileFolder(t *testing.T) {
	p := template(t)
	files := []string{".piton.lock", "store.json", "journal.json", "seed.json", "checkpoints", "workflows", "events",
		".piton-store.json.tmp", ".piton-journal.json.tmp", ".piton-seed.json.tmp", "checkpoints/ckpt-extra.json", "checkpoints/.piton-ckpt-extra.json.tmp",
		"events/" + time.Now().UTC().Format(time.DateOnly) + ".jsonl", "events/" + time.Now().UTC().Add(24*time.Hour).Format(time.DateOnly) + ".jsonl"}
	for _, glob := range []string{"checkpoints/ckpt-2*.json", "workflows/*.json"} {
		found, err := filepath.Glob(filepath.Join(p.store, glob))
		if err != nil || len(found) < 2 {
			t.Fatalf("%s: got %q, %v", glob, found, err)
		}
		name, _ := filepath.Rel(p.store, found[1])
		files = append(files, name, filepath.Join(filepath.Dir(name), ".piton-"+filepath.Base(name)+".tmp"))
	}
	tried := need.Share(t, oneIn)
	for i, file := range files {
		for k, r := range replacements {
			if !tried(i + k) {
				continue
			}
			t.Run(strings.ReplaceAll(file, "/", ":")+" is "+r.name, func(t *testing.T) {
				t.Parallel()
				p := p.copied(t)
				at := filepath.Join(p.store, file)
				if err := errors.Join(os.RemoveAll(at), r.put(p, at)); err != nil {
					t.Fatal(err)
				}
				p.unharmed(p.verbs())
			})
		}
	}
}

// sealed gives a JSON object whose last member is "sum":"" its sum.
func sealed(object string) []byte {
	sum := sha256.Sum256([]byte(object))
	return []byte(strings.TrimSuffix(object, `"sum":""}`) + `"sum":"` + hex.EncodeToString(sum[:]) + "\"}\n")
}

// outsideNames are names that lead out of a folder, or are none.
var outsideNames = []string{"../../../.bashrc", "../../.bashrc", "OUTSIDE/.bashrc", "../../../victim/one.json", "../../../ckpt-x.json", "../../beside.json",
	"..", ".", "", "/", "a/../../../../.bashrc", "./../../../.bashrc", "sub/x.json", ".hidden.json", "x.json\n", "x.json\x00", `..\..\x.json`, strings.Repeat("a", 300) + ".json", "store.json/../../../../settings.json"}

// hostileJournals are sealed journals with names that are not the store's.
func hostileJournals() map[string]string {
	journal := func(rest string) string {
		return `{"store":{"format":1,"transaction":9000,"ordinal":9000,"sum":""},` + rest + `"sum":""}`
	}
	flow := `{"id":%s,"name":"","type":"custom","project":"","created_at":null,"seq":0,"closed":false,"branches":null,"sum":""}`
	all := map[string]string{
		"workflows null":             journal(`"workflows":[null],`),
		"a format that is not known": `{"store":{"format":2,"transaction":9000,"ordinal":1,"sum":""},"sum":""}`,
		"an impossible transaction":  `{"store":{"format":1,"transaction":9223372036854775807,"ordinal":1,"sum":""},"sum":""}`,
		"an impossible ordinal":      `{"store":{"format":1,"transaction":9000,"ordinal":-9223372036854775808,"sum":""},"sum":""}`,
		"an event of two lines":      journal(`"events":[{"file":"events/2026-01-01.jsonl","from":0,"lines":["{}\nrm -rf /"]}],`),
		"an event that is none":      journal(`"events":[{"file":"events/2026-01-01.jsonl","from":0,"lines":["touch x"]}],`),
		"events before the file":     journal(`"events":[{"file":"events/2026-01-01.jsonl","from":-9,"lines":["{}"]}],`),
		"events beside the folder":   journal(`"events":[{"file":"store.json","from":0,"lines":["{}"]}],`),
		"an event for a checkpoint":  journal(`"events":[{"file":"events/../checkpoints/x.jsonl","from":0,"lines":["{}"]}],`),
		"no journal":                 `[1,2]`,
	}
	for _, name := range outsideNames {
		raw, _ := json.Marshal(name)
		q := string(raw)
		all["put "+q] = journal(`"puts":[` + q + `],`)
		all["remove "+q] = journal(`"removes":[` + q + `],`)
		all["workflow "+q] = journal(`"workflows":[` + fmt.Sprintf(flow, q) + `],`)
		all["events "+q] = journal(`"events":[{"file":` + q + `,"from":0,"lines":["{\"a\":1}"]}],`)
		behind, _ := json.Marshal("events/" + name)
		all["events behind "+q] = journal(`"events":[{"file":` + string(behind) + `,"from":0,"lines":["{\"a\":1}"]}],`)
	}
	return all
}

// TestHostileJournal leaves journals that a store did not write: nothing of
// them is done, nothing of the store is lost, and it is said.
func TestHostileJournal(t *testing.T) {
	p := template(t)
	journals := hostileJournals()
	tried := need.Share(t, oneIn)
	for i, name := range slices.Sorted(maps.Keys(journals)) {
		if !tried(i) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := p.copied(t)
			text := strings.ReplaceAll(journals[name], "OUTSIDE", p.outside)
			if err := os.WriteFile(filepath.Join(p.store, "journal.json"), sealed(text), 0o600); err != nil {
				t.Fatal(err)
			}
			p.unharmed([][]string{{"list"}})
			got := p.piton("list")
			if got.status != 0 || !strings.Contains(got.errOut, "journal-damaged-") {
				t.Errorf("list: got %+v, want it to say that the journal was set aside", got)
			}
			for _, id := range p.ids[:3] {
				if !strings.Contains(got.out, id) {
					t.Errorf("list: got %s, want %s in it", got.out, id)
				}
			}
			if got := p.piton("verify"); got.status != 5 || !strings.Contains(got.out, "journal-damaged-") || !strings.Contains(got.out, "5 checked, 5 intact") {
				t.Errorf("verify: got %+v, want 5 intact and the journal", got)
			}
			if got := p.piton("doctor"); !strings.Contains(got.out, "journal-damaged-") {
				t.Errorf("doctor: got %s, want the journal in it", got.out)
			}
			p.unharmed([][]string{{"load", p.ids[1]}, {"save", "--workflow", "w", "--state", "-"}, {"delete", p.ids[0]}, {"prune"}, {"list"}})
		})
	}
}

// reseal changes the record of a checkpoint file and gives it the sum of what
// it says then.
func reseal(raw []byte, change func(record string) string) ([]byte, error) {
	text := string(raw)
	record, rest, ok := strings.Cut(text, ",\n  \"record_sha256\": \"")
	if !ok {
		return nil, errors.New("no record")
	}
	record = change(record)
	var b bytes.Buffer
	if err := json.Compact(&b, []byte(record+"}")); err != nil {
		return nil, err
	}
	sum := sha256.Sum256(b.Bytes())
	return []byte(record + ",\n  \"record_sha256\": \"" + hex.EncodeToString(sum[:]) + rest[64:]), nil
}

// TestHostileRecord writes names that lead outside, and numbers that cannot be,
// into every place of a checkpoint's record and of a workflow's file.
func TestHostileRecord(t *testing.T) {
	p := template(t)
	texts := []string{"id", "sessionId", "phase", "taskSummary", "workflow_id", "workflow", "workflow_type", "branch", "parent_id", "session_id", "project", "step_name", "archive", "file", "name", "trigger", "sha256"}
	numbers := []string{"seq", "ordinal", "state_bytes", "stored_bytes", "phaseNumber", "phase_number", "schema_version", "progress", "step_number"}
	values := []string{"9223372036854775807", "-9223372036854775808", "-1", "4503599627370497", "0"}
	type change struct{ key, value string }
	var changes []change
	for _, key := range texts {
		for _, name := range []string{"../../../.bashrc", "OUTSIDE/.bashrc", "../../victim/one", "\x1b]0;x\x07\r\n../x", "piton-20260102-0123456789abcdef.jsonl.zst", "../../../piton-20260102-0123456789abcdef.jsonl.zst"} {
			raw, _ := json.Marshal(name)
			changes = append(changes, change{key, string(raw)})
		}
	}
	for _, key := range numbers {
		for _, v := range values {
			changes = append(changes, change{key, v})
		}
	}
	for _, v := range []string{`"9999-12-31T23:59:59-12:00"`, `"0000-01-01T00:00:00+12:00"`, `"9999-12-31T23:59:59Z"`, `null`} {
		changes = append(changes, change{"created_at", v}, change{"createdAt", v}, change{"completed_at", v})
	}
	tried := need.Share(t, oneIn)
	for i, c := range changes {
		if !tried(i) {
			continue
		}
		t.Run(c.key+" is "+c.value, func(t *testing.T) {
			t.Parallel()
			p := p.copied(t)
			value := strings.ReplaceAll(c.value, "OUTSIDE", p.outside)
			file := p.fileOf(p.ids[1])
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			key := regexp.MustCompile(`\n  "` + c.key + `": [^\n]*?(,?\n|,?$)`)
			raw, err = reseal(raw, func(record string) string {
				if key.MatchString(record) {
					return key.ReplaceAllString(record, strings.ReplaceAll("\n  \""+c.key+`": `+value, "$", "$$")+"$1")
				}
				return record + ",\n  \"" + c.key + `": ` + value
			})
			if err == nil {
				err = os.WriteFile(file, raw, 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
			p.unharmed(p.verbs())
		})
	}
}

// fileOf finds a checkpoint's file.
func (p shared) fileOf(id string) string {
	p.t.Helper()
	files, err := filepath.Glob(filepath.Join(p.store, "checkpoints", "*.json"))
	for _, file := range files {
		if raw, err := os.ReadFile(file); err == nil && bytes.Contains(raw, []byte(strconv.Quote(id))) && bytes.HasPrefix(raw, []byte("{\n  \"id\": \""+id)) {
			return file
		}
	}
	p.t.Fatalf("no file of %s in %q, %v", id, files, err)
	return ""
}

// TestARecordWithAnotherStoresID: what is deleted from a store that others write
// to takes nothing of this machine's with it that only has the same id.
func TestARecordWithAnotherStoresID(t *testing.T) {
	here := shared{t: t, home: t.TempDir()}
	saved := here.with(`{"a":1}`, "save", "--workflow", "mine", "--state", "-")
	mine := strings.TrimSpace(saved.out)
	there := here
	there.store = filepath.Join(t.TempDir(), "store")
	theirs := there.with(`{"b":1}`, "save", "--workflow", "theirs", "--state", "-")
	if saved.status+theirs.status != 0 {
		t.Fatalf("save: got %+v, %+v", saved, theirs)
	}
	file := there.fileOf(strings.TrimSpace(theirs.out))
	raw, err := os.ReadFile(file)
	if err == nil {
		raw, err = reseal(raw, func(record string) string { return strings.Replace(record, strings.TrimSpace(theirs.out), mine, 1) })
	}
	if err := errors.Join(err, os.WriteFile(file, raw, 0o600)); err != nil {
		t.Fatal(err)
	}
	if got := there.piton("delete", "--workflow", "theirs", "--yes"); got.status != 0 || !strings.Contains(got.out, mine) {
		t.Fatalf("delete: got %+v", got)
	}
	if got := here.piton("load", mine); got.status != 0 || strings.TrimSpace(got.out) != `{"a":1}` {
		t.Errorf("load: got %+v, want this machine's own", got)
	}
}
