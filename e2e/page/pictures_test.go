package page

import (
	"bytes"
	"cmp"
	"flag"
	"image"
	"image/color"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/piton-project/piton/internal/testkit/need"
)

var update = flag.Bool("update", false, "write docs/pictures")

// Pictures are compared by pixels. A pixel is another one where a channel differs by more
// than far: the edges of letters differ by less between versions of the browser. The share
// of such pixels may be most: the same screen again gives 0, and the smallest change that a
// person sees, a badge with another word, 0.0006 (1280 × 900).
const (
	far  = 48
	most = 0.0003
)

// steady takes out of a screen what is another in each run: times, ids, folders, and how
// long things took; and sets fonts that e2e/install brings.
const steady = `(() => {
	const s = new CSSStyleSheet();
	s.replaceSync(':root { --mono: "DejaVu Sans Mono"; } html { font-family: "DejaVu Sans" !important; } [data-fresh] { box-shadow: none !important; } [data-fresh]::after { display: none !important; } * { caret-color: transparent !important; }');
	document.adoptedStyleSheets = [s];
	const fixed = (t) => t.replace('just now', '1m ago').replace(/\b(ses|run|chk|wf|mrk|ltr|prj)_[0-9a-z]{6,16}/g, '$1_7m2k9x4q0v8r3t5w').replace(/\/\S*?\/(work|demo)\b/g, '/home/ann/src')
		.replace(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, '6152e381-4c21-432b-8da3-8b6a5782ebeb').replace(/piton-demo-\d+/g, 'demo').replace(/\d[\d.,]* (KB|MB|B)\b/g, '12 $1').replace(/\b(\d[\d.]*ms|\d[\d.]*s|\d+m\d\ds)\b/g, '12ms').replace(/\d+[smh] ago/g, '1m ago').replace(/\b\d{4}-\d\d-\d\d( \d\d:\d\d(:\d\d)?)?/g, '2026-11-20');
	for (const t of document.querySelectorAll('time')) t.textContent = '10:42:07';
	const w = document.createTreeWalker(document.getElementById('main'), NodeFilter.SHOW_TEXT);
	while (w.nextNode()) { const t = fixed(w.currentNode.data); if (t !== w.currentNode.data) w.currentNode.data = t; }
	document.querySelectorAll('.bars').forEach((b) => { b.closest('.scroll').previousElementSibling.remove(); b.closest('.scroll').remove(); });
	document.querySelectorAll('.numbers b').forEach((b) => b.textContent = '12');
	for (const x of document.querySelectorAll('.plot')) { // plots of other numbers, and of few names
		const p = JSON.parse(x.dataset.plot), days = /^\d{4}-/.test(p.x[0]);
		p.x = days ? p.x.map((_, i) => '2026-11-' + String(i + 1).padStart(2, '0')) : ['one', 'two', 'three'];
		for (const s of p.series) s.values = p.x.map((_, i) => (i * 7 + s.name.length) % 11);
		p.series.length = Math.min(p.series.length, 2);
		p.series.forEach((s, i) => s.name = ['first', 'second'][i]);
		x.dataset.plot = JSON.stringify(p);
	}
	document.dispatchEvent(new CustomEvent('htmx:sse:after:message'));
	document.activeElement?.blur();
	return true;
})()`

// frozen has updates of the screen left out, so that none takes back what was made steady.
const frozen = `document.addEventListener('htmx:sse:before:message', (e) => window.frozen && e.preventDefault()), true`

func TestPictures(t *testing.T) {
	w := full(t)
	if _, err := os.Stat("/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"); err != nil {
		need.Missing(t, "the font DejaVu Sans, which e2e/install installs")
	}
	x := open(t, w.address(), 1280, 900, false)
	x.text("Agents")
	js[bool](x, frozen)
	for _, s := range []shown{
		{"now", "/", "Agents"},
		{"session", "/session/" + w.ids.lost, "Step by step"},
		{"run", "/run/" + w.ids.approval, "Step approve asks"},
		{"insights", "/insights", "Stops"},
	} {
		for _, dark := range []bool{false, true} {
			name := s.name + "-" + map[bool]string{false: "light", true: "dark"}[dark]
			x.theme(dark)
			js[bool](x, "window.frozen = false, true")
			x.show(s.path)
			x.text(s.text)
			x.settled()
			js[bool](x, "window.frozen = true")
			js[bool](x, steady)
			js[bool](x, "new Promise((done) => setTimeout(() => done(true), 700))") // plots are drawn one in a frame
			x.settled()
			x.compare(name, x.picture())
		}
	}
	x.quiet()
}

// compare compares a picture with the one that is committed.
func (x *tab) compare(name string, got []byte) {
	x.t.Helper()
	path := filepath.Join("..", "..", "docs", "pictures", name+".png")
	have, err := png.Decode(bytes.NewReader(got))
	if err != nil {
		x.t.Fatal(err)
	}
	if *update {
		x.write(path, have)
		return
	}
	text, err := os.ReadFile(path)
	if err != nil {
		x.t.Fatal(err)
	}
	want, err := png.Decode(bytes.NewReader(text))
	if err != nil {
		x.t.Fatal(err)
	}
	share := differ(want, have)
	x.t.Logf("%s: %.5f of the pixels differ", name, share)
	if share > most {
		kept := filepath.Join(os.TempDir(), "piton-picture-"+name+".png")
		_ = os.WriteFile(kept, got, 0o644) // to look at
		x.t.Errorf("%s: %.5f of its pixels are others, at most %v may be; it is now as in %s; 'go test ./e2e/page -run Pictures -update' takes it over", name, share, most, kept)
	}
}

func differ(a, b image.Image) float64 {
	if a.Bounds() != b.Bounds() {
		return 1
	}
	n, r := 0, a.Bounds()
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			if apart(a.At(x, y), b.At(x, y), far) {
				n++
			}
		}
	}
	return float64(n) / float64(r.Dx()*r.Dy())
}

// apart tells whether two colours differ by more than so much in a channel of 256 steps.
func apart(a, b color.Color, by uint32) bool {
	ar, ag, ab, _ := a.RGBA()
	br, bg, bb, _ := b.RGBA()
	return max(ar, br)-min(ar, br) > by<<8 || max(ag, bg)-min(ag, bg) > by<<8 || max(ab, bb)-min(ab, bb) > by<<8
}

// near is how far apart the colours of a written picture are at least.
const near = 12

// write writes a picture with 256 colours, the most frequent ones and, of the others, those
// that are apart: a third of its bytes.
func (x *tab) write(path string, p image.Image) {
	x.t.Helper()
	count := map[color.Color]int{}
	r := p.Bounds()
	for i := range r.Dx() * r.Dy() {
		count[p.At(i%r.Dx(), i/r.Dx())]++
	}
	colours := slices.SortedFunc(maps.Keys(count), func(a, b color.Color) int { return cmp.Compare(count[b], count[a]) })
	few := image.NewPaletted(r, nil)
	for _, c := range colours {
		grounds := len(few.Palette) < 32
		if len(few.Palette) < 256 && (grounds || !slices.ContainsFunc(few.Palette, func(have color.Color) bool { return !apart(c, have, near) })) {
			few.Palette = append(few.Palette, c)
		}
	}
	nearest := map[color.Color]uint8{}
	for _, c := range colours {
		nearest[c] = uint8(few.Palette.Index(c))
	}
	for i := range few.Pix {
		few.Pix[i] = nearest[p.At(i%r.Dx(), i/r.Dx())]
	}
	var b bytes.Buffer
	err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, few)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(path), 0o755)
	}
	if err == nil {
		err = os.WriteFile(path, b.Bytes(), 0o644)
	}
	if err != nil {
		x.t.Fatal(err)
	}
	if b.Len() > 100<<10 {
		x.t.Errorf("%s has %d bytes, want 100 KB at most", path, b.Len())
	}
}
