//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"
)

// webhooks are the listeners of a load test: one that answers at once, one that is
// slow, one that fails every third time, one that nobody listens at.
type webhooks struct {
	server *httptest.Server
	dead   string // an address where nobody listens

	mu   sync.Mutex
	got  map[string]map[string]int // listener, letter's id: how often it was taken
	lags []time.Duration           // of those that were taken at once: from what was told to its arrival
	hits int
}

// loadSlow is how long the slow listener takes to answer.
const loadSlow = 300 * time.Millisecond

func newWebhooks(t *testing.T) *webhooks {
	w := &webhooks{got: map[string]map[string]int{}}
	w.server = httptest.NewServer(w)
	t.Cleanup(w.server.Close)
	w.dead = "http://127.0.0.1:1" // no system gives this port to another test's server
	return w
}

// settings are the user's file that names the listeners.
func (w *webhooks) settings() string {
	return fmt.Sprintf(`listeners:
  - {name: fast, webhook: %[1]s/fast, events: [announcement, notification, tool_done]}
  - {name: slow, webhook: %[1]s/slow, events: [announcement]}
  - {name: flaky, webhook: %[1]s/flaky, events: [announcement]}
  - {name: dead, webhook: %[2]s, events: [announcement]}
`, w.server.URL, w.dead)
}

func (w *webhooks) ServeHTTP(answer http.ResponseWriter, r *http.Request) {
	arrived := time.Now()
	body, err := io.ReadAll(r.Body)
	name, id := r.URL.Path[1:], r.Header.Get("Webhook-Id")
	var told struct {
		At time.Time `json:"timestamp"`
	}
	if err != nil || json.Unmarshal(body, &told) != nil || id == "" {
		http.Error(answer, "not a letter", http.StatusBadRequest)
		return
	}
	if name == "slow" {
		time.Sleep(loadSlow)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.hits++; name == "flaky" && w.hits%3 == 0 {
		answer.WriteHeader(http.StatusInternalServerError)
		return
	}
	if w.got[name] == nil {
		w.got[name] = map[string]int{}
	}
	w.got[name][id]++
	if name == "fast" {
		w.lags = append(w.lags, arrived.Sub(told.At))
	}
}

// doubled is how many deliveries were of letters that had arrived before.
func (w *webhooks) doubled() (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, ids := range w.got {
		for _, times := range ids {
			n += times - 1
		}
	}
	return n
}
