package action

import (
	"reflect"
	"testing"
)

func TestSecretsOfValues(t *testing.T) {
	s := NewSecrets("blue-whale", "12345678")
	for _, tc := range []struct {
		name     string
		in, want any
		found    bool
	}{
		{"nothing", nil, nil, false},
		{"a harmless text", "red fox", "red fox", false},
		{"a text", "a blue-whale", "a [REDACTED:env]", true},
		{"inside", p{"a": []any{"blue-whale", 1.0}}, p{"a": []any{"[REDACTED:env]", 1.0}}, true},
		{"a key", p{"blue-whale": 1.0}, p{"[REDACTED:env]": 1.0}, true},
		{"a number", p{"a": 12345678.0}, p{"a": "[REDACTED:env]"}, true},
		{"what a name says", p{"password": "hunter2real"}, p{"password": "[REDACTED:password]"}, true},
		{"a token", []any{token}, []any{"[REDACTED:github-token]"}, true},
		{"a large number stays", p{"a": int64(9007199254740993)}, p{"a": int64(9007199254740993)}, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, found := s.Value(tc.in)
			if !reflect.DeepEqual(got, tc.want) || found != tc.found {
				t.Errorf("got %#v, %v, want %#v, %v", got, found, tc.want, tc.found)
			}
		})
	}
	var none *Secrets
	if got, found := none.Text("take " + token); got != "take [REDACTED:github-token]" || !found {
		t.Errorf("without values: got %q, %v", got, found)
	}
}
