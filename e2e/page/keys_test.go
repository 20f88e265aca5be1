package page

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// types presses keys, as a keyboard does: a key that the page takes for itself types
// nothing.
func (x *tab) types(keys string, with ...kb.Modifier) {
	x.t.Helper()
	for _, r := range keys {
		all := kb.Encode(r)
		down, up := *all[0], *all[len(all)-1]
		if len(all) == 3 && len(with) == 0 {
			down.Text, down.UnmodifiedText = all[1].Text, all[1].UnmodifiedText
		}
		for _, m := range with {
			down.Modifiers, up.Modifiers = down.Modifiers|int64(m), up.Modifiers|int64(m)
		}
		call(x, input.DispatchKeyEvent, down)
		call(x, input.DispatchKeyEvent, up)
	}
}

// at is the element that has the focus, as its tag and its words.
const at = `(() => { const x = document.activeElement; return x.tagName.toLowerCase() + (x.id ? '#' + x.id : '') + ' ' + (x.innerText || x.value || '').trim().replace(/\s+/g, ' ').slice(0, 60); })()`

func TestKeys(t *testing.T) {
	w := full(t)
	w.run("", "save", "--workflow", "for-keys", "--step-name", "Only step", "--step", "1")
	x := open(t, w.address(), 1280, 900, false)
	x.text("Agents")

	for _, g := range [][2]string{{"gs", "Sessions"}, {"gw", "Workflows"}, {"gr", "Runs"}, {"gi", "Insights"}, {"gn", "Now"}} {
		x.types(g[0])
		x.heads(g[1])
		if got := js[string](x, at); !strings.HasPrefix(got, "main#main") {
			t.Errorf("after %s the focus is at %q, want the content", g[0], got)
		}
	}
	// A key that means nothing there ends the pair, and keys with Ctrl are the browser's.
	x.types("gx")
	x.types("s")
	x.types("?", kb.ModifierCtrl)
	if js[bool](x, "!!document.querySelector('dialog[open]')") || js[string](x, "location.pathname") != "/" {
		t.Error("g x s, or Ctrl and ?, did something")
	}

	x.types("?")
	x.sees("document.getElementById('keys').open")
	x.types("j")
	x.types(kb.Escape)
	x.sees("!document.getElementById('keys').open")

	// Search: the keys of the page are letters in the field.
	x.types("/")
	x.sees("document.activeElement.id === 'words'")
	x.types("gs j?")
	x.sees("document.activeElement.value === 'gs j?' && !document.querySelector('dialog[open]')")
	x.types(kb.Escape)
	x.sees("document.activeElement.id !== 'words'")
	js[bool](x, "document.getElementById('words').value = '', true")
	x.types("/")
	x.types("invoices")
	x.types(kb.Enter)
	x.heads("Found for “invoices”")
	x.text("Read the files")
	x.types("j")
	row := js[string](x, at)
	if !strings.HasPrefix(row, "a ") {
		t.Errorf("j goes to %q, want the first row's link", row)
	}
	x.visible("the first row")
	x.types(kb.Enter)
	x.sees("location.pathname.startsWith('/workflow/') || location.pathname.startsWith('/checkpoint/')")
	js[bool](x, "history.back(), true")
	x.heads("Found for “invoices”")

	// Rows: j and k stay at the ends.
	x.types("gw")
	x.heads("Workflows")
	x.sees("document.querySelectorAll('[data-row]').length > 2")
	x.types("jj")
	second := js[string](x, at)
	x.types("jk")
	if got := js[string](x, at); got != second {
		t.Errorf("j and k come back to %q, want %q", got, second)
	}
	x.types("kkkk")
	x.visible("k")
	first := js[string](x, at)
	x.types("k")
	if got := js[string](x, at); got != first || first == second {
		t.Errorf("above the first row is %q, want %q", got, first)
	}

	// c copies the command of the row, or the first one.
	x.types("gn")
	x.heads("Now")
	x.types("c")
	want := js[string](x, "document.querySelector('#main [data-copy]').dataset.copy")
	x.sees("document.getElementById('news').textContent === " + quoted("Copied: "+want) + " || getSelection().toString() === " + quoted(want))

	x.tabs()
	x.completes(w)
	x.quiet()
}

func quoted(text string) string {
	b, _ := json.Marshal(text) // a string always can
	return string(b)
}

// heads waits for a heading.
func (x *tab) heads(text string) {
	x.t.Helper()
	x.sees("document.querySelector('#main h1')?.innerText.trim().startsWith(" + quoted(text) + ")")
}

// visible looks that what has the focus is in the window and has a ring.
func (x *tab) visible(what string) {
	x.t.Helper()
	type seen struct {
		Ring   float64
		Inside bool
		At     string
	}
	got := js[seen](x, `(() => { const a = document.activeElement, s = getComputedStyle(a), r = a.getBoundingClientRect(); return {Ring: s.outlineStyle === 'none' ? 0 : parseFloat(s.outlineWidth), Inside: a.matches('.skip') || (e => e && (a.contains(e) || e.contains(a)))(document.elementFromPoint(r.left + Math.min(r.width / 2, 20), r.top + Math.min(r.height / 2, 10))), At: `+at+`}; })()`)
	if got.Ring < 2 || !got.Inside {
		x.t.Errorf("%s: the focus at %q is not seen: a ring of %v px, in the window and before all else: %v", what, got.At, got.Ring, got.Inside)
	}
}

// tabs goes through a screen with Tab: in the order of the document, all to be seen, and
// back.
func (x *tab) tabs() {
	x.t.Helper()
	x.do(chromedp.Reload()) // the focus is nowhere then; the tab stays known
	x.heads("Now")
	x.text("Agents")
	var order []int
	for i := range 60 {
		x.types(kb.Tab)
		n := js[int](x, `[...document.querySelectorAll('a[href],button,input,summary,[tabindex]')].indexOf(document.activeElement)`)
		if n < 0 {
			break // the browser's own bars
		}
		if i == 0 && !js[bool](x, "document.activeElement.matches('.skip')") {
			x.t.Errorf("Tab begins at %q, want the link to the content", js[string](x, at))
		}
		x.visible("Tab")
		order = append(order, n)
		if len(order) > 1 && n <= order[len(order)-2] {
			break // once around
		}
	}
	if len(order) < 15 {
		x.t.Errorf("Tab has only %d stops", len(order))
	}
	for i := 1; i < len(order)-1; i++ {
		if order[i] < order[i-1] {
			x.t.Errorf("Tab goes back from element %d to %d", order[i-1], order[i])
		}
	}
}

// completes completes a workflow by keys alone, after leaving it first.
func (x *tab) completes(w *world) {
	x.t.Helper()
	x.types("/")
	js[bool](x, "document.getElementById('words').value = '', true")
	x.types("for-keys")
	x.types(kb.Enter)
	x.heads("Found for “for-keys”")
	x.sees("document.querySelector('#main a[href^=\"/workflow/\"]')")
	x.types("j")
	x.types(kb.Enter)
	x.heads("for-keys")
	for range 40 { // Tab, to the button
		if x.types(kb.Tab); js[bool](x, "!!document.activeElement.dataset.act") {
			break
		}
	}
	x.types(kb.Enter)
	x.sees("document.getElementById('ask').open && document.activeElement.id === 'ask-no'")
	x.types(kb.Tab)
	if got := js[string](x, at); !strings.HasPrefix(got, "button#ask-yes") {
		x.t.Errorf("in the dialog Tab goes to %q", got)
	}
	x.types(kb.Escape)
	x.sees("!document.getElementById('ask').open")
	if !js[bool](x, "document.activeElement.dataset.act === 'complete-workflow'") {
		x.t.Errorf("after the dialog the focus is at %q, want the button", js[string](x, at))
	}
	var list struct {
		Checkpoints []struct{ Completed bool }
	}
	if w.json(&list, "list", "--workflow", "for-keys"); list.Checkpoints[0].Completed {
		x.t.Error("Escape has completed the workflow")
	}
	x.types(kb.Enter)
	x.sees("document.getElementById('ask').open")
	x.types(kb.Tab)
	x.types(kb.Enter)
	x.sees("!document.getElementById('ask').open")
	w.until("the workflow is completed", func() bool {
		w.json(&list, "list", "--workflow", "for-keys")
		return list.Checkpoints[0].Completed
	})
	x.text("completed")
	if got := js[string](x, at); strings.HasPrefix(got, "body") {
		x.t.Errorf("after the workflow was completed the focus is nowhere: %q", got)
	}
}
