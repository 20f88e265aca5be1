package main

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/cli"
)

func TestNearFlags(t *testing.T) {
	for _, c := range []struct {
		name    string
		command []string
		typed   string
		want    []string
	}{
		{"a letter left out", []string{"list"}, "jsn", []string{"--jq", "--json"}},
		{"two letters swapped", []string{"delete"}, "yse", []string{"--yes"}},
		{"an underline for a dash", []string{"delete"}, "dry_run", []string{"--dry-run"}},
		{"the beginning of several", []string{"save"}, "phase-", []string{"--phase", "--phase-number", "--phase-total"}},
		{"a flag of all commands", []string{"runs", "list"}, "stor", []string{"--store"}},
		{"a letter", []string{"list"}, "j", nil},
		{"nothing near", []string{"list"}, "frobnicate", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			x, _, err := rootCommand(newConsole(nil, nil, nil, os.Getenv)).Find(c.command)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			var wrong *piton.Error
			errors.As(cli.FlagError(x, x.ParseFlags([]string{"--" + c.typed})), &wrong)
			if meant, ok := strings.CutPrefix(wrong.Hint, "did you mean "); ok {
				meant, _, _ = strings.Cut(meant, "?")
				got = strings.Split(meant, " or ")
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
