package api

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"reflect"
	"slices"
	"testing"
)

var update = flag.Bool("update", false, "write testdata/openapi.json")

// TestDocument: the OpenAPI document keeps all that clients were generated from. It may
// grow; what is in the kept one stays as it is. With -update the new one is kept.
func TestDocument(t *testing.T) {
	url, _ := serve(t, Socket)
	status, text := call(t, "GET", url+"/openapi.json", "")
	var now, kept map[string]any
	if err := json.Unmarshal([]byte(text), &now); err != nil || status != 200 {
		t.Fatalf("got %d, %v", status, err)
	}
	now["info"].(map[string]any)["version"] = "0"
	const file = "testdata/openapi.json"
	if *update {
		var out bytes.Buffer
		enc := json.NewEncoder(&out)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", " ")
		if err := enc.Encode(now); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	was, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(was, &kept)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range lost("", kept, now) {
		t.Error(x)
	}
}

// lost lists what of a document is not in another one, or is otherwise there.
func lost(at string, kept, now any) (list []string) {
	switch k := kept.(type) {
	case map[string]any:
		n, _ := now.(map[string]any)
		for name, x := range k {
			if name == "description" || name == "summary" || name == "example" {
				continue // words
			}
			if n[name] == nil {
				list = append(list, at+"/"+name+" is gone")
				continue
			}
			list = append(list, lost(at+"/"+name, x, n[name])...)
		}
	case []any:
		n, _ := now.([]any)
		for i, x := range k {
			if !slices.ContainsFunc(n, func(y any) bool { return len(lost("", x, y)) == 0 }) {
				list = append(list, fmt.Sprintf("%s/%d is gone: %v", at, i, x))
			}
		}
	default:
		if !reflect.DeepEqual(kept, now) {
			list = append(list, fmt.Sprintf("%s: got %v, want %v", at, now, kept))
		}
	}
	return list
}

// TestLost: what a change of the document is.
func TestLost(t *testing.T) {
	const kept = `{"a":{"type":"string","description":"old"},"required":["x"],"b":[{"name":"p","in":"query"}]}`
	for _, c := range []struct {
		name, now string
		want      int
	}{
		{"the same", kept, 0},
		{"it has grown", `{"a":{"type":"string"},"c":1,"required":["y","x"],"b":[{"name":"q"},{"name":"p","in":"query","schema":{}}]}`, 0},
		{"another type", `{"a":{"type":"integer"},"required":["x"],"b":[{"name":"p","in":"query"}]}`, 1},
		{"a field is gone", `{"required":["x"],"b":[{"name":"p","in":"query"}]}`, 1},
		{"a parameter is gone", `{"a":{"type":"string"},"required":["x"],"b":[]}`, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			var k, n any
			if json.Unmarshal([]byte(kept), &k) != nil || json.Unmarshal([]byte(c.now), &n) != nil {
				t.Fatal("no JSON")
			}
			if got := lost("", k, n); len(got) != c.want {
				t.Errorf("got %q, want %d", got, c.want)
			}
		})
	}
}
