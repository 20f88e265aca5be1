package sqlstore

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

// Every rest that is written is read by hand, field by field, whichever are set.
func TestRestIsReadAsEncodingJSONReadsIt(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 3000 {
		var x, want, fast checkpointRest
		if i > 0 {
			fill(r, reflect.ValueOf(&x).Elem(), i%5)
		}
		text, err := json.Marshal(x)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, &want); err != nil {
			t.Fatal(err)
		}
		reader := rowReader{b: text}
		reader.expect('{')
		restFields(&reader, &fast)
		reader.expect('}')
		if reader.odd || reader.i != len(text) {
			t.Fatalf("%s was left to encoding/json at byte %d", text, reader.i)
		}
		if got, err := readRest(text); err != nil || !reflect.DeepEqual(got, want) || !reflect.DeepEqual(fast, want) {
			t.Fatalf("%s was read as\n%+v, %v; want\n%+v", text, got, err, want)
		}
	}
}

// A rest in any other form is read as encoding/json reads it, or is none.
func TestRestsInOtherForms(t *testing.T) {
	var x checkpointRest
	r := rand.New(rand.NewPCG(3, 4))
	fill(r, reflect.ValueOf(&x).Elem(), 0)
	text, err := json.Marshal(x)
	if err != nil {
		t.Fatal(err)
	}
	rows := []string{
		`{}`, `null`, `[]`, ``, ` {"schema_version":1} `, `{"step_number":null}`, `{"step_number":"7"}`, `{"step_number":007}`, `{"step_number":-0}`, `{"step_number":1e1}`, `{"STEP_NAME":"a"}`,
		`{"schema_version":1,"step_name":"a"}`, `{"step_name":"a","step_name":"b"}`, `{"step_name":"a","new":{"x":[1]},"schema_version":2}`, `{"token_usage":null,"schema_version":2}`,
		`{"token_usage":{"input":1,"new":2},"schema_version":2}`, `{"token_usage":[],"schema_version":2}`, `{"origin":null}`, `{"origin":{"new":1}}`, `{"imported_at":"2026-01-01T00:00:00+02:00"}`, `{"imported_at":7}`,
	}
	for range 4000 {
		b := []byte(string(text))
		switch i := r.IntN(len(b)); r.IntN(3) {
		case 0:
			b[i] ^= 1 << r.IntN(8)
		case 1:
			b = b[:i]
		case 2:
			b = append(b[:i], b[min(i+1+r.IntN(8), len(b)):]...)
		}
		rows = append(rows, string(b))
	}
	for _, row := range rows {
		var want checkpointRest
		wantErr := json.Unmarshal([]byte(row), &want)
		got, err := readRest([]byte(row))
		if (err == nil) != (wantErr == nil) || err == nil && !reflect.DeepEqual(got, want) {
			t.Errorf("%s\nwas read as %+v, %v; want %+v, %v", strings.ToValidUTF8(row, "?"), got, err, want, wantErr)
		}
	}
}
