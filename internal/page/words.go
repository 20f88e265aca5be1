package page

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"net/url"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/app/insight"
	"github.com/piton-project/piton/internal/states"
	"github.com/piton-project/piton/internal/verbs"
)

//go:embed templates
var sources embed.FS

// templates are the screens. What they are filled with is escaped by where it stands.
var templates = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{
		"clock": clock, "took": took, "bytes": bytesOf, "number": number, "usd": usd, "base": base, "words": words, "line": line,
		"why": insight.Why, "stands": func(s app.Session) string { return s.Stands() }, "dict": dict, "to": address, "lane": laneX, "barsHigh": func(n int) int { return n*barHigh + 24 },
		"laneWide": func(n int) int { return n * laneWide }, "rowHigh": func() int { return rowHigh }, "add": func(a, b int) int { return a + b }, "short": short,
		"fact": fact, "typed": typed, "hint": verbs.CommandLine, "ago": age, "ticks": ticks, "long": func(s string) bool { return strings.Contains(strings.TrimSpace(s), "\n") || len(s) > 160 }, "place": step, "cut": cutTo,
	}).ParseFS(sources, "templates/*.html"))
})

// dict gives a template several things by names.
func dict(pairs ...any) map[string]any {
	m := map[string]any{}
	for i := 0; i+1 < len(pairs); i += 2 {
		m[fmt.Sprint(pairs[i])] = pairs[i+1]
	}
	return m
}

// clock is a time of today, or a day with its time, in the zone of this machine, which is
// the browser's too.
func clock(t piton.Time) template.HTML {
	if t.IsZero() {
		return ""
	}
	layout, local := "15:04:05", t.Local()
	if time.Since(t.Time) > 20*time.Hour {
		layout = "2 Jan 15:04"
	}
	return template.HTML(`<time datetime="` + t.UTC().Format(time.RFC3339) + `" title="` + local.Format("2006-01-02 15:04:05 MST") + `">` + local.Format(layout) + `</time>`)
}

// age is how long ago a time was, in steps that change seldom: every change is sent.
func age(t piton.Time) string {
	switch d := time.Since(t.Time); {
	case t.IsZero():
		return ""
	case d < time.Minute:
		return "just now"
	default:
		return states.Age(d) + " ago"
	}
}

// took says how long something took; "" where that is not known.
func took(ms int64) string {
	if ms == 0 {
		return ""
	}
	return states.Took(ms)
}

func bytesOf(n int64) string {
	return strings.Replace(humanize.IBytes(uint64(max(n, 0))), "iB", "B", 1) // 1024 of each, as everywhere in Piton
}

// number writes a number with its thousands apart.
func number(n any) string { return humanize.Comma(reflect.ValueOf(n).Int()) }

func usd(x float64) string { return "$" + strconv.FormatFloat(x, 'f', 2, 64) }

// base is a folder by the last two names of its path: one alone is often the same.
func base(dir string) string {
	if dir == "" {
		return ""
	}
	return strings.TrimPrefix(filepath.Base(filepath.Dir(dir))+"/"+filepath.Base(dir), "//")
}

// typed is a command as it is typed: what a shell would read otherwise is quoted.
func typed(words ...any) string {
	plain := regexp.MustCompile(`^[A-Za-z0-9_./:=,@%+-]+$`)
	var all []string
	for _, w := range words {
		text := fmt.Sprint(w)
		if !plain.MatchString(text) {
			text = "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
		}
		all = append(all, text)
	}
	return "piton " + strings.Join(all, " ")
}

// words are those of a name that programs use.
func words(name any) string { return strings.ReplaceAll(fmt.Sprint(name), "_", " ") }

// line is the first line of a text.
func line(text string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return first
}

func cutTo(n int, text string) string {
	if short := piton.Cut(text, n); len(short) < len(text) {
		return short + "…"
	}
	return text
}

// short is an id as lists show it; its beginning will do everywhere.
func short(id string) string { return piton.Cut(id, 12) }

// step is what a checkpoint is called in a list.
func step(c piton.Checkpoint) string { return cutTo(160, line(c.Step())) }

// address is an address of the page: parts of a path, each a name of somebody's.
func address(parts ...any) string {
	all := []string{"/"}
	for _, p := range parts {
		all = append(all, url.PathEscape(fmt.Sprint(p)))
	}
	return path.Join(all...)
}

// fact is what held an agent, in a sentence: what is open, or what was missing.
func fact(d *agent.Decision) string {
	switch {
	case d == nil:
		return ""
	case len(d.Open) > 0:
		return d.Open[0].Text
	case len(d.Actions) > 0:
		return d.Actions[0]
	}
	return insight.Why(d.Reason)
}

// ticks is a sentence of ours, in which code stands between backticks.
func ticks(text string) template.HTML {
	var b strings.Builder
	for i, part := range strings.Split(text, "`") {
		part = template.HTMLEscapeString(part)
		if i%2 == 1 {
			part = "<code>" + part + "</code>"
		}
		b.WriteString(part)
	}
	return template.HTML(b.String())
}

// drawn fills in a template.
func drawn(name string, data any) string {
	var b bytes.Buffer
	if err := templates().ExecuteTemplate(&b, name, data); err != nil {
		panic(err)
	}
	return piton.PrintableLines(b.String()) // what cannot be seen, or turns the order of letters, is written out
}
