package config

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestDocsKeys: the tables of docs/config.md are made of the keys and what the list says
// of them, below comments that name which.
func TestDocsKeys(t *testing.T) {
	const path = "../../docs/config.md"
	have, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want, left := strings.Builder{}, strings.Split(string(have), "\n")
	for len(left) > 0 {
		line := left[0]
		left = left[1:]
		want.WriteString(line)
		if len(left) > 0 {
			want.WriteByte('\n')
		}
		if which, ok := strings.CutPrefix(line, "<!-- "); ok {
			for len(left) > 0 && (left[0] == "" || strings.HasPrefix(left[0], "|")) {
				left = left[1:]
			}
			want.WriteString("\n" + tableOf(t, strings.TrimSuffix(which, " -->")) + "\n")
		}
	}
	if *update {
		if err := os.WriteFile(path, []byte(want.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if want.String() != string(have) {
		t.Errorf("%s is not what the keys are: go test ./internal/config -run TestDocsKeys -update writes it anew", path)
	}
	for _, k := range keys() {
		if !strings.Contains(want.String(), "| `"+k.name+"` |") {
			t.Errorf("no table of %s has %s", path, k.name)
		}
	}
}

// tableOf is the table that a comment asks for: "keys" with the beginnings of keys, or
// "spellings".
func tableOf(t *testing.T, which string) string {
	var b strings.Builder
	if which == "spellings" {
		b.WriteString("| other spelling | key |\n|---|---|\n")
		for _, o := range otherSpellings {
			if o.ours != "" {
				fmt.Fprintf(&b, "| `%s` | `%s` |\n", o.name, o.ours)
			}
		}
		return b.String()
	}
	b.WriteString("| key | default | meaning | project's file |\n|---|---|---|---|\n")
	c := builtIn(func(string) string { return "" })
	for _, k := range keys() {
		for _, begins := range strings.Fields(which)[1:] {
			if k.name == begins || strings.HasSuffix(begins, ".") && strings.HasPrefix(k.name, begins) {
				fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", k.name, defaultOf(k, &c), meaningOf(k.name).says, projectsFile(t, k))
			}
		}
	}
	return b.String()
}

// defaultOf is what counts where a key is not set.
func defaultOf(k key, c *Config) string {
	if text := meaningOf(k.name).unset; text != "" {
		return text
	}
	return fmt.Sprintf("`%v`", k.get(c))
}

// projectsFile is what a project's file may set of a key.
func projectsFile(t *testing.T, k key) string {
	m := meaningOf(k.name)
	if m.says == "" || (m.project != "") != (k.scope == stricter) {
		t.Errorf("keys.txt, %s: got %+v, want what it means, and what a project's file may set just where it asks for no less", k.name, m)
	}
	switch k.scope {
	case stricter:
		return m.project
	case needsTrust:
		return "trust"
	}
	return "no"
}
