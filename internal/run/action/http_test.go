package action

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton/internal/run/plan"
)

// heard is a server that answers with what it was sent.
func heard(t *testing.T) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Set-Cookie", "a=b")
		json.NewEncoder(w).Encode(map[string]any{
			"method": r.Method, "url": r.URL.String(), "body": string(body), "type": r.Header.Get("Content-Type"),
			"key": r.Header.Get("Idempotency-Key"), "auth": r.Header.Get("Authorization"), "host": r.Host,
		})
	}))
	t.Cleanup(s.Close)
	return s
}

func TestHTTPSends(t *testing.T) {
	s := heard(t)
	for _, tc := range []struct {
		name string
		p    p
		want p // of what the server heard
	}{
		{"a question", p{"url": s.URL + "/x?a=1"}, p{"method": "GET", "url": "/x?a=1", "body": "", "type": "", "key": ""}},
		{"a query", p{"url": s.URL + "/?a=1", "query": p{"b": "x&y", "c": []any{1.0, true}}}, p{"url": "/?a=1&b=x%26y&c=1&c=true"}},
		{"JSON", p{"url": s.URL, "json": p{"a": "<1>"}}, p{"method": "POST", "body": `{"a":"<1>"}`, "type": "application/json", "key": "key"}},
		{"a text as JSON", p{"url": s.URL, "json": "a"}, p{"body": `"a"`}},
		{"a text", p{"url": s.URL, "body": "a", "method": "put"}, p{"method": "PUT", "body": "a", "type": "text/plain; charset=utf-8", "key": "key"}},
		{"a value", p{"url": s.URL, "body": []any{1.0}}, p{"body": "[1]", "type": "application/json"}},
		{"headers", p{"url": s.URL, "headers": p{"authorization": "Bearer abc", "content-type": "a/b", "host": "elsewhere"}}, p{"auth": "Bearer abc", "type": "a/b", "host": "elsewhere"}},
		{"a key of the plan's own", p{"url": s.URL, "method": "POST", "headers": p{"Idempotency-Key": "mine"}}, p{"key": "mine"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r, err := HTTP{}.Do(t.Context(), Call{Key: "key", Parameters: tc.p})
			if err != nil {
				t.Fatal(err)
			}
			got := r.Output.(map[string]any)["body"].(map[string]any)
			for k, want := range tc.want {
				if got[k] != want {
					t.Errorf("%s: got %q, want %q", k, got[k], want)
				}
			}
		})
	}
}

func TestHTTPAnswers(t *testing.T) {
	var long = strings.Repeat("x", maxBody+1)
	mux := http.NewServeMux()
	say := func(path string, status int, head, body string) {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			if name, v, ok := strings.Cut(head, ": "); ok {
				w.Header().Set(name, v)
			}
			w.WriteHeader(status)
			io.WriteString(w, body)
		})
	}
	say("/json", 200, "Content-Type: application/json", `{"a":9007199254740993}`)
	say("/text", 201, "Content-Type: text/plain", "hello\n")
	say("/nothing", 204, "", "")
	say("/long", 200, "Content-Type: text/plain", long)
	say("/bytes", 200, "Content-Type: text/plain", "a\xffb")
	say("/busy", 503, "Retry-After: 7", "try later")
	say("/slow-down", 429, "Retry-After: "+time.Now().Add(time.Hour).UTC().Format(http.TimeFormat), "")
	say("/soon", 503, "Retry-After: soon", "")
	say("/broken", 500, "Content-Type: text/html", "<h1>bad</h1>")
	say("/none", 501, "", "")
	say("/missing", 404, "Content-Type: application/json", `{"error":"no such thing"}`)
	say("/picture", 400, "Content-Type: image/png", "PNG")
	s := httptest.NewServer(mux)
	defer s.Close()
	for _, tc := range []struct {
		name, path string
		p          p
		body       any
		status     float64
		fails      string
		final      bool
		after      time.Duration // at least, and less than a minute more
	}{
		{name: "JSON", path: "/json", status: 200, body: p{"a": int64(9007199254740993)}},
		{name: "JSON as text", path: "/json", p: p{"output": "text"}, status: 200, body: `{"a":9007199254740993}`},
		{name: "text", path: "/text", status: 201, body: "hello"},
		{name: "text as JSON", path: "/text", p: p{"output": "json"}, fails: "the output is not JSON"},
		{name: "nothing", path: "/nothing", status: 204, body: nil},
		{name: "nothing as JSON", path: "/nothing", p: p{"output": "json"}, status: 204, body: nil},
		{name: "too much", path: "/long", status: 200, body: long[:maxBody]},
		{name: "too much as JSON", path: "/long", p: p{"output": "json"}, fails: "longer than", final: true},
		{name: "bytes that are not UTF-8", path: "/bytes", status: 200, body: "a\uFFFDb"},
		{name: "a status that is expected", path: "/missing", p: p{"expect": []any{200.0, "404"}}, status: 404, body: p{"error": "no such thing"}},
		{name: "a class that is expected", path: "/broken", p: p{"expect": "5xx"}, status: 500, body: "<h1>bad</h1>"},
		{name: "a success that is not expected", path: "/text", p: p{"expect": 200.0}, fails: "status 201 Created: hello", final: true},
		{name: "busy", path: "/busy", fails: "status 503 Service Unavailable: try later", after: 7 * time.Second},
		{name: "too many", path: "/slow-down", fails: "status 429", after: 59 * time.Minute},
		{name: "a time nobody can read", path: "/soon", fails: "status 503"},
		{name: "broken", path: "/broken", fails: "status 500 Internal Server Error: <h1>bad</h1>"},
		{name: "what it cannot do", path: "/none", fails: "status 501", final: true},
		{name: "what is not there", path: "/missing", fails: `status 404 Not Found: {"error":"no such thing"}`, final: true},
		{name: "a picture for an error", path: "/picture", fails: "status 400 Bad Request", final: true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := Call{Parameters: p{"url": s.URL + tc.path}}
			for k, v := range tc.p {
				c.Parameters[k] = v
			}
			r, err := HTTP{}.Do(t.Context(), c)
			if tc.fails != "" {
				f, _ := err.(*Failed)
				if f == nil || !strings.Contains(err.Error(), tc.fails) || f.Final != tc.final || f.After < tc.after || f.After > tc.after+time.Minute {
					t.Errorf("got %v (%+v), want %q in it, final %v, after %s", err, f, tc.fails, tc.final, tc.after)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			out := r.Output.(map[string]any)
			if !reflect.DeepEqual(out["body"], tc.body) || out["status"] != tc.status || (out["cut"] == true) != (tc.path == "/long") {
				t.Errorf("got %.200v, want status %v and body %.200v", out, tc.status, tc.body)
			}
		})
	}
}

func TestHTTPKeepsFewHeaders(t *testing.T) {
	r, err := HTTP{}.Do(t.Context(), Call{Parameters: p{"url": heard(t).URL}})
	if err != nil {
		t.Fatal(err)
	}
	headers := r.Output.(map[string]any)["headers"].(map[string]any)
	if headers["content-type"] != "application/json" || headers["set-cookie"] != nil {
		t.Errorf("got %v, want what the answer is, and no cookie", headers)
	}
}

// A server that redirects elsewhere is not given what was meant for it alone.
func TestHTTPRedirects(t *testing.T) {
	var asked []string
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		asked = append(asked, fmt.Sprintf("%s %s auth=%q key=%q cookie=%q referer=%q accept=%q body=%q", r.Method, r.URL,
			r.Header.Get("Authorization"), r.Header.Get("X-Api-Key"), r.Header.Get("Cookie"), r.Header.Get("Referer"), r.Header.Get("Accept"), body))
		if back := r.URL.Query().Get("back"); back != "" {
			http.Redirect(w, r, back, http.StatusFound)
		}
	}))
	defer other.Close()
	mux := http.NewServeMux()
	s := httptest.NewServer(mux)
	defer s.Close()
	mux.HandleFunc("/to", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL+"/there", http.StatusFound)
	})
	mux.HandleFunc("/send", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL+"/there", http.StatusTemporaryRedirect)
	})
	mux.HandleFunc("/file", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Location", "file:///etc/passwd")
		w.WriteHeader(http.StatusFound)
	})
	mux.HandleFunc("/round", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/round", http.StatusFound) })
	mux.HandleFunc("/via", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL+"/?back="+s.URL+"/here", http.StatusFound)
	})
	mux.HandleFunc("/inside", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/here", http.StatusFound) })
	mux.HandleFunc("/here", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "auth=%q key=%q", r.Header.Get("Authorization"), r.Header.Get("X-Api-Key"))
	})
	headers := p{"Authorization": "Bearer abc", "X-Api-Key": "abc", "Cookie": "a=b", "Accept": "a/b"}
	for _, tc := range []struct {
		name  string
		p     p
		body  any
		asked string // the other server
		fails string
	}{
		{name: "inside the server", p: p{"url": s.URL + "/inside"}, body: `auth="Bearer abc" key="abc"`},
		{name: "to another", p: p{"url": s.URL + "/to?token=abc"}, asked: `GET /there auth="" key="" cookie="" referer="" accept="a/b" body=""`},
		{name: "to another and back", p: p{"url": s.URL + "/via"}, body: `auth="" key=""`, asked: `GET /?back=` + s.URL + `/here auth="" key="" cookie="" referer="" accept="a/b" body=""`},
		{name: "to another with what is sent", p: p{"url": s.URL + "/send", "body": "abc"}, fails: "it redirects what is sent to " + other.URL + "/there"},
		{name: "to a file", p: p{"url": s.URL + "/file"}, fails: "other than http"},
		{name: "for ever", p: p{"url": s.URL + "/round"}, fails: "more than 10 redirects"},
		{name: "that are not followed", p: p{"url": s.URL + "/to", "redirects": false, "expect": 302.0}, body: nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			asked = nil
			tc.p["headers"] = headers
			r, err := HTTP{}.Do(t.Context(), Call{Parameters: tc.p})
			if tc.fails != "" {
				if err == nil || !strings.Contains(err.Error(), tc.fails) || !isFinal(err) || strings.Contains(err.Error(), "abc") {
					t.Errorf("got %v (final %v), want %q in it", err, isFinal(err), tc.fails)
				}
			} else if err != nil {
				t.Fatal(err)
			} else if got := r.Output.(map[string]any)["body"]; tc.name != "that are not followed" && got != tc.body {
				t.Errorf("got %v, want %v", got, tc.body)
			}
			if got := strings.Join(asked, "\n"); got != tc.asked {
				t.Errorf("the other server was asked %q, want %q", got, tc.asked)
			}
		})
	}
}

func TestHTTPIsBrokenOff(t *testing.T) {
	began, end := make(chan bool), make(chan bool)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began <- true
		<-end
	}))
	defer s.Close()
	defer close(end)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-began; cancel() }()
	if _, err := (HTTP{}).Do(ctx, Call{Parameters: p{"url": s.URL + "?key=abc"}}); err == nil || !strings.Contains(err.Error(), "it was ended") || strings.Contains(err.Error(), "abc") {
		t.Errorf("got %v", err)
	}
	go func() { <-began }()
	_, err := HTTP{}.Do(t.Context(), Call{Parameters: p{"url": s.URL, "timeout": "50ms"}})
	if err == nil || !strings.Contains(err.Error(), "no answer within 50ms") || isFinal(err) {
		t.Errorf("got %v (final %v), want a time-out that may be tried again", err, isFinal(err))
	}
	s.CloseClientConnections()
	gone := httptest.NewServer(nil)
	gone.Close()
	if _, err := (HTTP{}).Do(t.Context(), Call{Parameters: p{"url": gone.URL + "/?key=abc"}}); err == nil || isFinal(err) || strings.Contains(err.Error(), "abc") {
		t.Errorf("got %v (final %v), want an error that may be tried again, without the query", err, isFinal(err))
	}
}

func TestHTTPCheck(t *testing.T) {
	for _, tc := range []struct {
		name string
		p    p
		want string
	}{
		{"another scheme", p{"url": "ftp://x/"}, "must begin with http://"},
		{"no host", p{"url": "http:///x"}, "names no host"},
		{"no URL", p{"url": "http://a b:c/"}, "cannot be read as a URL"},
		{"an expression", p{"url": "${{ inputs.url }}"}, ""},
		{"two things to send", p{"url": "http://x", "body": "a", "json": "b"}, "not both"},
		{"a status that is none", p{"url": "http://x", "expect": []any{"ok"}}, `ok is not a status`},
		{"a header that is none", p{"url": "http://x", "headers": p{"a b": "c"}}, `"a b" of the action http`},
		{"a header with a line feed", p{"url": "http://x", "headers": p{"a": "c\nd: e"}}, "no header can have"},
		{"a method that is none", p{"url": "http://x", "method": "FETCH"}, `"FETCH"`},
		{"a method in small letters", p{"url": "http://x", "method": "post"}, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			err := HTTP{}.Check(plan.Step{Parameters: tc.p})
			if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
				t.Errorf("got %v, want %q in it", err, tc.want)
			}
		})
	}
}
