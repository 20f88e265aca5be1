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
}

// webhook is an address whose path is the secret.
type webhook struct{ host, path, kind string }

// addTokens reads vendors.txt.
func (t *tables) addTokens() {
	t.prefixes = make([]prefix, 1, 256)
	t.vendorKinds = map[string]bool{}
	var last [256]uint16
	for line := range strings.Lines(vendorTable) {
		f := strings.Fields(line)
		if len(f) < 4 || f[0] == "#" {
			continue
		}
		t.vendorKinds[f[0]] = true
		if f[1] == "hook" {
			t.webhooks = append(t.webhooks, webhook{f[2], f[3], f[0]})
			continue
		}
		digits, exact := strings.CutPrefix(f[1], "=")
		least, _ := strconv.Atoi(digits)
		of := &vendors{f[0], least, alphabets[f[2]], exact}
		for _, p := range f[3:] {
			t.addPrefix(p, of, &last)
		}
	}
	t.addJoints()
}

// addPrefix chains a prefix to those that begin with the same byte.
func (t *tables) addPrefix(p string, of *vendors, last *[256]uint16) {
	n := uint16(len(t.prefixes))
	t.prefixes = append(t.prefixes, prefix{prefix: p, vendors: of})
	if before := last[p[0]]; before > 0 {
		t.prefixes[before].next = n
	} else {
		t.byFirst[p[0]] = n
	}
	last[p[0]] = n
	for third := range byte(32) {
		if len(p) == 2 || third == p[2]&31 {
			t.beginnings.add(p[0], p[1], third)
		}
	}
}

// alphabets are those that vendors.txt names.
var alphabets = map[string]alphabet{"caps": upperDigit, "word": wordy, "dotted": dotted, "alnum": alnum, "hex": hex, "lowhex": lowerHex, "base64": base64ish, "crypt": cryptic}

// ofVendor tells whether a kind is a vendor's.
func ofVendor(kind string) bool {
	return strings.HasSuffix(kind, "-token") || table().vendorKinds[kind]
}
