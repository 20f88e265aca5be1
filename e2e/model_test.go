package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// model plays the model behind every client's API, on loopback. A test scripts
// it with replies; it keeps every request.
type model struct {
	t      testing.TB
	w      *world
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

// request is what the model was asked.
type request struct {
	N     int
	At    time.Time
	Lane  string
	Side  bool   // a request of the client's own: a title, a summary
	First string // text of the user messages before the model's first answer
	Last  string // text of the last user message
	News  string // text of what came after the model's last answer
	All   string // text of all messages, results of tools included
	Model string
	Tools []string // names of the tools that the model was told of
}

func newModel(w *world) *model {
	t := w.t
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal("the mock model cannot listen:", err)
	}
	m := &model{t: t, w: w, url: "http://" + listener.Addr().String(), lanes: []*lane{{}}}
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

// afresh is script without what is left of the last one.
func (m *model) afresh(replies ...reply) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.lanes[0].replies = nil
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

// asked is a request as every API has it.
type asked struct {
	Model    string
	Stream   bool
	Side     string // the answer to a request of the client's own; "" to one for the agent
	Messages []message
	Tools    []string // names of the tools that it brings
}

// message is one of a conversation. Role is user or model; anything else is
// neither.
type message struct{ Role, Text string }

// api is how one client talks to its model.
type api interface {
	read(body []byte, path string) (asked, error)
	send(w http.ResponseWriter, a asked, n int, text string, calls []apiCall)
	refuse(w http.ResponseWriter, status int, text string)
}

// apiCall is a tool's call in a client's own words.
type apiCall struct {
	ID, Name string
	Input    map[string]any
}

// take notes a request and finds its answer.
func (m *model) take(a asked) (request, reply) {
	r := request{At: time.Now(), Side: a.Side != "", Model: a.Model, Tools: a.Tools}
	var first, all, news []string
	answered := false
	for _, x := range a.Messages {
		all, news = append(all, x.Text), append(news, x.Text)
		switch x.Role {
		case "model":
			news, answered = nil, true
		case "user":
			if !answered {
				first = append(first, x.Text)
			}
			r.Last = x.Text
		}
	}
	r.First, r.All, r.News = strings.Join(first, "\n"), strings.Join(all, "\n"), strings.Join(news, "\n")
	m.mu.Lock()
	defer m.mu.Unlock()
	r.N = len(m.requests) + 1
	answer := reply{Text: a.Side}
	if !r.Side {
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
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client has gone
	}
	path := r.URL.Path
	switch {
	case r.Method == http.MethodHead:
	case path == "/v1/messages/count_tokens":
		sendJSON(w, http.StatusOK, map[string]any{"input_tokens": 1000})
	case strings.HasSuffix(path, ":countTokens"):
		sendJSON(w, http.StatusOK, map[string]any{"totalTokens": 1000})
	case r.Method == http.MethodPost && path == "/v1/messages":
		m.answer(w, r, claude, messagesAPI{}, body)
	case r.Method == http.MethodPost && strings.HasPrefix(path, "/v1beta/models/"):
		m.answer(w, r, gemini, contentAPI{}, body)
	case r.Method == http.MethodPost && path == "/v1/responses":
		m.answer(w, r, codex, responsesAPI{}, body)
	case path == "/v1/models":
		sendJSON(w, http.StatusOK, map[string]any{"data": []any{}, "has_more": false})
	default:
		sendJSON(w, http.StatusNotFound, apiError("not_found_error", "no such path"))
	}
}

// answer plays the model for one request.
func (m *model) answer(w http.ResponseWriter, r *http.Request, c client, dialect api, body []byte) {
	a, err := dialect.read(body, r.URL.Path)
	if err != nil {
		m.t.Errorf("%s sent what is not a request (%v): %s", c.name(), err, short(string(body)))
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	asked, x := m.take(a)
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
		dialect.refuse(w, x.Status, firstOf(x.Text, "the mock refuses"))
		return
	}
	var calls []apiCall
	for i, t := range x.Tools {
		name, input := c.call(m.w, t)
		calls = append(calls, apiCall{fmt.Sprintf("toolu_mock%04d_%d", asked.N, i), name, input})
	}
	if len(calls) == 0 {
		x.Text = firstOf(x.Text, "Done.")
	}
	dialect.send(w, a, asked.N, x.Text, calls)
}

// stream writes server-sent events.
func stream(w http.ResponseWriter) func(kind string, data any) {
	w.Header().Set("Content-Type", "text/event-stream")
	return func(kind string, data any) {
		text, _ := json.Marshal(data)
		if kind != "" {
			fmt.Fprintf(w, "event: %s\n", kind)
		}
		fmt.Fprintf(w, "data: %s\r\n\r\n", text)
	}
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
