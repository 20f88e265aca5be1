package main

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/spf13/pflag"

	"github.com/piton-project/piton/internal/testkit/draw"
	"github.com/piton-project/piton/internal/testkit/need"
)

// planted are tokens in vendors' forms, each with the part that must not be seen.
var planted = []struct{ text, core string }{
	{"ghp_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8", "A1b2C3d4E5f6"},
	{"sk-ant-api03-Zz9Yy8Xx7Ww6Vv5Uu4Tt3Ss2Rr1Qq0Pp9Oo8Nn7Mm6Ll5Kk4Jj3Ii2Hh1Gg0Ff9Ee8Dd7Cc6Bb5Aa4-AA", "Yy8Xx7Ww6Vv5"},
	{"AKIAQ7WERTYUIOPASDF4", "Q7WERTYUIOP"},
	{"xoxb-123456789012-123456789012-aBcDeFgHiJkLmNoPqRsTuVwX", "aBcDeFgHiJkL"},
	{"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJxd2VydHkxMjMifQ.dBjftJeZ4CVPmB92K27uhbUJU1p1r_wW1gFWFOEjXkq", "dBjftJeZ4CVP"},
	{"postgres://app:t0pS3cretW0rdOfTheApp@db.internal/shop", "t0pS3cretW0rd"},
	{"Authorization: Bearer 9f8e7d6c5b4a39281706f5e4d3c2b1a0ffee", "9f8e7d6c5b4a3928"},
}

// TestNoSinkShowsASecret plants tokens in every text that save and fork take, in
// states and in what other commands are asked for, in every kind of store, and
// looks for them in all that is printed, logged, stored and exported. Flags that
// are added later are covered by themselves.
func TestNoSinkShowsASecret(t *testing.T) {
	for _, kind := range []string{"sqlite:piton.db", "file:files"} {
		t.Run(kind, func(t *testing.T) {
			seed := draw.Seed()
			t.Logf("seed %d", seed)
			for i := range need.Many(12, 2000) {
				plant(t, rand.New(rand.NewPCG(seed, uint64(i))), kind)
			}
		})
	}
}

func plant(t *testing.T, rnd *rand.Rand, kind string) {
	dir, err := os.MkdirTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	scheme, name, _ := strings.Cut(kind, ":")
	env := map[string]string{"HOME": dir, "PITON_HOME": dir + "/home", "PITON_STORE": scheme + ":" + dir + "/" + name, "PATH": os.Getenv("PATH")}
	var shown bytes.Buffer
	piton := func(in string, args ...string) {
		var stdin io.Reader = strings.NewReader(in)
		shown.WriteString("\n== " + args[0] + "\n")
		run(context.Background(), args, stdin, &shown, &shown, func(key string) string { return env[key] })
	}
	used := map[string]bool{}
	token := func() string {
		p := pick(rnd, planted)
		used[p.core] = true
		return pick(rnd, []string{"", "use ", "x="}) + p.text
	}

	piton(`{"a":1}`, "save", "--workflow", "job", "--state", "-", "--project", dir)
	for range 1 + rnd.IntN(3) {
		args := []string{"save", "--workflow", "job", "--state", "-", "--project", dir}
		for _, flag := range textFlags("save", "workflow", "state", "project", "session", "parent", "type", "token-usage", "trigger", "store") {
			if rnd.IntN(2) == 0 {
				args = append(args, "--"+flag, token())
			}
		}
		piton(`{"a":`+quoted(token())+`,"list":[{"note":`+quoted(token())+`}],`+quoted(token())+`:2}`, args...)
	}
	piton("", "fork", "job", "--project", dir)
	for range 3 {
		command := pick(rnd, []string{"list", "load", "resume", "search", "fork", "branches", "delete", "complete", "inspect", "diff"})
		args := []string{command}
		if flags := textFlags(command, "store", "state", "project"); len(flags) > 0 && rnd.IntN(2) == 0 {
			args = append(args, "--"+pick(rnd, flags), token())
		} else {
			args = append(args, token())
		}
		piton("", args...)
	}
	out := filepath.Join(dir, "export.jsonl.zst")
	for _, args := range [][]string{
		{"list"}, {"inspect", "job"}, {"load", "job"}, {"resume", "job"}, {"branches", "--workflow", "job"}, {"search", "use"}, {"explain"}, {"sessions"},
		{"config"}, {"doctor"}, {"verify"}, {"prune", "--dry-run"}, {"export", "--workflow", "job", "-o", out}, {"purge", "--secrets", "--dry-run"},
	} {
		if len(args) > 1 && args[1] == "job" {
			args = []string{args[0], "--workflow", "job", "--project", dir}
			if args[0] == "inspect" {
				continue // takes an id
			}
		}
		piton("", args...)
		if args[0] != "export" {
			piton("", append(args, "--json")...)
		}
	}
	if !strings.Contains(shown.String(), "[REDACTED:") {
		t.Fatalf("nothing was redacted:\n%s", shown.String())
	}
	look := func(where string, text []byte) {
		for core := range used {
			if i := bytes.Index(text, []byte(core)); i >= 0 {
				t.Errorf("%s shows the token with %q: %q", where, core, text[max(0, i-300):min(len(text), i+60)])
			}
		}
	}
	look("the output", shown.Bytes())
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		look(path, text)
		if plain, bad := unpacked(text); !bad {
			look(path+", unpacked", plain)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// textFlags are the flags of a command that take a text, without those named.
func textFlags(command string, without ...string) (names []string) {
	c, _, err := rootCommand(newConsole(nil, nil, nil, func(string) string { return "" })).Find([]string{command})
	if err != nil {
		panic(err)
	}
	visit := func(f *pflag.Flag) {
		if kind := f.Value.Type(); (kind == "string" || kind == "stringArray") && !slices.Contains(without, f.Name) {
			names = append(names, f.Name)
		}
	}
	c.LocalFlags().VisitAll(visit)
	return names
}

func pick[T any](rnd *rand.Rand, list []T) T { return list[rnd.IntN(len(list))] }

func quoted(s string) string { return `"` + strings.ReplaceAll(s, `"`, `\"`) + `"` }

func unpacked(text []byte) (plain []byte, bad bool) {
	r, err := zstd.NewReader(nil)
	if err != nil {
		return nil, true
	}
	defer r.Close()
	plain, err = r.DecodeAll(text, nil)
	return plain, err != nil
}
