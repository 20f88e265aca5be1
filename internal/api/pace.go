package api

import (
	"net/http"
	"sync"
	"time"
)

// paced writes an answer piece by piece and gives each piece its time: a caller that
// does not read holds nothing up for long, and a slow one gets all of a large answer.
type paced struct {
	http.ResponseWriter
	control *http.ResponseController
	begun   bool

	mu       sync.Mutex
	patience time.Duration // for each piece
}

const (
	piece         = 256 << 10
	writePatience = 30 * time.Second
	// lastPatience is what a caller gets for what it sends or takes once the server is
	// to stop: a connection that has stalled does not keep it from stopping.
	lastPatience = 3 * time.Second
)

func (p *paced) WriteHeader(status int) {
	p.begun = true
	p.ResponseWriter.WriteHeader(status)
}

func (p *paced) Write(b []byte) (int, error) {
	p.begun = true
	done := 0
	for {
		p.wait()
		n, err := p.ResponseWriter.Write(b[done:min(len(b), done+piece)])
		if done += n; err != nil || done == len(b) {
			return done, err
		}
	}
}

// wait sets until when is waited for the caller to take the next piece.
func (p *paced) wait() {
	p.mu.Lock()
	defer p.mu.Unlock()
	_ = p.control.SetWriteDeadline(time.Now().Add(p.patience))
}

// hurry shortens the time of each piece, that of the present one too.
func (p *paced) hurry() {
	p.mu.Lock()
	p.patience = lastPatience
	p.mu.Unlock()
	p.wait()
}

// Unwrap is for http.ResponseController.
func (p *paced) Unwrap() http.ResponseWriter { return p.ResponseWriter }
