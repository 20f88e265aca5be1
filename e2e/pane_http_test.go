package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"net"
	"net/http"
	"os/exec"
	"testing"
	"time"
)

// A program of the user's has an agent started again: the daemon ends it, starts it in
// its pane, and carries the debrief. Both paths are tried, each with another client.
func TestRestartOverHTTP(t *testing.T) {
	for _, x := range []struct {
		client client
		prefix string
	}{{codex, ""}, {claude, "/v1"}} {
		t.Run(x.client.name(), func(t *testing.T) {
			w := newWorldOf(t, x.client, always)
			d := w.serve()
			w.restarts(w.open(), func(_ *world, session string) (r restarted) {
				d.post(x.prefix+"/sessions/"+session+"/agent-restart", &r)
				return r
			})
		})
	}
}

// daemon is a world's daemon.
type daemon struct {
	*world
	client http.Client
}

// serve starts the daemon and waits until it answers. It lives as long as its input,
// so that a killed test leaves nothing.
func (w *world) serve() *daemon {
	w.t.Helper()
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", w.state+"/piton.sock")
	}
	d := &daemon{world: w, client: http.Client{Timeout: patience, Transport: &http.Transport{DialContext: dial, DisableKeepAlives: true}}}
	var said bytes.Buffer
	c := exec.Command("sh", "-c", `"$0" serve & read -r _; kill $!; wait $!`, w.bin+"/piton")
	c.Dir, c.Env, c.Stdout, c.Stderr = w.project, w.env, &said, &said
	stdin, err := c.StdinPipe()
	check(w.t, err)
	check(w.t, c.Start())
	w.t.Cleanup(func() {
		stdin.Close()
		if err := c.Wait(); err != nil || w.t.Failed() {
			w.t.Errorf("the daemon ended with %v and said:\n%s", err, &said)
		}
	})
	for end := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		a, err := d.client.Get("http://piton/healthz")
		if err == nil {
			a.Body.Close()
			return d
		}
		if time.Now().After(end) {
			w.t.Fatalf("the daemon does not answer: %v", err)
		}
	}
}

// post asks the daemon for something, which must succeed.
func (d *daemon) post(path string, into any) {
	d.t.Helper()
	a, err := d.client.Post("http://piton"+path, "application/json", nil)
	d.read(a, err, into)
}

// get asks it for what it knows.
func (d *daemon) get(path string, into any) {
	d.t.Helper()
	a, err := d.client.Get("http://piton" + path)
	d.read(a, err, into)
}

func (d *daemon) read(a *http.Response, err error, into any) {
	d.t.Helper()
	check(d.t, err)
	defer a.Body.Close()
	var text bytes.Buffer
	_, err = text.ReadFrom(a.Body)
	check(d.t, err)
	if err := json.Unmarshal(text.Bytes(), into); err != nil || a.StatusCode/100 != 2 {
		d.t.Fatalf("%s: got status %d, %s", a.Request.URL, a.StatusCode, &text)
	}
}
