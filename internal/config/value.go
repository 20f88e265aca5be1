package config

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// oneOf reads one of some values, in large or small letters.
func oneOf[S ~string](values ...S) func(string) (S, error) {
	return func(v string) (S, error) {
		var names []string
		for _, x := range values {
			if strings.EqualFold(v, string(x)) {
				return x, nil
			}
			names = append(names, string(x))
		}
		return "", fmt.Errorf("%q is none of %s", v, strings.Join(names, ", "))
	}
}

// parseBool reads a yes or a no in YAML's words.
func parseBool(v string) (bool, error) {
	switch strings.ToLower(v) {
	case "true", "yes", "on", "1":
		return true, nil
	case "false", "no", "off", "0":
		return false, nil
	}
	return false, fmt.Errorf("%q is neither true nor false", v)
}

// parseCount reads a number of checkpoints, 0 for no bound.
func parseCount(v string) (int, error) {
	n, err := strconv.ParseUint(v, 10, 31)
	if err != nil {
		return 0, fmt.Errorf("%q is not a number of checkpoints; 0 sets no bound", v)
	}
	return int(n), nil
}

// parseDays reads "30d", "2w", "12h" or 0. A bare number is refused: taken for
// seconds it would delete nearly everything.
func parseDays(v string) (time.Duration, error) {
	wrong := fmt.Errorf("%q is not a duration such as 30d or 12h; 0 sets no bound", v)
	if v == "0" {
		return 0, nil
	}
	for unit, length := range map[string]time.Duration{"d": 24 * time.Hour, "w": 7 * 24 * time.Hour} {
		if n, ok := strings.CutSuffix(v, unit); ok {
			x, err := strconv.ParseUint(n, 10, 31)
			if err != nil || time.Duration(x) > maxAge/length {
				return 0, wrong
			}
			return time.Duration(x) * length, nil
		}
	}
	d, err := time.ParseDuration(v)
	if err != nil || d < 0 || d > maxAge {
		return 0, wrong
	}
	return d, nil
}

// maxAge is a hundred years: more is a slip, and would not fit a duration.
const maxAge = 100 * 365 * 24 * time.Hour

// parseDuration reads "30s", "2m", "1d" or a number of seconds.
func parseDuration(v string) (time.Duration, error) {
	d, err := time.ParseDuration(v)
	if err != nil && (strings.HasSuffix(v, "d") || strings.HasSuffix(v, "w")) {
		d, err = parseDays(v)
	}
	if err != nil {
		n, err := strconv.ParseInt(v, 10, 32)
		if err != nil {
			return 0, fmt.Errorf("%q is not a duration such as 30s or 2m", v)
		}
		d = time.Duration(n) * time.Second
	}
	if d < 0 {
		return 0, fmt.Errorf("%q is negative", v)
	}
	return d, nil
}

// formatDuration is a duration as a file has it: 30d, 1h30m, 0.
func formatDuration(d time.Duration) string {
	switch {
	case d == 0:
		return "0"
	case d%(24*time.Hour) == 0:
		return strconv.FormatInt(int64(d/(24*time.Hour)), 10) + "d"
	}
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// parseText reads a text that is quoted in a debrief, or names something.
func parseText(v string) (string, error) {
	v = strings.TrimSpace(v)
	return v, oneLine(v)
}

// maxText bounds a text that is told to an agent, in bytes.
const maxText = 500

func oneLine(v string) error {
	if strings.ContainsAny(v, "\n\r\x00") {
		return fmt.Errorf("%q is not text on one line", v[:min(len(v), maxText)])
	}
	if len(v) > maxText {
		return fmt.Errorf("a text of %d bytes is longer than %d", len(v), maxText)
	}
	return nil
}

// parseArchive reads where an archive lies.
func parseArchive(v string) (string, error) {
	if bucket, ok := strings.CutPrefix(v, "s3://"); ok {
		if bucket == "" || strings.HasPrefix(bucket, "/") {
			return "", errors.New("name the bucket: s3://BUCKET/PREFIX")
		}
		return v, nil
	}
	if strings.HasPrefix(v, "~/") {
		return v, nil // see load
	}
	if !filepath.IsAbs(v) {
		return "", fmt.Errorf("%q is neither a folder's whole path nor s3://BUCKET/PREFIX", v)
	}
	return filepath.Clean(v), nil
}

func asIs(v string) (string, error) { return v, nil }

// maxTypos is how many letters' worth of typing a suggestion may differ in.
const maxTypos = 2

// editDistance counts the letters that two words differ in, as far as maxSlips.
func editDistance(a, b string) int {
	if max(len(a)-len(b), len(b)-len(a)) > maxTypos {
		return maxTypos + 1
	}
	a, b = strings.ReplaceAll(strings.ToLower(a), "-", "_"), strings.ToLower(b)
	prev := make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row := []int{i}
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row = append(row, min(prev[j]+1, row[j-1]+1, prev[j-1]+cost))
		}
		prev = row
	}
	return prev[len(b)]
}
