package record

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"testing"
)

// Every rest that is written is read by hand, field by field, whichever are set.
func TestRestIsReadAsEncodingJSONReadsIt(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 3000 {
		var x checkpointRest
		if i > 0 {
			fill(r, reflect.ValueOf(&x).Elem(), i%5)
		}
		text, err := json.Marshal(x)
		if err != nil {
			t.Fatal(err)
		}
		readsAsItself(t, text, restFields)
	}
}

// A rest in any other form is read as encoding/json reads it, or is none.
func TestRestsInOtherForms(t *testing.T) {
	var x checkpointRest
	fill(rand.New(rand.NewPCG(3, 4)), reflect.ValueOf(&x).Elem(), 0)
	text, err := json.Marshal(x)
	if err != nil {
		t.Fatal(err)
	}
	readsOtherForms(t, text, restFields,
		`{}`, `null`, `[]`, ``, ` {"schema_version":1} `, `{"step_number":null}`, `{"step_number":"7"}`, `{"step_number":007}`, `{"step_number":-0}`, `{"step_number":1e1}`, `{"STEP_NAME":"a"}`,
		`{"schema_version":1,"step_name":"a"}`, `{"step_name":"a","step_name":"b"}`, `{"step_name":"a","new":{"x":[1]},"schema_version":2}`, `{"token_usage":null,"schema_version":2}`,
		`{"token_usage":{"input":1,"new":2},"schema_version":2}`, `{"token_usage":[],"schema_version":2}`, `{"origin":null}`, `{"origin":{"new":1}}`, `{"imported_at":"2026-01-01T00:00:00+02:00"}`, `{"imported_at":7}`,
	)
}
