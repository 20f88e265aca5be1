package announce

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/courier"
)

// Bounds of what a server may answer.
const (
	maxAnswer  = 64 << 10        // bytes
	maxHeaders = 32 << 10        // bytes
	maxAgain   = 5 * time.Minute // that it may ask us to wait
)

// delivery is the body of a webhook, as docs/listeners.md describes it.
type delivery struct {
	Type      agent.EventKind `json:"type"`
	Timestamp piton.Time      `json:"timestamp"`
	Data      deliveryData    `json:"data"`
}

type deliveryData struct {
	ID       string `json:"id"` // of the letter: the same at a second try
	Session  string `json:"session_id,omitempty"`
	ClientID string `json:"client_id,omitempty"`
	Agent    string `json:"agent,omitempty"`
	Project  string `json:"project,omitempty"`
	Root     string `json:"root,omitempty"`
	Turn     int    `json:"turn,omitempty"`
	Title    string `json:"title"`
	Text     string `json:"text"`
	Summary  bool   `json:"summary,omitempty"`
	Tool     string `json:"tool,omitempty"`
	Run      string `json:"run_id,omitempty"`
	Step     string `json:"step_id,omitempty"`
}

// post sends a webhook: one request, which follows no redirect.
func (c Carrier) post(ctx context.Context, m message) courier.Outcome {
	address, missing := agent.Expand(m.listener.Webhook, c.Getenv)
	if len(missing) > 0 {
		return courier.Outcome{What: courier.Failed, Why: "the variable " + strings.Join(missing, ", ") + " of webhook is not set where Piton runs"}
	}
	if !isAddress(address) {
		return courier.Outcome{What: courier.Parked, Why: notAddress}
	}
	key, err := c.key(m.listener)
	if err != nil {
		return courier.Outcome{What: courier.Failed, Why: err.Error()}
	}
	s, n := m.session, m.news
	body, _ := json.Marshal(delivery{n.Event, n.At, deliveryData{ // texts, numbers and a time
		m.id, s.ID, s.ClientID, s.Agent, s.Project, s.Root, n.Turn, m.title(), n.Text, m.summary, n.Tool, n.Run, n.Step,
	}})
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return courier.Outcome{What: courier.Parked, Why: "webhook is not a URL"}
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "Piton/"+c.Version)
	sign(r.Header, key, m.id, c.now(), body)
	return c.ask(r)
}

const notAddress = "webhook is not a URL that begins with https:// or http://"

// isAddress reports whether a webhook can be sent to a URL.
func isAddress(address string) bool {
	u, err := url.Parse(address)
	return err == nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https")
}

// ask sends the request and reads what the answer means.
func (c Carrier) ask(r *http.Request) courier.Outcome {
	transport := &http.Transport{
		Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true, MaxResponseHeaderBytes: maxHeaders,
		DialContext: (&net.Dialer{Timeout: 10 * time.Second}).DialContext, TLSHandshakeTimeout: 10 * time.Second,
	}
	defer transport.CloseIdleConnections()
	client := http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	answer, err := client.Do(r)
	if err != nil {
		return courier.Outcome{What: courier.Failed, Why: unsent(err)}
	}
	defer answer.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, maxAnswer)) // the status decides
	return meaning(answer.StatusCode, answer.Header.Get("Retry-After"), c.now())
}

// unsent says why a request got no answer, without its URL, which may be a secret.
func unsent(err error) string {
	var in *url.Error
	var op *net.OpError
	var dns *net.DNSError
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return "the server did not answer in time"
	case errors.As(err, &dns):
		return "the name of the server is not found"
	case errors.As(err, &op) && op.Err != nil:
		return "the server cannot be reached: " + op.Err.Error()
	case errors.As(err, &in):
		return "the request failed: " + in.Err.Error()
	}
	return "the request failed"
}

// meaning is what a status says of the letter. What asks for another request, or
// will never be taken, is left to a person.
func meaning(status int, retryAfter string, now time.Time) courier.Outcome {
	why := fmt.Sprintf("the server answered %d", status)
	switch {
	case status >= 200 && status < 300:
		return courier.Outcome{What: courier.Delivered}
	case status >= 300 && status < 400:
		return courier.Outcome{What: courier.Parked, Why: why + ", a redirect, which is not followed: name its target in webhook"}
	case status == http.StatusRequestTimeout, status == http.StatusTooManyRequests, status >= 500:
		return courier.Outcome{What: courier.Failed, Why: why, Again: again(retryAfter, now)}
	}
	return courier.Outcome{What: courier.Parked, Why: why}
}

// again is how long a server asks us to wait, in seconds or until a date.
func again(retryAfter string, now time.Time) time.Duration {
	if n, err := strconv.ParseUint(retryAfter, 10, 31); err == nil {
		return min(time.Duration(n)*time.Second, maxAgain)
	}
	if at, err := http.ParseTime(retryAfter); err == nil {
		return min(max(at.Sub(now), 0), maxAgain)
	}
	return 0
}
