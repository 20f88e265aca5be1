package redact

import (
	"strings"
	"sync"
)

// byWord is what words say.
type byWord map[string]meaning

// nameWords are the words of names.txt, in maps that are made when a name is first taken
// apart.
type nameWords struct {
	last, behind, after, query, member byWord
	pairs                              map[string]byWord // by the last word of two, then the first
}

var nameMaps = sync.OnceValue(func() *nameWords {
	n := &nameWords{byWord{}, byWord{}, byWord{}, byWord{}, byWord{}, map[string]byWord{}}
	maps := map[string]byWord{"last": n.last, "behind": n.behind, "after": n.after, "query": n.query, "member": n.member}
	for row := range nameRows {
		for w := range strings.FieldsSeq(row.words) {
			switch of := maps[row.where]; {
			case of != nil:
				of[w] = row.meaning
			case row.where == "pair":
				first, last, _ := strings.Cut(w, "_")
				n.addPair(first, last, row.meaning)
			case row.where == "key", row.where == "token":
				n.addPair(w, row.where, row.meaning)
				n.addPair(w, row.where+"s", row.meaning)
			}
		}
	}
	return n
})

func (n *nameWords) addPair(first, last string, m meaning) {
	if n.pairs[last] == nil {
		n.pairs[last] = byWord{}
	}
	n.pairs[last][first] = m
}

// secretName is what a name says of its value. The last word decides:
// db_password and githubToken, but not password_file, token_usage or max_tokens.
func secretName(name string) meaning {
	if len(name) > 128 || !table().mayBeSecret(name) {
		return meaning{}
	}
	return meaningOf(split(name))
}

func meaningOf(words []string) meaning {
	n := len(words)
	if n == 0 {
		return meaning{}
	}
	last, first, maps := words[n-1], "", nameMaps()
	if n > 1 {
		if _, after := maps.after[last]; after {
			if m := meaningOf(words[:n-1]); m.level > 0 {
				return meaning{m.kind, unsure}
			}
		}
		first = words[n-2]
		if m, ok := maps.pairs[last][first]; ok {
			return m
		}
		if m, ok := maps.behind[last]; ok {
			return m
		}
	}
	if m, ok := maps.last[last]; ok {
		return m
	}
	for _, e := range table().endings {
		if e.ends(first, last) {
			return e.meaning
		}
	}
	return meaning{}
}

var notLetter = letter.not()

// mayBeSecret is a cheap look before a name is taken apart: at its last letters.
func (t *tables) mayBeSecret(name string) bool {
	end := back(name, len(name), 0, &notLetter)
	if end >= 3 && *t.letters.at(name[end-3], name[end-2], name[end-1])&secretEnds != 0 {
		return true
	}
	return byteAt(name, end-1)|0x20 == 'w' && byteAt(name, end-2)|0x20 == 'p' && !letter.has(byteAt(name, end-3))
}

// split takes a name apart into lower-case words: at _ - . and blanks, and at
// capitals. Digits at the end of a word fall away.
func split(name string) []string {
	words := make([]string, 0, 4)
	begin := 0
	for i := range len(name) + 1 {
		joint := !alnum.has(byteAt(name, i))
		if !joint && (i == begin || !hump(name, i)) {
			continue
		}
		if w := strings.ToLower(strings.TrimRight(name[begin:i], "0123456789")); w != "" {
			words = append(words, w)
		}
		begin = i
		if joint {
			begin++
		}
	}
	return words
}

// hump tells whether a word begins within a name that only a capital shows: dbPassword,
// HTTPToken.
func hump(name string, i int) bool {
	last, next := byteAt(name, i-1), byteAt(name, i+1)
	return capital.has(name[i]) && (small.has(last) || letter.has(last) && small.has(next))
}
