package config

import (
	"fmt"

	"go.yaml.in/yaml/v3"
)

// Allow is what redaction keeps although it looks like a secret (docs/spec.md,
// "Never stored"). Only the user's own file sets it.
type Allow struct {
	Names    []string // names whose values are kept; * stands for any characters
	Patterns []string // values that are kept; * stands for any characters
}

// maxAllow bounds each list of Allow: every text that looks like a secret is
// held against all of it.
const maxAllow = 200

// allowKeys are the settings under redact.allow.
func allowKeys() []key {
	return []key{
		{name: "redact.allow.names", scope: own, codec: allowed(func(c *Config) *[]string { return &c.Allow.Names })},
		{name: "redact.allow.patterns", scope: own, codec: allowed(func(c *Config) *[]string { return &c.Allow.Patterns })},
	}
}

func allowed(field func(*Config) *[]string) codec {
	return codec{
		get: func(c *Config) any { return *field(c) },
		list: func(c *Config, n *yaml.Node, l layer) (bool, []error) {
			list, err := texts(n, l)
			if err != nil {
				return false, []error{err}
			}
			var errs []error
			if len(list) > maxAllow {
				errs, list = append(errs, strict{l.lines}.errorf(n, "it has %d entries, only the first %d count", len(list), maxAllow)), list[:maxAllow]
			}
			var kept []string
			for _, x := range list {
				if only(x, '*') {
					errs = append(errs, fmt.Errorf("%q would keep every secret; it is left out", x))
					continue
				}
				kept = append(kept, x)
			}
			*field(c) = kept
			return true, errs
		},
	}
}

// only tells whether a text has no other character than one.
func only(s string, c byte) bool {
	for i := range len(s) {
		if s[i] != c {
			return false
		}
	}
	return true
}
