package redact

import (
	"strings"
	"sync"
)

// tables are what words and names are looked up in.
type tables struct {
	letters  letters
	prefixes []prefix    // the first one is none
	byFirst  [256]uint16 // the first of those that begin with a byte
	byJoint  [256]uint16 // the first of those with a byte before their joint

	vendorKinds map[string]bool
	webhooks    []webhook

	programs map[string]bool // the first words of commands.txt
	options  []taker
	stores   []taker // that have no option

	lastWords map[string]meaning
	endings   []ending
}

// table is made when a text is first looked at: a start of the programs that looks
// at none does not pay for it. A walk asks once.
var table = sync.OnceValue(func() *tables {
	t := new(tables)
	t.addTokens()
	t.addNames()
	t.addCommands()
	for name := range roles() {
		*t.letters.at(0, name[0], name[1]) |= roleBegins
	}
	return t
})

// prefix is a vendor's token that is known by its prefix.
type prefix struct {
	prefix string
	*vendors
	joint     int    // where the first _ or - or . of its prefix stands
	next      uint16 // the next that begins with the same byte; 0: none
	nextJoint uint16 // the next with the same byte before its joint; 0: none
}

func (t *tables) addTokens() {
	t.prefixes = make([]prefix, 1, 256)
	t.vendorKinds = map[string]bool{}
	var all []vendors
	all, t.webhooks = readVendors()
	var last [256]uint16
	for i := range all {
		t.vendorKinds[all[i].kind] = true
		for _, p := range all[i].begin {
			t.addPrefix(p, &all[i], &last)
		}
	}
	for _, h := range t.webhooks {
		t.vendorKinds[h.kind] = true
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
	if len(p) > 2 {
		*t.letters.at(p[0], p[1], p[2]) |= tokenBegins
		return
	}
	for third := range byte(32) {
		*t.letters.at(p[0], p[1], third) |= tokenBegins
	}
}

// addJoints chains the prefixes by their joints, in the order of their first bytes.
func (t *tables) addJoints() {
	var last [256]uint16
	for _, first := range t.byFirst {
		for n := first; n > 0; n = t.prefixes[n].next {
			v := &t.prefixes[n]
			v.joint = strings.IndexAny(v.prefix, "_-.")
			if v.joint <= 1 || v.exact || v.prefix == "sk-" || v.prefix == "re_" || v.prefix == "secret_" {
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
	t.lastWords = byWord(lastWords)
	for _, x := range endings {
		for w := range strings.FieldsSeq(x.words) {
			t.endings = append(t.endings, ending{w, x.meaning})
			t.addEnd(w)
		}
	}
	for w := range t.lastWords {
		t.addEnd(w)
	}
	for w := range trailing() {
		t.addEnd(w)
	}
	for _, p := range pairs {
		t.addEnd(p.last)
	}
	t.addEnd("key")
	t.addEnd("keys")
	t.addEnd("data")
}

func (t *tables) addEnd(word string) {
	if w := word[max(0, len(word)-3):]; len(w) == 3 {
		*t.letters.at(w[0], w[1], w[2]) |= secretEnds
	}
}

func (t *tables) addCommands() {
	t.programs = map[string]bool{"curl": true, "sudo": true}
	t.options, t.stores = readTakers()
	for _, of := range append(t.options[:len(t.options):len(t.options)], t.stores...) {
		for _, p := range of.programs {
			first, _, _ := strings.Cut(p, " ")
			t.programs[first] = true
			if of.option == "-" {
				t.addCommand(first)
			}
		}
	}
	for _, name := range []string{"htpasswd", "sqlplus", "ConvertTo-SecureString", "encrypt_string", "identified", "IDENTIFIED", "Identified", "send"} {
		t.addCommand(name)
	}
}

func (t *tables) addCommand(word string) {
	word += " "
	*t.letters.at(word[0], word[1], word[2]) |= commandBegins
}

// ofVendor tells whether a kind is a vendor's.
func ofVendor(kind string) bool {
	return strings.HasSuffix(kind, "-token") || table().vendorKinds[kind]
}
