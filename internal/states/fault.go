package states

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/piton-project/piton"
)

// MaxBytes is the size of the largest state, in its compact form.
const MaxBytes = 64 << 20

// Hints of states that are refused. Every door gives the same.
const (
	HintNumber = "write null, or the number as a string"
	HintDepth  = "keep the state flatter: a list of parts that name each other by id, or the deep part as one string"
	HintSize   = "keep files and long outputs out of the state; name their paths instead"
	hintSyntax = "check it with 'python3 -m json.tool' or jq; comments and trailing commas are not JSON"
	hintTwice  = "give every key of an object once"
)

// maxPointer bounds the place of a fault as it is shown; its end says most.
const maxPointer = 80

// Fault says shortly what keeps a text from being JSON, where, and what to do about it.
// err is the error of reading it; nil: the text is read once more.
func Fault(text []byte, err error) (hint string, cause error) {
	if err == nil {
		v := jsontext.Value(append([]byte(nil), text...))
		err = v.Compact(jsontext.AllowDuplicateNames(false), jsontext.AllowInvalidUTF8(true))
	}
	var s *jsontext.SyntacticError
	if !errors.As(err, &s) {
		return hintSyntax, err
	}
	place := string(s.JSONPointer)
	if over := len(place) - maxPointer; over > 0 {
		place = "…" + strings.ToValidUTF8(place[over:], "")
	}
	place = cmp.Or(place, "the top")
	switch number, at := noNumber(text, int(s.ByteOffset)); {
	case number != "":
		return HintNumber, fmt.Errorf("%s: JSON has no such number (at %s, byte %d)", number, place, at)
	case s.Err != nil && strings.Contains(s.Err.Error(), "max depth"):
		return HintDepth, fmt.Errorf("nested too deeply: more than %d levels (byte %d)", maxLevels, s.ByteOffset)
	case errors.Is(err, jsontext.ErrDuplicateName):
		hint = hintTwice
	default:
		hint = hintSyntax
	}
	return hint, fmt.Errorf("not acceptable JSON at %s (byte %d): %w", place, s.ByteOffset, s.Err)
}

// maxLevels is how deep the JSON library reads.
const maxLevels = 10_000

// noNumbers are what programs write for numbers that JSON has not.
var noNumbers = []string{"NaN", "nan", "Infinity", "-Infinity", "Inf", "-Inf", "inf", "-inf"}

// noNumber is such a number, where it is the word in which a fault was found, at its
// first character or its second, and where it begins; "" for none.
func noNumber(text []byte, at int) (string, int) {
	if at < 0 || at > len(text) {
		return "", 0
	}
	if at > 0 && inWord(text[at-1]) {
		at--
	}
	if at > 0 && (inWord(text[at-1]) || text[at-1] == '\\') { // in a string
		return "", 0
	}
	to := at
	for to < len(text) && inWord(text[to]) && to-at <= len("-Infinity") {
		to++
	}
	if word := string(text[at:to]); slices.Contains(noNumbers, word) {
		return word, at
	}
	return "", 0
}

func inWord(c byte) bool {
	return c == '-' || c == '_' || c < utf8.RuneSelf && unicode.In(rune(c), unicode.Letter, unicode.Digit)
}

// TooLarge refuses a state of so many bytes; a number that is not too large, or
// negative, says that nobody has counted them.
func TooLarge(op string, size int64) error {
	has := fmt.Sprintf("has %d bytes", size)
	if size <= MaxBytes {
		has = "is too large"
	}
	return piton.Errorf(piton.Invalid, op, HintSize, "the state %s, more than the limit of %d (%d MiB)", has, MaxBytes, MaxBytes>>20)
}
