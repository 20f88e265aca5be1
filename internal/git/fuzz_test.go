package git

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"
)

// porcelain writes a status as git would.
func porcelain(st Status) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\x00", args...) }
	if st.Head != "" {
		line("# branch.oid %s", st.Head)
	}
	if st.Branch != "" {
		line("# branch.head %s", st.Branch)
	}
	for _, e := range st.Entries {
		sub, mode := "N...", "100644"
		if e.Submodule {
			sub = "S..."
		}
		if e.Deleted {
			mode = "000000"
		}
		switch {
		case e.Code == "??":
			line("? %s", e.Path)
		case e.OrigPath != "" && e.Untracked:
			line("2 %s. %s 1 1 %s h h R100 %s", e.Code[:1], sub, mode, e.Path)
			line("%s", e.OrigPath)
			line("? %s", e.Path)
		case e.OrigPath != "":
			line("2 %s %s 1 1 %s h h R100 %s", e.Code, sub, mode, e.Path)
			line("%s", e.OrigPath)
		case e.Untracked:
			line("1 %s. %s 1 1 %s %s h %s", e.Code[:1], sub, mode, e.InHead, e.Path)
			line("? %s", e.Path)
		default:
			line("1 %s %s 1 1 %s %s h %s", e.Code, sub, mode, e.InHead, e.Path)
		}
	}
	return b.String()
}

// Whatever is understood is understood the same when written again.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"# branch.oid (initial)\x00# branch.head main\x00? new\x00",
		"# branch.oid 12\x00# branch.ab +? -?\x001 .M N... 100644 100644 100644 a b f g\x00",
		"2 R. N... 100644 100644 100644 a b R100 new\x00old\x00? old\x00",
		"u UD N... 100644 100644 000000 000000 a b c both\x00! ignored\x00",
		"1 D. N... 100644 000000 000000 a b kept\x00? kept\x00",
		"1 .M SC.. 160000 160000 160000 a b sub\x00? cut of",
		"2 R. N... 1 1 1 a b R100 new\x00old\x00? new\x00",
		"2 µ N... 1 1 1 a b R100 new\x00old\x00? new\x00", "2 R. N... 1 1 1 a b R100 new\x00", "1 .M\x00", "?\x00", "\x00\x00",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, out []byte) {
		st, err := parse(out)
		if err != nil {
			return
		}
		for i, e := range st.Entries {
			if e.Path == "" || len(e.Code) != 2 || i > 0 && st.Entries[i-1].Path >= e.Path {
				t.Errorf("got %+v from %q", st.Entries, out)
			}
		}
		again, err := parse([]byte(porcelain(st)))
		if err != nil || !reflect.DeepEqual(st, again) {
			t.Errorf("got %+v, %v, want %+v", again, err, st)
		}
	})
}

func FuzzParseNames(f *testing.F) {
	f.Add([]byte("c370bf7a0fe320860db5884e8e7dda86275f2f38 \x00\nR100\x00b\x00c\x00M\x00a\x00"))
	f.Add([]byte("R100\x00b"))
	f.Fuzz(func(t *testing.T, out []byte) {
		files, _ := parseNames(out)
		for _, file := range files {
			if file.Path == "" || len(file.Code) != 1 || !file.Committed {
				t.Errorf("got %+v from %q", file, out)
			}
		}
	})
}

func FuzzBaselineJSON(f *testing.F) {
	f.Add([]byte(`{"head":"1","taken":5,"files":{"a":"M. 1 2 3 4 5 6","b":".D","/ff":"??  "}}`))
	f.Add([]byte(`{"files":{"/x":""}}`))
	f.Add([]byte(`{"files":{"a":"M. zzzzzzzzzzzzzzzz 1 1 1 1"}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var b, again Baseline
		if json.Unmarshal(data, &b) != nil {
			return
		}
		kept, err := json.Marshal(b)
		if err == nil {
			err = json.Unmarshal(kept, &again)
		}
		if err != nil || len(again.Files) != len(b.Files) || again.Head != b.Head || !again.Taken.Equal(b.Taken) {
			t.Errorf("got %+v, %v, want %+v", again, err, b)
		}
	})
}

func TestBaselineJSON(t *testing.T) {
	want := Baseline{Head: "12", Branch: "m\xffain", Taken: time.Unix(0, 1_700_000_000_123_456_789), Bounded: true, Files: map[string]Print{
		"a":         {Code: "M.", Size: 1 << 40, ModNano: -5, CtimeNano: 1_700_000_000_123_456_789, Inode: 1<<64 - 1, Mode: 0o644, Hash: "abc"},
		"no hash":   {Code: "??", Mode: 1 << 31},
		"gone":      {Code: ".D", Missing: true},
		"\xff\x00/": {Code: "??"},
	}}
	kept, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var got Baseline
	if err := json.Unmarshal(kept, &got); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v, want %+v (as %s)", got, err, want, kept)
	}
	for _, bad := range []string{`[]`, `{"files":{"a":"M. 1"}}`, `{"files":{"a":"M. 1 2 3 4 -5"}}`, `{"files":{"/x":"M."}}`, `{"branch":"/x"}`} {
		if err := json.Unmarshal([]byte(bad), &got); err == nil {
			t.Errorf("%s: got no error, want one", bad)
		}
	}
}

func TestBaselineStaysSmall(t *testing.T) {
	b := Baseline{Files: make(map[string]Print)}
	for i := range 10_000 {
		b.Files[fmt.Sprintf("internal/some/folder/of/%03d/file_%05d.go", i/50, i)] = Print{Code: "??", Size: int64(i * 7), Mode: 0o644,
			ModNano: 1_700_000_000_123_456_789 + int64(i), CtimeNano: 1_700_000_000_123_999_999, Inode: uint64(5_000_000 + i)}
	}
	kept, err := json.Marshal(b)
	if err != nil || len(kept) > 1_000_000 {
		t.Errorf("got %d bytes, %v, want at most 1,000,000", len(kept), err)
	}
	t.Logf("%d bytes", len(kept))
}
