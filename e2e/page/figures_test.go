package page

import (
	"bufio"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/heapprofiler"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/sqlstore"
	"github.com/piton-project/piton/internal/testkit/filltest"
)

// watch runs before all else in a document: it notes when the first screen is there, and
// tasks that are longer than 50 ms.
const watch = `
	window.shown = 0; window.longest = 0;
	new PerformanceObserver((l) => { for (const e of l.getEntries()) window.longest = Math.max(window.longest, e.duration); }).observe({type: 'longtask', buffered: true});
	document.addEventListener('htmx:sse:after:message', () => { if (!window.shown && !document.querySelector('#main .busy')) window.shown = performance.now(); }, true);`

// click goes to a screen of the page, and says how long it took to be there.
const click = `new Promise((done) => {
	const from = performance.now();
	const is = () => { if (document.querySelector('#main .busy')) return; document.removeEventListener('htmx:sse:after:message', is); requestAnimationFrame(() => done(performance.now() - from)); };
	document.addEventListener('htmx:sse:after:message', is);
	history.pushState(null, '', PATH); dispatchEvent(new PopStateEvent('popstate'));
})`

// busyStore is a store of a year: 100,000 checkpoints in 2,000 workflows, and 30 agents at
// work; and a run of 1,000 steps.
func busyStore(t *testing.T) (w *world, st *sqlstore.Store, run string) {
	w = newWorld(t, t.TempDir())
	size := filltest.Size{Checkpoints: 100_000, Workflows: 2000, Now: time.Now().Add(-time.Hour), Over: 40 * 24 * time.Hour}
	st = w.store()
	t.Cleanup(func() { st.Close() })
	began := time.Now()
	if err := filltest.Fill(t.Context(), st, st.Local(), size); err != nil {
		t.Fatal(err)
	}
	t.Logf("filled in %s", time.Since(began).Round(time.Second))
	root := w.tree("orders")
	for i := range 30 {
		a := w.agent("claude", fmt.Sprintf("44444444-0000-4000-8000-%012d", i), root)
		a.asks(fmt.Sprint("work on part ", i))
		if i == 0 {
			for n := range 400 {
				a.runs(fmt.Sprint("go vet ./part", n), "ok", false)
				a.says(fmt.Sprint("part ", n, " is done"))
			}
		}
	}
	var plan strings.Builder
	plan.WriteString("name: large\nparallel: 4\nsteps:\n")
	for i := range 1000 {
		fmt.Fprintf(&plan, "  - {id: s%d, run: 'true', effect: pure", i)
		if i >= 100 {
			fmt.Fprintf(&plan, ", needs: [s%d]", i-100)
		}
		plan.WriteString("}\n")
	}
	w.file("large.yaml", plan.String())
	began = time.Now()
	w.ends(0, "run", "large.yaml", "--no-auto-checkpoint")
	t.Logf("1,000 steps ran in %s", time.Since(began).Round(time.Second))
	var runs struct{ Runs []struct{ ID string } }
	w.json(&runs, "runs", "list")
	return w, st, runs.Runs[0].ID
}

func TestFigures(t *testing.T) {
	if os.Getenv("PITON_PAGE_FIGURES") == "" {
		t.Skip("takes minutes: PITON_PAGE_FIGURES=1")
	}
	w, st, run := busyStore(t)
	pid, _ := w.serve()
	live, err := st.Local().Sessions(t.Context(), store.SessionQuery{Limit: 40})
	if err != nil {
		t.Fatal(err)
	}
	live = slices.DeleteFunc(live, func(s agent.Session) bool { return !strings.HasPrefix(s.ClientID, "44444444") })
	slices.SortFunc(live, func(a, b agent.Session) int { return cmp.Compare(a.ClientID, b.ClientID) })
	at := 1990
	screens := []shown{
		{"now", "/", ""}, {"sessions", "/sessions", ""}, {"session, 801 calls and words", "/session/" + live[0].ID, ""}, {"workflows", "/workflows", ""},
		{"workflow, 50 checkpoints", "/workflow/" + filltest.Workflow(at), ""}, {"checkpoint", "/checkpoint/" + filltest.Checkpoint(at, 49), ""},
		{"compare", "/compare/" + filltest.Checkpoint(at, 10) + "/" + filltest.Checkpoint(at, 40), ""}, {"runs", "/runs", ""},
		{"run, 1,000 steps", "/run/" + run, ""}, {"run, a stage and a step", "/run/" + run + "?stage=5&step=s450", ""}, {"insights", "/insights", ""}, {"insights, 90 days", "/insights?since=90d", ""},
		{"letters", "/letters", ""}, {"undo", "/undo?in=" + w.dir + "/work/orders", ""}, {"prune", "/prune", ""}, {"find, first time", "/find?q=ledger", ""}, {"find", "/find?q=ledger+work", ""},
	}
	writer := newWriter(st, live, at)

	t.Log("screen | first paint ms | content ms, cold | content ms, click | longest task ms | longest ms, live | html bytes")
	for _, s := range screens {
		var paint, cold, clicked []float64
		var longest, liveLongest, bytes float64
		rounds := 5
		if strings.HasPrefix(s.name, "find, first") || strings.HasPrefix(s.name, "prune") {
			rounds = 1
		}
		for i := range rounds {
			x, end := w.fresh(t, s.path)
			paint = append(paint, js[float64](x, "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? -1"))
			cold = append(cold, js[float64](x, "window.shown"))
			js[bool](x, "new Promise((done) => setTimeout(() => done(true), 400))")
			longest = max(longest, js[float64](x, "window.longest"))
			if i == 0 {
				bytes = js[float64](x, "document.getElementById('main').innerHTML.length")
				for range rounds {
					js[float64](x, "(() => { const PATH = '/letters?' + Math.random(); return "+click+"; })()")
					clicked = append(clicked, js[float64](x, "(() => { const PATH = "+quoted(s.path)+"; return "+click+"; })()"))
				}
				longest = max(longest, js[float64](x, "window.longest"))
				js[bool](x, "window.longest = 0, true")
				stop := writer.each(100 * time.Millisecond)
				time.Sleep(4 * time.Second)
				stop()
				liveLongest = js[float64](x, "window.longest")
			}
			end()
		}
		t.Logf("%s | %.0f | %.0f | %.0f | %.0f | %.0f | %.0f", s.name, median(paint), median(cold), median(clicked), longest, liveLongest, bytes)
	}

	x, end := w.fresh(t, "/")
	js[bool](x, "new Promise((done) => setTimeout(() => done(true), 500))")
	t.Logf("first load: %.0f bytes in all, %s", js[float64](x, "[...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')].reduce((n, e) => n + e.transferSize, 0)"),
		js[string](x, "[...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')].map((e) => new URL(e.name).pathname + ' ' + e.transferSize).join(', ')"))

	// 100,000 events while Now is looked at.
	for _, n := range []int{0, 10_000, 40_000, 50_000} {
		began := time.Now()
		for range n / 10 {
			if err := writer.many(10); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(time.Second)
		call(x, heapprofiler.CollectGarbage, cdp.Empty{})
		t.Logf("after %d more events in %s: JS heap %.1f MB, %d elements, daemon %.1f MB", n, time.Since(began).Round(time.Second), js[float64](x, "performance.memory.usedJSHeapSize")/1e6, js[int](x, "document.querySelectorAll('*').length"), rss(pid))
	}
	token := js[string](x, "sessionStorage.getItem('piton-token')")
	end()

	for _, of := range []struct {
		name  string
		paths []string
	}{
		{"50 pages of Now", []string{"/"}},
		{"50 pages of ten screens", []string{"/", "/sessions", "/workflows", "/runs", "/run/" + run, "/insights", "/session/" + live[0].ID, "/workflow/" + filltest.Workflow(at), "/workflow/" + filltest.Workflow(at-1), "/checkpoint/" + filltest.Checkpoint(at, 49)}},
	} {
		w.fifty(t, of.name, of.paths, token, pid, writer)
	}
}

// fresh opens a tab at a screen, by a new ticket.
func (w *world) fresh(t *testing.T, path string) (x *tab, end func()) {
	t.Helper()
	_, ticket, _ := strings.Cut(w.address(), "#")
	ctx, stop := chromedp.NewContext(chromium(t), chromedp.WithNewBrowserContext())
	x = &tab{t: t, ctx: ctx}
	if _, err := chromedp.Run(ctx, chromedp.Location()); err != nil {
		t.Fatal(err)
	}
	x.size(1280, 900)
	call(x, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: watch})
	x.do(chromedp.Navigate(w.page + path + "#" + ticket))
	for range 3 { // a first search takes a minute
		for end := time.Now().Add(patience); time.Now().Before(end) && !js[bool](x, "window.shown > 0"); time.Sleep(5 * time.Millisecond) {
		}
	}
	return x, stop
}

func median(list []float64) float64 {
	slices.Sort(list)
	return list[len(list)/2]
}

// writer writes what hooks and saves write, in this process: many at once.
type writer struct {
	st   *sqlstore.Store
	live []agent.Session
	at   int
	n    int
}

func newWriter(st *sqlstore.Store, live []agent.Session, at int) *writer {
	return &writer{st: st, live: live, at: at}
}

// many changes sessions so many times, in a transaction, and saves a checkpoint.
func (x *writer) many(events int) error {
	ctx := context.Background()
	return x.st.Local().Update(ctx, func(tx store.LocalTx) error {
		for range events {
			x.n++
			s := x.live[x.n%len(x.live)]
			s.SeenAt, s.LastMessage = piton.At(time.Now()), fmt.Sprint("event ", x.n)
			if err := tx.PutSession(ctx, redact.Value(s)); err != nil {
				return err
			}
		}
		return nil
	})
}

// save adds a checkpoint to the workflow that is looked at.
func (x *writer) save() error {
	x.n++
	text := []byte(fmt.Sprintf(`{"step":%d}`, x.n))
	id := fmt.Sprintf("%s%016x", piton.CheckpointPrefix, 1<<60+x.n)
	return x.st.Save(context.Background(), func(tx store.Tx) error {
		_, err := tx.Append(context.Background(), redact.Value(store.Prepared{State: redact.Unchecked(json.RawMessage(text)), Record: piton.Checkpoint{
			ID: id, InWorkflow: piton.InWorkflow{WorkflowID: filltest.Workflow(x.at)}, Trigger: piton.TriggerAuto, CreatedAt: piton.At(time.Now()),
			AtStep: piton.AtStep{StepName: fmt.Sprint("step ", x.n)}, OfState: piton.OfState{SHA256: fmt.Sprintf("%x", sha256.Sum256(text)), SchemaVersion: 1},
		}}))
		return err
	})
}

// each changes something again and again, until stop.
func (x *writer) each(d time.Duration) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for tick := time.NewTicker(d); ; {
			select {
			case <-ctx.Done():
				tick.Stop()
				return
			case <-tick.C:
				if err := x.many(1); err != nil {
					panic(err)
				}
				if x.n%5 == 0 {
					if err := x.save(); err != nil {
						panic(err)
					}
				}
			}
		}
	}()
	return func() { cancel(); <-done }
}

// rss is the memory of a process in MB.
func rss(pid int) float64 {
	text, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "statm"))
	f := strings.Fields(string(text) + " 0 0")
	pages, _ := strconv.Atoi(f[1])
	return float64(pages*os.Getpagesize()) / 1e6
}

// cpu is the time that a process has worked.
func cpu(pid int) time.Duration {
	text, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	_, rest, _ := strings.Cut(string(text), ") ")
	f := strings.Fields(rest)
	user, _ := strconv.Atoi(f[11])
	system, _ := strconv.Atoi(f[12])
	return time.Duration(user+system) * 10 * time.Millisecond
}

// fifty has 50 pages open, which are read without a browser.
func (w *world) fifty(t *testing.T, name string, paths []string, token string, pid int, writer *writer) {
	ctx, end := context.WithCancel(t.Context())
	defer end()
	var screens, bytes atomic.Int64
	last := make([]atomic.Value, 50)
	client := http.Client{Transport: &http.Transport{MaxConnsPerHost: 0}}
	for i := range 50 {
		go func() {
			r, _ := http.NewRequestWithContext(ctx, "GET", w.page+"/live"+paths[i%len(paths)], nil)
			r.Header.Set("Piton-Token", token)
			got, err := client.Do(r)
			if err != nil {
				return
			}
			defer got.Body.Close()
			lines := bufio.NewReaderSize(got.Body, 1<<20)
			for text := ""; ; {
				line, err := lines.ReadString('\n')
				if err != nil {
					return
				}
				bytes.Add(int64(len(line)))
				if line == "\n" && text != "" {
					screens.Add(1)
					last[i].Store(text)
					text = ""
				} else if strings.HasPrefix(line, "data: ") {
					text += line
				}
			}
		}()
	}
	time.Sleep(5 * time.Second)
	before := cpu(pid)
	time.Sleep(10 * time.Second)
	rest := cpu(pid) - before
	n := screens.Load()
	stop := writer.each(100 * time.Millisecond)
	before = cpu(pid)
	time.Sleep(10 * time.Second)
	work := cpu(pid) - before
	stop()
	time.Sleep(2 * time.Second)
	want, late := fmt.Sprint("event ", writer.n), 0
	for i := range last {
		text, _ := last[i].Load().(string)
		if paths[i%len(paths)] == "/" && !strings.Contains(text, want) {
			late++
		}
	}
	t.Logf("%s: CPU of the daemon at rest %.1f %%, with changes each 100 ms %.1f %% of a core; %d screens sent in 10 s; %d pages without the last change; daemon %.1f MB",
		name, rest.Seconds()*10, work.Seconds()*10, screens.Load()-n, late, rss(pid))
}
