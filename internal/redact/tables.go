package redact

import (
	"slices"
	"strings"
	"sync"
)

// tables are what words and names are looked up in.
type tables struct {
	letters  letters
	prefixes []prefix    // the first one is none
	byFirst  [256]uint16 // the first of those that begin with a byte
	byJoint  [256]uint16 // the first of those with a byte before their joint

	webhooks []webhook
	endings  []ending
}

// table is made when a text is first looked at: a start of the programs that looks
// at none does not pay for it. A walk asks once. What is looked up only where letters
// say so is made then (lastMeanings, roles, takers): most events of an agent need none.
var table = sync.OnceValue(func() *tables {
	t := new(tables)
	t.addTokens()
	t.addNames()
	t.addCommands()
	return t
})

// prefix is a vendor's token that is known by its prefix.
type prefix struct {
	prefix string
	vendor
	joint     int    // where the first character stands that is no letter or digit
	next      uint16 // the next that begins with the same byte; 0: none
	nextJoint uint16 // the next with the same byte before its joint; 0: none
}

func (t *tables) addTokens() {
	t.prefixes = make([]prefix, 1, 384)
	var last [256]uint16
	t.webhooks = readVendors(func(p string, of vendor) { t.addPrefix(p, of, &last) })
	t.addJoints()
}

// addPrefix chains a prefix to those that begin with the same byte.
func (t *tables) addPrefix(p string, of vendor, last *[256]uint16) {
	n := uint16(len(t.prefixes))
	joint := 0
	for joint < len(p) && alnum(p[joint]) {
		joint++
	}
	t.prefixes = append(t.prefixes, prefix{prefix: p, vendor: of, joint: joint})
	if before := last[p[0]]; before > 0 {
		t.prefixes[before].next = n
	} else {
		t.byFirst[p[0]] = n
	}
	last[p[0]] = n
	if len(p) > 2 {
		*t.letters.at(p[0], p[1], p[2]) |= tokenBegins
		return
	}
	for third := range byte(32) {
		*t.letters.at(p[0], p[1], third) |= tokenBegins
	}
}

// commonEnds are prefixes that end ordinary words too: they are known at a word's beginning
// only.
var commonEnds = []string{"sk-", "re_", "secret_"}

// addJoints chains the prefixes by their joints, in the order of their first bytes.
func (t *tables) addJoints() {
	var last [256]uint16
	for _, first := range t.byFirst {
		for n := first; n > 0; n = t.prefixes[n].next {
			v := &t.prefixes[n]
			joined := v.joint > 1 && v.joint < len(v.prefix)
			if !joined || v.exact || slices.Contains(commonEnds, v.prefix) {
				continue
			}
			c := v.prefix[v.joint-1]
			if v.joint > 2 {
				*t.letters.at(v.prefix[v.joint-3], v.prefix[v.joint-2], c) |= jointFollows
			} else {
				for first := range byte(32) {
					*t.letters.at(first, v.prefix[0], c) |= jointFollows
				}
			}
			if before := last[c]; before > 0 {
				t.prefixes[before].nextJoint = n
			} else {
				t.byJoint[c] = n
			}
			last[c] = n
		}
	}
}

// ending is a word that ends names.
type ending struct {
	word string
	meaning
}

func (t *tables) addNames() {
	t.endings = make([]ending, 0, 32)
	for _, x := range endings {
		for w := range strings.FieldsSeq(x.words) {
			t.endings = append(t.endings, ending{w, x.meaning})
			t.addEnd(w)
		}
	}
	for _, x := range lastWords {
		t.addEnds(x.words)
	}
	t.addEnds(trailingWords)
	for _, p := range pairs {
		t.addEnd(p.last)
	}
	t.addEnds("key keys data")
	for _, names := range roleNames {
		for name := range strings.FieldsSeq(names) {
			*t.letters.at(0, name[0], name[1]) |= roleBegins
		}
	}
}

func (t *tables) addEnds(words string) {
	for w := range strings.FieldsSeq(words) {
		t.addEnd(w)
	}
}

func (t *tables) addEnd(word string) {
	if w := word[max(0, len(word)-3):]; len(w) == 3 {
		*t.letters.at(w[0], w[1], w[2]) |= secretEnds
	}
}

func (t *tables) addCommands() {
	for line := range strings.Lines(commandTable) {
		if _, stores, ok := strings.Cut(line, " - "); ok {
			for p := range strings.SplitSeq(stores, ", ") {
				t.addCommand(p)
			}
		}
	}
	for _, name := range []string{"htpasswd", "sqlplus", "ConvertTo-SecureString", "encrypt_string", "identified", "IDENTIFIED", "Identified", "send"} {
		t.addCommand(name)
	}
}

func (t *tables) addCommand(word string) {
	*t.letters.at(word[0], word[1], word[2]) |= commandBegins
}

// ofVendor tells whether a kind is a vendor's.
func ofVendor(kind string) bool {
	return strings.HasSuffix(kind, "-token") || slices.ContainsFunc(table().prefixes[1:], func(p prefix) bool { return p.kind == kind }) ||
		slices.ContainsFunc(table().webhooks, func(h webhook) bool { return h.kind == kind })
}
