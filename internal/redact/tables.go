package redact

import (
	_ "embed"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// tables are what words and names are looked up in.
type tables struct {
	letters  letters
	prefixes []prefix // the first one is none
	byFirst  chains   // the prefixes by their first bytes
	byJoint  chains   // some of them, by the bytes before their joints
	around   []around
	endings  []ending
}

// table is made when a text is first looked at: a start of the programs that looks
// at none does not pay for it. A walk asks once. What is looked up only where letters
// say so is made then (nameMaps, roles, takers): most events of an agent need none.
var table = sync.OnceValue(newTables)

func newTables() *tables {
	t := &tables{prefixes: make([]prefix, 1, 384), endings: make([]ending, 0, 32)}
	t.readVendors()
	t.readNames()
	t.readCommands()
	return t
}

// prefix is a vendor's token that is known by its prefix, and what follows it.
type prefix struct {
	prefix string
	kind   string
	least  int // characters behind the prefix
	chars  *set
	exact  bool // least is their length, because the prefix alone says little
	joint  int  // where the first character stands that is not a letter or digit
}

// around is a token that is known by its form around a dot or a ~.
type around struct {
	kind string
	back int // how many bytes of it stand before the dot at the most
	form func() []part
}

// chains are lists of prefixes, one for each byte: the number of the first, and of the
// next behind each; 0: none.
type chains struct {
	first, last [256]uint16
	next        [512]uint16
}

func (c *chains) add(b byte, n uint16) {
	if last := c.last[b]; last > 0 {
		c.next[last] = n
	} else {
		c.first[b] = n
	}
	c.last[b] = n
}

var (
	//go:embed vendors.txt
	vendorTable string
	//go:embed commands.txt
	commandTable string
	//go:embed places.txt
	placeTable string
)

// readVendors reads vendors.txt.
func (t *tables) readVendors() {
	for line := range strings.Lines(vendorTable) {
		kind, rest := cutWord(strings.TrimSuffix(line, "\n"))
		form, rest := cutWord(rest)
		third, rest := cutWord(rest)
		switch {
		case kind == "#", rest == "":
		case form == "around":
			back, _ := strconv.Atoi(third)
			t.around = append(t.around, around{kind, back, sync.OnceValue(func() []part { return newForm(rest).parts })})
		default:
			digits, exact := strings.CutPrefix(form, "=")
			least, _ := strconv.Atoi(digits)
			of := prefix{kind: kind, least: least, chars: alphabets[third], exact: exact}
			for rest != "" {
				of.prefix, rest = cutWord(rest)
				t.addPrefix(of)
			}
		}
	}
}

func (t *tables) addPrefix(v prefix) {
	p, n := v.prefix, uint16(len(t.prefixes))
	v.joint = run(p, 0, len(p), &alnum)
	t.prefixes = append(t.prefixes, v)
	t.byFirst.add(p[0], n)
	t.letters.begin(p, tokenBegins)
	joined := v.joint > 1 && v.joint < len(p)
	if joined && !v.exact && !slices.Contains(commonEnds, p) {
		t.byJoint.add(p[v.joint-1], n)
		t.letters.end(p[:v.joint], jointFollows)
	}
}

// commonEnds are prefixes that end ordinary words too: they are known at a word's beginning
// only.
var commonEnds = []string{"sk-", "re_", "secret_"}

func (t *tables) readNames() {
	for row := range nameRows {
		for w := range strings.FieldsSeq(row.words) {
			switch row.where {
			case "end":
				t.endings = append(t.endings, ending{w, row.meaning})
				t.letters.end(w, secretEnds)
			case "last", "behind", "pair", "after":
				if w != "pw" { // any word could end so; mayBeSecret knows it
					t.letters.end(w, secretEnds)
				}
			case "role", "member":
				*t.letters.at(0, w[0], byteAt(w, 1)) |= memberBegins
			}
		}
	}
}

func (t *tables) readCommands() {
	for line := range strings.Lines(commandTable) {
		if _, stores, ok := strings.Cut(line, " - "); ok {
			for p := range strings.SplitSeq(stores, ", ") {
				t.letters.begin(p, commandBegins)
			}
		}
	}
	for words := range placeWords {
		t.letters.begin(words, commandBegins)
	}
}

// placeWords goes over the words of places.txt.
func placeWords(yield func(word string) bool) {
	for line := range strings.Lines(placeTable) {
		key, words := cutWord(strings.TrimSuffix(line, "\n"))
		for w := range strings.FieldsSeq(words) {
			if key == "words" && !yield(w) {
				return
			}
		}
	}
}

// ofVendor tells whether a kind is a vendor's.
func ofVendor(kind string) bool {
	return endsWith(kind, "-token", "-webhook") || slices.ContainsFunc(table().prefixes[1:], func(p prefix) bool { return p.kind == kind })
}

// What three letters may be.
const (
	tokenBegins   = 1 << iota // the first three bytes of a vendor's prefix
	jointFollows              // the last three before the first _ or - or . of a prefix
	commandBegins             // those of a word beside which a secret may stand
	secretEnds                // the last three of a word that can end the name of a secret
	memberBegins              // none, and the first two of a member that means something to others
)

// letters says what three letters may be: a cheap look before a word is looked up.
// Other bytes may be taken for letters.
type letters [1 << 15]uint8

func (l *letters) at(a, b, c byte) *uint8 {
	return &l[(uint(a&31)<<10|uint(b&31)<<5|uint(c&31))%uint(len(l))]
}

// begin notes the first three letters of a word, end the last three; of a word of two
// letters any third one.
func (l *letters) begin(word string, what uint8) {
	if len(word) > 2 {
		*l.at(word[0], word[1], word[2]) |= what
		return
	}
	for third := range byte(32) {
		*l.at(word[0], word[1], third) |= what
	}
}

func (l *letters) end(word string, what uint8) {
	if w := word[max(0, len(word)-3):]; len(w) == 3 {
		*l.at(w[0], w[1], w[2]) |= what
		return
	}
	for first := range byte(32) {
		*l.at(first, word[0], word[1]) |= what
	}
}
