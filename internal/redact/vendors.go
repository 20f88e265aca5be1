package redact

import (
	_ "embed"
	"strconv"
	"strings"
)

//go:embed vendors.txt
var vendorTable string

// vendors are vendors' tokens of one kind, known by their prefixes.
type vendors struct {
	kind  string
	least int // characters behind the prefix
	chars alphabet
	exact bool // least is their length, because the prefix alone says little
	begin []string
}

// webhook is an address whose path is the secret.
type webhook struct{ host, path, kind string }

// readVendors reads vendors.txt.
func readVendors() (tokens []vendors, hooks []webhook) {
	for line := range strings.Lines(vendorTable) {
		if line[0] == '#' {
			continue
		}
		f := strings.Split(strings.TrimSuffix(line, "\n"), " ")
		if len(f) < 4 {
			continue
		}
		if f[1] == "hook" {
			hooks = append(hooks, webhook{f[2], f[3], f[0]})
			continue
		}
		digits, exact := strings.CutPrefix(f[1], "=")
		least, _ := strconv.Atoi(digits)
		tokens = append(tokens, vendors{f[0], least, alphabets[f[2]], exact, f[3:]})
	}
	return tokens, hooks
}

// alphabets are those that vendors.txt names.
var alphabets = map[string]alphabet{"caps": upperDigit, "word": wordy, "dotted": dotted, "alnum": alnum, "hex": hex, "lowhex": lowerHex, "base64": base64ish, "crypt": cryptic}
