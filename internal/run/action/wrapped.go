package action

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// minTight is the length of the shortest form that is looked for with blanks between its
// characters: a shorter one would be found across words.
const minTight = 8

// minBegun is how many characters of a form at the end of a line are held back: one alone
// ends many lines, and tells little.
const minBegun = 2

// between are the characters that may stand between those of a form: programs wrap what
// they encode, and write hexadecimal in groups. With blanks go those that stand for them.
const between = " \t\r\n\v\f+"

// tight are the forms without what may stand in between.
func tight(forms []string) (list []string) {
	for _, f := range forms {
		f = strings.Join(strings.FieldsFunc(f, func(r rune) bool { return strings.ContainsRune(between, r) }), "")
		if len(f) >= minTight {
			list = append(list, f)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// spelled is how many characters of a form a text begins with, and how many bytes of the
// text they take, with the blanks between them.
func spelled(text, form string) (size, chars int) {
	for size < len(text) && chars < len(form) {
		switch {
		case text[size] == form[chars]:
			chars++
		case chars == 0 || strings.IndexByte(between, text[size]) < 0:
			return size, chars
		}
		size++
	}
	return size, chars
}

// each calls at for every place of a text at which a form may begin.
func each(text, form string, at func(i int)) {
	for i := 0; ; i++ {
		n := strings.IndexByte(text[i:], form[0])
		if n < 0 {
			return
		}
		i += n
		at(i)
	}
}

// findTight is find with blanks between the characters.
func findTight(forms []string, places [][2]int, d decoding) [][2]int {
	for _, f := range forms {
		each(d.text, f, func(i int) {
			if size, chars := spelled(d.text[i:], f); chars == len(f) {
				places = append(places, [2]int{d.place(i), d.place(i + size)})
			}
		})
	}
	return places
}

// begun is how many bytes at the end of a text may be the beginning of a form that goes
// on in the next line.
func begun(forms []string, t string) (most int) {
	look := func(d decoding) {
		for _, f := range forms {
			each(d.text, f, func(i int) {
				size, chars := spelled(d.text[i:], f)
				if i+size == len(d.text) && chars >= minBegun && chars < len(f) {
					most = max(most, len(t)-d.place(i))
				}
			})
		}
	}
	for d, more := undecoded(t), true; more; d, more = d.decode() {
		look(d)
	}
	if d, is := dumped(t); is {
		look(d)
	}
	return most
}

// dumpLine is a line as od -tx1, hexdump -C and xxd write it: where it stands, and its
// bytes in hexadecimal. What they are as a text may follow.
var dumpLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[0-9a-fA-F]{6,16}:?[ \t]((?: ?[0-9a-fA-F]{2,8}(?:[ \t\r]|$))+)`)
})

// dumped are the bytes of the lines of a dump, with a blank behind each, which stands where
// its line ends; false where there is no such line.
func dumped(t string) (d decoding, is bool) {
	var text []byte
	from := 0
	for line := range strings.Lines(t) {
		bare := strings.TrimRight(line, "\n")
		if part := dumpLine().FindStringSubmatchIndex(bare); part != nil {
			is = true
			for i := part[2]; i < part[3]; i++ {
				text, d.at = append(text, line[i]), append(d.at, from+i)
			}
			text, d.at = append(text, ' '), append(d.at, from+len(bare))
		} else {
			text, d.at = append(text, 0), append(d.at, from) // bytes do not go on behind it
		}
		from += len(line)
	}
	d.text, d.at = string(text), append(d.at, len(t))
	return d, is
}

// findDumped adds the places in a dump, each to the end of its line, where the bytes
// stand once more as a text.
func findDumped(forms []string, places [][2]int, t string) [][2]int {
	d, is := dumped(t)
	if !is {
		return places
	}
	for _, p := range findTight(forms, nil, d) {
		if n := strings.IndexByte(t[p[1]:], '\n'); n >= 0 {
			p[1] += n
		} else {
			p[1] = len(t)
		}
		places = append(places, p)
	}
	return places
}
