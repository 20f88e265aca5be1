package plan

import (
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/piton-project/piton/internal/span"
)

// maxDuration bounds times in a plan: a year.
const maxDuration = 366 * 24 * time.Hour

var errDuration = errors.New(`it wants a time such as 90s, 5m or 1.5h, or a number of seconds`)

// parseDuration reads "90s", "1.5h", "2d", or a number of seconds.
func parseDuration(text string) (Duration, error) {
	d, err := span.Parse(strings.TrimSpace(text))
	if err != nil {
		return 0, errDuration
	}
	return bounded(d)
}

func bounded(d time.Duration) (Duration, error) {
	switch {
	case d <= 0:
		return 0, errors.New("it must be more than 0")
	case d > maxDuration:
		return 0, errors.New("it is more than a year")
	}
	return Duration(d), nil
}

// String writes a duration as a plan does: 1h30m, 90ms.
func (d Duration) String() string { return span.Text(time.Duration(d)) }

// MarshalJSON writes a duration as text.
func (d Duration) MarshalJSON() ([]byte, error) { return json.Marshal(d.String()) }

// UnmarshalJSON reads a text or a number of seconds.
func (d *Duration) UnmarshalJSON(b []byte) error {
	text := string(b)
	if len(b) > 0 && b[0] == '"' {
		if err := json.Unmarshal(b, &text); err != nil {
			return err
		}
	}
	got, err := parseDuration(text)
	if err == nil {
		*d = got
	}
	return err
}
