package action

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/piton-project/piton/internal/run/plan"
)

// HTTP asks a server.
type HTTP struct{ Tools }

// Doc says what the action takes.
func (HTTP) Doc() Doc {
	return Doc{
		Name:    "http",
		Summary: "Sends a request over HTTP.",
		Parameters: []Parameter{
			{Name: "url", Kinds: []Kind{Text}, Required: true, Others: []string{"uri", "address", "endpoint"}, Meaning: "where to send it, http or https"},
			{Name: "method", Kinds: []Kind{Text}, Options: []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}, Others: []string{"verb"},
				Meaning: "`GET`, `HEAD`, `POST`, `PUT`, `PATCH`, `DELETE` or `OPTIONS`; `GET`, or `POST` where there is something to send"},
			{Name: "query", Kinds: []Kind{Map}, Others: []string{"params", "search"}, Meaning: "a map that is added to the URL; a list is a name that occurs more than once"},
			{Name: "headers", Kinds: []Kind{Map}, Others: []string{"header"}, Meaning: "a map of headers to send"},
			{Name: "body", Others: []string{"data", "payload", "content"}, Meaning: "what to send: a text as it is, any other value as JSON"},
			{Name: "json", Meaning: "a value to send as JSON, a text too"},
			{Name: "expect", Kinds: []Kind{List, Number, Text}, Others: []string{"status", "expected", "expect_status"},
				Meaning: "the statuses that are a success: `200`, `\"2xx\"`, or a list; those from 200 to 299"},
			{Name: "redirects", Kinds: []Kind{Number, Bool}, Others: []string{"follow", "follow_redirects", "max_redirects"}, Meaning: "how many redirects are followed: 10; `false` for none"},
			{Name: "timeout", Kinds: []Kind{Time}, Meaning: "how long the whole answer may take: 5 minutes"},
			outputParameter,
		},
		Output: "status, headers (those that say what the answer is, in lower case) and body: JSON where it is JSON, else text; cut is true where the body was too long",
	}
}

// Check reports what is wrong with the parameters.
func (a HTTP) Check(s plan.Step) error {
	if err := a.Doc().Check(s); err != nil {
		return err
	}
	p := s.Parameters
	if p["body"] != nil && p["json"] != nil {
		return wrong(`the action http takes "body" or "json", not both`)
	}
	if u, ok := p["url"].(string); ok && !open(u) {
		if _, err := target(u); err != nil {
			return wrong(`the parameter "url" of the action http: %s`, err)
		}
	}
	if !open(p["expect"]) {
		if _, err := expected(p["expect"]); err != nil {
			return wrong(`the parameter "expect" of the action http: %s`, err)
		}
	}
	headers, _ := p["headers"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		if err := headerFits(name, headers[name]); err != nil {
			return wrong("the header %q of the action http: %s", name, err)
		}
	}
	return nil
}

// Effect goes by the method: a server may be asked again, and told once.
func (HTTP) Effect(s plan.Step) plan.Effect {
	switch method(s.Parameters) {
	case http.MethodGet, http.MethodHead, http.MethodOptions:
		return plan.Pure
	}
	return plan.Once
}

// Do sends the request. A server that cannot be reached, is busy or fails may be
// asked again; what it refuses is final.
func (a HTTP) Do(ctx context.Context, c Call) (Result, error) {
	limit := 5 * time.Minute
	if d, ok := duration(c.Parameters["timeout"]); ok {
		limit = d
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("no answer within %s", limit))
	defer cancel()
	req, err := request(ctx, c)
	if err != nil {
		return Result{}, err
	}
	expect, err := expected(c.Parameters["expect"])
	if err != nil {
		return Result{}, final(`the parameter "expect": %w`, err)
	}
	began := time.Now()
	var sent atomic.Bool
	req = req.WithContext(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { sent.Store(true) }}))
	client := http.Client{Transport: a.transport(req.Method), CheckRedirect: redirects(c.Parameters["redirects"])}
	resp, err := client.Do(req)
	if err != nil {
		return Result{}, unreachable(ctx, req, err, sent.Load())
	}
	defer resp.Body.Close()
	body, cut, err := readBody(resp.Body)
	fmt.Fprintf(c.log(), "%s %s: %s, %d bytes in %s\n", req.Method, shown(resp.Request.URL), resp.Status, len(body), time.Since(began).Round(time.Millisecond))
	if !expect(resp.StatusCode) {
		return Result{}, refused(resp, body, time.Now())
	}
	if err != nil {
		return Result{}, unreachable(ctx, req, err, true)
	}
	return answer(resp, body, cut, c.Parameters["output"])
}

// transport sends requests. One that changes something gets a connection of its own: Go
// sends such a request again by itself where a connection that was kept open breaks and
// the request has an Idempotency-Key.
func (t Tools) transport(method string) http.RoundTripper {
	if t.Transport != nil || safe(method) {
		return t.Transport
	}
	own := http.DefaultTransport.(*http.Transport).Clone()
	own.DisableKeepAlives = true
	return own
}

// maxBody is how much of an answer is kept.
const maxBody = maxOutput

func readBody(r io.Reader) (body []byte, cut bool, err error) {
	body, err = io.ReadAll(io.LimitReader(r, maxBody+1))
	if len(body) > maxBody {
		return body[:maxBody], true, nil
	}
	return body, false, err
}

// maxHeader is how much of one header is kept.
const maxHeader = 2 << 10

// kept are the headers of an answer that say what it is.
var kept = []string{"Content-Type", "Date", "Etag", "Last-Modified", "Link", "Location", "Retry-After", "X-Request-Id"}

// answer is what the step brings.
func answer(resp *http.Response, body []byte, cut bool, how any) (Result, error) {
	var said any // null where there is nothing
	if len(body) > 0 {
		var err error
		if said, err = readOutput(body, cut, how); err != nil {
			return Result{}, err
		}
	}
	headers := map[string]any{}
	for _, name := range kept {
		if v := resp.Header.Values(name); len(v) > 0 {
			headers[strings.ToLower(name)] = ends(strings.ToValidUTF8(strings.Join(v, ", "), "\uFFFD"), maxHeader)
		}
	}
	out := map[string]any{"status": float64(resp.StatusCode), "headers": headers, "body": said}
	if cut {
		out["cut"] = true
	}
	return Result{Output: out}, nil
}

// refused is the failure that an unexpected status is. Some say that the server may
// be asked again.
func refused(resp *http.Response, body []byte, now time.Time) error {
	f := &Failed{Err: fmt.Errorf("%s %s: status %s", resp.Request.Method, shown(resp.Request.URL), resp.Status), Final: true, Known: statusKnown(resp)}
	if said := ending(body[:min(len(body), maxEnd)]); said != "" && isText(resp.Header.Get("Content-Type")) {
		f.Err = fmt.Errorf("%w: %s", f.Err, said)
	}
	switch code := resp.StatusCode; {
	case code == http.StatusNotImplemented, code == http.StatusHTTPVersionNotSupported:
	case code >= 500, code == http.StatusRequestTimeout, code == http.StatusTooEarly, code == http.StatusTooManyRequests:
		f.Final, f.After = false, retryAfter(resp.Header.Get("Retry-After"), now)
	}
	return f
}

func isText(mime string) bool {
	mime, _, _ = strings.Cut(mime, ";")
	return mime == "" || strings.HasPrefix(mime, "text/") || strings.HasSuffix(mime, "json") || strings.HasSuffix(mime, "xml")
}

// retryAfter reads a header: seconds, or a date.
func retryAfter(v string, now time.Time) time.Duration {
	if n, err := strconv.Atoi(strings.TrimSpace(v)); err == nil && n > 0 {
		return time.Duration(min(n, int(maxAfter/time.Second))) * time.Second
	}
	if at, err := http.ParseTime(v); err == nil {
		return min(max(0, at.Sub(now)), maxAfter)
	}
	return 0
}

// maxAfter is the longest wait that a server can ask for.
const maxAfter = 24 * time.Hour

// unreachable is the error of a request without an answer; sent: a connection was made
// for it. It does not quote the URL's query, which may hold a secret.
func unreachable(ctx context.Context, req *http.Request, err error, sent bool) error {
	var whole *url.Error
	if errors.As(err, &whole) {
		err = whole.Err
	}
	if ctx.Err() != nil {
		err = broken(ctx)
	}
	f := &Failed{Err: fmt.Errorf("%s %s: %w", req.Method, shown(req.URL), err)}
	var cert *tls.CertificateVerificationError
	var redirect *redirectError
	switch {
	case errors.As(err, &redirect):
		f.Final, f.Known = true, Answered
	case !sent:
		f.Final, f.Known = errors.As(err, &cert), Before
	}
	return f
}
