package setup

import "bytes"

// blankComments puts a space in the place of every byte of a comment, but keeps white space, so that offsets and lines stay the
// same. It finds comments as Gemini CLI does: // to the end of the line, /* to the next */ or the end of the text.
func blankComments(text []byte) []byte {
	if !bytes.Contains(text, []byte("//")) && !bytes.Contains(text, []byte("/*")) {
		return text
	}
	plain := bytes.Clone(text)
	blank := func(from, to int) {
		for i := from; i < to; i++ {
			if !isSpace(plain[i]) {
				plain[i] = ' '
			}
		}
	}
	for i := 0; i < len(text); i++ {
		switch rest := text[i:]; {
		case text[i] == '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case bytes.HasPrefix(rest, []byte("//")):
			end := len(text)
			if n := bytes.IndexByte(rest, '\n'); n >= 0 {
				end = i + n
			}
			blank(i, end)
			i = end
		case bytes.HasPrefix(rest, []byte("/*")):
			end := len(text)
			if n := bytes.Index(rest[2:], []byte("*/")); n >= 0 {
				end = i + 2 + n + 2
			}
			blank(i, end)
			i = end - 1
		}
	}
	return plain
}

func isSpace(b byte) bool { return b == ' ' || b == '\t' || b == '\r' || b == '\n' }

// commented tells whether there is anything but white space where JSON has only white space, commas and brackets.
func (d *document) commented(from, to int) bool {
	return d.comments && !bytes.Equal(d.text[from:to], d.plain()[from:to])
}

// remarks are the comments between two offsets, without the white space around them.
func (d *document) remarks(from, to int) string {
	var found []byte
	plain := d.plain()
	for i := from; i < to; i++ {
		if d.text[i] != plain[i] {
			found = append(found, d.text[i])
		}
	}
	return string(found)
}

// behind is where something may go behind an offset so that a comment on the same line stays with what it is about.
func (d *document) behind(at int) int {
	if !d.comments {
		return at
	}
	end := len(d.text)
	if n := bytes.IndexByte(d.text[at:], '\n'); n >= 0 {
		end = at + n
	}
	if len(bytes.TrimSpace(d.plain()[at:end])) > 0 { // a comma, a bracket, or a comment that goes on: not this line
		return at
	}
	rest := bytes.TrimRight(d.text[at:end], " \t\r")
	if bytes.Contains(rest, []byte("/*")) && !bytes.HasSuffix(rest, []byte("*/")) {
		return at
	}
	return at + len(rest)
}

// cutKeeping takes out one of several children and keeps the comments beside it.
func (d *document) cutKeeping(list []child, i int) {
	this, last := list[i], i == len(list)-1
	if !last {
		comma := this.end + bytes.IndexByte(d.plain()[this.end:list[i+1].from], ',')
		d.splice(comma, comma+1, nil)
	}
	if i == 0 {
		d.splice(this.from, this.end, nil)
		return
	}
	before := list[i-1].end
	from := before + len(bytes.TrimRight(d.text[before:this.from], " \t\r\n"))
	if n := bytes.LastIndexByte(d.text[:this.from], '\n'); n >= from && !endsLine(d.text[this.end:]) {
		from = n + 1 // the comment before it may end with the line
	}
	comma := before + bytes.IndexByte(d.plain()[before:this.from], ',')
	d.splice(from, this.end, nil)
	if last {
		d.splice(comma, comma+1, nil)
	}
}

// endsLine tells whether a line ends here.
func endsLine(rest []byte) bool {
	rest = bytes.TrimLeft(rest, " \t\r")
	return len(rest) == 0 || rest[0] == '\n'
}
