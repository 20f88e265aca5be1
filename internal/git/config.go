package git

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/piton-project/piton/internal/store/localfs"
)

const small = 1 << 20 // no configuration is larger

// readSmall reads a small file of git's own. Somebody else may have replaced it by a device or a file without an end.
func readSmall(path string) ([]byte, error) {
	b, err := localfs.ReadPlain(path, small)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("read %s: %w", path, err)
	}
	return b, err
}

// setting is one line of a git configuration file. Section and Key are in lower case, Sub is as written.
type setting struct{ Section, Sub, Key, Value string }

// settings reads a configuration file, in git-config(1)'s syntax, as far as it is understood. Includes are not followed.
func settings(text string) []setting {
	var out []setting
	var at setting
	for text != "" {
		text = strings.TrimLeft(text, " \t\r\n\f\v\ufeff")
		if text == "" {
			break
		}
		switch c := text[0]; {
		case c == '#' || c == ';':
			_, text, _ = strings.Cut(text, "\n")
		case c == '[':
			at.Section, at.Sub, text = header(text[1:])
		default:
			at.Key, at.Value, text = variable(text)
			out = append(out, at)
		}
	}
	return out
}

// header reads what follows '[': name], name.sub] or name "sub"].
func header(text string) (section, sub, rest string) {
	end := strings.IndexAny(text, "]\" \t\n")
	if end < 0 {
		return "", "", ""
	}
	section, rest = strings.ToLower(text[:end]), text[end:]
	section, sub, _ = strings.Cut(section, ".")
	rest = strings.TrimLeft(rest, " \t")
	if !strings.HasPrefix(rest, `"`) {
		_, rest, _ = strings.Cut(rest, "]")
		return section, sub, rest
	}
	var name strings.Builder
	for i := 1; i < len(rest); i++ {
		switch rest[i] {
		case '\n':
			return section, name.String(), rest[i:]
		case '"':
			_, rest, _ = strings.Cut(rest[i:], "]")
			return section, name.String(), rest
		case '\\':
			i++
		}
		if i < len(rest) {
			name.WriteByte(rest[i])
		}
	}
	return section, name.String(), ""
}

// variable reads key = value up to the end of its line, or of the last line it goes on in. A key alone has the value "true".
func variable(text string) (key, value, rest string) {
	end := strings.IndexAny(text, "=\n")
	if end < 0 {
		return strings.ToLower(strings.TrimSpace(text)), "true", ""
	}
	key, rest = strings.ToLower(strings.TrimSpace(text[:end])), text[end+1:]
	if text[end] == '\n' {
		return key, "true", rest
	}
	rest = strings.TrimLeft(rest, " \t")
	var b strings.Builder
	quoted, length := false, 0 // length is that without the blanks at the end
	for i := 0; i < len(rest); i++ {
		c := rest[i]
		switch {
		case c == '\n':
			return key, b.String()[:length], rest[i+1:]
		case c == '"':
			quoted = !quoted
			length = b.Len()
			continue
		case (c == '#' || c == ';') && !quoted:
			_, rest, _ = strings.Cut(rest[i:], "\n")
			return key, b.String()[:length], rest
		case c == '\\' && i+1 < len(rest):
			i++
			if c = rest[i]; c == '\r' && i+1 < len(rest) && rest[i+1] == '\n' {
				i++
				continue
			}
			if c == '\n' {
				continue
			}
			b.WriteByte(unescape(c))
			length = b.Len()
			continue
		}
		b.WriteByte(c)
		if quoted || (c != ' ' && c != '\t' && c != '\r') {
			length = b.Len()
		}
	}
	return key, b.String()[:length], ""
}

func unescape(c byte) byte {
	switch c {
	case 'n':
		return '\n'
	case 't':
		return '\t'
	case 'b':
		return '\b'
	}
	return c
}
