package project

import (
	"encoding/json"
	"testing"
)

func TestReadTOML(t *testing.T) {
	for _, c := range []struct {
		name, text, want string
		ok               bool
	}{
		{"nothing", "", `{}`, true},
		{"tables", "a = \"b\" # c\n[x.y]\nk = 'v'\n[x.\"z:w\"]\nk='v'\n", `{"a":"b","x":{"y":{"k":"v"},"z:w":{"k":"v"}}}`, true},
		{"dotted keys", "tasks.test = 'go test'\ntasks.\"a b\".run = 'x'\n", `{"tasks":{"a b":{"run":"x"},"test":"go test"}}`, true},
		{"text of several lines", "run = \"\"\"\ngo test \\\n./...\n\"\"\"\nraw = '''\na\\n\n'''\n", `{"raw":"a\\n\n","run":"go test ./...\n"}`, true},
		{"lists", "a = [ 'x', # y\n \"z\\\"\",\n ]\nb = []\n", `{"a":["x","z\""],"b":[]}`, true},
		{"inline tables", "a = { run = 'x', depends = ['y'], n = 1 }\n", `{"a":{"depends":["y"],"n":"1","run":"x"}}`, true},
		{"lists of tables", "[[a]]\nb='1'\n[[a]]\nb='2'\n[a.c]\nd='3'\n", `{"a":[{"b":"1"},{"b":"2","c":{"d":"3"}}]}`, true},
		{"numbers and dates", "a = 1\nb = true\nc = 2020-01-01T00:00:00Z\n", `{"a":"1","b":"true","c":"2020-01-01T00:00:00Z"}`, true},
		{"a mistake", "a = 'b'\nc = \n", `{"a":"b"}`, false},
		{"an open string", "a = 'b\n", `{}`, false},
		{"an open list", "a = 'b'\nc = ['d'", `{"a":"b"}`, false},
		{"a value where a table should be", "a = 'b'\n[a.c]\nd = 'e'\n", `{"a":"b"}`, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			all, ok := readTOML(c.text)
			got, err := json.Marshal(all)
			if err != nil || string(got) != c.want || ok != c.ok {
				t.Errorf("got %s %t, want %s %t", got, ok, c.want, c.ok)
			}
		})
	}
}

func FuzzTOML(f *testing.F) {
	f.Add("[a.b]\nc = [\"x\", {y = 'z'}]\nd = \"\"\"\n\\\n\"\"\"\n")
	f.Add("[[a]]\nb=[[[[[[[[[[[[[[[[[[[[[[[[[")
	f.Fuzz(func(t *testing.T, text string) { readTOML(text) })
}
