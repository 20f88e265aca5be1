package config

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/piton-project/piton/internal/judge/debrief"
	"github.com/piton-project/piton/internal/span"
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

// orOff reads false as off: that is what some YAML makes of the word.
func orOff(read func(string) (string, error)) func(string) (string, error) {
	return func(v string) (string, error) {
		if strings.EqualFold(v, "false") {
			v = "off"
		}
		return read(v)
	}
}

var modes = []string{debrief.ModeOn, debrief.ModeAudit, debrief.ModeOff}

// modeChoices are the modes as YAML reads them: it reads on and off as true and false too.
var modeChoices = append(anyOf(modes), true, false)

// parseMode reads a mode; true is on, as false is off.
func parseMode(v string) (string, error) {
	if strings.EqualFold(v, "true") {
		return debrief.ModeOn, nil
	}
	return orOff(oneOf(modes...))(v)
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

// parseMB reads a number of megabytes, of which a store can hold so many.
func parseMB(v string) (int, error) {
	n, err := strconv.ParseUint(v, 10, 20)
	if err != nil {
		return 0, fmt.Errorf("%q is not a number of MB, at most %d; 0 keeps nothing", v, 1<<20-1)
	}
	return int(n), nil
}

// parseDays reads "30d", "2w", "1.5d", "12h" or 0. A bare number is refused: taken for
// seconds it would delete nearly everything.
func parseDays(v string) (time.Duration, error) {
	d, err := span.ParseAge(v)
	if err != nil {
		return 0, fmt.Errorf("%w; 0 sets no bound", err)
	}
	return d, nil
}

// parseDuration reads "30s", "2m", "1.5d" or a number of seconds.
func parseDuration(v string) (time.Duration, error) { return span.Parse(v) }

// formatDuration is a duration as a file has it: 30d, 1h30m, 0.
func formatDuration(d time.Duration) string {
	switch {
	case d == 0:
		return "0"
	case d%(24*time.Hour) == 0:
		return strconv.FormatInt(int64(d/(24*time.Hour)), 10) + "d"
	}
	return span.Text(d)
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

// meant asks whether a name was meant; nothing is asked for none.
func meant(name string) string {
	if name == "" {
		return ""
	}
	return "; did you mean " + name + "?"
}

func anyOf[S ~string](words []S) (values []any) {
	for _, w := range words {
		values = append(values, string(w))
	}
	return values
}
