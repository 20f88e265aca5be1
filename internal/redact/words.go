package redact

import (
	_ "embed"
	"strings"
	"sync"
)

//go:embed words.txt
var wordTable string

// lists are the lists of words.txt, read when one is first needed.
var lists = sync.OnceValue(func() map[string]map[string]bool {
	all := map[string]map[string]bool{}
	for line := range strings.Lines(wordTable) {
		name, words := cutWord(strings.TrimSuffix(line, "\n"))
		if all[name] == nil {
			all[name] = map[string]bool{}
		}
		for w := range strings.FieldsSeq(words) {
			all[name][w] = true
		}
	}
	return all
})

// listed tells whether a word is in a list.
func listed(list, word string) bool { return lists()[list][word] }

// cutWord is the first word and what stands behind the blank. Each hook reads the tables;
// with strings.Cut and strings.FieldsSeq that took half as long again.
func cutWord(s string) (word, rest string) {
	if i := strings.IndexByte(s, ' '); i >= 0 {
		return s[:i], s[i+1:]
	}
	return s, ""
}
