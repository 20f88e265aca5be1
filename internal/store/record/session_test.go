package record

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
)

// fill sets every field of a value to something, or leaves one in some at zero.
func fill(r *rand.Rand, v reflect.Value, some int) {
	if some > 0 && r.IntN(some) == 0 {
		return
	}
	switch v.Interface().(type) {
	case piton.Time:
		v.Set(reflect.ValueOf(piton.At(time.UnixMilli(r.Int64N(1 << 41)))))
		return
	}
	switch v.Kind() {
	case reflect.String:
		texts := []string{"a", "two words", "a \"quote\" and \\", "<b>&</b>", "line\nline\ttab", "é ü 漢 🙂", "\x00\x1f\x7f", "{},[]:", "no UTF-8: \xff\xfe", "\u2028"}
		v.SetString(texts[r.IntN(len(texts))] + fmt.Sprint(r.IntN(100)))
	case reflect.Int, reflect.Int64:
		v.SetInt(r.Int64N(1<<31) - 1<<30)
	case reflect.Uint32:
		v.SetUint(uint64(r.Uint32()))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(r, v.Elem(), some)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).Tag.Get("json") != "-" {
				fill(r, v.Field(i), some)
			}
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1+r.IntN(3), 4))
		for i := range v.Len() {
			fill(r, v.Index(i), 0)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range 1 + r.IntN(3) {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			fill(r, key, 0)
			fill(r, value, 0)
			v.SetMapIndex(key, value)
		}
	default:
		panic(v.Type())
	}
}

// decoded is what encoding/json reads, which read all rows before.
func decoded[T any](t *testing.T, text []byte) (x T) {
	t.Helper()
	if err := json.Unmarshal(text, &x); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return x
}

// readsAsItself wants a row in our form read by its fields, as encoding/json reads it.
func readsAsItself[T any](t *testing.T, row []byte, fields func(*rowReader, *T)) {
	t.Helper()
	want := decoded[T](t, row)
	if got, ok := readFields(row, fields); !ok || !reflect.DeepEqual(got, want) {
		t.Fatalf("%s was read as\n%+v, %v; want\n%+v", row, got, ok, want)
	}
}

// readsOtherForms wants rows read as encoding/json reads them: the given ones, and
// what becomes of one in our form when bits flip and bytes get lost.
func readsOtherForms[T any](t *testing.T, row []byte, fields func(*rowReader, *T), rows ...string) {
	t.Helper()
	r := rand.New(rand.NewPCG(5, 6))
	for range 4000 {
		b := []byte(string(row))
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
		var want T
		wantErr := json.Unmarshal([]byte(row), &want)
		got, err := readRow([]byte(row), fields)
		if (err == nil) != (wantErr == nil) || err == nil && !reflect.DeepEqual(got, want) {
			t.Errorf("%s\nwas read as %+v, %v; want %+v, %v", strings.ToValidUTF8(row, "?"), got, err, want, wantErr)
		}
	}
}

// What one version writes the other reads, field by field, whichever are set.
func TestSessionRowIsThatOfEncodingJSON(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 3000 {
		var s agent.Session
		if i > 0 {
			fill(r, reflect.ValueOf(&s).Elem(), i%5)
		}
		old, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		text, err := WriteSession(s)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := decoded[agent.Session](t, text), decoded[agent.Session](t, old); !reflect.DeepEqual(got, want) {
			t.Fatalf("encoding/json reads of %s\n%+v\nwant\n%+v", text, got, want)
		}
		readsAsItself(t, old, storedSession)
		readsAsItself(t, text, storedSession)
	}
}

// A row in any other form is read as encoding/json reads it, or is not a row.
func TestSessionRowsInOtherForms(t *testing.T) {
	var s agent.Session
	fill(rand.New(rand.NewPCG(3, 4)), reflect.ValueOf(&s).Elem(), 0)
	text, err := WriteSession(s)
	if err != nil {
		t.Fatal(err)
	}
	readsOtherForms(t, text, storedSession,
		`{}`, `null`, `[]`, ``, ` {"ID":"a"} `, `{"ID":null}`, `{"ID":7}`, `{"id":"a","Turn":3}`, `{"Turn":3,"ID":"a"}`, `{"Turn":1e2}`, `{"Turn":1.5}`, `{"Turn":007}`, `{"Turn":+7}`, `{"Turn":-0}`, `{"ID":"a","ID":"b"}`,
		`{"ID":"a","New":{"x":[1,2]},"Turn":3}`, `{"Outputs":{"a":"}"},"Offered":true}`, `{"Outputs":[]}`, `{"Process":{"PID":1,"New":2}}`, `{"Process":null}`, `{"StartedAt":"2026-01-01T00:00:00+02:00"}`, `{"StartedAt":7}`,
	)
}

func BenchmarkSessionRow(b *testing.B) {
	s := agent.Session{Identity: agent.Identity{ID: "sess_1", Agent: "claude", ClientID: "c", Project: "p", Root: "/home/dev/project", Transcript: "/home/dev/x.jsonl", StartedAt: piton.At(time.Now())}, Remembers: agent.Remembers{LastMessage: "mend it"}, InTurn: agent.InTurn{Turn: 3}}
	for b.Loop() {
		text, _ := WriteSession(s)
		if _, err := readRow(text, storedSession); err != nil {
			b.Fatal(err)
		}
	}
}
