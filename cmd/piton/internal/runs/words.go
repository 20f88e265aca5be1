package runs

import (
	"fmt"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/planruns"
	"github.com/piton-project/piton/internal/run/runner"
)

// byStatus colours a text by how a run stands.
func (con console) byStatus(s piton.RunStatus, text string) string {
	switch s {
	case piton.RunCompleted:
		return con.Green(text)
	case piton.RunFailed, piton.RunInDoubt:
		return con.Red(text)
	case piton.RunWaiting, piton.RunPaused, piton.RunStopped:
		return con.Yellow(text)
	}
	return text
}

// sign is a step's status in one character.
func (con console) sign(s runner.Status) string {
	plain := func(text string) string { return text }
	signs := map[runner.Status]struct {
		unicode, ascii string
		style          func(string) string
	}{
		runner.Pending: {"○", ".", plain}, runner.Running: {"●", ">", con.Yellow}, runner.Completed: {"✓", "+", con.Green}, runner.Failed: {"✗", "x", con.Red},
		runner.Skipped: {"–", "-", plain}, runner.Waiting: {"?", "?", con.Yellow}, runner.InDoubt: {"!", "!", con.Red}, runner.CouldNot: {"✗", "x", con.Red},
	}
	x, ok := signs[s]
	switch {
	case !ok:
		return "?"
	case con.Unicode():
		return x.style(x.unicode)
	}
	return x.style(x.ascii)
}

// stepWords is a step's status for people.
func stepWords(s runner.Status) string {
	return strings.ReplaceAll(string(s), "_", " ")
}

// cost writes tokens and money; "" for none.
func cost(u piton.TokenUsage, usd float64) string {
	var parts []string
	if n := u.Input + u.Output + u.CacheRead + u.CacheWrite; n > 0 {
		parts = append(parts, Many(n)+" tokens")
	}
	if usd > 0 {
		parts = append(parts, fmt.Sprintf("$%.2f", usd))
	}
	return strings.Join(parts, ", ")
}

// Many writes a large number in few characters: 840, 12k, 3.4M.
func Many(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprint(n)
	case n < 1_000_000:
		return fmt.Sprintf("%dk", (n+500)/1000)
	}
	return fmt.Sprintf("%.1fM", float64(n)/1e6)
}

// State is how a run stands, with its place and what is asked of its owner.
func State(r planruns.RunRow) string {
	text := r.Word()
	if r.Place > 0 {
		text += fmt.Sprintf(", place %d", r.Place)
	}
	if r.Wish != "" {
		text += ", " + string(r.Wish) + " asked"
	}
	return text
}

// indent moves the lines of a text to the right.
func indent(text string) string {
	return "  " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n  ")
}
