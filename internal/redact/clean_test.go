package redact

import (
	"bytes"
	"encoding/json"
	"errors"
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"testing"
)

var aToken = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"

type inner struct {
	Text string `json:"text"`
	Next *inner
}

type outer struct {
	inner
	Inner   inner           `json:"inner"`
	Name    string          `json:"name" redact:"name"`
	Skipped string          `redact:"-"`
	Body    string          `json:"body" redact:"json"`
	Bytes   []byte          `json:"bytes"`
	Raw     json.RawMessage `json:"raw"`
	List    []inner         `json:"list"`
	Two     [2]string       `json:"two"`
	Map     map[string]any  `json:"a/map"`
	Any     any             `json:"any"`
	N       int
	hidden  string
}

func TestValue(t *testing.T) {
	const word = "DB_PASSWORD=hunter2real"
	list := []inner{{Text: "ok"}, {Text: word}}
	next := &inner{Text: word}
	m := map[string]any{aToken: 1, aToken + " ": word, "deep": map[string][]string{"x": {word}}}
	v := outer{
		Inner: inner{Text: word, Next: next}, Name: word + " " + aToken, Skipped: aToken, Body: `{"password":"hunter2real"}`, Bytes: []byte(word),
		Raw: json.RawMessage(`{"pin":123456}`), List: list, Two: [2]string{word, "ok"}, Map: m, Any: errors.New(word), N: 1, hidden: "ok",
	}
	c, paths := By(nil, v)
	got := c.Get()
	want := v
	want.Inner = inner{Text: "DB_PASSWORD=[REDACTED:password]", Next: &inner{Text: "DB_PASSWORD=[REDACTED:password]"}}
	want.Name = word + " [REDACTED:github-token]"
	want.Body, want.Bytes, want.Raw = `{"password":"[REDACTED:password]"}`, []byte("DB_PASSWORD=[REDACTED:password]"), json.RawMessage(`{"pin":"[REDACTED:password]"}`)
	want.List = []inner{{Text: "ok"}, {Text: "DB_PASSWORD=[REDACTED:password]"}}
	want.Two[0] = "DB_PASSWORD=[REDACTED:password]"
	want.Map = map[string]any{"[REDACTED:github-token]": 1, "[REDACTED:github-token] ": "DB_PASSWORD=[REDACTED:password]", "deep": map[string][]string{"x": {"DB_PASSWORD=[REDACTED:password]"}}}
	got.Any, want.Any = nil, nil
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%+v\nwant\n%+v", got, want)
	}
	if list[1].Text != word || next.Text != word || len(m) != 3 || m[aToken] != 1 || string(v.Bytes) != word {
		t.Error("the value handed in was changed")
	}
	wantPaths := []string{"/inner/text", "/inner/Next/text", "/name", "/body", "/bytes", "/raw", "/list/1/text", "/two/0", "/a~1map/deep/x/0"}
	for _, p := range wantPaths {
		if !slices.Contains(paths, p) {
			t.Errorf("got %q, want %s in it", paths, p)
		}
	}
}

func TestKeysThatBecomeEqualAreNumbered(t *testing.T) {
	second, third := "ghp_"+"99C7e42F292c6912E7710c838347Ae178B4a", "ghp_"+"A9C7e42F292c6912E7710c838347Ae178B4a"
	got := Value(map[string]int{aToken: 1, second: 2, third: 3}).Get()
	if want := map[string]int{"[REDACTED:github-token]": 1, "[REDACTED:github-token]#2": 2, "[REDACTED:github-token]#3": 3}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestByKeepsWhatTheRulesKeep(t *testing.T) {
	c, paths := By(&Rules{Names: []string{"db_password"}}, inner{Text: "DB_PASSWORD=hunter2real"})
	if c.Get().Text != "DB_PASSWORD=hunter2real" || paths != nil {
		t.Errorf("got %+v, %q", c.Get(), paths)
	}
}

// TestWhatIsNotLookedAt: a value without texts, a known document, and a name, which loses
// only what is a secret by itself.
func TestWhatIsNotLookedAt(t *testing.T) {
	t.Parallel()
	const word = `{"password":"hunter2real"}`
	known := Unchecked(json.RawMessage(word))
	type pair struct{ Known, Other json.RawMessage }
	c, paths := By(nil, pair{known.Get(), json.RawMessage(word)}, known)
	if got := c.Get(); string(got.Known) != word || string(got.Other) != `{"password":"[REDACTED:password]"}` || !slices.Equal(paths, []string{"/Other"}) {
		t.Errorf("got %s and %s at %q, want the known one as it is", got.Known, got.Other, paths)
	}
	if c, paths := By(nil, struct{ N, M int }{1, 2}); c.Get().M != 2 || paths != nil {
		t.Errorf("got %+v at %q of a value without texts", c.Get(), paths)
	}
	if got := Name("password=hunter2real " + aToken).Get(); got != "password=hunter2real [REDACTED:github-token]" {
		t.Errorf("got the name %s", got)
	}
	type body struct {
		Text string `redact:"json"`
		List []json.RawMessage
	}
	if got := Value([][]string{nil, {}}).Get(); got[0] != nil || got[1] == nil {
		t.Errorf("got %#v, want what is nil to stay so", got)
	}
	if got := Value(body{"{\"DB_PASSWORD=hunter2real", []json.RawMessage{{}, nil}}).Get(); got.Text != "{\"DB_PASSWORD=[REDACTED:password]" || len(got.List[0]) != 0 {
		t.Errorf("got %+v of a text that is no document", got)
	}
}

type stringer struct{ text string }

func (s stringer) String() string { return s.text }

type valuer struct{ text string }

type marshaler struct{ text string }

func (m marshaler) MarshalText() ([]byte, error) { return []byte(m.text), nil }

func (v valuer) LogValue() slog.Value { return slog.GroupValue(slog.String("inside", v.text)) }

func TestHandler(t *testing.T) {
	var out bytes.Buffer
	log := slog.New(Handler(slog.NewTextHandler(&out, nil)))
	log.With("with", aToken).WithGroup("group").With("later", aToken).Error("message "+aToken, "text", aToken, "err", errors.New(aToken), "n", 1,
		"any", stringer{aToken}, "marshaler", marshaler{aToken}, "bytes", []byte(aToken), "valuer", valuer{aToken}, slog.Group("inner", "text", aToken), aToken, "key")
	if got := out.String(); strings.Contains(got, aToken) || strings.Count(got, "github-token") != 11 || !strings.Contains(got, "group.n=1") {
		t.Errorf("got %s", got)
	}
}
