package page

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"slices"
	"sync"
	"time"
)

// The gate: who may look. A ticket stands in the address that 'piton ui' opens, behind the
// #, which no browser sends anywhere; the page changes it for a token, once. The token is
// kept by the tab and sent as a header. There are no cookies: those of 127.0.0.1 are sent to
// every port.

// Bounds of tickets and tokens.
const (
	ticketLasts = 5 * time.Minute
	tokenRests  = 12 * time.Hour // without being used
	maxPasses   = 100            // of each; the one that rested longest goes first

	bodyPatience = 10 * time.Second // for a request's body
)

// tokenHeader has the token of a request, ticketHeader the ticket that one is given for.
const (
	tokenHeader  = "Piton-Token"
	ticketHeader = "Piton-Ticket"
)

type gate struct {
	host string // the address, as a browser names it

	mu      sync.Mutex
	tickets []pass
	tokens  []pass
}

// pass is a ticket or a token, as its sum.
type pass struct {
	sum [sha256.Size]byte
	at  time.Time // when it was made, or used last
}

// find is the place of a pass that still holds, in a time that says nothing of the others.
func find(list []pass, text string, lasts time.Duration) int {
	sum, at := sha256.Sum256([]byte(text)), -1
	for i, p := range list {
		if subtle.ConstantTimeCompare(sum[:], p.sum[:]) == 1 && time.Since(p.at) < lasts {
			at = i
		}
	}
	return at
}

// issue adds a pass to a list.
func issue(list *[]pass) string {
	text := rand.Text() + rand.Text()
	if len(*list) >= maxPasses {
		*list = (*list)[1:]
	}
	*list = append(*list, pass{sha256.Sum256([]byte(text)), time.Now()})
	return text
}

func (g *gate) ticket() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return issue(&g.tickets)
}

// headers stand in every answer. Nothing but the page's own files is run, shown or asked
// for, and no other page may show this one.
var headers = map[string]string{
	"Content-Security-Policy":      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
	"X-Frame-Options":              "DENY",
	"X-Content-Type-Options":       "nosniff",
	"Referrer-Policy":              "no-referrer",
	"Cross-Origin-Opener-Policy":   "same-origin",
	"Cross-Origin-Resource-Policy": "same-origin",
	"Cache-Control":                "no-store",
}

// guard refuses what other pages, other names of this machine and other sites send.
func (g *gate) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for name, value := range headers {
			w.Header().Set(name, value)
		}
		own := "http://" + g.host
		foreign := func(name string, known ...string) bool {
			return slices.ContainsFunc(r.Header.Values(name), func(v string) bool { return !slices.Contains(known, v) })
		}
		switch {
		case r.Host != g.host:
			refuse(w, http.StatusForbidden, "this page is served as "+own+" alone")
		case foreign("Origin", own), foreign("Sec-Fetch-Site", "same-origin", "none"):
			refuse(w, http.StatusForbidden, "other pages are not served")
		default:
			if r.ContentLength != 0 {
				_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(bodyPatience))
			}
			next.ServeHTTP(w, r)
		}
	})
}

// known lets through who shows a token.
func (g *gate) known(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		g.mu.Lock()
		i := find(g.tokens, r.Header.Get(tokenHeader), tokenRests)
		if i >= 0 {
			t := g.tokens[i]
			t.at = time.Now()
			g.tokens = append(slices.Delete(g.tokens, i, i+1), t)
		}
		g.mu.Unlock()
		if i < 0 {
			refuse(w, http.StatusUnauthorized, "this page is not known any more: type 'piton ui'")
			return
		}
		next(w, r)
	}
}

// enter gives a token for a ticket.
func (g *gate) enter(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	defer g.mu.Unlock()
	i := find(g.tickets, r.Header.Get(ticketHeader), ticketLasts)
	if i < 0 || !sameUser(r.RemoteAddr, g.host) {
		refuse(w, http.StatusUnauthorized, "this address was used already, or is too old: type 'piton ui'")
		return
	}
	g.tickets = slices.Delete(g.tickets, i, i+1)
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write([]byte(issue(&g.tokens)))
}

func refuse(w http.ResponseWriter, status int, why string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(why + "\n"))
}
