package redact

import (
	"strings"
	"sync"
)

// How sure a name is.
const (
	unsure = 1 + iota // its value is a secret where it looks like one
	sure              // its value is a secret unless it is plainly none
)

// meaning is what a name says of its value: nothing at level 0.
type meaning struct {
	kind  string
	level int
}

// words is a set of words, made when it is first needed.
func words(list string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool {
		set := map[string]bool{}
		for w := range strings.FieldsSeq(list) {
			set[w] = true
		}
		return set
	})
}

// said is what words say.
type said struct {
	meaning
	words string
}

func byWord(list []said) map[string]meaning {
	m := map[string]meaning{}
	for _, x := range list {
		for w := range strings.FieldsSeq(x.words) {
			m[w] = x.meaning
		}
	}
	return m
}

// lastWords are the last words of names whose values are secret.
var lastWords = byWord([]said{
	{meaning{"password", sure}, "password passwd pwd passphrase passcode userpass storepass keypass passwords passwds passphrases masterauth requirepass"},
	{meaning{"password", unsure}, "pass pw pin otp psk"},
	{meaning{"secret", sure}, "secret mnemonic"},
	{meaning{"token", sure}, "token"},
	{meaning{"credential", sure}, "credential credentials dockerconfigjson dockercfg"},
	{meaning{"credential", unsure}, "cred creds auth"},
	{meaning{"authorization", sure}, "authorization"},
	{meaning{"token", unsure}, "bearer jwt pat tokens"},
	{meaning{"secret", unsure}, "secrets hmac"},
	{meaning{"api-key", sure}, "apikeys"},
})

// ending is a word that ends names in which nothing parts words: PGPASSWORD,
// dbpassword.
type ending struct {
	word string
	meaning
}

var endings = func() (list []ending) {
	for _, x := range []said{
		{meaning{"password", sure}, "password passwd passphrase"},
		{meaning{"api-key", sure}, "apikey accesskey accountkey authkey accesskeys"},
		{meaning{"secret", sure}, "secretkey clientsecret apisecret encryptionkey signingkey"},
		{meaning{"private-key", sure}, "privatekey"},
		{meaning{"token", sure}, "authtoken accesstoken apitoken identitytoken sessiontoken refreshtoken"},
	} {
		for w := range strings.FieldsSeq(x.words) {
			list = append(list, ending{w, x.meaning})
		}
	}
	return list
}()

// keyWords are the words that, before key, name a secret.
var keyWords = sync.OnceValue(func() map[string]meaning {
	return byWord([]said{
		{meaning{"api-key", sure}, "api access account storage auth"},
		{meaning{"private-key", sure}, "private"},
		{meaning{"secret", sure}, "secret signing encryption decryption master hmac shared"},
		{meaning{"secret", unsure}, "license session cookie webhook jwt token unseal recovery aes crypto cipher nonce root registration"},
		{meaning{"private-key", unsure}, "deploy ssh client tls ssl wallet"},
		{meaning{"api-key", unsure}, "admin service app server integration ingest write subscription functions rest"},
	})
})

// pairs are other names of two words, by the last.
var pairs = map[string]map[string]meaning{
	"base":   {"key": {"secret", sure}},
	"data":   {"key": {"private-key", unsure}},
	"phrase": {"seed": {"secret", sure}, "recovery": {"secret", sure}, "mnemonic": {"secret", sure}, "pass": {"password", sure}},
	"codes":  {"backup": {"secret", unsure}, "recovery": {"secret", unsure}},
	"text":   {"secret": {"secret", unsure}},
	"string": {"secret": {"secret", sure}},
}

// trailing are words that stand behind the word that decides: API_KEY_PROD.
var trailing = words(`prod production dev development staging stage test live old new admin root value plain plaintext base raw encoded primary secondary backup current
	previous`)

// harmless are the words that, before token, name no secret.
var harmless = words(`page next continuation cursor sync start end max min total key pad eos bos sep mask unk cls stop syntax special prompt design input output completion
	cached num reasoning thinking public current last first`)

// secretName is what a name says of its value. The last word decides:
// db_password and githubToken, but not password_file, token_usage or max_tokens.
func secretName(name string) meaning {
	if len(name) > 128 || !mayBeSecret(name) {
		return meaning{}
	}
	return meaningOf(split(name))
}

// writtenName is secretName for a text that may be no name at all.
func writtenName(name string) meaning {
	if len(name) > 128 || !mayBeSecret(name) || strings.EqualFold(name, "key") || !all(name, inName) {
		return meaning{}
	}
	return secretName(name)
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
		if m, ok := pairs[last][before]; ok {
			return m
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
	m, ok := lastWords[last]
	if ok {
		if n > 1 && (last == "pass" || last == "pw") {
			m.level = sure
		}
		return m
	}
	for _, e := range endings {
		if strings.HasSuffix(last, e.word) || strings.HasSuffix(e.word, last) && strings.HasSuffix(before, e.word[:len(e.word)-len(last)]) {
			return e.meaning
		}
	}
	return meaning{}
}

// endsOf has a bit for the last three letters of each word that can end the
// name of a secret.
var endsOf = func() (t [32 * 32 * 32 / 64]uint64) {
	add := func(w string) {
		if w = w[max(0, len(w)-3):]; len(w) == 3 {
			n := threeLetters(w[0], w[1], w[2])
			t[n/64] |= 1 << (n % 64)
		}
	}
	for w := range lastWords {
		add(w)
	}
	for w := range pairs {
		add(w)
	}
	for w := range trailing() {
		add(w)
	}
	for _, e := range endings {
		add(e.word)
	}
	add("key")
	add("keys")
	add("data")
	return t
}()

func threeLetters(a, b, c byte) uint {
	return uint(a&31)<<10 | uint(b&31)<<5 | uint(c&31)
}

// mayBeSecret is a cheap look before a name is taken apart: at its last
// letters.
func mayBeSecret(name string) bool {
	end := len(name)
	for end > 0 && !letter(name[end-1]) {
		end--
	}
	if end < 3 {
		return end == 2 && name[0]|0x20 == 'p' && name[1]|0x20 == 'w'
	}
	n := threeLetters(name[end-3], name[end-2], name[end-1])
	return endsOf[n/64]&(1<<(n%64)) != 0 || name[end-1]|0x20 == 'w' && name[end-2]|0x20 == 'p' && !letter(name[end-3])
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
