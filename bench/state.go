package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"
)

// recordBytes is about what one step adds to a state, in bytes.
const recordBytes = 2 << 10

// message is what a step of an agent leaves in its state.
type message struct {
	Role    string `json:"role"`
	ID      string `json:"id"`
	At      string `json:"at"`
	Content string `json:"content"`
}

// writer writes what agents plausibly write, always the same for a seed: prose
// of 4,000 words of which few are frequent and many rare, and among it paths
// with line numbers, figures, and ids that never come twice. zstd takes it to a
// little over a third; figures on text that shrinks to nothing would say little.
type writer struct {
	rnd   *rand.Rand
	words []string
	n     int
}

func newWriter(seed uint64) *writer {
	w := &writer{rnd: rand.New(rand.NewPCG(seed, 2))}
	for len(w.words) < 4000 {
		var b strings.Builder
		for range 1 + w.rnd.IntN(4) {
			b.WriteString(w.pick("b", "c", "d", "f", "g", "l", "m", "n", "p", "r", "s", "t", "v", "st", "tr", "ch"))
			b.WriteString(w.pick("a", "e", "i", "o", "u", "ea", "ou"))
			b.WriteString(w.pick("", "", "n", "r", "s", "t", "l", "ng"))
		}
		w.words = append(w.words, b.String())
	}
	return w
}

func (w *writer) pick(of ...string) string { return of[w.rnd.IntN(len(of))] }

// word prefers the first words, as language does.
func (w *writer) word() string {
	return w.words[int(float64(len(w.words))*w.rnd.Float64()*w.rnd.Float64()*w.rnd.Float64())]
}

func (w *writer) text(size int) string {
	var b strings.Builder
	for b.Len() < size {
		switch w.rnd.IntN(14) {
		case 0:
			fmt.Fprintf(&b, "%s/%s/%s.%s:%d ", w.word(), w.word(), w.word(), w.pick("go", "ts", "py", "sql", "md"), w.rnd.IntN(2000))
		case 1:
			fmt.Fprintf(&b, "%d.%d ms ", w.rnd.IntN(5000), w.rnd.IntN(100))
		case 2:
			fmt.Fprintf(&b, "commit %08x ", w.rnd.Uint32())
		case 3:
			b.WriteString(w.pick(".\n", "; ", ", ", ":\n- ", ". "))
		default:
			b.WriteString(w.word() + " ")
		}
	}
	return b.String()[:size]
}

// message makes one whose JSON has about size bytes.
func (w *writer) message(size int) message {
	w.n++
	m := message{
		Role: w.pick("assistant", "assistant", "tool", "user"),
		ID:   fmt.Sprintf("msg_%06d_%08x", w.n, w.rnd.Uint32()),
		At:   time.Unix(1_780_000_000+int64(w.n)*37, 0).UTC().Format(time.RFC3339),
	}
	m.Content = w.text(max(size-120, 1))
	return m
}

func (w *writer) messages(n int) []message {
	ms := make([]message, 0, n)
	for range n {
		ms = append(ms, w.message(recordBytes))
	}
	return ms
}

// shape says where in a state the list of messages lies and what else changes.
type shape struct {
	name     string
	deep     bool // five levels down, with keys before and behind
	counters bool // counters near the front change at every save
}

var (
	atTop        = shape{name: "list at the top"}
	deepIn       = shape{name: "list deep in the state", deep: true}
	withCounters = shape{name: "list deep, counters change", deep: true, counters: true}
)

// state is the state after these messages, in compact form.
func (s shape) state(ms []message) []byte {
	var b bytes.Buffer
	b.WriteString(`{"task":"mend the importer and prove it","branch":"work/importer"`)
	if s.counters {
		fmt.Fprintf(&b, `,"counters":{"steps":%d,"input_tokens":%d,"elapsed_ms":%d}`, len(ms), 1873*len(ms), 7919*len(ms))
	}
	open, end := `,"messages":`, `}`
	if s.deep {
		open = `,"context":{"project_name":"importer","run":{"settings":{"model":"large","limit":40},"agents":[{"name":"main","memory":{"kind":"list","messages":`
		end = `,"kept":true}}],"next":"verify"}},"pending":["verify","document"]}`
	}
	b.WriteString(open)
	b.Write(encode(ms))
	b.WriteString(end)
	return b.Bytes()
}

// encode writes JSON without a line's end, as JavaScript would: < is no escape.
func encode(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err) // only strings and slices of them come here
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// shrinks says what zstd makes of a state: figures depend on it.
func shrinks(state []byte) string {
	enc, err := zstd.NewWriter(nil)
	if err != nil {
		return "unknown"
	}
	defer enc.Close()
	return fmt.Sprintf("%.0f %%", 100*float64(len(enc.EncodeAll(state, nil)))/float64(len(state)))
}
