package mcp

import (
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

func TestExact(t *testing.T) {
	for _, c := range []struct {
		name, id string
		want     bool
	}{
		{"a number", "7", true},
		{"a negative one", "-7", true},
		{"a whole one, written with a fraction", "7.0", true},
		{"a whole one, written with an exponent", "7e1", true},
		{"one with a fraction", "7.25", false},
		{"one beyond what a float holds", "9007199254740993", false},
		{"one as far below nothing", "-9007199254740993", false},
		{"a text", `"7.25"`, true},
		{"a text with an escape", `"\u0061"`, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, line := range []string{`{"jsonrpc":"2.0","id":` + c.id + `,"method":"ping"}`, `{"method":"ping","params":{"id":[1]},"jsonrpc":"2.0", "id" : ` + c.id + ` }`} {
				msg, err := jsonrpc.DecodeMessage([]byte(line))
				if err != nil {
					t.Fatal(err)
				}
				if got := exact(msg.(*jsonrpc.Request).ID, []byte(line)); got != c.want {
					t.Errorf("%s: got %v, want %v", line, got, c.want)
				}
			}
		})
	}
}
