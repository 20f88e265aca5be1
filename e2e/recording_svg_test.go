package e2e

import (
	"fmt"
	"html"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// frame is what stood on a terminal from a moment on, with the terminal's own styles.
type frame struct {
	at   time.Duration
	text string
}

// look is how a recording is drawn on a page of one kind.
type look struct {
	name, ground, text, faint string
	colors                    [16]string
}

var looks = []look{
	{"light", "#ffffff", "#1f2328", "#6e7781", [16]string{"#24292f", "#cf222e", "#116329", "#7d4e00", "#0550ae", "#8250df", "#1b7c83", "#57606a",
		"#6e7781", "#a40e26", "#1a7f37", "#9a6700", "#0969da", "#6639ba", "#3192aa", "#24292f"}},
	{"dark", "#0d1117", "#e6edf3", "#8b949e", [16]string{"#6e7681", "#ff7b72", "#3fb950", "#d29922", "#58a6ff", "#bc8cff", "#39c5cf", "#b1bac4",
		"#8b949e", "#ffa198", "#56d364", "#e3b341", "#79c0ff", "#d2a8ff", "#56d4dd", "#f0f6fc"}},
}

// Bounds of a recording.
const (
	maxGap     = 1600 * time.Millisecond // a longer wait is cut to this
	maxPlay    = 17 * time.Second
	lastFor    = 3 * time.Second // the last frame stays so long
	least      = 120 * time.Millisecond
	cellWidth  = 8
	cellHeight = 17
)

// ticks are rows that change while a person waits: a sign that turns, and seconds.
var ticks = regexp.MustCompile(`(?m)^.*(…|\d+s\b).*$`)

// signs are no letters: some blink.
var signs = regexp.MustCompile(`[^A-Za-z\n]+`)

// paced cuts waits, drops frames that nobody could see, and brings the rest to at most 20
// seconds in all.
func paced(frames []frame) (out []frame, all time.Duration) {
	var now, was, waited time.Duration
	standing := ""
	for _, f := range frames {
		passed := f.at - was
		was = f.at
		if still := signs.ReplaceAllString(ticks.ReplaceAllString(escape.ReplaceAllString(f.text, ""), ""), ""); still != standing {
			standing, waited = still, 0
		} else if waited += passed; waited > maxGap {
			continue
		}
		now += min(passed, maxGap)
		if len(out) > 0 && now-out[len(out)-1].at < least {
			out[len(out)-1].text = f.text
			continue
		}
		out = append(out, frame{now, f.text})
	}
	if now > maxPlay {
		for i := range out {
			out[i].at = time.Duration(float64(out[i].at) * float64(maxPlay) / float64(now))
		}
		now = maxPlay
	}
	return out, now + lastFor
}

// drawn is a recording as an SVG that plays itself: a strip of frames that is moved under
// a window. Rows that stand in several frames are drawn once.
func (l look) drawn(frames []frame, columns, rows int, title string) string {
	frames, all := paced(frames)
	width, height := columns*cellWidth+24, rows*cellHeight+24
	var defs, strip, keys strings.Builder
	names := map[string]string{}
	for i, f := range frames {
		fmt.Fprintf(&keys, "%.3f%%{transform:translateX(%dpx)}", 100*float64(f.at)/float64(all), -i*width)
		fmt.Fprintf(&strip, `<g transform="translate(%d,0)">`, i*width)
		var s style // it goes on from row to row
		for y, row := range strings.Split(strings.TrimRight(f.text, "\n"), "\n") {
			svg := l.row(row, &s)
			if svg == "" || y >= rows {
				continue
			}
			if names[svg] == "" {
				names[svg] = "r" + strconv.Itoa(len(names))
				fmt.Fprintf(&defs, `<g id="%s">%s</g>`, names[svg], svg)
			}
			fmt.Fprintf(&strip, `<use href="#%s" y="%d"/>`, names[svg], y*cellHeight)
		}
		strip.WriteString("</g>\n")
	}
	last := -(len(frames) - 1) * width
	fmt.Fprintf(&keys, "100%%{transform:translateX(%dpx)}", last)
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %[1]d %[2]d" width="%[1]d" height="%[2]d" role="img">
<title>%[3]s</title>
<style>text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:%[4]s;white-space:pre}.b{font-weight:700}.f{fill:%[5]s}
#s{animation:p %.2[6]fs step-end infinite}@keyframes p{%[7]s}
@media (prefers-reduced-motion:reduce){#s{animation:none;transform:translateX(%[8]dpx)}}</style>
<rect width="100%%" height="100%%" rx="8" fill="%[9]s" stroke="%[5]s" stroke-opacity=".4"/>
<defs>%[10]s</defs>
<svg x="12" y="12" width="%[11]d" height="%[12]d"><g id="s">
%[13]s</g></svg>
</svg>
`, width, height, html.EscapeString(title), l.text, l.faint, all.Seconds(), keys.String(), last, l.ground, defs.String(), width-24, height-24, strip.String())
}

var escape = regexp.MustCompile("\x1b\\[([0-9;:]*)m|\x1b[^m]*?[A-Za-z\\\\]")

// style is what a terminal says of the letters that follow.
type style struct {
	fore, back string
	bold, dim  bool
	turned     bool
}

// row draws a row of a terminal; "" for one that is empty.
func (l look) row(row string, s *style) string {
	var b strings.Builder
	column := 0
	for row != "" {
		at := escape.FindStringSubmatchIndex(row)
		text := row
		if at != nil {
			text = row[:at[0]]
		}
		b.WriteString(l.run(text, column, *s))
		column += utf8.RuneCountInString(text)
		if at == nil {
			break
		}
		if at[2] >= 0 {
			l.read(s, row[at[2]:at[3]])
		}
		row = row[at[1]:]
	}
	return b.String()
}

// run draws letters of one style.
func (l look) run(text string, column int, s style) string {
	if s.turned {
		s.fore, s.back = firstOf(s.back, l.ground), firstOf(s.fore, l.text)
	}
	var b strings.Builder
	n := utf8.RuneCountInString(text)
	if s.back != "" && n > 0 {
		fmt.Fprintf(&b, `<rect x="%d" y="1" width="%d" height="%d" fill="%s"/>`, column*cellWidth, n*cellWidth, cellHeight, s.back)
	}
	kept := strings.TrimLeft(text, " ")
	column += n - utf8.RuneCountInString(kept)
	if kept = strings.TrimRight(kept, " "); kept == "" {
		return b.String()
	}
	class := ""
	if s.bold {
		class += " b"
	}
	if s.dim {
		class += " f"
	}
	b.WriteString(`<text y="13" x="` + strconv.Itoa(column*cellWidth) + `" textLength="` + strconv.Itoa(utf8.RuneCountInString(kept)*cellWidth) + `"`)
	if class != "" {
		b.WriteString(` class="` + class[1:] + `"`)
	}
	if s.fore != "" && !s.dim {
		b.WriteString(` style="fill:` + s.fore + `"`)
	}
	b.WriteString(">" + html.EscapeString(kept) + "</text>")
	return b.String()
}

// read takes up what a terminal says of the style.
func (l look) read(s *style, codes string) {
	list := strings.FieldsFunc(codes, func(r rune) bool { return r == ';' || r == ':' })
	if len(list) == 0 {
		list = []string{"0"}
	}
	for i := 0; i < len(list); i++ {
		n, _ := strconv.Atoi(list[i])
		switch {
		case n == 0:
			*s = style{}
		case n == 1:
			s.bold = true
		case n == 2:
			s.dim = true
		case n == 7:
			s.turned = true
		case n == 22:
			s.bold, s.dim = false, false
		case n == 27:
			s.turned = false
		case n == 39:
			s.fore = ""
		case n == 49:
			s.back = ""
		case n >= 30 && n <= 37:
			s.fore = l.colors[n-30]
		case n >= 90 && n <= 97:
			s.fore = l.colors[n-90+8]
		case n >= 40 && n <= 47:
			s.back = l.colors[n-40]
		case n == 38 || n == 48:
			color, used := l.color(list[i+1:])
			i += used
			if n == 38 {
				s.fore = l.legible(color)
			} else {
				s.back = l.pale(color)
			}
		}
	}
}

// rgb is a color in parts.
type rgb [3]int

func (c rgb) light() float64 {
	return (0.3*float64(c[0]) + 0.59*float64(c[1]) + 0.11*float64(c[2])) / 255
}

func (c rgb) String() string { return fmt.Sprintf("#%02x%02x%02x", c[0], c[1], c[2]) }

// color reads a color of 256 or of 16 million, and how many codes it took.
func (l look) color(codes []string) (rgb, int) {
	n := make([]int, len(codes))
	for i := range codes {
		n[i], _ = strconv.Atoi(codes[i])
	}
	switch {
	case len(n) >= 4 && n[0] == 2:
		return rgb{n[1], n[2], n[3]}, 4
	case len(n) < 2:
		return rgb{}, len(n)
	}
	x := n[1]
	if x < 16 {
		var c rgb
		fmt.Sscanf(l.colors[x], "#%02x%02x%02x", &c[0], &c[1], &c[2])
		return c, 2
	}
	if x >= 232 {
		grey := 8 + 10*(x-232)
		return rgb{grey, grey, grey}, 2
	}
	x -= 16
	part := func(v int) int { return map[bool]int{true: 0, false: 55 + 40*v}[v == 0] }
	return rgb{part(x / 36), part(x / 6 % 6), part(x % 6)}, 2
}

// legible is a color of letters that can be read on the ground: clients choose theirs for a
// dark one.
func (l look) legible(c rgb) string {
	if l.name == "dark" && c.light() < 0.35 || l.name == "light" && c.light() > 0.85 {
		return l.text
	}
	for l.name == "light" && c.light() > 0.45 {
		c = rgb{c[0] * 4 / 5, c[1] * 4 / 5, c[2] * 4 / 5}
	}
	return c.String()
}

// pale is a color behind letters that leaves them legible.
func (l look) pale(c rgb) string {
	if l.name == "light" {
		return map[bool]string{true: "#ddf4e4", false: "#eaeef2"}[c[1] > c[0]+15 && c[1] > c[2]+15]
	}
	return c.String()
}
