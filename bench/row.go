package main

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// row is a line of the table.
type row struct {
	what, against string
	bar           float64 // the ratio, or the figure, to reach; 0: stated only
	got, floor    []time.Duration
	figure        float64 // where it is no time: the figure itself, in unit
	unit          string
}

func (r row) print() {
	bar := "stated"
	if r.bar > 0 {
		bar = strings.TrimSpace(fmt.Sprintf("at most %.1f %s", r.bar, r.unit))
	}
	if r.unit != "" {
		fmt.Printf("%-52s %9s %9s  %-34s %9s  %6s  %s\n", r.what, fmt.Sprintf("%.2f %s", r.figure, r.unit), "", r.against, "", "", bar)
		return
	}
	got, floor := quantile(r.got, 0.5), quantile(r.floor, 0.5)
	fmt.Printf("%-52s %9s %9s  %-34s %9s  %6.2f  %s\n", r.what, ms(got), ms(quantile(r.got, 0.95)), r.against, ms(floor), float64(got)/float64(floor), bar)
}

func ms(d time.Duration) string { return fmt.Sprintf("%.2f ms", float64(d.Microseconds())/1000) }

func quantile(ds []time.Duration, q float64) time.Duration {
	s := slices.Sorted(slices.Values(ds))
	return s[min(int(q*float64(len(s))), len(s)-1)]
}

// longest is the longest of a row's times, which should be at most 100 ms.
func longest(r row) row {
	return row{what: "the same: the longest wait", figure: float64(quantile(r.got, 1).Microseconds()) / 1000, unit: "ms", bar: 100}
}
