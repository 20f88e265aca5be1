//go:build unix

package main

import (
	"context"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// loadDaemon is a daemon that is killed every few seconds and started again.
type loadDaemon struct {
	l     *load
	calm  chan struct{} // closed: it is killed no more
	done  chan struct{} // closed: the last one is left at work
	last  *exec.Cmd
	kills int
	rss   struct{ first, last, end int } // KiB: of the first and the last when they began to serve, of the last after all
}

func (l *load) startDaemon(every time.Duration) *loadDaemon {
	d := &loadDaemon{l: l, calm: make(chan struct{}), done: make(chan struct{})}
	d.start()
	d.rss.first = d.rss.last
	go func() {
		defer close(d.done)
		for {
			select {
			case <-d.calm:
				return
			case <-time.After(every/2 + rand.N(every)):
				_ = d.last.Process.Kill()
				_ = d.last.Wait()
				d.kills++
				d.start()
			}
		}
	}()
	return d
}

// start starts a daemon and waits until it answers.
func (d *loadDaemon) start() {
	socket := d.l.dir + "/state/piton.sock"
	_ = os.Remove(socket)
	c := exec.Command(d.l.program, "serve")
	c.Dir, c.Env = d.l.dir, d.l.env
	log, err := os.OpenFile(d.l.dir+"/serve.log", os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err == nil {
		defer log.Close()
		c.Stdout, c.Stderr = log, log
		err = c.Start()
	}
	if err != nil {
		d.l.t.Errorf("start the daemon: %v", err)
	}
	d.last = c
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if answers(socket) {
			d.rss.last = rss(c)
			return
		}
	}
	text, _ := os.ReadFile(d.l.dir + "/serve.log")
	d.l.t.Errorf("the daemon does not answer\n%s", text[max(0, len(text)-4000):])
}

// answers reports whether a daemon answers at a socket.
func answers(socket string) bool {
	c := http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", socket)
	}}}
	r, err := c.Get("http://piton/healthz")
	if err != nil {
		return false
	}
	r.Body.Close()
	return r.StatusCode < http.StatusMultipleChoices
}

// quiet ends the killing and leaves the last daemon at work.
func (d *loadDaemon) quiet() {
	close(d.calm)
	<-d.done
}

// end ends the daemon as a service manager does.
func (d *loadDaemon) end() {
	d.rss.end = rss(d.last)
	_ = d.last.Process.Signal(syscall.SIGTERM)
	if err := d.last.Wait(); err != nil {
		log, _ := os.ReadFile(d.l.dir + "/serve.log")
		d.l.t.Errorf("the daemon that was asked to end: got %v, want status 0\n%s", err, log[max(0, len(log)-4000):])
	}
}
