package screen

import (
	"strings"
	"testing"

	"github.com/piton-project/piton"
)

type row struct {
	ID   string   `json:"id"`
	Name string   `json:"name,omitempty"`
	Tags []string `json:"tags"`
	N    int64    `json:"n"`
}

type answer struct {
	Rows []row  `json:"rows"`
	Next string `json:"next,omitempty"`
}

func TestFilterPrints(t *testing.T) {
	two := answer{[]row{{"a<1>", "first", []string{"x"}, 1<<60 + 1}, {ID: "b"}}, "7"}
	for _, c := range []struct {
		name, fields, jq string
		value            any
		want, told       string
	}{
		{"fields of rows", "id,name", "", two, `{"rows":[{"id":"a<1>","name":"first"},{"id":"b","name":null}]}`, ""},
		{"fields of rows and of the answer", "id,next", "", two, `{"next":"7","rows":[{"id":"a<1>"},{"id":"b"}]}`, ""},
		{"a list as a field", "tags", "", two.Rows[0], `{"tags":["x"]}`, ""},
		{"no rows", "id", "", answer{Rows: []row{}}, `{"rows":[]}`, ""},
		{"a large number", "n", "", two.Rows[0], `{"n":1152921504606846977}`, ""},
		{"a field that is not there", "idd,id", "", two.Rows[1], `{"id":"b"}`, "the answer has no field idd; did you mean id?"},
		{"a field that is near to none", "branch", "", two.Rows[1], `{}`, "the answer has no field branch; it has: id, n, name, tags\n"},
		{"a field that is absent", "name", "", two.Rows[1], `{}`, ""},
		{"texts raw", "", ".rows[].id", two, "a<1>\nb", ""},
		{"values as JSON", "", ".rows[0] | {n, tags}", two, `{"n":1152921504606846977,"tags":["x"]}`, ""},
		{"fields, then jq", "id", ".rows | map(keys | length) | add", two, "2", ""},
		{"not a number", "", "nan", two, "null", ""},
		{"no environment", "", "env | length", two, "0", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out, errOut strings.Builder
			s := Screen{Out: &out, Err: &errOut}
			if c.fields != "" {
				s.Filter.Fields = strings.Split(c.fields, ",")
			}
			if c.jq != "" {
				code, err := ParseJq(c.jq)
				if err != nil {
					t.Fatal(err)
				}
				s.Filter.Jq = code
			}
			if err := s.PrintJSON(c.value); err != nil {
				t.Fatal(err)
			}
			if got := strings.TrimSpace(out.String()); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
			if got := errOut.String(); !strings.Contains(got, c.told) || c.told == "" && got != "" {
				t.Errorf("told %q, want %q", got, c.told)
			}
		})
	}
}

func TestFilterRefuses(t *testing.T) {
	if _, err := ParseJq(".rows["); piton.CodeOf(err) != piton.Invalid {
		t.Errorf("an expression that is not whole: got %v, want Invalid", err)
	}
	code, err := ParseJq(".rows[] | .id + 1")
	if err != nil {
		t.Fatal(err)
	}
	s := Screen{Out: &strings.Builder{}, Err: &strings.Builder{}, Filter: Filter{Jq: code}}
	err = s.PrintJSON(answer{Rows: []row{{ID: "a"}}})
	if e, ok := err.(*piton.Error); !ok || e.Code != piton.Invalid || !strings.Contains(e.Hint, ".rows[]") {
		t.Errorf("a text and a number added: got %v, want Invalid, and where the rows are", err)
	}
}
