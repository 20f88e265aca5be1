package page

import (
	"math"
	"strings"
	"testing"
	"time"
)

// TestLive: what happens while the page is open is shown, marked and said, and moves
// neither the focus nor the scrolling; without its daemon the page says what to type.
func TestLive(t *testing.T) {
	w := newWorld(t, t.TempDir())
	w.demo()
	for _, name := range []string{"one", "two", "three", "four", "five", "six"} { // so that there is something to scroll
		a := w.agent("claude", "22222222-0000-4000-8000-"+strings.Repeat("0", 12-len(name))+name, w.tree(name))
		a.asks("work in " + name)
	}
	a := w.agent("claude", "22222222-0000-4000-8000-000000000000", w.tree("orders"))
	a.asks("Round the totals once")
	_, stop := w.serve()
	x := open(t, w.address(), 900, 500, false)
	x.text("orders")
	x.sees("document.title.includes('Now')")
	js[bool](x, `(() => { const all = [...document.querySelectorAll('#main .card a')]; window.held = all.find((a) => a.innerText.includes('six')); window.held.focus(); scrollTo(0, 260); return true; })()`)
	const heldTop = "window.held.getBoundingClientRect().top"
	lay := js[float64](x, heldTop)
	scrolled := js[float64](x, "scrollY")
	if scrolled < 100 || js[int](x, "document.querySelectorAll('[data-fresh]').length") != 0 {
		t.Fatalf("scrolled to %v; something is marked as new at once", scrolled)
	}
	x.news()

	// A hold: marked, said, counted; the focus and the scrolling stay.
	a.writes("calc.go", "package calc\n\nconst rounded = true\n")
	if out := a.stops(); !strings.Contains(out, "block") {
		t.Fatalf("the stop is let go: %q", out)
	}
	began := time.Now()
	x.sees("[...document.querySelectorAll('.card.is-held[data-fresh]')].some((c) => c.innerText.includes('orders') && c.innerText.includes('calc.go changed'))")
	if took := time.Since(began); took > 3*time.Second {
		t.Errorf("a hold is shown after %s", took)
	}
	x.said("orders", "held")
	if now := js[float64](x, heldTop); math.Abs(now-lay) > 2 {
		t.Errorf("what has the focus has moved in the window from %v to %v", lay, now)
	}
	if !js[bool](x, "document.activeElement === window.held && window.held.isConnected") {
		t.Errorf("the focus has gone to %q", js[string](x, at))
	}

	// A question for a person counts in the title.
	b := w.agent("claude", "22222222-0000-4000-8000-000000000009", w.tree("shop"))
	b.asks("Publish")
	b.begins("Bash", map[string]any{"command": "npm publish"})
	b.hook("PermissionRequest", map[string]any{"tool_name": "Bash", "tool_input": map[string]any{"command": "npm publish"}})
	x.sees("document.title.startsWith('(1) ')")
	x.text("npm publish")

	// The timeline of a turn grows while it is looked at, and what is open stays open.
	session := js[string](x, "[...document.querySelectorAll('#main .card a')].find((a) => a.innerText.includes('orders')).getAttribute('href')")
	x.goTo(session, "Step by step")
	js[bool](x, "document.querySelector('.timeline details').open = true")
	a.runs("go test ./...", "ok  orders 0.01s", false)
	a.stops()
	x.text("Tested")
	if !js[bool](x, "document.querySelector('.timeline details').open") {
		t.Error("what was opened has been closed by an update")
	}

	// A run goes on while its screen is open.
	w.file("slow.yaml", "name: slow\nsteps:\n  - {id: first, run: 'true'}\n  - {id: second, needs: first, run: 'while ! test -e "+w.dir+"/on; do sleep 0.05; done'}\n  - {id: third, needs: second, run: 'echo came to its end'}\n")
	run := w.command("piton", "run", "slow.yaml")
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = run.Wait() }()
	x.goTo("/runs", "slow")
	x.goTo(js[string](x, "[...document.querySelectorAll('#main a')].find((a) => a.innerText === 'slow').getAttribute('href')"), "What it may use")
	x.sees("document.querySelector('#step-second .badge')?.innerText === 'running'")
	const top = "document.querySelector('#step-second a').getBoundingClientRect().top"
	js[bool](x, "document.querySelector('#step-second a').focus(), true")
	lay = js[float64](x, top)
	w.put(w.dir+"/on", "")
	x.sees("document.querySelector('#step-third[data-fresh] .badge')?.innerText === 'completed'")
	x.text("3 of 3 steps")
	if now := js[float64](x, top); math.Abs(now-lay) > 2 || !js[bool](x, "document.activeElement === document.querySelector('#step-second a')") {
		t.Errorf("what has the focus has moved in the window from %v to %v; the focus is at %q", lay, now, js[string](x, at)) // buttons above it are gone
	}

	// The daemon ends: the page says so. Another one has another address: the page cannot
	// find it, and says what to type.
	if js[string](x, "document.getElementById('connection').innerText") != "" {
		t.Error("the page says that it is not connected")
	}
	stop()
	x.sees("document.getElementById('connection').innerText.includes('does not answer') && document.body.classList.contains('old')")
	w.serve()
	fresh := w.address()
	x.sees("document.getElementById('connection').innerText.includes('does not answer')") // after a minute it names 'piton ui'
	x.text("3 of 3 steps")                                                                // what was there stays to be read
	x.errs = nil                                                                          // that it is not connected is in the console too
	x = open(t, fresh, 900, 500, false)
	x.text("orders")
	x.quiet()
}

// news begins to keep all that is said.
func (x *tab) news() {
	x.t.Helper()
	js[bool](x, `(() => { window.all = []; new MutationObserver(() => window.all.push(document.getElementById('news').innerText)).observe(document.getElementById('news'), {childList: true, characterData: true, subtree: true}); return true; })()`)
}

// said waits until something was said that has all words.
func (x *tab) said(words ...string) {
	x.t.Helper()
	b := make([]string, len(words))
	for i, w := range words {
		b[i] = "s.includes(" + quoted(w) + ")"
	}
	x.sees("window.all.some((s) => " + strings.Join(b, " && ") + ")")
}
