package redact

import "strings"

// secretName is what a name says of its value. The last word decides:
// db_password and githubToken, but not password_file, token_usage or max_tokens.
func secretName(name string) meaning {
	if len(name) > 128 || !table().mayBeSecret(name) {
		return meaning{}
	}
	return meaningOf(split(name))
}

func inName(c byte) bool { return wordy(c) || c >= 0x80 || strings.IndexByte("./ :@", c) >= 0 }

func meaningOf(words []string) meaning {
	n := len(words)
	if n > 1 && trailing()[words[n-1]] {
		if m := meaningOf(words[:n-1]); m.level > 0 {
			return meaning{m.kind, unsure}
		}
	}
	if n == 0 {
		return meaning{}
	}
	last, before := words[n-1], ""
	if n > 1 {
		before = words[n-2]
		for _, p := range pairs {
			if p.last == last && p.first == before {
				return p.meaning
			}
		}
		if last == "key" || last == "keys" {
			return keyWords()[before]
		}
		if (last == "token" || last == "tokens") && harmless()[before] {
			return meaning{}
		}
		if last == "pin" || last == "pat" || last == "hmac" || last == "bearer" {
			return meaning{}
		}
	}
	m, ok := lastMeanings()[last]
	if ok {
		if n > 1 && (last == "pass" || last == "pw") {
			m.level = sure
		}
		return m
	}
	for _, e := range table().endings {
		if strings.HasSuffix(last, e.word) || strings.HasSuffix(e.word, last) && strings.HasSuffix(before, e.word[:len(e.word)-len(last)]) {
			return e.meaning
		}
	}
	return meaning{}
}

// mayBeSecret is a cheap look before a name is taken apart: at its last
// letters.
func (t *tables) mayBeSecret(name string) bool {
	end := len(name)
	for end > 0 && !letter(name[end-1]) {
		end--
	}
	if end < 3 {
		return end == 2 && name[0]|0x20 == 'p' && name[1]|0x20 == 'w'
	}
	return *t.letters.at(name[end-3], name[end-2], name[end-1])&secretEnds != 0 || name[end-1]|0x20 == 'w' && name[end-2]|0x20 == 'p' && !letter(name[end-3])
}

// split takes a name apart into lower-case words: at _ - . and blanks, and at
// capitals. Digits at the end of a word fall away.
func split(name string) []string {
	words := make([]string, 0, 4)
	begin := 0
	add := func(end int) {
		if w := strings.ToLower(strings.TrimRight(name[begin:end], "0123456789")); w != "" {
			words = append(words, w)
		}
	}
	for i := 0; i < len(name); i++ {
		c := name[i]
		switch {
		case !letter(c) && !digit(c):
			add(i)
			begin = i + 1
		case i > begin && c >= 'A' && c <= 'Z' && (name[i-1] >= 'a' && name[i-1] <= 'z' || i+1 < len(name) && name[i+1] >= 'a' && name[i+1] <= 'z' && letter(name[i-1])):
			add(i)
			begin = i
		}
	}
	add(len(name))
	return words
}
