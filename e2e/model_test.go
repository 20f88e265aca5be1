package e2e

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// model plays the model behind Anthropic's Messages API, on loopback. A test
// scripts it with replies; it keeps every request.
type model struct {
	t      testing.TB
	server *http.Server
	url    string

	busy     sync.WaitGroup // requests at work
	mu       sync.Mutex
	lanes    []*lane
	requests []request
}

// lane is the script of one conversation: the main one, or a subagent's, which
// is known by a text in its first message.
type lane struct {
	key     string
	replies []*reply
}

// reply is what the model answers to one request. The first of its lane that is
// left and fits is taken.
type reply struct {
	When   string        // regular expression on the last user message; "" fits all
	Text   string        // what it says
	Tools  []tool        // what it calls then
	Delay  time.Duration // it thinks so long
	Status int           // an API error instead of an answer
	Repeat bool          // never used up

	before func(request)        // runs before the answer is sent
	then   func(request) []tool // calls that depend on the request
	after  <-chan struct{}      // the answer waits for this

	used bool
}

// tool is a call.
type tool struct {
	Name  string
	Input map[string]any
}

// request is what the model was asked.
type request struct {
	N     int
	At    time.Time
	Lane  string
	Side  bool   // a request of the client's own: a title, a summary
	First string // text of the first user message
	Last  string // text of the last user message
	News  string // text of what came after the model's last answer
	All   string // text of all messages, results of tools included
	Model string
}

// side answers the client's own small requests.
const side = "ok"

// summaryKey finds the request by which the client compacts a conversation.
const summaryKey = "detailed summary of (the|this) conversation|Your task is to create a detailed summary"

func newModel(t testing.TB) *model {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal("the mock model cannot listen:", err)
	}
	m := &model{t: t, url: "http://" + listener.Addr().String(), lanes: []*lane{{}}}
	m.server = &http.Server{Handler: m}
	go m.server.Serve(listener) // until the test closes it
	t.Cleanup(func() {
		m.server.Close()
		m.busy.Wait() // they report to the test
	})
	return m
}

// script adds replies to the main conversation.
func (m *model) script(replies ...reply) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.lanes[0].add(replies)
}

// subagent scripts the conversation whose first message holds the key.
func (m *model) subagent(key string, replies ...reply) {
	m.mu.Lock()
	defer m.mu.Unlock()
	l := &lane{key: key}
	l.add(replies)
	m.lanes = append(m.lanes, l)
}

func (l *lane) add(replies []reply) {
	for _, r := range replies {
		l.replies = append(l.replies, &r)
	}
}

// all returns the requests so far, without the client's own.
func (m *model) all() []request {
	m.mu.Lock()
	defer m.mu.Unlock()
	var list []request
	for _, r := range m.requests {
		if !r.Side {
			list = append(list, r)
		}
	}
	return list
}

// left returns the replies that nobody has asked for.
func (m *model) left() (list []reply) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, l := range m.lanes {
		for _, r := range l.replies {
			if !r.used && !r.Repeat {
				list = append(list, *r)
			}
		}
	}
	return list
}

type apiMessage struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
}

type apiRequest struct {
	Model    string            `json:"model"`
	Stream   bool              `json:"stream"`
	Messages []apiMessage      `json:"messages"`
	Tools    []json.RawMessage `json:"tools"`
}

// flat is the text of a content: a string, or blocks.
func flat(content json.RawMessage) string {
	var text string
	if json.Unmarshal(content, &text) == nil {
		return text
	}
	var blocks []struct {
		Type, Text string
		Content    json.RawMessage
	}
	if json.Unmarshal(content, &blocks) != nil {
		return ""
	}
	var parts []string
	for _, b := range blocks {
		if b.Type == "tool_result" {
			parts = append(parts, flat(b.Content))
		} else if b.Text != "" {
			parts = append(parts, b.Text)
		}
	}
	return strings.Join(parts, "\n")
}

// take notes a request and finds its answer.
func (m *model) take(body apiRequest) (request, reply) {
	r := request{At: time.Now(), Side: len(body.Tools) == 0, Model: body.Model}
	var all, news []string
	for _, x := range body.Messages {
		text := flat(x.Content)
		all = append(all, text)
		news = append(news, text)
		if x.Role == "assistant" {
			news = nil
		}
		if x.Role == "user" {
			if r.First == "" {
				r.First = text
			}
			r.Last = text
		}
	}
	r.All, r.News = strings.Join(all, "\n"), strings.Join(news, "\n")
	m.mu.Lock()
	defer m.mu.Unlock()
	r.N = len(m.requests) + 1
	answer := reply{Text: side}
	switch {
	case regexp.MustCompile(summaryKey).MatchString(r.Last):
		r.Side = true
		answer.Text = "<summary>The conversation so far, in short.</summary>"
	case !r.Side:
		var l *lane
		l, answer = m.pick(r)
		r.Lane = l.key
	}
	m.requests = append(m.requests, r)
	return r, answer
}

func (m *model) pick(r request) (*lane, reply) {
	l := m.lanes[0]
	for _, other := range m.lanes[1:] {
		if strings.Contains(r.First, other.key) {
			l = other
		}
	}
	for _, x := range l.replies {
		if x.used || x.When != "" && !regexp.MustCompile("(?s)"+x.When).MatchString(r.Last) {
			continue
		}
		x.used = true
		if x.Repeat {
			x.used = false
		}
		return l, *x
	}
	m.t.Errorf("the model was asked once more than the script has replies (request %d%s): %s", r.N, in(l.key), short(r.Last))
	return l, reply{Text: "Nothing more to do."}
}

func in(key string) string {
	if key == "" {
		return ""
	}
	return " in " + key
}

func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m.busy.Add(1)
	defer m.busy.Done()
	switch {
	case r.Method == http.MethodPost && r.URL.Path == "/v1/messages":
		var body apiRequest
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		m.answer(w, r, body)
	case r.Method == http.MethodHead:
	case r.URL.Path == "/v1/messages/count_tokens":
		sendJSON(w, http.StatusOK, map[string]any{"input_tokens": 1000})
	case r.URL.Path == "/v1/models":
		sendJSON(w, http.StatusOK, map[string]any{"data": []any{}, "has_more": false})
	default:
		sendJSON(w, http.StatusNotFound, apiError("not_found_error", "no such path"))
	}
}

func (m *model) answer(w http.ResponseWriter, r *http.Request, body apiRequest) {
	asked, x := m.take(body)
	if x.before != nil {
		x.before(asked)
	}
	if x.then != nil {
		x.Tools = append(x.Tools, x.then(asked)...)
	}
	if x.after != nil {
		select {
		case <-x.after:
		case <-r.Context().Done(): // the client has gone
			return
		}
	}
	if x.Delay > 0 {
		select {
		case <-time.After(x.Delay):
		case <-r.Context().Done():
			return
		}
	}
	if x.Status != 0 {
		sendJSON(w, x.Status, apiError("invalid_request_error", firstOf(x.Text, "the mock refuses")))
		return
	}
	send(w, body, asked.N, x)
}

// send streams an answer as the API does, or gives it whole.
func send(w http.ResponseWriter, body apiRequest, n int, x reply) {
	var blocks []map[string]any
	if x.Text != "" || len(x.Tools) == 0 {
		blocks = append(blocks, map[string]any{"type": "text", "text": firstOf(x.Text, "Done.")})
	}
	stop := "end_turn"
	for i, t := range x.Tools {
		stop = "tool_use"
		blocks = append(blocks, map[string]any{"type": "tool_use", "id": fmt.Sprintf("toolu_mock%04d_%d", n, i), "name": t.Name, "input": t.Input})
	}
	usage := map[string]any{"input_tokens": 100, "output_tokens": 20, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
	message := map[string]any{"id": fmt.Sprintf("msg_mock%04d", n), "type": "message", "role": "assistant", "model": body.Model,
		"content": []any{}, "stop_reason": nil, "stop_sequence": nil, "usage": usage}
	if !body.Stream {
		message["content"], message["stop_reason"] = blocks, stop
		sendJSON(w, http.StatusOK, message)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	event := func(kind string, fields map[string]any) {
		fields["type"] = kind
		data, _ := json.Marshal(fields)
		fmt.Fprintf(w, "event: %s\ndata: %s\n\n", kind, data)
	}
	event("message_start", map[string]any{"message": message})
	for i, b := range blocks {
		start, delta := map[string]any{"type": "text", "text": ""}, map[string]any{"type": "text_delta", "text": b["text"]}
		if b["type"] == "tool_use" {
			input, _ := json.Marshal(b["input"])
			start = map[string]any{"type": "tool_use", "id": b["id"], "name": b["name"], "input": map[string]any{}}
			delta = map[string]any{"type": "input_json_delta", "partial_json": string(input)}
		}
		event("content_block_start", map[string]any{"index": i, "content_block": start})
		event("content_block_delta", map[string]any{"index": i, "delta": delta})
		event("content_block_stop", map[string]any{"index": i})
	}
	event("message_delta", map[string]any{"delta": map[string]any{"stop_reason": stop, "stop_sequence": nil}, "usage": usage})
	event("message_stop", map[string]any{})
}

func apiError(kind, message string) map[string]any {
	return map[string]any{"type": "error", "error": map[string]any{"type": kind, "message": message}}
}

func sendJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(v) // a client that has gone needs no answer
}

func firstOf(texts ...string) string {
	for _, s := range texts {
		if s != "" {
			return s
		}
	}
	return ""
}

// short is the end of a text, for a failure message.
func short(s string) string {
	const most = 1500
	if len(s) > most {
		s = "…" + s[len(s)-most:]
	}
	return s
}
