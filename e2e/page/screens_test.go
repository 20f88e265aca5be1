package page

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/piton-project/piton/internal/testkit/need"
)

// shown is a screen of the full world: its address, and a text that it has when it is there.
type shown struct{ name, path, text string }

func (w *world) screens() []shown {
	return []shown{
		{"now", "/", "Agents"},
		{"sessions", "/sessions", "waits for permission"},
		{"a held session", "/session/" + w.ids.held, "Step by step"},
		{"a session that waits", "/session/" + w.ids.waits, "npm publish"},
		{"a session that destroyed", "/session/" + w.ids.lost, "Lost, not committed"},
		{"workflows", "/workflows", "import"},
		{"unfinished workflows", "/workflows?open=1", "import"},
		{"a workflow", "/workflow/" + w.ids.workflow, "try-streams"},
		{"a checkpoint", "/checkpoint/" + w.ids.second, "What changed since"},
		{"a state with words", "/checkpoint/" + w.ids.second + "?q=rows", "Only what holds"},
		{"compare", "/compare/" + w.ids.first + "/" + w.ids.second, "States"},
		{"runs", "/runs", "nightly"},
		{"a run that waits", "/run/" + w.ids.approval, "Step approve asks"},
		{"a run that failed", "/run/" + w.ids.failed + "?step=revenue", "If it runs again"},
		{"a run that is completed", "/run/" + w.ids.done, "What it may use"},
		{"insights", "/insights", "Stops"},
		{"letters", "/letters", "the webhook answers 503"},
		{"undo", "/undo?in=" + w.dir + "/work/site", "git checkout"},
		{"prune", "/prune", "prune"},
		{"found", "/find?q=invoices", "Found for"},
		{"nothing found", "/find?q=zebra", "Nothing holds all of these words"},
		{"a search without words", "/find", "Type words"},
		{"no such session", "/session/ses_0000000000000000", "This cannot be shown"},
	}
}

// axe is the library that looks for what keeps people out.
func axe(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("node_modules/axe-core/axe.min.js")
	if err != nil {
		need.Missing(t, "axe-core, which e2e/install installs")
	}
	return string(text)
}

// violations are what axe finds, a line each.
const violations = `axe.run(document, {resultTypes: ['violations'], runOnly: RULES})
	.then((r) => r.violations.flatMap((v) => v.nodes.slice(0, 5).map((n) => v.id + ': ' + n.target.join(' ') + ': ' + n.failureSummary.replace(/\s+/g, ' ').slice(0, 300))))`

// wider are the elements that make the document wider than the window.
const wider = `(() => {
	const wide = document.documentElement.clientWidth;
	if (document.documentElement.scrollWidth <= wide) return [];
	return [...document.querySelectorAll('body *')].filter((x) => x.getBoundingClientRect().right > wide + 1).slice(0, 5).map((x) => x.tagName + '.' + x.className + ' ' + x.textContent.trim().slice(0, 60));
})()`

// Rules of axe: all, or those that another theme can break.
const (
	allRules = `['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']`
	contrast = `{type: 'rule', values: ['color-contrast', 'link-in-text-block']}`
)

// looks are how wide a window is, its theme, and what axe looks for: what is as wide as
// 1280 lies as at 1600.
var looks = []struct {
	wide  int
	dark  bool
	rules string
}{{360, false, allRules}, {360, true, contrast}, {1280, true, allRules}, {1280, false, contrast}, {1600, false, ""}, {1600, true, ""}}

// violates fails where axe finds something.
func (x *tab) violates(name, rules string) {
	x.t.Helper()
	for _, v := range js[[]string](x, strings.Replace(violations, "RULES", rules, 1)) {
		x.t.Errorf("%s: %s", name, v)
	}
}

func TestScreens(t *testing.T) {
	w := full(t)
	lib := axe(t)
	x := open(t, w.address(), 1280, 900, false)
	x.text("Agents")
	js[bool](x, lib+";true")
	for _, s := range w.screens() {
		x.goTo(s.path, s.text)
		for _, l := range looks {
			name := fmt.Sprintf("%s at %d, dark: %v", s.name, l.wide, l.dark)
			x.size(l.wide, 900)
			x.theme(l.dark)
			x.settled()
			for _, v := range js[[]string](x, wider) {
				t.Errorf("%s: wider than the window: %s", name, v)
			}
			if l.rules != "" {
				x.violates(name, l.rules)
			}
		}
	}
	x.quiet()
}

// settled waits until all plots are drawn and two frames have passed.
func (x *tab) settled() {
	x.t.Helper()
	x.sees(`[...document.querySelectorAll('.plot')].every((p) => p.querySelector('canvas'))`)
	js[bool](x, "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))")
}

// TestEmpty: with nothing saved every screen says what to type.
func TestEmpty(t *testing.T) {
	w := newWorld(t, t.TempDir())
	w.serve()
	lib := axe(t)
	x := open(t, w.address(), 360, 900, false)
	x.text("Nothing has been seen here yet")
	js[bool](x, lib+";true")
	for _, s := range []shown{
		{"now", "/", "piton init"},
		{"sessions", "/sessions", "piton init"},
		{"workflows", "/workflows", "piton save"},
		{"runs", "/runs", "piton help run"},
		{"insights", "/insights", "piton"},
		{"letters", "/letters", "piton"},
		{"prune", "/prune", "piton"},
		{"find", "/find", "Type words"},
		{"a session", "/session/ses_0000000000000000", "What to do"},
		{"a workflow", "/workflow/none", "What to do"},
		{"a checkpoint", "/checkpoint/chk_0000000000000000", "What to do"},
		{"compare", "/compare/chk_0000000000000000/chk_0000000000000001", "What to do"},
		{"a run", "/run/run_0000000000000000", "What to do"},
		{"undo", "/undo", "What to do"},
		{"undo in a folder", "/undo?in=" + w.dir + "/work", "piton undo"},
	} {
		js[bool](x, "history.pushState(null, '', '"+s.path+"'), dispatchEvent(new PopStateEvent('popstate'))")
		if shows := x.waits(s.text); shows != "" {
			t.Errorf("%s: waited in vain for %q; it shows %q", s.name, s.text, shows)
			continue
		}
		x.settled()
		for _, v := range js[[]string](x, wider) {
			t.Errorf("%s: wider than the window: %s", s.name, v)
		}
		x.violates(s.name, allRules)
	}
	x.quiet()
}

// waits is what is shown in place of a text that does not come in five seconds; "": it came.
func (x *tab) waits(text string) string {
	x.t.Helper()
	shows := ""
	for range 100 {
		if shows = js[string](x, "new Promise((done) => setTimeout(() => done(document.getElementById('main').innerText), 50))"); strings.Contains(shows, text) {
			return ""
		}
	}
	return shows
}
