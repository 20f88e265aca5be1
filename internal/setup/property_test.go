package setup

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/piton-project/piton/internal/testkit/draw"
)

// Uninstall after Init gives back every byte, whatever the settings hold and however they are spelled, also after an upgrade; for
// a client that lets comments pass, with them.
func TestPropertyUnmergeRestores(t *testing.T) {
	for _, c := range allOfThem {
		t.Run(c.name, func(t *testing.T) {
			draw.Check(t, func(t *rapid.T) {
				f := form{"s.json", c.Comments}
				before := anySettings(t, c.Comments)
				empty := map[string]string{}
				after := before
				for _, step := range rapid.SliceOfN(rapid.SampledFrom(installations(c)), 1, 3).Draw(t, "installations") {
					after = install(t, f, after, empty, step)
				}
				if got := unmerged(t, f, after, remembered(t, c, empty)); !same(got, before) {
					t.Fatalf("before:\n%q\nwith hooks:\n%q\nafter:\n%q", before, after, got)
				}
			})
		})
	}
}

// Without the memory only what was empty can be lost.
func TestPropertyUnmergeWithoutMemory(t *testing.T) {
	for _, c := range allOfThem {
		t.Run(c.name, func(t *testing.T) {
			draw.Check(t, func(t *rapid.T) {
				f := form{"s.json", c.Comments}
				before := anySettings(t, c.Comments)
				empty := map[string]string{}
				after := install(t, f, before, empty, installations(c)[0])
				got := unmerged(t, f, after, map[string]string{})
				if len(empty) == 0 && !same(got, before) {
					t.Fatalf("nothing was empty. before:\n%q\nafter:\n%q", before, got)
				}
				if found, err := parse(f, got); err != nil || len(found) > 0 {
					t.Fatalf("still %d hooks, %v in:\n%q", len(found), err, got)
				}
			})
		})
	}
}

type installation struct {
	wanted  []hook
	command string
}

func installations(c agentClient) []installation {
	now := c.line(Target{Scope: User, Hook: "/usr/local/bin/piton-hook"})
	return []installation{
		{c.hooks(Target{}), now},
		{c.hooks(Target{EveryTool: true}), "/older/piton-hook " + c.name},
		{c.hooks(Target{NoTools: true}), now},
		{olderHooks(c), now},
		{c.hooks(Target{})[4:], c.line(Target{Scope: Project})},
		{[]hook{{event: c.Hooks.Stop, matcher: "x", timeout: 3}, {event: "Gone", timeout: 3}}, "piton-hook " + c.name},
	}
}

// install merges and checks what must hold of the result.
func install(t *rapid.T, f form, before []byte, empty map[string]string, in installation) []byte {
	merged := func(text []byte) []byte {
		after, err := merge(f, text, empty, in.wanted, in.command)
		if err != nil {
			t.Fatalf("merge: %v\n%q", err, text)
		}
		return after
	}
	after := merged(before)
	known := maps.Clone(empty)
	if again := merged(after); !bytes.Equal(again, after) || !maps.Equal(empty, known) {
		t.Fatalf("merged twice: got %q, want %q", again, after)
	}
	found, err := parse(f, after)
	if err != nil {
		t.Fatalf("merged into what cannot be read: %v\n%q", err, after)
	}
	for _, w := range in.wanted {
		if !slices.ContainsFunc(found, func(p place) bool { return w.matches(p) && p.command == in.command }) {
			t.Fatalf("no hook for %s in:\n%q", w.event, after)
		}
	}
	if len(found) != len(in.wanted) {
		t.Fatalf("got %d hooks, want %d in:\n%q", len(found), len(in.wanted), after)
	}
	return after
}

func unmerged(t *rapid.T, f form, text []byte, empty map[string]string) []byte {
	got, err := unmerge(f, text, empty)
	if err != nil {
		t.Fatalf("unmerge: %v\n%q", err, text)
	}
	return got
}

// remembered sends what Init noted through the file it is kept in.
func remembered(t *rapid.T, c agentClient, empty map[string]string) map[string]string {
	text, err := json.Marshal(memory{Empty: empty})
	if err != nil {
		t.Fatal(err)
	}
	var m memory
	if err := json.Unmarshal(text, &m); err != nil {
		t.Fatal(err)
	}
	for at, was := range m.Empty {
		if !c.emptyContainer(at, was) {
			t.Fatalf("noted as empty at %q: %q", at, was)
		}
	}
	if m.Empty == nil {
		m.Empty = map[string]string{}
	}
	return m.Empty
}

const bom = "\xef\xbb\xbf"

// speller writes random JSON in a random hand.
type speller struct {
	t             *rapid.T
	newline, unit string
	hand          string
	comments      bool
}

func anySettings(t *rapid.T, comments bool) []byte {
	s := speller{
		t:       t,
		newline: rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "newline"),
		unit:    rapid.SampledFrom([]string{"  ", "    ", "\t", " ", ""}).Draw(t, "unit"),
		hand:    rapid.SampledFrom([]string{"tidy", "tight", "spaced", "wild"}).Draw(t, "hand"),

		comments: comments && rapid.Bool().Draw(t, "comments"),
	}
	object := s.pick(12) > 0
	s.comments = s.comments && object // alone they are not settings
	text := s.wild()
	if object {
		text += s.object(0, []string{"hooks", "hooks", "hooks", "permissions", "mcpServers", "statusLine", "env", "model", `h\u006foks`, "grüße", "/~"}, s.hooks) + s.wild()
	} else if s.pick(3) == 0 {
		return nil
	}
	if s.pick(10) == 0 {
		text = bom + text
	}
	return []byte(text)
}

func (s speller) hooks(name string, depth int) string {
	if s.pick(12) == 0 {
		return "null"
	}
	switch name {
	case "permissions":
		return s.object(depth, []string{"allow", "deny", "allow"}, func(_ string, depth int) string {
			return s.list(depth, func(int) string { return s.oneOf(`"Bash"`, `"mcp__piton__checkpoint_load"`, `3`, `{}`) })
		})
	case "mcpServers":
		return s.object(depth, []string{"other", "piton", "o\u0074her"}, func(_ string, depth int) string { return s.value(depth) })
	case "statusLine":
		return s.oneOf(`{"type":"command","command":"x"}`, `{"type":"command","command":"piton-hook statusline"}`, `{}`, `null`, `"x"`)
	case "hooks", `h\u006foks`:
	default:
		return s.value(depth)
	}
	return s.object(depth, []string{"Stop", "Stop", "SessionStart", "PostToolUse", "PreToolUse", `St\u006fp`, "AfterAgent", "AfterTool", "Interrupt", "Gone", "X/~y"}, s.groups)
}

func (s speller) groups(_ string, depth int) string {
	if s.pick(12) == 0 {
		return "null"
	}
	return s.list(depth, func(depth int) string {
		if s.pick(8) == 0 {
			return s.value(depth)
		}
		return s.object(depth, []string{"hooks", "matcher", "extra"}, func(name string, depth int) string {
			if name == "matcher" {
				return s.oneOf(`"Bash"`, `"*"`, `""`, `3`)
			}
			return s.list(depth, func(int) string {
				return s.oneOf(`{"type":"command","command":"x && piton-hook claude"}`, `{ "type": "command", "command": "echo 'piton-hook'" }`, `{}`, `null`)
			})
		})
	})
}

func (s speller) value(depth int) string {
	if depth < 4 && s.pick(3) == 0 {
		return s.object(depth, []string{"a", "b", "hooks", "a"}, func(_ string, depth int) string { return s.value(depth) })
	}
	if depth < 4 && s.pick(3) == 0 {
		return s.list(depth, s.value)
	}
	return s.oneOf(`1`, `-0.0`, `1e400`, `123456789012345678901234567890`, `true`, `null`, `""`, `"\u00fc\ud83d\ude00\/"`, `"{\"hooks\":[,]}"`, `"ü ' , ]"`)
}

func (s speller) object(depth int, names []string, value func(name string, depth int) string) string {
	return s.container(depth, "{", "}", func(depth int) string {
		name := s.oneOf(names...)
		colon := map[string]string{"tidy": ": ", "spaced": ": ", "tight": ":"}[s.hand]
		if s.hand == "wild" {
			colon = s.wild() + ":" + s.wild()
		}
		return `"` + name + `"` + colon + value(name, depth)
	})
}

func (s speller) list(depth int, value func(depth int) string) string {
	return s.container(depth, "[", "]", value)
}

func (s speller) container(depth int, opening, closing string, child func(depth int) string) string {
	n := s.pick(4)
	if n == 0 {
		if s.comments && s.pick(2) == 0 {
			return opening + s.oneOf("/* none */", " // none\n", s.newline+"// none"+s.newline) + closing
		}
		return opening + s.oneOf("", "", " ", s.newline) + closing
	}
	var parts []string
	for range n {
		parts = append(parts, child(depth+1))
	}
	switch s.hand {
	case "tight":
		if s.comments {
			parts[0] += s.oneOf("/*c*/", " // c\n")
		}
		return opening + strings.Join(parts, ",") + closing
	case "spaced":
		return opening + " " + strings.Join(parts, ", ") + " " + closing
	case "tidy":
		line := s.newline + strings.Repeat(s.unit, depth)
		if s.comments {
			parts[n-1] += s.oneOf(" // last", " /* last */", line+s.unit+"// below", "")
		}
		return opening + line + s.unit + strings.Join(parts, ","+line+s.unit) + line + closing
	}
	text := opening + s.wild()
	for i, p := range parts {
		if i > 0 {
			text += s.wild() + "," + s.wild()
		}
		text += p
	}
	return text + s.wild() + closing
}

func (s speller) wild() string {
	if s.comments && s.pick(4) == 0 {
		return s.oneOf("/* c */", " // c, { \"\n", "\n\t// c\r\n  ", "/**/ ", "\n/* c\n c */\n", " // \"piton-hook\n")
	}
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{" ", "\n", "\t", "\r\n", "\r", "  "}), 0, 2).Draw(s.t, "space"), "")
}

func (s speller) pick(n int) int { return rapid.IntRange(0, n-1).Draw(s.t, "pick") }

func (s speller) oneOf(list ...string) string { return rapid.SampledFrom(list).Draw(s.t, "one of") }
