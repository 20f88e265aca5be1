package states

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/testkit/draw"
)

func parts(texts ...string) []*Part {
	var all []*Part
	for _, t := range texts {
		all = append(all, &Part{JSON: json.RawMessage(t)})
	}
	return all
}

// TestPartsForTheLongWay: what is not acceptable as it stands, or may hold a secret,
// is left to the long way, and found again each time.
func TestPartsForTheLongWay(t *testing.T) {
	for name, p := range map[string]Parts{
		"a secret in an element":                 {{Key: "plan", Items: parts(`{"id":"a"}`, `{"token":"ghp_0123456789abcdefghijABCDEFGHIJ012345"}`)}},
		"a secret beside the lists":              {{Key: "query", Value: []byte(`"password: hunter2hunter2"`)}, {Key: "plan", Items: parts(`{"id":"a"}`)}},
		"a secret by the name of its list":       {{Key: "password", Items: parts(`{"a":"Zx81kkPq0"}`)}},
		"an element that is not an object":       {{Key: "plan", Items: parts(`"--password"`, `"Zx81kkPq0"`)}},
		"an element that is two":                 {{Key: "plan", Items: parts(`{"id":"a"},{"id":"b"}`)}},
		"an element that ends the list":          {{Key: "plan", Items: parts(`{"id":"a"}],"x":[{"id":"b"}`)}},
		"an element that has spaces":             {{Key: "plan", Items: parts(`{"id": "a"}`)}},
		"an element with the same key twice":     {{Key: "plan", Items: parts(`{"id":"a","id":"b"}`)}},
		"an element that is not UTF-8":           {{Key: "plan", Items: parts("{\"id\":\"\xff\"}")}},
		"an empty element":                       {{Key: "plan", Items: parts(``)}},
		"a key of the state that is there twice": {{Key: "plan", Items: parts(`{"id":"a"}`)}, {Key: "plan", Value: []byte(`1`)}},
		"a value that is none":                   {{Key: "query", Value: []byte(`1 2`)}},
	} {
		t.Run(name, func(t *testing.T) {
			for range 2 {
				if c, ok := p.Clean(nil); ok {
					t.Errorf("got %s, want the long way", c.JSON.Get())
				}
			}
		})
	}
}

// TestPartsAreLookedAtOnce: only with the same rules and in the same list.
func TestPartsAreLookedAtOnce(t *testing.T) {
	keep := &redact.Rules{Names: []string{"pass*"}}
	p := Parts{{Key: "plan", Items: parts(`{"password":"Zx81kkPq0"}`)}}
	if _, ok := p.Clean(keep); !ok || !p[0].Items[0].sound {
		t.Fatal("got the long way, want a value that the rules keep")
	}
	if _, ok := p.Clean(nil); ok {
		t.Error("got what other rules keep, want the long way")
	}
	q := Parts{{Key: "plan", Items: parts(`{"a":"Zx81kkPq0"}`)}}
	if _, ok := q.Clean(nil); !ok {
		t.Fatal("got the long way, want a plain element")
	}
	q[0].Key = "password"
	if _, ok := q.Clean(nil); ok {
		t.Error("got an element of another list, want the long way")
	}
}

// TestPartsOfAPrivateKey: the lines of a key can be elements, each of which is not a secret by
// itself.
func TestPartsOfAPrivateKey(t *testing.T) {
	line := `{"l":"` + strings.Repeat("MIIEpAIBAAKCAQEA", 4) + `"}`
	for _, begin := range []string{`{"l":"-----BEGIN RSA PRIVATE KEY-----"}`, `{"l":"\u002d----BEGIN RSA PRIVATE KEY-----"}`, `{"l":"-----\u0042EGIN RSA PRIVATE KEY-----"}`, `{"l":"Private-Lines: 14"}`, `{"l":"P\u0072ivate-Lines: 14"}`} {
		p := Parts{{Key: "results", Items: parts(begin, line)}}
		if _, ok := p.Clean(nil); ok {
			t.Errorf("%s: got the short way", begin)
		}
		if c, err := (*Recent)(nil).Clean(Line{}, p.JSON(), nil); err != nil || len(c.TakenOut) != 1 {
			t.Errorf("%s: got %q taken out (%v), want the line", begin, c.TakenOut, err)
		}
	}
}

// TestPartsGiveTheSame holds parts that are used again and again against the long way.
func TestPartsGiveTheSame(t *testing.T) {
	words := rapid.SampledFrom([]string{"run the tests", "", "a \\\"quoted\\\" word", "ü", "password=Zx81kkPq0!", "MIIEpAIBAAKCAQEA3Tz2mr7SZiAMfQyuvBjM9Oi8kq5DkzNv", "AKIAIOSFODNN7EXAMPLE", "--token", "s3cr3t", "-----BEGIN RSA PRIVATE KEY-----"})
	keys := rapid.SampledFrom([]string{"id", "description", "password", "name", "value", "command", "args", "output"})
	element := rapid.Custom(func(t *rapid.T) string {
		var b bytes.Buffer
		b.WriteByte('{')
		for i, k := range rapid.SliceOfNDistinct(keys, 0, 4, rapid.ID[string]).Draw(t, "keys") {
			if i > 0 {
				b.WriteByte(',')
			}
			w := words.Draw(t, "words")
			switch rapid.IntRange(0, 2).Draw(t, "form") {
			case 0:
				fmt.Fprintf(&b, `"%s":"%s"`, k, w)
			case 1:
				fmt.Fprintf(&b, `"%s":["%s","%s"]`, k, w, words.Draw(t, "more"))
			case 2:
				fmt.Fprintf(&b, `"%s":{"%s":"%s"}`, k, keys.Draw(t, "inner"), w)
			}
		}
		b.WriteByte('}')
		return b.String()
	})
	draw.Check(t, func(t *rapid.T) {
		pool := parts(rapid.SliceOfN(element, 1, 8).Draw(t, "pool")...)
		for range rapid.IntRange(1, 4).Draw(t, "saves") {
			some := rapid.SliceOfN(rapid.SampledFrom(pool), 0, 5)
			p := Parts{
				{Key: "query", Value: fmt.Appendf(nil, `"%s"`, words.Draw(t, "query"))},
				{Key: "plan", Items: some.Draw(t, "plan")}, {Key: "current_step_index", Value: []byte("1")}, {Key: "results", Items: some.Draw(t, "results")},
			}
			want, err := (*Recent)(nil).Clean(Line{}, p.JSON(), nil)
			if err != nil {
				t.Fatal(err)
			}
			got, ok := p.Clean(nil)
			long := slices.ContainsFunc(pool, func(x *Part) bool { return beginsKey(x.JSON) }) // may be taken without a secret
			secret := len(want.TakenOut) > 0
			if ok == secret && (ok || !long) {
				t.Fatalf("the short way is taken: %v, and the secrets are %q, in %s", ok, want.TakenOut, p.JSON())
			}
			if ok && !bytes.Equal(got.JSON.Get(), want.JSON.Get()) {
				t.Fatalf("got %s, want %s", got.JSON.Get(), want.JSON.Get())
			}
		}
	})
}
