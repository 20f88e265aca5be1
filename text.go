package piton

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Cut is the beginning of a text, of n bytes at most and of whole characters.
func Cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// Mark begins what Piton says to an agent, and nothing that others wrote.
const Mark = "[Piton Checkpoint]"

// Printable is a text that others wrote as a record or a message may have it:
// on one line. White space of any kind becomes a space; other control
// characters, characters that cannot be seen, and bytes that are not UTF-8 are
// written as escapes such as \x1b and \u200b, so that they are seen and steer no
// terminal. What joins emoji, or letters where a script needs it, stays.
func Printable(s string) string { return printable(s, false) }

// PrintableLines is Printable with the text's lines and tabs kept; CR LF and CR
// become LF.
func PrintableLines(s string) string { return printable(s, true) }

func printable(s string, lines bool) string {
	if plainASCII(s, lines) {
		return s
	}
	var b strings.Builder
	before := rune(' ')
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		after, width := utf8.DecodeRuneInString(s[i+n:])
		if after == utf8.RuneError && width <= 1 || blank(after) {
			after = ' ' // it is written in another way
		}
		left := before
		before = ' ' // of what is written in another way
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case lines && (r == '\n' || r == '\t'):
			b.WriteRune(r)
		case r == '\r' && strings.HasPrefix(s[i+1:], "\n"):
			// the line feed behind it stands for both
		case lines && (r == '\r' || unicode.In(r, unicode.Zl, unicode.Zp)):
			b.WriteByte('\n')
		case blank(r):
			b.WriteByte(' ')
		case unicode.IsControl(r) && r < utf8.RuneSelf:
			fmt.Fprintf(&b, `\x%02x`, r)
		case unicode.IsControl(r) || hides(left, r, after):
			b.WriteString(escaped(r))
		default:
			b.WriteRune(r)
			before = r
		}
		i += n
	}
	return b.String()
}

// blank tells whether a character is white space that is written as a space: a control,
// the end of a line, and the pattern of Braille without a dot.
func blank(r rune) bool {
	const noDots = 0x2800
	return unicode.IsControl(r) && unicode.IsSpace(r) || unicode.In(r, unicode.Zl, unicode.Zp) || r == noDots
}

// plainASCII tells whether there is nothing to look for in a text.
func plainASCII(s string, lines bool) bool {
	for i := range len(s) {
		white := s[i] == '\n' || s[i] == '\t'
		if (s[i] < ' ' || s[i] >= 0x7f) && !(lines && white) {
			return false
		}
	}
	return true
}

func escaped(r rune) string {
	if r > 0xffff {
		return fmt.Sprintf(`\U%08x`, r)
	}
	return fmt.Sprintf(`\u%04x`, r)
}

// joining are the scripts in which letters are joined, or kept apart, by characters
// that are not seen. A mark of direction is always written as an escape: it turns what
// stands beside it around, also in a text whose script has such marks.
var (
	joining = []*unicode.RangeTable{unicode.Arabic, unicode.Syriac, unicode.Nko, unicode.Mongolian, unicode.Devanagari, unicode.Bengali, unicode.Gurmukhi, unicode.Gujarati,
		unicode.Oriya, unicode.Tamil, unicode.Telugu, unicode.Kannada, unicode.Malayalam, unicode.Sinhala, unicode.Khmer, unicode.Myanmar, unicode.Tibetan}
	unseen = []*unicode.RangeTable{unicode.Cf, unicode.Co, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector, unicode.Noncharacter_Code_Point}
)

// hides tells whether a character is not seen, or changes how others are seen, and
// has no need to be where it is.
func hides(before, r, after rune) bool {
	// A sign of ASCII, or one that a fence reads as such, is not a picture: a fence may put
	// another in its place.
	picture := func(r rune) bool {
		as, _ := fold(string(r))
		return unicode.In(r, unicode.So, unicode.Sm, unicode.Sk) && as >= utf8.RuneSelf || r == 0xfe0f
	}
	switch {
	case !unicode.In(r, unseen...):
		return false
	case unicode.Is(unicode.Prepended_Concatenation_Mark, r):
		return false
	case r == 0x200d && picture(before):
		return !picture(after) || after == 0xfe0f
	case r == 0x200c, r == 0x200d:
		return !unicode.In(before, joining...)
	case r == 0xfe0e, r == 0xfe0f:
		return !(picture(before) && before != 0xfe0f || strings.ContainsRune("‼⁉〰", before) || after == 0x20e3)
	case r >= 0xe0100 && r <= 0xe01ef:
		return !unicode.Is(unicode.Han, before)
	case r >= 0x180b && r <= 0x180d:
		return !unicode.Is(unicode.Mongolian, before)
	}
	return true
}

// fold is the first character of a text as it is read, and its size.
func fold(s string) (rune, int) {
	if s == "" {
		return 0, 0
	}
	if c := s[0]; c < utf8.RuneSelf {
		return rune(c), 1
	}
	r, size := utf8.DecodeRuneInString(s)
	switch r {
	case '﹤', '〈', '⟨', '\u2329':
		r = '<'
	case '﹥', '〉', '⟩', '\u232a':
		r = '>'
	case '【', '〔', '〖', '⟦', '﹝', '〚', '❲', '⁅':
		r = '['
	case '】', '〕', '〗', '⟧', '﹞', '〛', '❳', '⁆':
		r = ']'
	case '﹕', '︓', '∶', '꞉':
		r = ':'
	default:
		if r >= 0xff01 && r <= 0xff5e { // of full width
			r -= 0xff01 - '!'
		} else if unicode.IsSpace(r) {
			r = ' '
		}
	}
	return r, size
}

// likenesses are small letters of other scripts, signs and letters with marks that look
// like those of Piton's name.
var likenesses = [...]struct {
	letter rune
	like   string
}{
	{'p', "рρϱϼҏṕṗƥᵽþƿᴘᵖₚᴾℙⲣꮲⓟ"},
	{'i', "ıіїιίϊΐìíîïĩīĭįǐỉịȉȋḭḯɨɩɪӏᵢⁱᴵᶦℹℐℑⅰⅼꙇꭵⓘⓛ1l|!ǀǃ"},
	{'t', "тҭτţťțṫṭṯṱẗŧƭʈᴛᵗₜᵀⲧꭲⓣ†"},
	{'o', "оӧөοόσòóôõöøōŏőǒọỏơốồổỗộớờởỡợǫǭȍȏȫȭȯȱṍṏṑṓօᴏᵒₒᴼℴⲟ๐໐ⓞ○●0"},
	{'n', "пиνηήπńņňñǹṅṇṉṋŋɲɳոռɴᴎⁿₙᴺℕⲛⓝ"},
}

// alike is the small Latin letter of Piton's name that a character looks like, in any
// case and of any face; else the character in small.
func alike(r rune) rune {
	switch {
	case r >= 0x1d400 && r <= 0x1d6a3: // mathematical letters
		return 'a' + (r-0x1d400)%26
	case r >= 0x1f130 && r <= 0x1f189 && (r-0x1f130)%32 < 26: // in squares and circles
		return 'a' + (r-0x1f130)%32
	case r == 0x1d6a4:
		return 'i'
	case r >= 0x1d6a8 && r <= 0x1d7cb: // mathematical Greek: capitals, then small letters
		if r = (r - 0x1d6a8) % 58; r < 26 {
			r += 'Α'
		} else {
			r += 'α' - 26
		}
	}
	r = unicode.ToLower(r)
	for _, x := range likenesses {
		if strings.ContainsRune(x.like, r) {
			return x.letter
		}
	}
	return r
}
