package redact

import (
	_ "embed"
	"strconv"
	"strings"
)

//go:embed vendors.txt
var vendorTable string

// vendor is what follows the prefixes of a vendor's tokens of one kind.
type vendor struct {
	kind  string
	least int // characters behind the prefix
	chars alphabet
	exact bool // least is their length, because the prefix alone says little
}

// webhook is an address whose path is the secret.
type webhook struct{ host, path, kind string }

// readVendors reads vendors.txt: each prefix, and the addresses.
func readVendors(add func(prefix string, of vendor)) (hooks []webhook) {
	for line := range strings.Lines(vendorTable) {
		kind, rest := cutWord(strings.TrimSuffix(line, "\n"))
		form, rest := cutWord(rest)
		third, rest := cutWord(rest)
		switch {
		case kind == "#" || rest == "":
		case form == "hook":
			hooks = append(hooks, webhook{third, rest, kind})
		default:
			digits, exact := strings.CutPrefix(form, "=")
			least, _ := strconv.Atoi(digits)
			of := vendor{kind, least, alphabetOf(third), exact}
			for rest != "" {
				var p string
				p, rest = cutWord(rest)
				add(p, of)
			}
		}
	}
	return hooks
}

// cutWord is the first word and what stands behind the blank. Each hook reads the table;
// with strings.Cut and strings.FieldsSeq that took half as long again.
func cutWord(s string) (word, rest string) {
	if i := strings.IndexByte(s, ' '); i >= 0 {
		return s[:i], s[i+1:]
	}
	return s, ""
}

// alphabets are those that vendors.txt names.
var alphabets = [...]struct {
	name string
	of   alphabet
}{{"caps", upperDigit}, {"word", wordy}, {"dotted", dotted}, {"alnum", alnum}, {"hex", hex}, {"lowhex", lowerHex}, {"base64", base64ish}, {"crypt", cryptic}}

func alphabetOf(name string) alphabet {
	for i := range alphabets {
		if alphabets[i].name == name {
			return alphabets[i].of
		}
	}
	return nil
}
