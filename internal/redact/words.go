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
var lastWords = []said{
	{meaning{"password", sure}, "password passwd pwd passphrase passcode userpass storepass keypass passwords passwds passphrases masterauth requirepass sshpass"},
	{meaning{"password", unsure}, "pass pw pin otp psk"},
	{meaning{"secret", sure}, "secret mnemonic"},
	{meaning{"token", sure}, "token"},
	{meaning{"credential", sure}, "credential credentials dockerconfigjson dockercfg"},
	{meaning{"credential", unsure}, "cred creds auth"},
	{meaning{"authorization", sure}, "authorization"},
	{meaning{"token", unsure}, "bearer jwt pat tokens"},
	{meaning{"secret", unsure}, "secrets hmac"},
	{meaning{"api-key", sure}, "apikeys"},
}

var lastMeanings = sync.OnceValue(func() map[string]meaning { return byWord(lastWords) })

// endings are words that end names in which nothing parts words: PGPASSWORD,
// dbpassword.
var endings = []said{
	{meaning{"password", sure}, "password passwd passphrase"},
	{meaning{"api-key", sure}, "apikey accesskey accountkey authkey accesskeys"},
	{meaning{"secret", sure}, "secretkey clientsecret apisecret encryptionkey signingkey"},
	{meaning{"private-key", sure}, "privatekey"},
	{meaning{"token", sure}, "authtoken accesstoken apitoken identitytoken sessiontoken refreshtoken"},
}

// keyWords are the words that, before key, name a secret.
var keyWords = sync.OnceValue(func() map[string]meaning {
	return byWord([]said{
		{meaning{"api-key", sure}, "api access account storage auth"},
		{meaning{"private-key", sure}, "private"},
		{meaning{"secret", sure}, "secret signing encryption decryption master hmac shared preshared"},
		{meaning{"secret", unsure}, "license session cookie webhook jwt token unseal recovery aes crypto cipher nonce root registration"},
		{meaning{"private-key", unsure}, "deploy ssh client tls ssl wallet"},
		{meaning{"api-key", unsure}, "admin service app server integration ingest write subscription functions rest"},
	})
})

// pairs are other names of two words.
var pairs = []struct {
	first, last string
	meaning
}{
	{"key", "base", meaning{"secret", sure}},
	{"key", "data", meaning{"private-key", unsure}},
	{"seed", "phrase", meaning{"secret", sure}},
	{"recovery", "phrase", meaning{"secret", sure}},
	{"mnemonic", "phrase", meaning{"secret", sure}},
	{"pass", "phrase", meaning{"password", sure}},
	{"backup", "codes", meaning{"secret", unsure}},
	{"recovery", "codes", meaning{"secret", unsure}},
	{"secret", "text", meaning{"secret", unsure}},
	{"secret", "string", meaning{"secret", sure}},
}

// trailing are words that stand behind the word that decides: API_KEY_PROD.
var trailing = words(trailingWords)

const trailingWords = `prod production dev development staging stage test live old new admin root value plain plaintext base raw encoded primary secondary backup current
	previous confirmation confirm`

// harmless are the words that, before token, name no secret.
var harmless = words(`page next continuation cursor sync start end max min total key pad eos bos sep mask unk cls stop syntax special prompt design input output completion
	cached num reasoning thinking public current last first`)

// What three letters may be.
const (
	tokenBegins   = 1 << iota // the first three bytes of a vendor's prefix
	jointFollows              // the last three before the first _ or - or . of a prefix
	commandBegins             // those of a word that commandWord looks at
	secretEnds                // the last three of a word that can end the name of a secret
	roleBegins                // none, and the first two of a role's name
)

// letters says what three letters may be: a cheap look before a word is looked up.
// Other bytes may be taken for letters.
type letters [1 << 15]uint8

func (l *letters) at(a, b, c byte) *uint8 {
	return &l[(uint(a&31)<<10|uint(b&31)<<5|uint(c&31))%uint(len(l))]
}
