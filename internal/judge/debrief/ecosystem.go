package debrief

import (
	"github.com/piton-project/piton/internal/judge/shell"
	"github.com/piton-project/piton/internal/judge/tools"
)

// ecosystemOf is whose tests a line runs; "" where that is no single one.
func ecosystemOf(line string) string {
	found, err := shell.Parse(line)
	if err != nil {
		return ""
	}
	of := ""
	for _, c := range found {
		if len(c.Words) == 0 {
			continue
		}
		spelled := c.Spellings()
		for i, e := range tools.Ecosystems {
			is := spelled.MatchAny(knownRuns().of[i])
			if is && of != "" && of != e.Name {
				return ""
			}
			if is {
				of = e.Name
			}
		}
	}
	return of
}
