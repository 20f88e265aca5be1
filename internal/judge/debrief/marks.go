package debrief

import (
	"strings"

	"github.com/piton-project/piton/internal/judge/tools"
)

func containsAny(s string, parts ...string) bool {
	for _, p := range parts {
		if strings.Contains(s, p) {
			return true
		}
	}
	return false
}

// told is an output without the lines at its head in which a client names the
// exit status and the time it took.
func told(output string) string { return strings.TrimSpace(toldAsIs(output)) }

// toldAsIs is told with the blanks around it, which some runners' lines begin
// with.
func toldAsIs(output string) string {
	rest := output
	for range 4 {
		line, after, _ := strings.Cut(rest, "\n")
		if low := strings.ToLower(line); !tools.ExitNamed(low) && !strings.HasPrefix(low, "wall time:") && low != "output:" {
			break
		}
		rest = after
	}
	return rest
}
