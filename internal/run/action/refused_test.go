package action

import (
	"net/http"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestParametersThatAreRefused: what a value has made of a parameter is known before
// anything is done, and no other attempt mends it.
func TestParametersThatAreRefused(t *testing.T) {
	t.Parallel()
	const url = "http://127.0.0.1:1/"
	for _, c := range []struct {
		do   Action
		with p
		want string
	}{
		{HTTP{}, p{"url": "ftp://h"}, `the parameter "url": it must begin with http:// or https://`},
		{HTTP{}, p{}, `the parameter "url": it must begin with http:// or https://`},
		{HTTP{}, p{"url": url, "query": "x"}, `the parameter "query" is a text, and must be a map`},
		{HTTP{}, p{"url": url, "headers": "x"}, `the parameter "headers" is a text, and must be a map`},
		{HTTP{}, p{"url": url, "headers": p{"A:": "b"}}, `the header "A:": this is not a name of a header`},
		{HTTP{}, p{"url": url, "method": "GE T"}, `net/http: invalid method "GE T"`},
		{HTTP{}, p{"url": url, "expect": "9xx"}, `the parameter "expect": 9xx is not a status; write 200 or "2xx"`},
		{MCP{}, p{"tool": "t"}, `the parameter "server" is empty, and must be a URL or a list`},
		{MCP{}, p{"tool": "t", "server": url, "arguments": "x"}, `the parameter "arguments" is a text, and must be a map`},
		{MCP{}, p{"tool": "t", "server": "ftp://h"}, `the parameter "server": it must begin with http:// or https://`},
		{MCP{}, p{"tool": "t", "server": url, "headers": "x"}, `the parameter "headers" is a text, and must be a map`},
		{MCP{}, p{"tool": "t", "server": url, "headers": p{"A": "b\n"}}, `the header "A": its value has characters that no header can have`},
		{MCP{}, p{"tool": "t", "server": []any{p{}}}, `the parameter "server": word 1 is a map, and must be a text or a number`},
		{MCP{}, p{"tool": "t", "server": []any{"/none/such"}}, "/none/such: no such program"},
	} {
		one, _ := call(t, c.with)
		if _, err := c.do.Do(t.Context(), one); err == nil || err.Error() != c.want || !isFinal(err) {
			t.Errorf("%v: got %v, want it refused for good: %s", c.with, err, c.want)
		}
	}
}

// TestWhatAToolSays: of what is no text, it is said what it is.
func TestWhatAToolSays(t *testing.T) {
	t.Parallel()
	rows(t,
		[2]any{spoken(nil), ""},
		[2]any{spoken([]mcp.Content{&mcp.TextContent{Text: "a"}, &mcp.TextContent{Text: "b"}}), "a\nb"},
		[2]any{spoken([]mcp.Content{&mcp.ImageContent{MIMEType: "image/png", Data: []byte("xx")}}), "[an image, image/png, 2 bytes]"},
		[2]any{spoken([]mcp.Content{&mcp.AudioContent{MIMEType: "audio/ogg", Data: []byte("xxx")}}), "[a sound, audio/ogg, 3 bytes]"},
		[2]any{spoken([]mcp.Content{&mcp.ResourceLink{URI: "file:///a"}}), "file:///a"},
		[2]any{spoken([]mcp.Content{&mcp.EmbeddedResource{}, &mcp.EmbeddedResource{Resource: &mcp.ResourceContents{Text: "b"}}}), "b"},
		[2]any{spoken([]mcp.Content{&mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "x:1", MIMEType: "a/b", Blob: []byte("x")}}}), "[x:1, a/b, 1 bytes]"},
	)
}

// TestSpellings: times of zero and of next to nothing, and characters by their numbers.
func TestSpellings(t *testing.T) {
	t.Parallel()
	time := func(v any) any {
		d, ok := duration(v)
		return []any{d, ok}
	}
	plain := func(s string) any {
		text, n := backslash(s)
		return []any{text, n}
	}
	rows(t,
		[2]any{time(0), "[0s false]"}, [2]any{time("0s"), "[0s false]"}, [2]any{time("1s"), "[1s true]"}, [2]any{time("x"), "[0s false]"}, [2]any{time(func() {}), "[0s false]"},
		[2]any{plain(`\U0001F600x`), "[😀 10]"}, [2]any{plain(`\u{1F600}x`), "[😀 9]"}, [2]any{plain(`\u{0000041}x`), "[A 11]"}, [2]any{plain(`\u{00000041}x`), "[ 0]"}, [2]any{plain(`\x41x`), "[A 4]"}, [2]any{plain(`\101x`), "[A 4]"}, [2]any{plain(`\u0041x`), "[A 6]"}, [2]any{plain(`\`), "[ 0]"},
	)
	for v, want := range map[any][]int{nil: {1, 10}, true: {1, 10}, 2.0: {1, 2}, 1: {1, 1}, false: {}, 0: {}} {
		follow := redirects(v)
		var all []int
		for n := range 13 {
			via := make([]*http.Request, n+1)
			for i := range via {
				via[i], _ = http.NewRequest(http.MethodGet, "http://h/", nil)
			}
			next, _ := http.NewRequest(http.MethodGet, "http://h/a", nil)
			if err := follow(next, via); err == nil {
				all = append(all, n+1)
			}
		}
		if len(want) == 0 && len(all) > 0 || len(want) > 0 && (len(all) == 0 || all[0] != want[0] || all[len(all)-1] != want[1]) {
			t.Errorf("%v: got the redirects %v followed, want %v", v, all, want)
		}
	}
}
