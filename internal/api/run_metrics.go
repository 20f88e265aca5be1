package api

import (
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/piton-project/piton/internal/app/planruns"
)

// runMeter counts what happens in the runs that this process works on. It hears of it
// anyway, so that no store is read for it.
type runMeter struct {
	steps, ended     *prometheus.CounterVec
	attempt, stretch prometheus.Histogram

	mu    sync.Mutex
	began map[string]time.Time // the stretches of work, by run
}

// outcomes are the ends of attempts at steps that are counted, by the kinds of events.
var outcomes = map[string]string{
	"step_completed": "completed", "step_failed": "failed", "step_retrying": "retried", "step_skipped": "skipped", "step_in_doubt": "in_doubt", "step_could_not": "failed",
}

func newRunMeter() *runMeter {
	counter := func(name, help, label string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, []string{label})
	}
	seconds := func(name, help string) prometheus.Histogram {
		return prometheus.NewHistogram(prometheus.HistogramOpts{Name: name, Help: help, Buckets: []float64{0.1, 1, 10, 60, 300, 1800, 7200, 43200}})
	}
	m := &runMeter{
		steps:   counter("piton_run_steps_total", "attempts at steps of runs that this daemon works on, by how they ended, since it began", "outcome"),
		ended:   counter("piton_runs_ended_total", "how often this daemon's work on a run ended, by the status that the run had then, since it began", "status"),
		attempt: seconds("piton_run_step_duration_seconds", "how long attempts at steps took, since this daemon began"),
		stretch: seconds("piton_run_duration_seconds", "how long this daemon worked on runs without a break, since it began"),
		began:   map[string]time.Time{},
	}
	for _, outcome := range outcomes {
		m.steps.WithLabelValues(outcome)
	}
	return m
}

// hear counts an event.
func (m *runMeter) hear(e planruns.RunEvent) {
	kind := string(e.Kind)
	if outcome := outcomes[kind]; outcome != "" {
		m.steps.WithLabelValues(outcome).Inc()
	}
	if attempted := kind == "step_completed" || kind == "step_failed" || kind == "step_retrying"; attempted && e.DurationMS > 0 {
		m.attempt.Observe(float64(e.DurationMS) / 1000)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	switch kind {
	case "run_started", "run_resumed":
		m.began[e.Run] = e.At.Time
	case "run_ended":
		m.ended.WithLabelValues(e.Message).Inc()
		if began, ok := m.began[e.Run]; ok {
			m.stretch.Observe(e.At.Sub(began).Seconds())
		}
		delete(m.began, e.Run)
	}
}

// leave forgets a run that nobody here works on, however that came.
func (m *runMeter) leave(run string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.began, run)
}
