package page

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// tries are what another page does to the page's address (HERE), each a function of the
// browser that says what it got: nothing, where all is well. It has 1.5 seconds.
var tries = []struct{ name, does string }{
	{"a request", `fetch(HERE + PATH).then((r) => r.text())`},
	{"a request that wants no answer", `fetch(HERE + PATH, {mode: 'no-cors'}).then((r) => r.text())`},
	{"a request with cookies", `fetch(HERE + PATH, {credentials: 'include'}).then((r) => r.text())`},
	{"a request with a header", `fetch(HERE + PATH, {headers: {'Piton-Token': 'A'.repeat(52)}}).then((r) => r.text())`},
	{"a ticket that is guessed", `fetch(HERE + '/enter', {method: 'POST', headers: {'Piton-Ticket': 'A'.repeat(52)}}).then((r) => r.text())`},
	{"a deed, as JSON", `fetch(HERE + '/act/complete-workflow', {method: 'POST', headers: {'Content-Type': 'application/json'}, body: DEED}).then((r) => r.text())`},
	{"a deed, as a text", `fetch(HERE + '/act/complete-workflow', {method: 'POST', mode: 'no-cors', body: DEED}).then((r) => r.text())`},
	{"a deed by a beacon", `Promise.resolve(navigator.sendBeacon(HERE + '/act/complete-workflow', DEED)).then(() => '')`},
	{"a deed by a form", `new Promise((done) => { const f = document.createElement('form'), n = 'n' + Math.random(); f.method = 'post'; f.enctype = 'text/plain'; f.action = HERE + '/act/complete-workflow'; f.target = n; const i = document.createElement('iframe'); i.name = n; const x = document.createElement('input'); x.name = DEED.slice(0, -1) + ',"x":"'; x.value = '"}'; f.append(x); document.body.append(i, f); f.submit(); setTimeout(() => { try { done(i.contentDocument?.body?.innerText || ''); } catch { done(''); } }, 400); })`},
	{"a frame", `new Promise((done) => { const i = document.createElement('iframe'); i.src = HERE + PATH; i.onload = () => setTimeout(() => { try { done(i.contentWindow.document.body.innerText); } catch { done(''); } }, 200); document.body.append(i); })`},
	{"a frame that is no origin", `new Promise((done) => { const i = document.createElement('iframe'); i.sandbox = 'allow-scripts'; i.srcdoc = '<script>fetch("' + HERE + PATH + '").then((r) => r.text()).then((x) => parent.postMessage(x, "*"), () => parent.postMessage("", "*"))<' + '/script>'; addEventListener('message', (e) => e.source === i.contentWindow && done(e.data)); document.body.append(i); })`},
	{"a picture", `new Promise((done) => { const i = new Image(); i.onload = () => done('a picture of ' + i.width); i.onerror = () => done(''); i.src = HERE + '/icon.svg'; })`},
	{"a script", `new Promise((done) => { const s = document.createElement('script'); s.onload = () => done('it was run'); s.onerror = () => done(''); s.src = HERE + '/page.js'; document.body.append(s); })`},
	{"a sheet of styles", `new Promise((done) => { const s = document.createElement('link'); s.rel = 'stylesheet'; s.onload = () => done('it was taken'); s.onerror = () => done(''); s.href = HERE + '/page.css'; document.head.append(s); })`},
	{"an object", `new Promise((done) => { const o = document.createElement('object'); o.data = HERE + PATH; o.onload = () => { try { done(o.contentDocument?.body?.innerText || ''); } catch { done(''); } }; o.onerror = () => done(''); document.body.append(o); setTimeout(() => done(''), 500); })`},
	{"a worker", `new Promise((done) => { try { const w = new Worker(HERE + '/page.js'); w.onmessage = () => done('it works'); w.onerror = () => done(''); } catch { done(''); } setTimeout(() => done(''), 300); })`},
	{"a module", `import(HERE + '/page.js').then(() => 'it was run')`},
	{"a window", `new Promise((done) => { const w = open(HERE + PATH); if (!w) return done(''); addEventListener('message', (e) => e.source === w && done('a message: ' + e.data)); setTimeout(() => { let got = ''; try { got = w.document.body.innerText; } catch {} try { w.postMessage('piton-token', '*'); } catch {} setTimeout(() => { try { w.close(); } catch {} done(got); }, 200); }, 400); })`},
	{"a web socket", `new Promise((done) => { const s = new WebSocket(HERE.replace('http', 'ws') + '/live/'); s.onopen = () => done('it is open'); s.onmessage = (m) => done(m.data); s.onerror = () => done(''); })`},
	{"a stream of events", `new Promise((done) => { const s = new EventSource(HERE + '/live/', {withCredentials: true}); s.onopen = () => { s.close(); done('it is open'); }; s.onmessage = (m) => done(m.data); s.onerror = () => { s.close(); done(''); }; })`},
	{"a way that leads there", `fetch(location.protocol === 'file:' ? HERE + PATH : '/to?' + encodeURIComponent(HERE + PATH)).then((r) => r.text())`},
}

// TestOtherPages: no other page of the browser gets or does anything: one of another port,
// one of a file, and one whose name is made to lead to this machine afterwards.
func TestOtherPages(t *testing.T) {
	w := full(t)
	address := w.address()
	w.run("", "save", "--workflow", "theirs", "--step-name", "Only step")
	x := open(t, address, 1000, 700, false) // the page itself is open beside them
	x.text("Agents")
	token := js[string](x, "sessionStorage.getItem('piton-token')")

	others := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/to" {
			to, _ := url.QueryUnescape(r.URL.RawQuery)
			http.Redirect(rw, r, to, http.StatusTemporaryRedirect)
			return
		}
		rw.Header().Set("Content-Type", "text/html")
		fmt.Fprint(rw, "<!doctype html><title>another</title><body>another page</body>")
	}))
	defer others.Close()
	file := filepath.Join(t.TempDir(), "another.html")
	if err := os.WriteFile(file, []byte("<!doctype html><title>another</title><body>a file</body>"), 0o644); err != nil {
		t.Fatal(err)
	}
	_, port, err := net.SplitHostPort(strings.TrimPrefix(w.page, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	rebound := "http://evil.test:" + port // resolves to 127.0.0.1

	for _, from := range []struct{ name, page, here, cookie string }{
		{"another port", others.URL, w.page, ""},
		{"another port, with a cookie", others.URL, w.page, "http://127.0.0.1"},
		{"another name of the machine", strings.Replace(others.URL, "127.0.0.1", "localhost", 1), w.page, ""},
		{"another port, by the machine's other name", others.URL, strings.Replace(w.page, "127.0.0.1", "localhost", 1), ""},
		{"a file", "file://" + file, w.page, "http://127.0.0.1"},
		{"a name that leads here", strings.Replace(others.URL, "127.0.0.1", "evil.test", 1), rebound, "http://evil.test"},
		{"the page's own port by a name that leads here", rebound, rebound, "http://evil.test"},
		{"the page's address from a name that leads here", rebound, w.page, "http://127.0.0.1"},
	} {
		o := open(t, "", 800, 600, false)
		if from.cookie != "" {
			call(o, network.SetCookie, network.SetCookieParams{Name: "piton-token", Value: token, URL: from.cookie})
		}
		o.do(chromedp.Navigate(from.page))
		if body := js[string](o, "document.body.innerText"); strings.Contains(body, "Agents") {
			t.Errorf("%s: the page is shown there: %.200s", from.name, body)
		}
		set := fmt.Sprintf("const HERE = %s, PATH = '/live/', DEED = %s;", quoted(from.here), quoted(`{"thing":"theirs","confirm":"theirs"}`))
		var names []string
		all := "Promise.all(["
		for _, try := range tries {
			names = append(names, try.name)
			all += "\n(async () => { try { return String(await Promise.race([" + try.does + ", new Promise((done) => setTimeout(() => done(''), 1500))])); } catch { return ''; } })(),"
		}
		got := js[[]string](o, "(() => { "+set+" return "+all+"]); })()")
		for i, g := range got {
			if own := from.page == rebound && strings.Contains(g, "this page is served as"); g != "" && !own {
				t.Errorf("%s: %s: got %.300q", from.name, names[i], g)
			}
		}
	}

	var list struct {
		Checkpoints []struct{ Completed bool }
	}
	if w.json(&list, "list", "--workflow", "theirs"); len(list.Checkpoints) != 1 || list.Checkpoints[0].Completed {
		t.Errorf("something was done to the workflow: %+v", list)
	}
	// The page goes on, and is known as before; what another program has of it is not.
	x.goTo("/workflows", "theirs")
	x.quiet()
	for _, r := range []struct{ name, method, path, token, origin, body string }{
		{"the token of the page, with another origin", "GET", "/live/", token, others.URL, ""},
		{"no token", "GET", "/live/", "", "", ""},
		{"the token in the address", "GET", "/live/?token=" + token, "", "", ""},
		{"a deed without a token", "POST", "/act/complete-workflow", "", w.page, `{"thing":"theirs","confirm":"theirs"}`},
		{"the ticket, a second time", "POST", "/enter", "", w.page, ""},
	} {
		q, err := http.NewRequest(r.method, w.page+r.path, strings.NewReader(r.body))
		if err != nil {
			t.Fatal(err)
		}
		_, ticket, _ := strings.Cut(address, "#")
		for name, value := range map[string]string{"Piton-Token": r.token, "Origin": r.origin, "Content-Type": "application/json", "Piton-Ticket": ticket} {
			if value != "" {
				q.Header.Set(name, value)
			}
		}
		client := http.Client{Timeout: 5 * time.Second}
		answer, err := client.Do(q)
		if err != nil {
			t.Fatalf("%s: %v", r.name, err)
		}
		answer.Body.Close()
		if answer.StatusCode != http.StatusForbidden && answer.StatusCode != http.StatusUnauthorized {
			t.Errorf("%s: status %d", r.name, answer.StatusCode)
		}
	}
}
