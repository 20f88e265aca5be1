package api

import (
	"context"
	"fmt"
	"net/http"
	"reflect"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/app/insight"
	"github.com/piton-project/piton/internal/app/planruns"
	"github.com/piton-project/piton/internal/verbs"
)

// Bounds of the metrics: how long a reading holds, and how far back what is counted by
// days is added up (all that is kept).
const (
	metricsHold = 5 * time.Second
	metricsSpan = 400 * 24 * time.Hour
)

// meter shows what the store has counted. Nothing is counted in this process, so that
// what hooks and commands do is counted whether it runs or not.
type meter struct {
	s     *Server
	began time.Time

	mu    sync.Mutex
	at    time.Time
	total insight.Stats // of all days
	hooks []insight.HookStats
	runs  planruns.RunCounts
}

// msOfSecond is how many of what is counted are one second.
const msOfSecond = 1000

func desc(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc(name, help, labels, nil)
}

// Describe implements prometheus.Collector: what there is depends on what was counted.
func (m *meter) Describe(chan<- *prometheus.Desc) {}

// Collect implements prometheus.Collector.
func (m *meter) Collect(ch chan<- prometheus.Metric) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if time.Since(m.at) > metricsHold {
		if err := m.read(); err != nil {
			ch <- prometheus.NewInvalidMetric(desc("piton_checkpoint_saves_total", "checkpoints saved"), err)
			return
		}
	}
	count := func(name, help string, n int64) {
		ch <- prometheus.MustNewConstMetric(desc(name, help), prometheus.CounterValue, float64(n))
	}
	gauge := func(name, help string, n float64) {
		ch <- prometheus.MustNewConstMetric(desc(name, help), prometheus.GaugeValue, n)
	}
	count("piton_checkpoint_saves_total", "checkpoints saved", m.total.Saves)
	count("piton_checkpoint_resumes_total", "checkpoints resumed", m.total.Resumes)
	count("piton_run_steps_recovered_total", "steps of runs that were done before a crash and did not run again", m.total.Recovered)
	ch <- histogram(desc("piton_checkpoint_save_size_bytes", "sizes of saved states"), m.total.Size, 1)
	ch <- histogram(desc("piton_checkpoint_save_duration_seconds", "how long saves took up to their commit"), m.total.Latency, msOfSecond)
	for _, r := range m.total.Reasons {
		ch <- prometheus.MustNewConstMetric(desc("piton_stop_decisions_total", "stops by the reason of their decision", "reason"), prometheus.CounterValue, float64(r.Count), r.Name)
	}
	for _, h := range m.hooks {
		ch <- histogram(desc("piton_hook_duration_seconds", "how long hooks took since this process began", "event"), h.Histogram, msOfSecond, h.Event)
	}
	gauge("piton_outbox_letters", "letters that wait", float64(m.total.Outbox.Waiting))
	gauge("piton_outbox_oldest_age_seconds", "how long the oldest letter has been due", float64(m.total.Outbox.OldestAgeMS)/msOfSecond)
	for status, n := range m.runs.ByStatus {
		ch <- prometheus.MustNewConstMetric(desc("piton_runs", "runs that are not finished, by status", "status"), prometheus.GaugeValue, float64(n), string(status))
	}
	gauge("piton_runs_waiting_oldest_age_seconds", "how long the run has waited that has waited longest for a person", m.runs.LongestWait.Seconds())
	gauge("piton_event_streams", "streams of events that are read", float64(m.s.reading.Load()))
	ch <- prometheus.MustNewConstMetric(desc("piton_build_info", "the version", "version"), prometheus.GaugeValue, 1, piton.Version())
}

// read reads what the store has counted.
func (m *meter) read() error {
	ctx, cancel := context.WithTimeout(context.Background(), slotPatience)
	defer cancel()
	return m.s.within(ctx, route{}, "", func(a *app.App) (err error) {
		if m.total, err = a.Stats(ctx, piton.StatsRequest{Since: spelled(metricsSpan)}); err != nil {
			return err
		}
		recent, err := a.Stats(ctx, piton.StatsRequest{Since: spelled(min(max(time.Since(m.began), time.Second), metricsSpan))})
		if err != nil {
			return err
		}
		m.runs, err = a.CountRuns(ctx)
		m.hooks, m.at = recent.Hooks, time.Now()
		return err
	})
}

// spelled is a span as requests have it.
func spelled(d time.Duration) string { return fmt.Sprintf("%ds", int(d.Seconds())) }

// histogram is one as Prometheus has it, in units of so many: each bucket with all that is
// below it.
func histogram(d *prometheus.Desc, h insight.Histogram, unit float64, labels ...string) prometheus.Metric {
	buckets, below := map[float64]uint64{}, uint64(0)
	for _, b := range h.Buckets {
		if below += uint64(b.Count); b.Le > 0 {
			buckets[float64(b.Le)/unit] = below
		}
	}
	return prometheus.MustNewConstHistogram(d, below, float64(h.Sum)/unit, buckets, labels...)
}

// metrics serves what was counted.
func (s *Server) metrics() {
	h := promhttp.HandlerFor(registered(s), promhttp.HandlerOpts{ErrorHandling: promhttp.ContinueOnError})
	s.exchange(exchange{
		route: route{verbs.Route{Method: http.MethodGet, Path: "/metrics", ID: "metrics", Says: "What was counted, for Prometheus"}, "service"},
		asked: reflect.TypeFor[struct{}](), alter: saysText("text/plain"),
		serve: func(w http.ResponseWriter, r *http.Request, _ any) error { h.ServeHTTP(w, r); return nil },
	})
}

func registered(s *Server) *prometheus.Registry {
	r := prometheus.NewRegistry()
	r.MustRegister(s.ran.steps, s.ran.ended, s.ran.attempt, s.ran.stretch, &meter{s: s, began: time.Now()}, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return r
}
