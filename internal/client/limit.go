package client

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/piton-project/piton/internal/agent"
)

// Refused is what a failed request leaves of a turn, by what the client says of it.
// limit: the client says by other means that it is a limit of the API.
func Refused(at time.Time, said string, limit bool) agent.Break {
	limit = limit || limits().MatchString(said)
	until := time.Time{}
	if limit {
		until = Resets(said, at)
	}
	return agent.Failed(at, limit, until)
}

var limits = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b429\b|\b(rate|usage|session|weekly) limit|quota|RESOURCE_EXHAUSTED|too many requests`)
})

// resets are the forms in which clients say when a limit ends: a time of a day, which
// may be named, or how long it lasts.
var resets = sync.OnceValue(func() [2]*regexp.Regexp {
	return [2]*regexp.Regexp{
		regexp.MustCompile(`(?i)(?:resets|try again)(?: at)? (?:([a-z]{3}) (\d{1,2})(?:st|nd|rd|th)?,(?: (\d{4}))?(?: at)? )?(\d{1,2})(?::(\d\d))? ?([ap]m)(?: \(([A-Za-z_/+-]+)\))?`),
		regexp.MustCompile(`(?i)(?:retry|try again) (?:in|after) ((?:\d+(?:\.\d+)? ?(?:days?|hours?|minutes?|seconds?|[dhms])(?:,| and)? ?)+)`),
	}
})

// Resets reads when a limit ends, where what was said at a time tells it; the zero time
// where it does not. A time of a day without a zone is this machine's.
func Resets(said string, at time.Time) time.Time {
	forms := resets()
	if m := forms[1].FindStringSubmatch(said); m != nil {
		return at.Add(lasting(m[1]))
	}
	m := forms[0].FindStringSubmatch(said)
	if m == nil {
		return time.Time{}
	}
	zone, err := time.LoadLocation(m[7])
	if m[7] == "" || err != nil {
		zone = time.Local
	}
	here := at.In(zone)
	hour, _ := strconv.Atoi(m[4])
	minute, _ := strconv.Atoi(m[5])
	if hour %= 12; strings.EqualFold(m[6], "pm") {
		hour += 12
	}
	end := time.Date(here.Year(), here.Month(), here.Day(), hour, minute, 0, 0, zone)
	if month, err := time.Parse("Jan", m[1]); err == nil {
		day, _ := strconv.Atoi(m[2])
		year, err := strconv.Atoi(m[3])
		if end = time.Date(here.Year(), month.Month(), day, hour, minute, 0, 0, zone); err == nil {
			return end.AddDate(year-here.Year(), 0, 0)
		}
		if end.Before(at.AddDate(0, -1, 0)) { // it was said before the turn of the year
			end = end.AddDate(1, 0, 0)
		}
		return end
	}
	if end.Before(at.Add(-time.Minute)) {
		end = end.AddDate(0, 0, 1)
	}
	return end
}

// lasting is how long a text like "1 hour 20 minutes" or "34.5s" says.
func lasting(text string) (d time.Duration) {
	units := map[byte]time.Duration{'d': 24 * time.Hour, 'h': time.Hour, 'm': time.Minute, 's': time.Second}
	number := ""
	for _, c := range []byte(strings.ToLower(text) + " ") {
		switch unit := units[c]; {
		case c >= '0' && c <= '9' || c == '.':
			number += string(c)
		case unit > 0 && number != "":
			n, _ := strconv.ParseFloat(number, 64)
			d, number = d+time.Duration(n*float64(unit)), ""
		}
	}
	return d
}
