package action

import (
	"encoding/json"
	"reflect"
	"testing"
)

func TestReadJSON(t *testing.T) {
	for _, tc := range []struct {
		name, json string
		want       any
	}{
		{"a number", "1.5", 1.5},
		{"an integer", "42", 42.0},
		{"the largest that a float64 keeps with all below it", "9007199254740992", float64(1 << 53)},
		{"an integer that a float64 would change", "9007199254740993", int64(9007199254740993)},
		{"an integer beyond int64", "12345678901234567891", json.Number("12345678901234567891")},
		{"a large integer that a float64 keeps", "100000000000000000000", 1e20},
		{"a number beyond float64", "1e400", json.Number("1e400")},
		{"inside", `{"a":[9007199254740993,null,"x",true]}`, p{"a": []any{int64(9007199254740993), nil, "x", true}}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := ReadJSON([]byte(tc.json))
			if err != nil || !reflect.DeepEqual(got, tc.want) {
				t.Errorf("got %T %v, %v, want %T %v", got, got, err, tc.want, tc.want)
			}
		})
	}
	for _, bad := range []string{"", "1 2", "{", `{"a":1} x`} {
		if got, err := ReadJSON([]byte(bad)); err == nil {
			t.Errorf("%q: got %v, want an error", bad, got)
		}
	}
}
