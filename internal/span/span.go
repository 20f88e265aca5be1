// Package span reads durations as people write them, wherever Piton reads one: in
// flags, settings, plans and requests (docs/config.md).
package span

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Max is a hundred years: more is a slip, and would not fit a duration.
const Max = 100 * 365 * day

const day = 24 * time.Hour

// Parse reads 90s, 1.5h, 1h30m, 7d, 1d12h or 2w; a number alone is one of seconds. It is
// never negative.
func Parse(text string) (time.Duration, error) {
	if IsNumber(text) {
		text += "s"
	}
	var sum time.Duration
	rest := text
	for rest != "" {
		number := len(rest) - len(strings.TrimLeft(rest, "0123456789."))
		unit := strings.TrimLeft(rest[number:], "nuµmshdw")
		end := len(rest) - len(unit)
		d, err := part(rest[:number], rest[number:end])
		if err != nil || d > Max || sum+d > Max {
			return 0, wrong(text)
		}
		sum, rest = sum+d, rest[end:]
	}
	if text == "" {
		return 0, wrong(text)
	}
	return sum, nil
}

// ParseAge is Parse for what decides what is deleted: there a number alone is refused,
// because taken for seconds it would delete nearly everything. 0 is one.
func ParseAge(text string) (time.Duration, error) {
	if IsNumber(text) && text != "0" {
		return 0, fmt.Errorf("%q has no unit; write %sd for days, or another unit", text, text)
	}
	return Parse(text)
}

// Text is a duration as people write it: 1h30m, 90ms.
func Text(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// IsNumber tells whether a text is a number without a unit.
func IsNumber(text string) bool {
	return text != "" && strings.Trim(text, "0123456789.") == "" && strings.Trim(text, ".") != ""
}

// part reads a number with its unit.
func part(number, unit string) (time.Duration, error) {
	length := day // time.ParseDuration knows neither days nor weeks
	switch unit {
	case "d":
	case "w":
		length = 7 * day
	default:
		return time.ParseDuration(number + unit)
	}
	n, err := strconv.ParseFloat(number, 64)
	if err == nil && n > float64(Max/length) {
		err = strconv.ErrRange
	}
	return time.Duration(n * float64(length)), err
}

func wrong(text string) error {
	return fmt.Errorf("%q is not a duration such as 90s, 12h or 1.5d", text)
}
