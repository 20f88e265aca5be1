// Package page is the door for people in a browser: what Piton knows, as screens that
// follow what happens (docs/ui.md). It reads through package app, and what it changes it
// asks package api for; it decides nothing.
package page

import (
	"cmp"
	"context"
	"embed"
	"log/slog"
	"net"
	"net/http"
	"path"
	"time"

	"golang.org/x/net/netutil"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/app/caller"
)

// Options say what a page shows.
type Options struct {
	// App is how each look at the stores opens the application. Its folder and its
	// environment of a caller are not used.
	App caller.Options
	// API answers what is asked by buttons, as on the socket (package api).
	API http.Handler
	Log *slog.Logger // dropped when nil
}

// Page serves the page on one address. Make it with Listen.
type Page struct {
	o        Options
	mux      *http.ServeMux
	listener net.Listener
	gate     gate
	shows    shows
	end      context.CancelFunc
}

// Listen returns a page on a port of the loopback that is free.
func Listen(o Options) (*Page, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, &piton.Error{Code: piton.Unavailable, Op: "open the page", Hint: "look whether this machine has a loopback", Err: err}
	}
	return newPage(l, o), nil
}

// newPage returns a page that answers on a listener of the loopback. It opens no store before
// somebody looks.
func newPage(l net.Listener, o Options) *Page {
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	o.App.Remote, o.App.Dir = true, ""
	o.App.Warn = func(*piton.Error) {}
	o.App.Log = cmp.Or(o.App.Log, o.Log)
	p := &Page{o: o, mux: http.NewServeMux(), listener: l}
	p.gate.host = l.Addr().String()
	p.shows.ending, p.end = context.WithCancel(context.Background())
	p.shows.app, p.shows.log, p.shows.drawing = p.app, o.Log, make(chan struct{}, maxDrawing)
	file := func(name string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) { http.ServeFileFS(w, r, files, name) }
	}
	for _, name := range []string{"static/page.js", "static/plots.js", "static/page.css", "web/icon.svg"} {
		p.mux.HandleFunc("GET /"+path.Base(name), file(name))
	}
	for _, s := range screens {
		p.mux.HandleFunc("GET "+s.path, file("web/document.html"))
		p.mux.HandleFunc("GET /live"+s.path, p.gate.known(func(w http.ResponseWriter, r *http.Request) { p.shows.live(w, r, s) }))
	}
	p.mux.HandleFunc("POST /enter", p.gate.enter)
	p.mux.HandleFunc("POST /act/{verb}", p.gate.known(func(w http.ResponseWriter, r *http.Request) { act(o.API, w, r) }))
	return p
}

// Serve answers until Close.
func (p *Page) Serve() error {
	h := &http.Server{
		Handler: p.gate.guard(p.mux), ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, WriteTimeout: writeLimit, MaxHeaderBytes: 64 << 10,
		ErrorLog: slog.NewLogLogger(p.o.Log.Handler(), slog.LevelDebug),
	}
	defer context.AfterFunc(p.shows.ending, func() { h.Close() })()
	if err := h.Serve(netutil.LimitListener(p.listener, maxConnections)); p.shows.ending.Err() == nil {
		return err
	}
	return nil
}

// maxConnections is how many a page has at once: anybody on the machine can connect.
const maxConnections = 1024

// Close ends it, with all who look.
func (p *Page) Close() { p.end() }

// Address is the address to open, good for one browser and a short time.
func (p *Page) Address() string { return "http://" + p.gate.host + "/#" + p.gate.ticket() }

// app is an application for one look.
func (p *Page) app(search bool) *app.App {
	o := p.o.App
	o.Search = search
	return app.New(o)
}

// files are those of the page; gen makes static/ from web/. Nothing in them is of this machine.
//
//go:generate go run ./gen
//go:embed static web/document.html web/icon.svg
var files embed.FS
