package api

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"net/url"
	"runtime/debug"
	"slices"
	"strings"
)

// Handler answers requests that came in one way.
func (s *Server) Handler(via Via) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p := &paced{ResponseWriter: w, control: http.NewResponseController(w), patience: writePatience}
		defer context.AfterFunc(s.ending, p.hurry)()
		defer s.recovered(p, r)
		if err := s.admit(via, r); err != nil {
			p.Header().Set("WWW-Authenticate", "Bearer")
			writeProblem(p, err)
			return
		}
		h, pattern := s.mux.Handler(r)
		if pattern == "" {
			s.unknown(p, r, h)
			return
		}
		free, err := s.receive(p, r, s.bounds(pattern))
		if err != nil {
			writeProblem(p, err)
			return
		}
		defer free()
		s.mux.ServeHTTP(p, r.WithContext(context.WithValue(r.Context(), viaKey{}, via)))
	})
}

// recovered answers a request whose handler has a defect. Others are not affected.
func (s *Server) recovered(w *paced, r *http.Request) {
	defect := recover()
	if defect == nil {
		return
	}
	if defect == http.ErrAbortHandler {
		panic(defect) // net/http breaks the connection off
	}
	s.o.Log.ErrorContext(r.Context(), "a request failed", "path", r.URL.Path, "err", defect, "stack", string(debug.Stack()))
	if w.begun {
		panic(http.ErrAbortHandler)
	}
	writeProblem(w, refuse(http.StatusInternalServerError, "this is a defect of Piton; other requests are not affected", "the request failed"))
}

// admit checks from where a request comes and who sends it. A page that a browser
// shows can send requests to this machine, under a name of its own that it lets point
// here; such a name, and any page's origin, are refused. There is no page of ours.
func (s *Server) admit(via Via, r *http.Request) error {
	if via == TCP && !isLoopback(r.Host) {
		return refuse(http.StatusForbidden, "call it as 127.0.0.1, [::1] or localhost", "the host %q is not this machine's own", r.Host)
	}
	if r.Header.Get("Origin") != "" || slices.Contains([]string{"cross-site", "same-site"}, r.Header.Get("Sec-Fetch-Site")) {
		return refuse(http.StatusForbidden, "call it from a program", "pages in a browser are not served")
	}
	if via == TCP && r.URL.Path != pathHealth && !s.knows(r.Header.Get("Authorization")) {
		return refuse(http.StatusUnauthorized, "send the header 'Authorization: Bearer TOKEN' with the token of the file token in PITON_HOME", "the token is missing or wrong")
	}
	return nil
}

// knows compares a token in a time that says nothing about it.
func (s *Server) knows(header string) bool {
	scheme, token, _ := strings.Cut(header, " ")
	got, want := sha256.Sum256([]byte(strings.TrimSpace(token))), sha256.Sum256([]byte(s.o.Token))
	return subtle.ConstantTimeCompare(got[:], want[:]) == 1 && strings.EqualFold(scheme, "Bearer") && s.o.Token != ""
}

// isLoopback tells whether a Host header names this machine by a name that nobody
// else can give out.
func isLoopback(host string) bool {
	u, err := url.Parse("http://" + host)
	if err != nil || host == "" || u.Host != host {
		return false
	}
	name := u.Hostname()
	ip := net.ParseIP(name)
	return strings.EqualFold(name, "localhost") || ip != nil && ip.IsLoopback()
}

// unknown answers what no route takes, with the mux's own status.
func (s *Server) unknown(w http.ResponseWriter, r *http.Request, h http.Handler) {
	asked := silent{}
	h.ServeHTTP(asked, r)
	if allow := asked.Header().Get("Allow"); allow != "" {
		w.Header().Set("Allow", allow)
		writeProblem(w, refuse(http.StatusMethodNotAllowed, "openapi.json describes the requests", "%s does not take %s", r.URL.Path, r.Method))
		return
	}
	writeProblem(w, refuse(http.StatusNotFound, "openapi.json describes the requests", "there is no path %s", r.URL.Path))
}

// silent is an answer that nobody reads.
type silent http.Header

func (s silent) Header() http.Header         { return http.Header(s) }
func (s silent) Write(b []byte) (int, error) { return len(b), nil }
func (s silent) WriteHeader(int)             {}
