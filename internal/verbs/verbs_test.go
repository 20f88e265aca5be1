package verbs

import (
	"reflect"
	"testing"

	"github.com/piton-project/piton/internal/request"
)

// TestRequests: each verb is asked with a struct of package piton, and says why a door
// leaves it out.
func TestRequests(t *testing.T) {
	for _, v := range All {
		if v.Request.Kind() != reflect.Struct {
			t.Errorf("%q: its request is a %s", v.Says, v.Request)
			continue
		}
		for _, f := range request.FormOf(v.Request).Fields {
			for _, d := range []request.Door{request.CLI, request.HTTP, request.MCP} {
				if f.Name(d) != "" && f.Tag("help", d) == "" {
					t.Errorf("%s.%s: has no help over %s", v.Request.Name(), f.Go, d)
				}
			}
		}
		if (v.Command == "" || v.Tool == "") && v.Without == "" {
			t.Errorf("%q: does not say why a door leaves it out", v.Says)
		}
	}
}
