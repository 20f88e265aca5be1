package page

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/piton-project/piton/internal/app/caller"
)

// served is a page over an empty home, and what its API was asked.
type served struct {
	*Page
	t     *testing.T
	asked atomic.Int64
	last  atomic.Value // of string: the last request of the API
}

func serve(t *testing.T) *served {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &served{t: t}
	api := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.asked.Add(1)
		body, _ := io.ReadAll(r.Body)
		s.last.Store(r.Method + " " + r.URL.EscapedPath() + " " + string(body))
		if strings.Contains(r.URL.Path, "run_bad") {
			w.WriteHeader(http.StatusConflict)
			fmt.Fprint(w, `{"message":"it has ended","hint":"look at it"}`)
		}
	})
	s.Page = newPage(l, Options{App: caller.Options{Home: t.TempDir(), Getenv: func(string) string { return "" }, Environ: []string{}}, API: api})
	done := make(chan error, 1)
	go func() { done <- s.Serve() }()
	t.Cleanup(func() {
		s.Close()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return s
}

// ask sends a request; headers are pairs.
func (s *served) ask(method, path, body string, headers ...string) (status int, text string, h http.Header) {
	s.t.Helper()
	r, err := http.NewRequest(method, "http://"+s.gate.host+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		if headers[i] == "Host" {
			r.Host = headers[i+1]
			continue
		}
		r.Header.Add(headers[i], headers[i+1])
	}
	client := http.Client{Timeout: 10 * time.Second, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	got, err := client.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer got.Body.Close()
	if strings.HasPrefix(path, "/live/") && got.StatusCode == http.StatusOK {
		part := make([]byte, 400)
		n, _ := io.ReadAtLeast(got.Body, part, 12)
		return got.StatusCode, string(part[:n]), got.Header
	}
	all, _ := io.ReadAll(got.Body)
	return got.StatusCode, string(all), got.Header
}

// enter gets a token.
func (s *served) enter() string {
	s.t.Helper()
	_, ticket, _ := strings.Cut(s.Address(), "#")
	status, token, _ := s.ask("POST", "/enter", "", ticketHeader, ticket)
	if status != http.StatusOK || len(token) < 40 {
		s.t.Fatalf("a new ticket: %d %q", status, token)
	}
	return token
}

// TestAttacks: what another page, another name of the machine, or nobody known sends, gets
// neither data nor effect. Each row is one that would be let in without what it changes.
func TestAttacks(t *testing.T) {
	t.Parallel()
	s := serve(t)
	token, own := s.enter(), "http://"+s.gate.host
	const wish = `{"thing":"run_1","confirm":"run_1"}`
	json := []string{"Content-Type", "application/json"}
	for _, c := range []struct {
		name, method, path, body string
		want                     int
		headers                  []string
	}{
		{"no token", "GET", "/live/", "", 401, nil},
		{"a wrong token", "GET", "/live/", "", 401, []string{tokenHeader, "0" + token[1:]}},
		{"a token's beginning", "GET", "/live/", "", 401, []string{tokenHeader, token[:20]}},
		{"the token as a cookie", "GET", "/live/", "", 401, []string{"Cookie", tokenHeader + "=" + token}},
		{"the token in the address", "GET", "/live/?" + tokenHeader + "=" + token, "", 401, nil},
		{"the token as the API's", "GET", "/live/", "", 401, []string{"Authorization", "Bearer " + token}},
		{"another port's page", "GET", "/live/", "", 403, []string{tokenHeader, token, "Origin", "http://127.0.0.1:1"}},
		{"localhost's page", "GET", "/live/", "", 403, []string{tokenHeader, token, "Origin", "http://localhost:" + s.gate.host[strings.LastIndex(s.gate.host, ":")+1:]}},
		{"another site's page", "GET", "/live/", "", 403, []string{tokenHeader, token, "Origin", "https://evil.test"}},
		{"a file, or a frame without an origin", "GET", "/live/", "", 403, []string{tokenHeader, token, "Origin", "null"}},
		{"two origins", "GET", "/live/", "", 403, []string{tokenHeader, token, "Origin", own, "Origin", "https://evil.test"}},
		{"an empty origin", "GET", "/live/", "", 403, []string{tokenHeader, token, "Origin", ""}},
		{"a cross-site fetch", "GET", "/live/", "", 403, []string{tokenHeader, token, "Sec-Fetch-Site", "cross-site"}},
		{"another port's fetch", "GET", "/live/", "", 403, []string{tokenHeader, token, "Sec-Fetch-Site", "same-site"}},
		{"a cross-site script include", "GET", "/page.js", "", 403, []string{"Sec-Fetch-Site", "cross-site"}},
		{"a rebound name", "GET", "/live/", "", 403, []string{tokenHeader, token, "Host", "evil.test"}},
		{"a rebound name with the port", "GET", "/", "", 403, []string{"Host", "evil.test:" + s.gate.host[strings.LastIndex(s.gate.host, ":")+1:]}},
		{"localhost", "GET", "/", "", 403, []string{"Host", "localhost"}},
		{"a name that begins with the address", "GET", "/", "", 403, []string{"Host", s.gate.host + ".evil.test"}},
		{"a button without a token", "POST", "/act/cancel-run", wish, 401, json},
		{"a form", "POST", "/act/cancel-run", "thing=run_1&confirm=run_1", 400, []string{tokenHeader, token, "Content-Type", "application/x-www-form-urlencoded"}},
		{"a form that looks like JSON", "POST", "/act/cancel-run", wish, 400, []string{tokenHeader, token, "Content-Type", "text/plain"}},
		{"a button of another page", "POST", "/act/cancel-run", wish, 403, append([]string{tokenHeader, token, "Origin", "https://evil.test"}, json...)},
		{"a button that was not confirmed", "POST", "/act/cancel-run", `{"thing":"run_1"}`, 409, append([]string{tokenHeader, token}, json...)},
		{"a button that was confirmed for another", "POST", "/act/cancel-run", `{"thing":"run_1","confirm":"run_2"}`, 409, append([]string{tokenHeader, token}, json...)},
		{"a button for nothing", "POST", "/act/cancel-run", `{"thing":"","confirm":""}`, 400, append([]string{tokenHeader, token}, json...)},
		{"an approval", "POST", "/act/approve-run", wish, 404, append([]string{tokenHeader, token}, json...)},
		{"an undo", "POST", "/act/undo", wish, 404, append([]string{tokenHeader, token}, json...)},
		{"a prune", "POST", "/act/prune", wish, 404, append([]string{tokenHeader, token}, json...)},
		{"a button by GET", "GET", "/act/cancel-run", "", 405, []string{tokenHeader, token}},
		{"a body without an end", "POST", "/act/cancel-run", `{"thing":"` + strings.Repeat("x", 1<<16) + `"}`, 400, append([]string{tokenHeader, token}, json...)},
		{"the API", "GET", "/v1/sessions", "", 404, []string{tokenHeader, token}},
		{"the API's token file", "GET", "/token", "", 404, []string{tokenHeader, token}},
		{"a file that is not ours", "GET", "/static/page.js", "", 404, nil},
		{"no ticket", "POST", "/enter", "", 401, nil},
		{"a wrong ticket", "POST", "/enter", "", 401, []string{ticketHeader, token}},
		{"a ticket for another page", "POST", "/enter", "", 403, []string{ticketHeader, "x", "Origin", "https://evil.test"}},
	} {
		before := s.asked.Load()
		status, text, h := s.ask(c.method, c.path, c.body, c.headers...)
		if status != c.want {
			t.Errorf("%s: %d %q, want %d", c.name, status, text, c.want)
		}
		if s.asked.Load() != before {
			t.Errorf("%s: the API was asked %v", c.name, s.last.Load())
		}
		for name, value := range headers {
			if name != "Cache-Control" && h.Get(name) != value {
				t.Errorf("%s: %s is %q", c.name, name, h.Get(name))
			}
		}
		for _, name := range []string{"Set-Cookie", "Access-Control-Allow-Origin"} {
			if h.Get(name) != "" {
				t.Errorf("%s: there is a header %s", c.name, name)
			}
		}
	}
	// And what is to be let in is.
	for _, headers := range [][]string{{tokenHeader, token}, {tokenHeader, token, "Origin", own, "Sec-Fetch-Site", "same-origin"}} {
		if status, text, _ := s.ask("GET", "/live/", "", headers...); status != 200 || !strings.HasPrefix(text, ": \n\n") {
			t.Errorf("the page's own: %d %q", status, text)
		}
	}
	if status, _, _ := s.ask("GET", "/run/run_1", "", "Sec-Fetch-Site", "none"); status != 200 {
		t.Errorf("an address that a person typed: %d", status)
	}
}

// TestActs: a button asks the API for its verb, and says what that refuses.
func TestActs(t *testing.T) {
	t.Parallel()
	s := serve(t)
	token := s.enter()
	for _, c := range []struct{ verb, thing, want string }{
		{"pause-run", "run_1", "POST /v1/runs/run_1/pause {}"},
		{"cancel-run", "../x?y", "POST /v1/runs/..%2Fx%3Fy/cancel {}"},
		{"continue-run", "run_1", "POST /v1/runs/run_1/continue {}"},
		{"complete-workflow", `wf"1`, `POST /v1/complete {"workflow":"wf\"1"}`},
		{"retry-letters", "ltr_1", `POST /v1/letters/retry {"letters":["ltr_1"]}`},
		{"drop-letters", "ltr_1", `POST /v1/letters/drop {"letters":["ltr_1"]}`},
	} {
		body := fmt.Sprintf(`{"thing":%[1]q,"confirm":%[1]q}`, c.thing)
		status, text, _ := s.ask("POST", "/act/"+c.verb, body, tokenHeader, token, "Content-Type", "application/json")
		if got := s.last.Load(); status != http.StatusNoContent || got != c.want {
			t.Errorf("%s: %d %q, and the API was asked %v, want %s", c.verb, status, text, got, c.want)
		}
	}
	status, text, _ := s.ask("POST", "/act/pause-run", `{"thing":"run_bad","confirm":"run_bad"}`, tokenHeader, token, "Content-Type", "application/json")
	if status != http.StatusConflict || text != "it has ended. look at it\n" {
		t.Errorf("what the API refuses: %d %q", status, text)
	}
}

// TestTickets: each holds once and for a time, tokens until they have rested, and there are
// not more than so many.
func TestTickets(t *testing.T) {
	t.Parallel()
	s := serve(t)
	_, ticket, _ := strings.Cut(s.Address(), "#")
	for i, want := range []int{200, 401, 401} {
		if status, _, _ := s.ask("POST", "/enter", "", ticketHeader, ticket); status != want {
			t.Errorf("the ticket, for the %dth time: %d, want %d", i+1, status, want)
		}
	}
	var g gate
	old := g.ticket()
	g.tickets[0].at = time.Now().Add(-ticketLasts)
	if find(g.tickets, old, ticketLasts) >= 0 {
		t.Error("a ticket holds for longer than it should")
	}
	first := issue(&g.tokens)
	for range maxPasses {
		issue(&g.tokens)
	}
	if len(g.tokens) != maxPasses || find(g.tokens, first, tokenRests) >= 0 {
		t.Errorf("there are %d tokens", len(g.tokens))
	}
	token := s.enter()
	s.gate.tokens[len(s.gate.tokens)-1].at = time.Now().Add(-tokenRests / 2)
	if status, _, _ := s.ask("GET", "/live/", "", tokenHeader, token); status != 200 {
		t.Errorf("a token that has rested for a while: %d", status)
	}
	s.gate.mu.Lock()
	if time.Since(s.gate.tokens[len(s.gate.tokens)-1].at) > time.Minute {
		t.Error("a token that is used goes on resting")
	}
	s.gate.tokens[len(s.gate.tokens)-1].at = time.Now().Add(-tokenRests)
	s.gate.mu.Unlock()
	if status, _, _ := s.ask("GET", "/live/", "", tokenHeader, token); status != 401 {
		t.Errorf("a token that has rested too long: %d", status)
	}
}

// TestFiles: each address of a screen is the same document, and says nothing.
func TestFiles(t *testing.T) {
	t.Parallel()
	s := serve(t)
	_, document, _ := s.ask("GET", "/", "")
	for path, kind := range map[string]string{"/": "text/html", "/page.js": "text/javascript", "/plots.js": "text/javascript", "/page.css": "text/css", "/icon.svg": "image/svg+xml", "/session/ses_1": "text/html", "/find?q=x": "text/html"} {
		status, text, h := s.ask("GET", path, "")
		if status != 200 || !strings.HasPrefix(h.Get("Content-Type"), kind) || len(text) < 100 || kind == "text/html" && text != document {
			t.Errorf("%s: %d, %d bytes of %s", path, status, len(text), h.Get("Content-Type"))
		}
	}
}
