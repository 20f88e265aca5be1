package api

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/insight"
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
}

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
			ch <- prometheus.NewInvalidMetric(desc("checkpoint_save_count", "checkpoints saved"), err)
			return
		}
	}
	count := func(name, help string, n int64) {
		ch <- prometheus.MustNewConstMetric(desc(name, help), prometheus.CounterValue, float64(n))
	}
	gauge := func(name, help string, n float64) {
		ch <- prometheus.MustNewConstMetric(desc(name, help), prometheus.GaugeValue, n)
	}
	count("checkpoint_save_count", "checkpoints saved", m.total.Saves)
	count("checkpoint_resume_count", "checkpoints resumed", m.total.Resumes)
	count("steps_recovered", "steps of runs that were done before a crash and did not run again", m.total.Recovered)
	ch <- histogram(desc("checkpoint_save_size_bytes", "sizes of saved states"), m.total.Size)
	ch <- histogram(desc("checkpoint_save_latency_ms", "how long saves took up to their commit"), m.total.Latency)
	for _, r := range m.total.Reasons {
		ch <- prometheus.MustNewConstMetric(desc("decisions_count", "stops by the reason of their decision", "reason"), prometheus.CounterValue, float64(r.Count), r.Name)
	}
	for _, h := range m.hooks {
		ch <- histogram(desc("hook_latency_ms", "how long hooks took since this process began", "event"), h.Histogram, h.Event)
	}
	gauge("outbox_depth", "letters that wait", float64(m.total.Outbox.Waiting))
	gauge("outbox_oldest_age_ms", "how long the oldest letter has been due", float64(m.total.Outbox.OldestAgeMS))
	gauge("event_streams", "streams of events that are read", float64(m.s.reading.Load()))
	ch <- prometheus.MustNewConstMetric(desc("piton_info", "the version", "version"), prometheus.GaugeValue, 1, piton.Version())
}

// read reads what the store has counted.
func (m *meter) read() error {
	ctx, cancel := context.WithTimeout(context.Background(), slotPatience)
	defer cancel()
	free, err := m.s.slot(ctx)
	if err != nil {
		return err
	}
	defer free()
	a := m.s.app("", false)
	defer a.Close()
	if m.total, err = a.Stats(ctx, piton.StatsRequest{Since: spelled(metricsSpan)}); err != nil {
		return err
	}
	recent, err := a.Stats(ctx, piton.StatsRequest{Since: spelled(min(max(time.Since(m.began), time.Second), metricsSpan))})
	m.hooks, m.at = recent.Hooks, time.Now()
	return err
}

// spelled is a span as requests have it.
func spelled(d time.Duration) string { return fmt.Sprintf("%ds", int(d.Seconds())) }

// histogram is one as Prometheus has it: each bucket with all that is below it.
func histogram(d *prometheus.Desc, h insight.Histogram, labels ...string) prometheus.Metric {
	buckets, below := map[float64]uint64{}, uint64(0)
	for _, b := range h.Buckets {
		if below += uint64(b.Count); b.Le > 0 {
			buckets[float64(b.Le)] = below
		}
	}
	return prometheus.MustNewConstHistogram(d, below, float64(h.Sum), buckets, labels...)
}

// metrics serves what was counted.
func (s *Server) metrics() {
	s.document(route{verbs.Route{Method: http.MethodGet, Path: "/metrics", ID: "metrics", Says: "What was counted, for Prometheus"}, "service"}, nil, "text/plain")
	s.mux.Handle("GET /metrics", promhttp.HandlerFor(registered(s), promhttp.HandlerOpts{ErrorHandling: promhttp.ContinueOnError}))
}

func registered(s *Server) *prometheus.Registry {
	r := prometheus.NewRegistry()
	r.MustRegister(&meter{s: s, began: time.Now()}, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return r
}
