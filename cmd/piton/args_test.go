package main

import (
	"slices"
	"testing"
)

func TestNearFlags(t *testing.T) {
	for _, c := range []struct {
		name    string
		command []string
		typed   string
		want    []string
	}{
		{"a letter left out", []string{"list"}, "jsn", []string{"--json"}},
		{"two letters swapped", []string{"delete"}, "yse", []string{"--yes"}},
		{"an underline for a dash", []string{"delete"}, "dry_run", []string{"--dry-run"}},
		{"the beginning of several", []string{"save"}, "phase-", []string{"--phase", "--phase-number", "--phase-total"}},
		{"a flag of all commands", []string{"runs", "list"}, "stor", []string{"--store"}},
		{"a letter", []string{"list"}, "j", nil},
		{"nothing near", []string{"list"}, "colour", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			x, _, err := rootCommand(&console{}).Find(c.command)
			if err != nil {
				t.Fatal(err)
			}
			_ = x.ParseFlags(nil) // the flags of all commands are added then
			if got := nearFlags(x, c.typed); !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
