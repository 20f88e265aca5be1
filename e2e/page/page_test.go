// Package page looks at the page with a browser: Debian's chromium, driven over its own
// protocol. Tests need PITON_CHROMIUM or a chromium on the PATH.
package page

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/piton-project/piton/internal/testkit/need"
)

// programs are ours, built once.
var programs = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "piton-page")
	if err != nil {
		return "", err
	}
	atEnd = append(atEnd, func() { os.RemoveAll(dir) })
	out, err := exec.Command("go", "build", "-o", dir+"/", "github.com/piton-project/piton/cmd/...").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return dir, nil
})

// cache is where Go keeps what it has built: a home of a test has none.
var cache = sync.OnceValue(func() string {
	out, _ := exec.Command("go", "env", "GOCACHE").Output() // without: slower
	return strings.TrimSpace(string(out))
})

// atEnd is what is ended after all tests, the last first: what they share.
var (
	atEnd   []func()
	endLock sync.Mutex
)

func TestMain(m *testing.M) {
	status := m.Run()
	for _, end := range slices.Backward(atEnd) {
		end()
	}
	os.Exit(status)
}

// world is a home of Piton's with a page that looks at it.
type world struct {
	t    *testing.T
	dir  string // holds home and state
	bin  string
	env  []string
	page string // its address without the ticket
	ids  ids

	shared bool // it lives until all tests have ended
}

// later ends something when the world ends.
func (w *world) later(end func()) {
	if w.shared {
		endLock.Lock()
		defer endLock.Unlock()
		atEnd = append(atEnd, end)
		return
	}
	w.t.Cleanup(end)
}

// newWorld is a home with nothing in it, in a folder.
func newWorld(t *testing.T, dir string) *world {
	t.Helper()
	bin, err := programs()
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, dir: dir, bin: bin}
	w.env = []string{"HOME=" + w.dir + "/home", "PITON_HOME=" + w.dir + "/state", "PATH=" + bin + ":" + os.Getenv("PATH"), "NO_COLOR=1", "TZ=UTC", "TMPDIR=" + w.dir, "GOCACHE=" + cache(), "PITON_DEBRIEF_MIN_TURN=0s",
		"GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.org"}
	for _, d := range []string{"home", "state", "work"} {
		if err := os.Mkdir(filepath.Join(w.dir, d), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

// demo fills the home with what 'piton demo' plays.
func (w *world) demo() {
	w.t.Helper()
	out := w.run("", "demo", "--keep")
	_, rest, ok := strings.Cut(out, "PITON_HOME=")
	if !ok {
		w.t.Fatalf("the demo does not say where it is: %s", out)
	}
	state := strings.TrimSpace(rest)
	if err := os.RemoveAll(w.dir + "/state"); err != nil {
		w.t.Fatal(err)
	}
	if err := os.Rename(state, w.dir+"/state"); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) command(name string, args ...string) *exec.Cmd {
	c := exec.Command(filepath.Join(w.bin, name), args...)
	c.Env, c.Dir = w.env, w.dir+"/work"
	return c
}

// run runs piton with a text on stdin.
func (w *world) run(stdin string, args ...string) string {
	w.t.Helper()
	c := w.command("piton", args...)
	c.Stdin = strings.NewReader(stdin)
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr = &out, &errs
	if err := c.Run(); err != nil {
		w.t.Fatalf("piton %s: %v: %s%s", strings.Join(args, " "), err, out.String(), errs.String())
	}
	return out.String() + errs.String()
}

// file writes a file into the folder of work.
func (w *world) file(name, text string) {
	w.t.Helper()
	path := filepath.Join(w.dir, "work", name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

// serve starts the daemon, which ends with the world, or before.
func (w *world) serve() (pid int, end func()) {
	w.t.Helper()
	c := w.command("piton", "serve")
	if err := c.Start(); err != nil {
		w.t.Fatal(err)
	}
	end = sync.OnceFunc(func() {
		_ = c.Process.Signal(os.Interrupt)
		dead := time.AfterFunc(10*time.Second, func() { _ = c.Process.Kill() })
		_ = c.Wait()
		dead.Stop()
	})
	w.later(end)
	w.until("the daemon answers", func() bool {
		l, err := net.Dial("unix", w.dir+"/state/piton.sock")
		if err == nil {
			l.Close()
		}
		return err == nil
	})
	return c.Process.Pid, end
}

// address is a new address of the page, which the daemon serves.
func (w *world) address() string {
	w.t.Helper()
	var x struct{ Address string }
	if err := json.Unmarshal([]byte(w.run("", "ui", "--json")), &x); err != nil {
		w.t.Fatal(err)
	}
	w.page, _, _ = strings.Cut(x.Address, "/#")
	return x.Address
}

func (w *world) until(what string, is func() bool) {
	w.t.Helper()
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if is() {
			return
		}
	}
	w.t.Fatalf("waited in vain: %s", what)
}

// tab is a tab of a browser of its own.
type tab struct {
	t    *testing.T
	ctx  context.Context
	mu   sync.Mutex
	errs []string // what the console complains of
}

// browser is chromium's program; the test is skipped, or fails, without.
func browser(t *testing.T) string {
	t.Helper()
	if own := os.Getenv("PITON_CHROMIUM"); own != "" {
		return own
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	need.Missing(t, "chromium, which e2e/install installs")
	return ""
}

// chrome is one browser for all tests: its start takes a second.
var chrome context.Context

func chromium(t *testing.T) context.Context {
	t.Helper()
	if chrome == nil {
		options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(browser(t)), chromedp.NoSandbox, chromedp.Flag("disable-gpu", true),
			chromedp.Flag("hide-scrollbars", true), chromedp.Flag("font-render-hinting", "none"), chromedp.Flag("force-device-scale-factor", "1"),
			chromedp.Flag("host-resolver-rules", "MAP *.test 127.0.0.1"), chromedp.Flag("disable-popup-blocking", true))
		all, end := chromedp.NewExecAllocator(context.Background(), options...)
		ctx, stop := chromedp.NewContext(all)
		atEnd = append(atEnd, end, stop)
		if _, err := chromedp.Run(ctx, chromedp.Location()); err != nil { // starts the browser, which lives as long as ctx
			t.Fatal(err)
		}
		chrome = ctx
	}
	return chrome
}

// open opens a tab, in a session of the browser that no other tab shares.
func open(t *testing.T, address string, wide, high int, dark bool) *tab {
	t.Helper()
	ctx, stop := chromedp.NewContext(chromium(t), chromedp.WithNewBrowserContext())
	t.Cleanup(stop)
	x := &tab{t: t, ctx: ctx}
	if _, err := chromedp.Run(ctx, chromedp.Location()); err != nil { // makes it; it lives as long as ctx
		t.Fatal(err)
	}
	go func() {
		for m, err := range chromedp.Console(ctx) {
			if err != nil {
				return
			}
			if text := m.String(); m.IsException() || m.Type == "error" || m.Type == "warning" {
				x.mu.Lock()
				x.errs = append(x.errs, text)
				x.mu.Unlock()
			}
		}
	}()
	x.theme(dark)
	x.size(wide, high)
	call(x, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
	if address != "" {
		x.do(chromedp.Navigate(address))
	}
	return x
}

func (x *tab) theme(dark bool) {
	x.t.Helper()
	name := "light"
	if dark {
		name = "dark"
	}
	call(x, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: name}, {Name: "prefers-reduced-motion", Value: "reduce"}}})
}

func (x *tab) size(wide, high int) {
	x.t.Helper()
	call(x, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: int64(wide), Height: int64(high), DeviceScaleFactor: 1})
}

// patience is how long a browser may take for anything.
const patience = 30 * time.Second

// call calls a command of the browser's protocol.
func call[P, R any](x *tab, c cdp.Command[P, R], params P) R {
	x.t.Helper()
	ctx, end := context.WithTimeout(x.ctx, patience)
	defer end()
	r, err := chromedp.Call(ctx, c, params)
	x.ok(err)
	return r
}

// ok fails the test with what the console has said.
func (x *tab) ok(err error) {
	x.t.Helper()
	if err != nil {
		x.mu.Lock()
		defer x.mu.Unlock()
		x.t.Fatalf("%v; console: %q", err, x.errs)
	}
}

func (x *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	x.t.Helper()
	ctx, end := context.WithTimeout(x.ctx, patience)
	defer end()
	x.ok(chromedp.Do(ctx, steps...))
}

// js is what an expression comes to.
func js[T any](x *tab, expression string) T {
	x.t.Helper()
	ctx, end := context.WithTimeout(x.ctx, patience)
	defer end()
	value, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	x.ok(err)
	return value
}

// sees waits until an expression is true.
func (x *tab) sees(expression string) {
	x.t.Helper()
	for end := time.Now().Add(patience); !js[bool](x, "!!("+expression+")"); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			shown := js[string](x, "document.body.innerText.slice(0, 2000)")
			x.mu.Lock()
			defer x.mu.Unlock()
			x.t.Fatalf("waited in vain for %s; it shows %q; console: %q", expression, shown, x.errs)
		}
	}
}

// text waits for a text in the main part.
func (x *tab) text(text string) {
	x.t.Helper()
	quoted, _ := json.Marshal(text)
	x.sees("document.getElementById('main').innerText.includes(" + string(quoted) + ")")
}

// go follows a link of the page's own.
func (x *tab) goTo(path, text string) {
	x.t.Helper()
	quoted, _ := json.Marshal(path)
	js[bool](x, "history.pushState(null, '', "+string(quoted)+"), dispatchEvent(new PopStateEvent('popstate'))")
	x.text(text)
}

// picture is a picture of what is in the window.
func (x *tab) picture() []byte {
	x.t.Helper()
	return call(x, page.CaptureScreenshot, page.CaptureScreenshotParams{Format: page.CaptureScreenshotFormatPng}).Data
}

// quiet fails where the console has complained.
func (x *tab) quiet() {
	x.t.Helper()
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, e := range x.errs {
		x.t.Errorf("the console: %s", e)
	}
}
