package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
)

// Bounds of streams: how many there are, how often one that has nothing to say shows
// that it is alive, and after what time a client is to come again.
const (
	maxStreams = 2048
	beatEvery  = 15 * time.Second
	comeAgain  = 2 * time.Second
)

const eventStream = "text/event-stream"

// stream is an answer of server-sent events.
type stream struct {
	w       http.ResponseWriter
	control *http.ResponseController
}

// open begins a stream.
func (s *Server) open(w http.ResponseWriter, r *http.Request) (x *stream, end func(), err error) {
	if s.reading.Add(1) > maxStreams {
		s.reading.Add(-1)
		return nil, nil, refuse(http.StatusServiceUnavailable, "end streams that nobody reads", "%d streams are open, and no more are served", maxStreams)
	}
	h := w.Header()
	h.Set("Content-Type", eventStream)
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusOK)
	x = &stream{w, http.NewResponseController(w)}
	_ = x.put(fmt.Appendf(nil, "retry: %d\n\n", comeAgain.Milliseconds())) // who has gone by now ends the stream
	return x, func() { s.reading.Add(-1) }, nil
}

// put sends messages.
func (x *stream) put(list ...message) error {
	for _, m := range list {
		if _, err := x.w.Write(m); err != nil {
			return err
		}
	}
	return x.control.Flush()
}

// messageOf is a message with an id, "" for none, and of a kind.
func messageOf(id, kind string, data any) message {
	var b strings.Builder
	if id != "" {
		fmt.Fprintf(&b, "id: %s\n", id)
	}
	text, err := json.Marshal(data)
	if err != nil {
		text = []byte("null")
	}
	fmt.Fprintf(&b, "event: %s\ndata: %s\n\n", kind, text)
	return message(b.String())
}

// The ends of a stream, as its last message says.
const (
	endSlow     = "you read too slowly; come again with Last-Event-ID"
	endStopping = "the server stops"
	endDone     = "nobody works on the run"
)

// follow sends what a listener is handed until one of them goes, or nobody works on the run.
func follow[E any](s *Server, x *stream, r *http.Request, l *listener[E], ended <-chan struct{}) {
	beat := time.NewTicker(beatEvery)
	defer beat.Stop()
	for {
		next, end := message(": \n\n"), ""
		select {
		case next = <-l.messages:
		case <-beat.C:
		case <-r.Context().Done():
			return
		case <-l.lost:
			end = endSlow
		case <-s.ending.Done():
			end = endStopping
		case <-ended:
			end = endDone
		}
		if end != "" {
			x.end(l.messages, end)
			return
		}
		if x.put(next) != nil {
			return
		}
	}
}

// end sends what was handed out before the end, and why it is the end.
func (x *stream) end(left <-chan message, end string) {
	for len(left) > 0 {
		if x.put(<-left) != nil {
			return
		}
	}
	_ = x.put(messageOf("", "end", map[string]string{"why": end}))
}

// saysText says in the document that an answer is a text of this type.
func saysText(content string) func(*huma.Operation) {
	return func(op *huma.Operation) {
		op.Responses["200"] = &huma.Response{Description: http.StatusText(http.StatusOK), Content: map[string]*huma.MediaType{content: {Schema: &huma.Schema{Type: huma.TypeString}}}}
	}
}
