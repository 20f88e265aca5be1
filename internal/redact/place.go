package redact

import (
	"cmp"
	"strconv"
	"strings"
	"sync"
)

// beside is where a secret stands beside a word.
type beside struct {
	before, after []part
	check, kind   string
	within        int // how far the form behind the word reaches, in bytes
}

// places are the places of places.txt by their words, read when one is first met.
var places = sync.OnceValue(func() map[string][]func() *beside {
	all := map[string][]func() *beside{}
	for block := range strings.SplitSeq(placeTable, "\n\n") {
		fields := map[string]string{}
		for line := range strings.Lines(block) {
			key, text := cutWord(strings.TrimSuffix(line, "\n"))
			fields[key] = text
		}
		within, err := strconv.Atoi(fields["within"])
		if err != nil {
			within = maxToken
		}
		place := sync.OnceValue(func() *beside {
			return &beside{newForm(fields["before"]).parts, newForm(fields["after"]).parts, fields["check"], fields["kind"], within}
		})
		for w := range strings.FieldsSeq(fields["words"]) {
			all[w] = append(all[w], place)
		}
	}
	return all
})

// find finds a secret beside the word at start.
func (b *beside) find(s string, start, end int) (v value, ok bool) {
	m := match{text: s[:min(len(s), end+b.within)], to: -1}
	if !m.at(b.after, end, anywhere) {
		return value{}, false
	}
	if len(b.before) > 0 && !strings.Contains(before(s, start, looked), b.before[0].literal) {
		return value{}, false
	}
	begins := func(at int) bool { return at == start }
	from := start
	for !m.at(b.before, from, begins) {
		if from--; from < max(0, start-looked) {
			return value{}, false
		}
	}
	if m.to >= 0 {
		return value{from: m.from, to: m.to}, true
	}
	if v = valueAfter(s, m.from-1); !v.quoted {
		v.to = back(s, v.to, v.from, &sentenceEnds)
	}
	return v, true
}

// sentenceEnds are the signs that end a part of a sentence, and no value.
var sentenceEnds = chars(".?:")

// beside takes a secret out that stands beside a word, by the places of a name: the word
// itself, or what the word is. m is what the word says of the secret.
func (w *walker) beside(name string, start, end int, m meaning) (taken bool) {
	for _, place := range places()[name] {
		b := place()
		v, ok := b.find(w.text, start, end)
		if !ok {
			continue
		}
		c := w.candidate(v, m)
		c.name, c.left = w.text[start:end], start
		if b.kind != "" || m.level == 0 {
			c.meaning = meaning{cmp.Or(b.kind, "password"), sure}
		}
		switch c.says(b.check) {
		case "yes":
			w.replace(v.from, v.to, kindOf(c.text, c.kind))
			return true
		case "authorization":
			return w.authorization(c)
		}
	}
	return false
}

// authorization takes the credential of an HTTP header out, and leaves the scheme.
func (w *walker) authorization(c *candidate) bool {
	if w.beside(":authorization", c.from, c.from, meaning{}) {
		return true
	}
	secret := c.is("authorization")
	if secret {
		w.replace(c.from, c.to, "authorization")
	}
	return secret
}

// named looks beside a word that is the name of a secret.
func (w *walker) named(places string, start, end int) {
	if strings.EqualFold(w.text[start:end], "key") && byteAt(w.text, start-1) == ' ' { // "the API key is X"
		start = back(w.text, start-1, 0, &wordy)
	}
	if m := w.secretName(w.text[start:end]); m.level > 0 {
		w.beside(places, start, end, m)
	}
}
