package words

import "unicode"

// Letters with marks as letters without, in the order of their numbers; a dot
// where there is none.
const (
	latin = "aaaaaa.ceeeeiiii.nooooo.ouuuuy..aaaaaa.ceeeeiiii.nooooo.ouuuuy.yaaaaaaccccccccddddeeeeeeeeeegggggggghhhhiiiiiiiiii..jjkk.llllll." +
		".llnnnnnn...oooooo..rrrrrrssssssssttttttuuuuuuuuuuuuwwyyyzzzzzz.................................oo.............uu..............." +
		".............aaiioouuuuuuuuuu.aaaa....ggkkoooo..j...gg..nnaa..ooaaaaeeeeiiiioooorrrruuuusstt..hh......aaeeooooooooyy............" +
		"................" // from U+00C0
	latinMore = "aabbbbbbccddddddddddeeeeeeeeeeffgghhhhhhhhhhiiiikkkkkkllllllllmmmmmmnnnnnnnnoooooooopppprrrrrrrrssssssssssttttttttuuuuuuuuuuvvvv" +
		"wwwwwwwwwwxxxxyyzzzzzzhtwy......aaaaaaaaaaaaaaaaaaaaaaaaeeeeeeeeeeeeeeeeiiiioooooooooooooooooooooooouuuuuuuuuuuuuuyyyyyyyy......" // from U+1E00
)

// fold makes one of what people type in several ways: small and large letters,
// with marks and without. Nothing is left of a mark that stands by itself.
func fold(r rune) string {
	switch {
	case r < 0x80:
		return string(unicode.ToLower(r))
	case unicode.Is(unicode.Mn, r):
		return ""
	case r == 'ß' || r == 'ẞ':
		return "ss"
	case r == 'æ' || r == 'Æ':
		return "ae"
	case r == 'œ' || r == 'Œ':
		return "oe"
	case r >= 0xC0 && r < 0xC0+rune(len(latin)) && latin[r-0xC0] != '.':
		return latin[r-0xC0 : r-0xC0+1]
	case r >= 0x1E00 && r < 0x1E00+rune(len(latinMore)) && latinMore[r-0x1E00] != '.':
		return latinMore[r-0x1E00 : r-0x1E00+1]
	}
	return string(unicode.ToLower(r))
}
