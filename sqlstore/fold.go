package sqlstore

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

// fold makes one letter of what people type in several ways: small and large,
// with marks and without. 0 for a mark that stands by itself.
func fold(r rune) rune {
	switch {
	case r < 0x80:
		return unicode.ToLower(r)
	case unicode.Is(unicode.Mn, r):
		return 0
	case r >= 0xC0 && r < 0xC0+rune(len(latin)) && latin[r-0xC0] != '.':
		return rune(latin[r-0xC0])
	case r >= 0x1E00 && r < 0x1E00+rune(len(latinMore)) && latinMore[r-0x1E00] != '.':
		return rune(latinMore[r-0x1E00])
	}
	return unicode.ToLower(r)
}
