package shell

import "testing"

// find is the line's command of that name.
func find(t *testing.T, line, name string) Command {
	t.Helper()
	found, err := Parse(line)
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	for _, c := range found {
		if len(c.Words) > 0 && c.Words[0] == name {
			return c
		}
	}
	t.Fatalf("%s: got no %s", line, name)
	return Command{}
}

func TestSilenced(t *testing.T) {
	for line, want := range map[string]bool{
		"a >/dev/null 2>&1 || true":                 true,
		"a &>/dev/null || :":                        true,
		"a >& /dev/null; b":                         true,
		"a 2>/dev/null >/dev/null; b":               true,
		"a >/dev/null 2>/dev/null || true; b":       true,
		"{ a; } >/dev/null 2>&1 || true":            true,
		"(a) >/dev/null 2>&1; b":                    true,
		"bash -c a >/dev/null 2>&1 || true":         true,
		"a >&- 2>&-; b":                             true,
		"a || true":                                 false,
		"a >/dev/null || true":                      false,
		"a 2>&1 >/dev/null || true":                 false,
		"a >log 2>&1 || true":                       false,
		"a >/dev/null 2>&1":                         false,
		"a >/dev/null 2>&1; echo $?":                false,
		"a >/dev/null 2>&1; rc=$?; b; exit $rc":     false,
		"a >/dev/null 2>&1 && echo ok":              false,
		"a >/dev/null 2>&1 && echo ok || echo no":   false,
		"a >/dev/null 2>&1 || echo failed":          false,
		"if a >/dev/null 2>&1; then echo ok; fi; b": false,
		"set -e; a >/dev/null 2>&1; b":              false,
	} {
		t.Run(line, func(t *testing.T) {
			if got := find(t, line, "a").Silenced(); got != want {
				t.Errorf("got %v, want %v", got, want)
			}
		})
	}
}

func TestDemanded(t *testing.T) {
	for line, want := range map[string]bool{
		"a":                                   true,
		"a; b":                                true,
		"a | tail":                            true,
		"for d in x y; do (cd $d && a); done": true,
		"if command -v z; then z; else a; fi": true,
		"f() { a; }; f":                       true,
		"a || true":                           false,
		"(x && a) || :":                       false,
		"a &":                                 false,
		"case $1 in t) a;; esac":              false,
		"if [ \"$1\" = t ]; then a; fi":       false,
		"if [ $# -gt 0 ]; then b; else a; fi": false,
	} {
		t.Run(line, func(t *testing.T) {
			if got := find(t, line, "a").Demanded(); got != want {
				t.Errorf("got %v, want %v", got, want)
			}
		})
	}
}
