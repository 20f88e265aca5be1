package plan

import "slices"

// retry reads how often a step is tried again.
func (r *reader) retry(p field) Retry {
	if p.none() {
		return Retry{}
	}
	if p.value.kind != isObject {
		r.add(p.value.line, "retry wants keys with values, as in retry: {attempts: 3, delay: 10s}; attempts are the tries in all")
		return Retry{}
	}
	f := r.fields(p.value, retryKeys)
	t := Retry{Attempts: int(r.whole(f["attempts"]))}
	if again, ok := f["retries"]; ok {
		if f["attempts"].value != nil {
			r.add(again.line, "%s and 'attempts' both say how often; write one of them", quoted(again.name))
		}
		t.Attempts = 1 + int(r.whole(again))
	}
	t.Delay = r.firstOf(f, "are the same", "delay", "interval_sec", "delay_ms")
	t.Max = r.firstOf(f, "are the same", "max", "max_interval_sec")
	b := f["factor"]
	if t.Factor = growths[b.text()]; t.Factor == 0 {
		if t.Factor = r.number(b); t.Factor != 0 && t.Factor < 1 || t.Factor > 100 {
			r.add(b.value.line, "%s must be from 1 to 100", b.name)
		}
	}
	t.Exact = r.bool(f["exact"])
	if j, ok := f["jitter"]; ok {
		t.Exact = !r.bool(j)
	}
	return t
}

// growths are words for how the delay grows.
var growths = map[string]float64{"true": 2, "exponential": 2, "false": 1, "constant": 1, "fixed": 1}

// firstOf is a time in one of several forms, each with its unit.
func (r *reader) firstOf(f map[string]field, both string, names ...string) Duration {
	var first field
	for _, name := range names {
		p := f[name]
		switch {
		case first.value == nil:
			first = p
		case p.value != nil:
			r.add(p.line, "%s and %s %s; write one of them", quoted(first.name), quoted(p.name), both)
		}
	}
	return r.duration(first)
}

// budget reads what may be used.
func (r *reader) budget(p field) Budget {
	if p.none() {
		return Budget{}
	}
	f := r.fields(p.value, budgetKeys)
	return Budget{
		Tokens:  r.whole(f["tokens"]),
		CostUSD: r.number(f["cost_usd"]),
		Time:    r.duration(f["time"]),
		Tries:   int(r.whole(f["tries"])),
	}
}

// check reads what must hold before an agent's step counts as completed.
func (r *reader) check(s *readStep, p field) {
	s.checkLine = p.line
	if p.none() {
		return
	}
	for _, n := range p.value.list() {
		if n.kind == isText {
			n = n.asStep()
		}
		f := r.fields(n, checkKeys)
		c := Check{Run: r.text(f["run"]), File: r.text(f["file"]), Changed: r.text(f["changed"]), Verified: r.bool(f["verified"]), Expr: r.condition(f["expr"])}
		texts := slices.DeleteFunc([]placed{{"run", c.Run, n.line}, {"file", c.File, n.line}, {"changed", c.Changed, n.line}, {"expr", c.Expr, n.line}},
			func(x placed) bool { return x.text == "" })
		set := len(texts)
		if c.Verified {
			set++
		}
		if set != 1 && n.kind == isObject {
			r.add(n.line, "a check has one of run, file, changed, verified and expr; write each as an item of its own")
		}
		s.Check, s.checks = append(s.Check, c), append(s.checks, texts...)
	}
}
