package setup

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/piton-project/piton/internal/client/rawjson"
)

var commented = form{path: "settings.json", comments: true}

func TestCommentsStay(t *testing.T) {
	wanted := []hook{{event: "AfterAgent", timeout: 60}}
	const ours = `{
        "hooks": [
          {
            "type": "command",
            "command": "piton-hook gemini || :",
            "timeout": 60
          }
        ]
      }`
	for _, c := range []struct{ name, before, after string }{
		{
			"above, beside and below",
			"// mine\n{\n  // a theme\n  \"ui\": 1 // dark\n  // the end\n}\n",
			"// mine\n{\n  // a theme\n  \"ui\": 1, // dark\n  \"hooks\": {\n    \"AfterAgent\": [\n      " + ours + "\n    ]\n  }\n  // the end\n}\n",
		},
		{
			"in an empty object",
			"{\n  \"hooks\": { /* none */ }\n}\n",
			"{\n  \"hooks\": { /* none */\n    \"AfterAgent\": [\n      " + ours + "\n    ]\n  }\n}\n",
		},
		{
			"in a line",
			"{\"a\": 1 /* , */}",
			"{\"a\": 1, \"hooks\": {\"AfterAgent\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"piton-hook gemini || :\", \"timeout\": 60}]}]} /* , */}",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			empty := map[string]string{}
			after, err := merge(commented, []byte(c.before), empty, wanted, "piton-hook gemini || :")
			must(t, err)
			if diff := cmp.Diff(c.after, string(after)); diff != "" {
				t.Errorf("merge (-want +got):\n%s", diff)
			}
			back, err := unmerge(commented, after, empty)
			must(t, err)
			if diff := cmp.Diff(c.before, string(back)); diff != "" {
				t.Errorf("unmerge (-want +got):\n%s", diff)
			}
		})
	}
}

// What somebody has written around our hooks since stays, and the file stays one that can be read.
func TestCommentsAddedLaterStay(t *testing.T) {
	const ours = `{"hooks":[{"command":"piton-hook gemini || :"}]}`
	for _, c := range []struct{ name, before, want string }{
		{"before ours", "{\"hooks\":{\"A\":[{}],\n// next\n\"B\":[" + ours + "]}}", "{\"hooks\":{\"A\":[{}]\n// next\n}}"},
		{"before ours, others behind", "{\"hooks\":{\"A\":[{}], // next\n\"B\":[" + ours + "], \"C\":[{}]}}", "{\"hooks\":{\"A\":[{}], // next\n \"C\":[{}]}}"},
		{"behind ours", "{\"hooks\":{\"B\":[" + ours + "], // that was ours\n\"C\":[{}]}}", "{\"hooks\":{ // that was ours\n\"C\":[{}]}}"},
		{"all that is left", "{\"hooks\":{ // hooks\n\"B\":[" + ours + "]}}", "{\"hooks\":{ // hooks\n}}"},
		{"above the file", "// mine\n{\"hooks\":{\"B\":[" + ours + "]}}", "// mine\n{}"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := unmerge(commented, []byte(c.before), map[string]string{})
			must(t, err)
			if diff := cmp.Diff(c.want, string(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestCommentsAreNotForEveryClient(t *testing.T) {
	for _, c := range allOfThem {
		_, err := merge(form{"s.json", c.Comments}, []byte("{} // mine"), map[string]string{}, c.hooks(Target{}), "piton-hook "+c.name)
		if (err == nil) != c.Comments {
			t.Errorf("%s: got %v, want comments %v", c.name, err, c.Comments)
		}
	}
	_, err := merge(commented, []byte("{\"a\":1,} // mine"), map[string]string{}, nil, "")
	if err == nil || !strings.Contains(err.Error(), "not JSON") {
		t.Errorf("a trailing comma: got %v, want not JSON", err)
	}
}

func FuzzComments(f *testing.F) {
	for _, text := range []string{"", "// a\n{}", "/*", "{\"//\":\"/*\\\"\"} /* \r\n */ //", "{\"hooks\":{/**/}}//", "{\"a\":[1/*,*/,// x\n2]}"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, before []byte) {
		plain := rawjson.BlankComments(before)
		if len(plain) != len(before) {
			t.Fatalf("got %d bytes, want %d", len(plain), len(before))
		}
		if found, err := parse(commented, before); err != nil || len(found) > 0 || len(before) == 0 {
			return
		}
		empty := map[string]string{}
		after, err := merge(commented, before, empty, geminiHooks(Target{}), gemini.line(Target{Scope: Project}))
		if err != nil {
			return
		}
		// Bytes that are not UTF-8 become what Go puts in their place; a client does likewise.
		body := strings.TrimPrefix(string(rawjson.BlankComments(after)), bom)
		if !json.Valid([]byte(body)) && json.Valid([]byte(strings.TrimPrefix(string(plain), bom))) {
			t.Errorf("merged into what no client can read: %q", after)
		}
		if got, err := unmerge(commented, after, empty); err != nil || !same(got, before) {
			t.Errorf("before %q, after %q, %v", before, got, err)
		}
	})
}
