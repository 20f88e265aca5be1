package api

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

// TestBrokenBodies sends to every route that takes a body all that can be wrong with
// one: each is a problem of the caller's, with one of our codes, and never a defect.
func TestBrokenBodies(t *testing.T) {
	url, s := serve(t, Socket)
	s.bounds = func(pattern string) bounds { // as many bytes as are soon sent
		x := boundsOf(pattern)
		x.limit = min(x.limit, 4<<20)
		return x
	}
	const kind = "Content-Type: application/json\r\n"
	sized := func(n int, body string) string { return fmt.Sprintf("%sContent-Length: %d\r\n\r\n%s", kind, n, body) }
	whole := func(body string) string { return sized(len(body), body) }
	deep := strings.Repeat(`{"state":`, 20000) + "1" + strings.Repeat("}", 20000)
	for _, c := range []struct {
		name, rest string
		want       []int // one of these; the import takes what it gets as a file
	}{
		{"no JSON", whole(`{"project":`), []int{422}},
		{"two values", whole(`{}{}`), []int{422}},
		{"a value of another kind", whole(`[1]`), []int{422}},
		{"members of another kind", whole(`{"project":1,"state":"x","ids":3,"from":{}}`), []int{422}},
		{"a member that is unknown", whole(`{"nothing":1}`), []int{422}},
		{"bytes that are not text", whole("{\"project\":\"\xff\"}"), []int{422}},
		{"half of a surrogate pair", whole(`{"project":"\ud800"}`), []int{422}},
		{"a number beyond all bounds", whole(`{"step":1e999999,"max_tokens":1e999999}`), []int{422}},
		{"a mark of the byte order", whole("\xef\xbb\xbf{}"), []int{422}},
		{"a value in twenty thousand others", whole(deep), []int{422}},
		{"a body that is broken off", sized(100, `{"project":"/tmp"}`), []int{422}},
		{"nothing of a body that was announced", sized(100, ""), []int{422}},
		{"a chunk of a length that is none", kind + "Transfer-Encoding: chunked\r\n\r\nzz\r\n", []int{422}},
		{"chunks that are broken off", kind + "Transfer-Encoding: chunked\r\n\r\n5\r\n{\"pro", []int{422}},
		{"a body that is too large", sized(maxImport+1, "{"), []int{413}},
		{"a body that is encoded", kind + "Content-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}", []int{415}},
		{"a length that is none", kind + "Content-Length: x\r\n\r\n{}", []int{400}},
		{"two lengths", kind + "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}", []int{400}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for path, item := range s.api.OpenAPI().Paths {
				if item.Post == nil {
					continue
				}
				path = strings.ReplaceAll(path, "{id}", "chk_0")
				rest := c.rest
				if path == "/v1/import" {
					rest = strings.Replace(rest, kind, "Content-Type: application/octet-stream\r\n", 1)
				}
				status, kind, text := raw(t, url, "POST "+path+" HTTP/1.1\r\nHost: x\r\n"+rest)
				if !slices.Contains(c.want, status) && !(status == 403 && strings.HasSuffix(path, "/approve")) {
					t.Errorf("%s: got %d %.300s, want %v", path, status, text, c.want)
				}
				if status == 400 { // of net/http, before there is a request
					continue
				}
				var p Problem
				if err := json.Unmarshal([]byte(text), &p); err != nil || kind != problemType || p.Code != "invalid" || p.Message == "" {
					t.Errorf("%s: got %s %.300s, want a problem", path, kind, text)
				}
			}
		})
	}
	for body, want := range map[string][2]string{
		`{"workflow":"w","state":{"a":[1,NaN]}}`: {"NaN: JSON has no such number (at /state/a/1, byte 32)", "write null, or the number as a string"},
		deep:                                     {"nested too deeply: more than 10000 levels (byte 90000)", "keep the state flatter"},
	} {
		if status, _, text := raw(t, url, "POST /v1/checkpoints HTTP/1.1\r\nHost: x\r\n"+whole(body)); status != 422 || !strings.Contains(text, want[0]) || !strings.Contains(text, want[1]) {
			t.Errorf("got %d %.300s, want %q", status, text, want)
		}
	}
	large := fmt.Sprintf("the body has %d bytes: at most %d bytes are taken here", 5<<20, 4<<20)
	if status, _, text := raw(t, url, "POST /v1/checkpoints HTTP/1.1\r\nHost: x\r\n"+sized(5<<20, "{")); status != 413 || !strings.Contains(text, large) {
		t.Errorf("got %d %.300s, want %q", status, text, large)
	}
	for _, rest := range []string{whole(`{"jsonrpc":`), whole(`[]`), sized(100, "{"), kind + "Content-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}", "Content-Type: text/plain\r\nContent-Length: 2\r\n\r\n{}"} {
		if status, _, text := raw(t, url, "POST /mcp HTTP/1.1\r\nHost: x\r\nAccept: application/json, text/event-stream\r\n"+rest); status < 400 || status >= 500 {
			t.Errorf("/mcp, %q: got %d %s, want a failure of the caller's", rest, status, text)
		}
	}
	if status, text := call(t, "GET", url+"/v1/checkpoints?limit=0", ""); status != 200 || !strings.Contains(text, `"checkpoints":[]`) {
		t.Errorf("after them: got %d %s, want that nothing was saved", status, text)
	}
}

// raw sends a request as it is written, ends its side of the connection, and returns
// the answer.
func raw(t *testing.T, url, request string) (status int, kind, body string) {
	t.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	// A server that has refused already may not read to the end; its answer is there.
	if _, err := io.WriteString(c, request); err == nil {
		_ = c.(*net.TCPConn).CloseWrite()
	}
	res, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, res.Header.Get("Content-Type"), strings.TrimSpace(string(text))
}

// TestTypes: a body whose type is not named, or is another than is taken, is 415 at
// every door; without a body none is asked for.
func TestTypes(t *testing.T) {
	url, s := serve(t, Socket)
	paths := []string{"/mcp"}
	for path, item := range s.api.OpenAPI().Paths {
		if item.Post != nil {
			paths = append(paths, strings.ReplaceAll(path, "{id}", "chk_0"))
		}
	}
	if len(paths) < 15 {
		t.Fatalf("got the doors %v, want all", paths)
	}
	for _, path := range paths {
		for _, head := range []string{
			"", "Content-Type:\r\n", "Content-Type: ;\r\n", "Content-Type: json\r\n", "Content-Type: text/json\r\n", "Content-Type: text/plain\r\n",
			"Content-Type: text/plain; charset=utf-8\r\n", "Content-Type: application/x-www-form-urlencoded\r\n", "Content-Type: multipart/form-data; boundary=x\r\n",
			"Content-Type: application/jsonp\r\n", "Content-Type: application/xml\r\n", "Content-Type: */*\r\n", "Content-Type: application/json; charset=latin1\r\n",
			"Content-Type: application/json; charset=utf-16\r\n", "Content-Type: application/json; charset=\r\n", "Content-Type: application/json, text/plain\r\n",
			"Content-Type: application/json\r\nContent-Type: text/plain\r\n", "Content-Type: application/json\r\nContent-Type: application/json\r\n", "X-Content-Type: application/json\r\n",
		} {
			for _, body := range []string{"Content-Length: 2\r\n\r\n{}", "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"} {
				status, kind, text := raw(t, url, "POST "+path+" HTTP/1.1\r\nHost: x\r\nAccept: application/json, text/event-stream\r\n"+head+body)
				if status != 415 || kind != problemType || !strings.Contains(text, "Content-Type: application/") {
					t.Errorf("%s, %q: got %d, %s %.200s, want 415 and the type to send", path, head, status, kind, text)
				}
			}
		}
	}
	for _, path := range []string{"/v1/prune", "/v1/verify"} {
		if status, text := call(t, "POST", url+path, ""); status != 200 {
			t.Errorf("%s without a body: got %d %s, want 200", path, status, text)
		}
	}
	if status, text := call(t, "POST", url+"/mcp", ""); status != 415 {
		t.Errorf("/mcp without a body: got %d %s, want 415", status, text)
	}
}

// TestLateBodies: a body that does not come in its time is 408, read by a verb or
// before it.
func TestLateBodies(t *testing.T) {
	url, s := serve(t, Socket)
	s.bounds = func(pattern string) bounds {
		x := boundsOf(pattern)
		if x.patience = 50 * time.Millisecond; x.streamed {
			x.patience, x.pause = time.Hour, 50*time.Millisecond
		}
		return x
	}
	dir := t.TempDir()
	for _, c := range []struct{ name, path, begun string }{
		{"a save", "/v1/checkpoints", `{"project":`},
		{"a prune", "/v1/prune", ``},
		{"an import", "/v1/import?project=" + dir, ``},
		{"an import that has begun", "/v1/import?project=" + dir, `{"id":"x"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nContent-Type: %s\r\nContent-Length: 1000\r\n\r\n%s", c.path, typeFor(c.path), c.begun)
			res, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer res.Body.Close()
			text, _ := io.ReadAll(res.Body)
			if res.StatusCode != http.StatusRequestTimeout || !strings.Contains(string(text), `"code":"unavailable"`) {
				t.Errorf("got %d %s, want 408 and unavailable", res.StatusCode, text)
			}
		})
	}
}

// TestWholeBody: a body as large as one may be is read.
func TestWholeBody(t *testing.T) {
	url, _ := serve(t, Socket)
	body := "{}" + strings.Repeat(" ", maxBody-2)
	if status, text := call(t, "POST", url+"/v1/prune", body); status != 200 {
		t.Errorf("got %d %.300s, want 200", status, text)
	}
	for _, kind := range []string{"application/json", "application/json; charset=utf-8", "Application/JSON", "application/vnd.x+json"} {
		if status, text := call(t, "POST", url+"/v1/prune", "{}", "Content-Type", kind); status != 200 {
			t.Errorf("%q: got %d %s, want 200", kind, status, text)
		}
	}
}

// TestEndlessBody: a body that does not say how long it is is read up to its limit.
func TestEndlessBody(t *testing.T) {
	url, _ := serve(t, Socket)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/v1/prune", io.LimitReader(spaces{}, maxBody+10))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", jsonType)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("got %d, want 413", res.StatusCode)
	}
}

// spaces are spaces without an end.
type spaces struct{}

func (spaces) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

// TestPauses: an import whose caller falls silent does not keep its place for as long as
// a whole import may take; one that comes steadily has all of that time.
func TestPauses(t *testing.T) {
	x := boundsOf("POST /v1/import")
	var got []time.Time
	b := &bounded{
		ReadCloser: io.NopCloser(iotest.OneByteReader(strings.NewReader("ab"))), pause: x.pause, end: time.Now().Add(x.patience),
		until: func(at time.Time) error { got = append(got, at); return nil },
	}
	if x.pause <= 0 || x.pause >= x.patience {
		t.Fatalf("got a pause of %s in %s", x.pause, x.patience)
	}
	if _, err := io.ReadAll(b); err != nil {
		t.Fatal(err)
	}
	if len(got) != 4 || !got[0].Before(b.end) || got[1].Before(got[0]) || !got[3].IsZero() {
		t.Errorf("got the times %v, want one for each piece, before %s, and none after the last", got, b.end)
	}
	b.over, b.end = false, time.Now()
	if b.wait(); !got[len(got)-1].Equal(b.end) {
		t.Errorf("got %s, want the end of all, %s", got[len(got)-1], b.end)
	}
}

// typeFor is what a body to a path is.
func typeFor(path string) string {
	if strings.HasPrefix(path, "/v1/import") {
		return "application/octet-stream"
	}
	return jsonType
}
