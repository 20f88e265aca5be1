package page

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// hostile are texts that break out of what they are written into, each in another way.
var hostile = []struct{ name, text string }{
	{"elements", `<script>window.__x=1</script>"><img src=x onerror=window.__x=1></code></p></main><template></textarea></title></style><svg onload=window.__x=1>`},
	{"attributes", `' onmouseover='window.__x=1' autofocus onfocus='window.__x=1" onmouseover="window.__x=1" x="`},
	{"an address", `javascript:window.__x=1//`},
	{"orders of htmx", `<div hx-get="/act/x" hx-trigger="load" hx-on:click="window.__x=1"></div><div hx-sse:connect="/live/sessions" hx-swap-oob="true" id="main">gone</div><hx-partial hx-target="#main">gone</hx-partial>`},
	{"elements in the place of others", `<form id="main"><input name="attributes"></form><a id="news"></a><base href="//evil.test/">`},
	{"templates, ticks and entities", "${{window.__x=1}}{{window.__x=1}} `<img src=x onerror=window.__x=1>` and ` one &lt;script&gt;&#60;img src=x onerror=window.__x=1&#62;&"},
	{"a message of the stream", "one\n\ndata: <img src=x onerror=window.__x=1>\n\nid: 7\nevent: hx:release\n\n"},
	{"returns", "one\r\rdata: <img src=x onerror=window.__x=1>\r\revent: hx:release\r\n\r\nretry: 1\r"},
	{"odd characters", "one\u2028two\u2029three\u0085four\vfive\ffix abc\u202egnp.exe\u202c \u2067x\u2069 \u200f a\x1b[31mb\x00c\x07d"},
	{"bytes that are no text", "a\xff\xfe\xc0\xafb\xed\xa0\x80c"},
	{"a long line", strings.Repeat("long ", 20_000)},
	{"a long word", strings.Repeat("x", 100_000)},
}

// TestHostile: what others write is shown as a text, wherever it stands.
func TestHostile(t *testing.T) {
	w := newWorld(t, t.TempDir())
	root := w.tree("orders")
	t.Run("plant", func(t *testing.T) {
		for i, h := range hostile {
			t.Run(h.name, func(t *testing.T) {
				t.Parallel()
				own := *w
				own.t, own.shared = t, true // its agents live on
				own.plant(i, h.text, root)
			})
		}
	})
	w.serve()
	x := open(t, w.address(), 1280, 900, false)
	x.text("Agents")
	dialogs := chromedp.Events(x.ctx, page.JavascriptDialogOpening)
	go func() {
		for d, err := range dialogs {
			if err != nil {
				return
			}
			x.complain("a dialog opened: " + d.Message)
		}
	}()

	paths := []string{"/", "/sessions", "/workflows", "/runs", "/insights", "/letters", "/prune", "/undo?in=" + root}
	for _, h := range hostile {
		if len(h.text) < 2000 {
			paths = append(paths, "/find?q="+escape(h.text), "/undo?in="+escape(h.text)+"&cursor="+escape(h.text))
		}
	}
	for _, of := range [][2]string{{"/sessions", "/session/"}, {"/workflows", "/workflow/"}, {"/runs", "/run/"}} {
		x.show(of[0])
		paths = append(paths, js[[]string](x, "[...new Set([...document.querySelectorAll('#main a[href^=\""+of[1]+"\"]')].map((a) => a.getAttribute('href')))]")...)
	}
	seen := map[string]bool{}
	for i := 0; i < len(paths); i++ { // grows
		if seen[paths[i]] {
			continue
		}
		seen[paths[i]] = true
		x.show(paths[i])
		x.harmless(paths[i])
		if strings.HasPrefix(paths[i], "/workflow/") || strings.HasPrefix(paths[i], "/run/") && !strings.Contains(paths[i], "?") {
			paths = append(paths, js[[]string](x, "[...new Set([...document.querySelectorAll('#main a')].map((a) => a.getAttribute('href') || a.href.baseVal))].filter((h) => /^.(checkpoint|compare|run)./.test(h)).slice(0, 2)")...)
		}
		if strings.HasPrefix(paths[i], "/checkpoint/") {
			js[bool](x, "document.querySelectorAll('details').forEach((d) => d.open = true), true")
		}
	}
	t.Logf("%d screens", len(seen))
	x.quiet()
}

// plant has a text saved, asked, run and found in every field that others fill.
func (w *world) plant(i int, text, root string) {
	w.t.Helper()
	state, err := json.Marshal(map[string]any{text: map[string]any{"in": text, "list": []any{text, map[string]any{text: text}}}, "task_summary": text, "todos": []any{map[string]any{"content": text, "status": text}}, "decisions": []any{text}, "files": []any{text}, "progress": text})
	if err != nil {
		w.t.Fatal(err)
	}
	arg := strings.ReplaceAll(text, "\x00", "") // no argument of a program has one
	if len(arg) > 60_000 {
		arg = arg[:60_000]
	}
	n := fmt.Sprint(i)
	w.may(string(state), "save", "--workflow", "plain-"+n, "--description", arg, "--task", arg, "--step-name", arg, "--step", "1")
	for _, flag := range []string{"--name", "--tag", "--trigger", "--branch", "--type"} {
		w.may(string(state), "save", "--workflow", "plain-"+n, flag, arg)
	}
	w.may(string(state), "save", "--workflow", arg, "--step-name", arg)

	// A session with a prompt, words, commands and files.
	a := w.agent([]string{"claude", "codex", "gemini"}[i%3], fmt.Sprintf("33333333-0000-4000-8000-%012d", i), root)
	a.line(map[string]any{"type": "user", "message": map[string]any{"role": "user", "content": text}, "origin": map[string]any{"kind": "human"}, "promptSource": "typed", "turnOrigin": "human"})
	a.hook("UserPromptSubmit", map[string]any{"prompt": text})
	a.says(text)
	a.runs("go test ./... # "+text, text, true)
	name := strings.NewReplacer("/", "_", "\x00", "").Replace(text)
	if len(name) > 200 {
		name = name[:200]
	}
	path := filepath.Join(root, "f"+name+".go")
	if err := os.WriteFile(path, []byte("package calc\n"), 0o644); err == nil {
		a.call("Write", map[string]any{"file_path": path}, text, false, map[string]any{"type": "update", "filePath": path})
		a.hook("PreToolUse", map[string]any{"tool_name": "Bash", "tool_use_id": "u" + n, "tool_input": map[string]any{"command": "rm * # " + text}})
		os.Remove(path)
		a.hook("PostToolUse", map[string]any{"tool_name": "Bash", "tool_use_id": "u" + n, "tool_input": map[string]any{"command": "rm * # " + text}, "tool_response": map[string]any{"stdout": text}})
	}
	a.hook("Stop", map[string]any{"stop_hook_active": false, "last_assistant_message": text})
	if i%2 == 0 { // and one that waits with it
		a.begins("Bash", map[string]any{"command": text})
		a.hook("PermissionRequest", map[string]any{"tool_name": "Bash", "tool_input": map[string]any{"command": text}, "message": text})
	}

	// A run whose plan, outputs and logs have it.
	q := func(s string) string { b, _ := json.Marshal(strings.ReplaceAll(s, "${{", "$ {{")); return string(b) }
	short := arg
	if len(short) > 2000 {
		short = short[:2000]
	}
	w.put(filepath.Join(w.dir, "out-"+n), text)
	print := q("cat '" + w.dir + "/out-" + n + "'")
	plan := func(name, id string) string {
		return fmt.Sprintf("name: %s\ndescription: %s\nsteps:\n  - {id: %s, description: %s, run: %s}\n  - {id: log, run: %s}\n  - {id: ask, needs: [log], action: approve, parameters: {message: %s}}\n", name, q(short), id, q(short), print, q("cat '"+w.dir+"/out-"+n+"' >&2; exit 3"), q(short))
	}
	w.may(plan("run-"+n, "one"), "run", "-", "--query", short)
	w.may(plan(q(short), q(short)), "run", "-")
}

// may runs piton, which may refuse.
func (w *world) may(stdin string, args ...string) {
	w.t.Helper()
	c := w.command("piton", args...)
	c.Stdin = strings.NewReader(stdin)
	out, err := c.CombinedOutput()
	if _, refused := err.(*exec.ExitError); err != nil && !refused {
		w.t.Fatalf("piton %.200q: %v", args, err)
	}
	if strings.Contains(string(out), "panic") {
		w.t.Errorf("piton %.200q: %s", args, out)
	}
}

func escape(text string) string {
	var b strings.Builder
	for _, c := range []byte(text) {
		fmt.Fprintf(&b, "%%%02X", c)
	}
	return b.String()
}

// show shows an address, and waits until there is something new to see.
func (x *tab) show(path string) {
	x.t.Helper()
	js[bool](x, "document.getElementById('main').replaceChildren(), history.pushState(null, '', "+quoted(path)+"), dispatchEvent(new PopStateEvent('popstate'))")
	if shows := x.drawn(); shows != "" {
		x.t.Errorf("%.300s: no screen came: %s", path, shows)
	}
}

// drawn waits for any heading but that of a screen that is being read.
func (x *tab) drawn() string {
	x.t.Helper()
	for range 500 {
		if js[bool](x, "new Promise((done) => setTimeout(() => done(!!document.querySelector('#main h1') && !document.querySelector('#main .busy')), 10))") {
			return ""
		}
	}
	return js[string](x, "document.getElementById('main').innerText.slice(0, 300)")
}

func (x *tab) complain(text string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.errs = append(x.errs, text)
}

// strange is what no text may bring into a document: what runs, what asks, what leads
// elsewhere, and ids of the page's own.
const strange = `(() => {
	const bad = [];
	if (window.__x !== undefined) bad.push('something ran');
	for (const x of document.querySelectorAll('*')) {
		for (const a of x.attributes) {
			const own = x.parentElement?.id === 'stream' || a.name === 'hx-morph-skip-children';
			if (/^on/i.test(a.name) || /^hx-/i.test(a.name) && !own || /^\s*javascript:/i.test(a.value) && !/^(data-|value|title|id|aria-)/.test(a.name)) bad.push(x.tagName + ' ' + a.name + '=' + a.value.slice(0, 80));
		}
	}
	for (const x of document.querySelectorAll('#main :is(script,img,iframe,object,embed,style,link,base,meta,template,textarea,hx-partial)')) bad.push('an element: ' + x.outerHTML.slice(0, 100));
	for (const a of document.querySelectorAll('#main a')) { const h = a.getAttribute('href') ?? a.href.baseVal; if (!/^[/?#]/.test(h) || h.startsWith('//')) bad.push('a link: ' + h.slice(0, 100)); }
	for (const id of ['main', 'news', 'stream', 'connection', 'ask', 'keys', 'words']) if (document.querySelectorAll('[id="' + id + '"]').length !== 1) bad.push('more than one #' + id);
	if (document.querySelectorAll('main').length !== 1 || document.querySelectorAll('header').length !== 1) bad.push('the document is broken');
	return bad;
})()`

func (x *tab) harmless(path string) {
	x.t.Helper()
	js[bool](x, `document.querySelectorAll('#main *').forEach((e) => { e.dispatchEvent(new MouseEvent('mouseover')); }), true`)
	for _, bad := range append(js[[]string](x, strange), js[[]string](x, wider)...) {
		x.t.Errorf("%.200s: %s", path, bad)
	}
}
