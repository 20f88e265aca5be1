package action

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/http/httpguts"
)

// request is what the parameters say to send.
func request(ctx context.Context, c Call) (*http.Request, error) {
	raw, _ := c.Parameters["url"].(string)
	u, err := target(raw)
	if err != nil {
		return nil, final(`the parameter "url": %w`, err)
	}
	if err := addQuery(u, c.Parameters["query"]); err != nil {
		return nil, err
	}
	body, kind, err := content(c.Parameters)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, method(c.Parameters), u.String(), strings.NewReader(body))
	if err != nil {
		return nil, final("%w", err)
	}
	if body == "" {
		req.Body, req.GetBody = http.NoBody, nil
	}
	req.Header.Set("User-Agent", "piton")
	if kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	if !safe(req.Method) && c.Key != "" {
		req.Header.Set("Idempotency-Key", c.Key)
	}
	headers, err := headersOf(c.Parameters["headers"])
	for name, v := range headers {
		req.Header[name] = v
	}
	req.Host = headers.Get("Host") // "" is that of the URL
	return req, err
}

// method is the method that the parameters say.
func method(p map[string]any) string {
	if m, _ := p["method"].(string); m != "" {
		return strings.ToUpper(m)
	}
	if p["body"] != nil || p["json"] != nil {
		return http.MethodPost
	}
	return http.MethodGet
}

// safe tells whether a method changes nothing.
func safe(method string) bool {
	return method == http.MethodGet || method == http.MethodHead || method == http.MethodOptions
}

// target reads a URL.
func target(raw string) (*url.URL, error) {
	u, err := url.Parse(raw)
	switch {
	case err != nil:
		return nil, errors.New("it cannot be read as a URL") // the cause would quote it, with what is secret in it
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, fmt.Errorf("it must begin with http:// or https://")
	case u.Host == "":
		return nil, errors.New("it names no host")
	}
	return u, nil
}

// addQuery adds to a URL's query; a list is a name that occurs more than once.
func addQuery(u *url.URL, add any) error {
	m, ok := add.(map[string]any)
	if !ok {
		if add != nil {
			return final(`the parameter "query" is %s, and must be a map`, described(add))
		}
		return nil
	}
	q := u.Query()
	for _, name := range slices.Sorted(maps.Keys(m)) {
		list, ok := m[name].([]any)
		if !ok {
			list = []any{m[name]}
		}
		for _, v := range list {
			t, err := text(v)
			if err != nil {
				return final("%q in query: %w", name, err)
			}
			q.Add(name, t)
		}
	}
	u.RawQuery = q.Encode()
	return nil
}

// content is what is sent, and what it is.
func content(p map[string]any) (body, kind string, err error) {
	if v, ok := p["json"]; ok && v != nil {
		body, err = compact(v)
		return body, "application/json", err
	}
	switch v := p["body"].(type) {
	case nil:
		return "", "", nil
	case string:
		return v, "text/plain; charset=utf-8", nil
	default: // an expression that was one value
		body, err = compact(v)
		return body, "application/json", err
	}
}

// headersOf are the headers of a parameter.
func headersOf(parameter any) (http.Header, error) {
	m, ok := parameter.(map[string]any)
	if !ok && parameter != nil {
		return nil, final(`the parameter "headers" is %s, and must be a map`, described(parameter))
	}
	headers := http.Header{}
	for _, name := range slices.Sorted(maps.Keys(m)) {
		if err := headerFits(name, m[name]); err != nil {
			return nil, final("the header %q: %w", name, err)
		}
		v, _ := text(m[name])
		headers.Set(name, v)
	}
	return headers, nil
}

// headerFits tells what is wrong with a header. It does not quote the value, which
// may be a secret.
func headerFits(name string, v any) error {
	t, err := text(v)
	switch {
	case err != nil:
		return err
	case !httpguts.ValidHeaderFieldName(name):
		return errors.New("this is not a name of a header")
	case !httpguts.ValidHeaderFieldValue(t):
		return errors.New("its value has characters that no header can have")
	}
	return nil
}

// expected tells which statuses are a success.
func expected(v any) (func(status int) bool, error) {
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	if v == nil || len(list) == 0 {
		list = []any{"2xx"}
	}
	var ranges [][2]int
	for _, item := range list {
		r, err := statuses(item)
		if err != nil {
			return nil, err
		}
		ranges = append(ranges, r)
	}
	return func(status int) bool {
		return slices.ContainsFunc(ranges, func(r [2]int) bool { return r[0] <= status && status <= r[1] })
	}, nil
}

// statuses reads 200, "200" or "2xx".
func statuses(v any) ([2]int, error) {
	if n, ok := AsNumber(v); ok && n >= 100 && n <= 599 {
		return [2]int{int(n), int(n)}, nil
	}
	if t, ok := v.(string); ok {
		t = strings.ToLower(strings.TrimSpace(t))
		if first, ok := strings.CutSuffix(t, "xx"); ok && len(first) == 1 && first >= "1" && first <= "5" {
			n := int(first[0]-'0') * 100
			return [2]int{n, n + 99}, nil
		}
		if n, err := strconv.Atoi(t); err == nil && n >= 100 && n <= 599 {
			return [2]int{n, n}, nil
		}
	}
	return [2]int{}, fmt.Errorf(`%v is not a status; write 200 or "2xx"`, v)
}

// redirectError is a redirect that is not followed.
type redirectError struct{ why string }

func (e *redirectError) Error() string { return e.why }

// harmless are the headers that another host may be sent too.
var harmless = map[string]bool{"Accept": true, "Accept-Language": true, "User-Agent": true, "Content-Type": true}

// redirects follows redirects up to a number of them. To another scheme, host or
// port it takes none of the step's headers along, and no body.
func redirects(v any) func(req *http.Request, via []*http.Request) error {
	most := 10
	if n, ok := AsNumber(v); ok {
		most = int(n)
	} else if follow, ok := v.(bool); ok && !follow {
		most = 0
	}
	return func(req *http.Request, via []*http.Request) error {
		switch {
		case most == 0:
			return http.ErrUseLastResponse
		case len(via) > most:
			return &redirectError{fmt.Sprintf("more than %d redirects", most)}
		case req.URL.Scheme != "http" && req.URL.Scheme != "https":
			return &redirectError{"it redirects to something other than http and https"}
		}
		req.Header.Del("Referer") // it has the query of the URL before
		if !slices.ContainsFunc(append(via[1:], req), func(r *http.Request) bool { return !sameServer(via[0].URL, r.URL) }) {
			return nil
		}
		if req.Body != nil && req.Body != http.NoBody {
			return &redirectError{fmt.Sprintf("it redirects what is sent to %s; write that as the url, if it may have it", shown(req.URL))}
		}
		for name := range req.Header {
			if !harmless[name] {
				req.Header.Del(name)
			}
		}
		return nil
	}
}

// sameServer tells whether what the one server was sent may go to the other: to the
// same, and from HTTP to HTTPS on the same host.
func sameServer(first, next *url.URL) bool {
	if !strings.EqualFold(first.Hostname(), next.Hostname()) {
		return false
	}
	if first.Scheme == "http" && next.Scheme == "https" {
		return port(first) == "80" && port(next) == "443"
	}
	return first.Scheme == next.Scheme && port(first) == port(next)
}

func port(u *url.URL) string {
	switch {
	case u.Port() != "":
		return u.Port()
	case u.Scheme == "https":
		return "443"
	}
	return "80"
}

// shown is a URL without what may be secret in it.
func shown(u *url.URL) string {
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}
