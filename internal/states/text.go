package states

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/piton-project/piton"
)

// Bounds of a line.
const (
	maxLine         = 400 // runes of a line of a brief
	maxSummaryWords = 8   // words of a task that is shown in one line
)

// maxRows bounds each list of a brief. maxFileRows is that of the files: an agent
// has to look at each, so all that a state can hold are named.
const (
	maxRows     = 40
	maxFileRows = 200
)

// Summary is a task in at most eight words.
func Summary(task string) string {
	words := strings.Fields(task)
	if len(words) > maxSummaryWords {
		return strings.Join(words[:maxSummaryWords], " ") + " …"
	}
	return strings.Join(words, " ")
}

// Age writes a duration as people say it: 40s, 12m, 2h, 3d.
func Age(d time.Duration) string {
	switch {
	case d < time.Minute:
		return strconv.Itoa(max(int(d.Seconds()), 0)) + "s"
	case d < time.Hour:
		return strconv.Itoa(int(d.Minutes())) + "m"
	case d < 48*time.Hour:
		return strconv.Itoa(int(d.Hours())) + "h"
	}
	return strconv.Itoa(int(d.Hours()/24)) + "d"
}

// Took says how long something took, from milliseconds: 54ms, 1.5s, 6m42s, 3h05m.
func Took(ms int64) string {
	d := time.Duration(ms) * time.Millisecond
	switch {
	case d < time.Second:
		return fmt.Sprintf("%dms", ms)
	case d < time.Minute:
		return fmt.Sprintf("%.1fs", d.Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
}

// oneLine keeps a text from breaking the brief's form, and from steering the
// terminal it is shown on.
func oneLine(s string) string {
	s = strings.Join(strings.Fields(piton.FenceLine(s)), " ")
	if r := []rune(s); len(r) > maxLine {
		return string(r[:maxLine]) + " …"
	}
	return s
}
