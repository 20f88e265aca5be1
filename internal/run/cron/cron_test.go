package cron

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
	_ "time/tzdata"
)

const stamp = "2006-01-02T15:04-07:00"

// upTo are the moments between two times.
func upTo(t *testing.T, expression, zone, from, to string) (list []string) {
	t.Helper()
	x, err := Parse(expression, zone)
	if err != nil {
		t.Fatal(err)
	}
	at, err := time.Parse(stamp, from)
	end, err2 := time.Parse(stamp, to)
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	for at = x.Next(at); !at.IsZero() && !at.After(end); at = x.Next(at) {
		list = append(list, at.Format(stamp))
	}
	return list
}

// TestClockChanges: each wall clock time comes at most once, and what the clock leaves out
// comes once, when it goes on.
func TestClockChanges(t *testing.T) {
	for _, c := range []struct{ name, cron, zone, from, to, want string }{
		{"spring in Rome, the hour that is left out", "30 2 * * *", "Europe/Rome", "2026-03-28T00:00+01:00", "2026-03-31T00:00+02:00",
			"2026-03-28T02:30+01:00 2026-03-29T03:00+02:00 2026-03-30T02:30+02:00"},
		{"spring in Rome, several times that are left out", "*/20 2,3 * * *", "Europe/Rome", "2026-03-29T00:00+01:00", "2026-03-29T12:00+02:00",
			"2026-03-29T03:00+02:00 2026-03-29T03:20+02:00 2026-03-29T03:40+02:00"},
		{"autumn in Rome, the hour that comes twice", "30 2 * * *", "Europe/Rome", "2026-10-24T00:00+02:00", "2026-10-27T00:00+01:00",
			"2026-10-24T02:30+02:00 2026-10-25T02:30+02:00 2026-10-26T02:30+01:00"},
		{"autumn in Rome, every half hour", "*/30 * * * *", "Europe/Rome", "2026-10-25T01:00+02:00", "2026-10-25T03:30+01:00",
			"2026-10-25T01:30+02:00 2026-10-25T02:00+02:00 2026-10-25T02:30+02:00 2026-10-25T03:00+01:00 2026-10-25T03:30+01:00"},
		{"spring in New York", "15 2 8 3 *", "America/New_York", "2026-03-07T00:00-05:00", "2026-03-10T00:00-04:00", "2026-03-08T03:00-04:00"},
		{"autumn in New York", "0 1 1 11 *", "America/New_York", "2026-10-31T00:00-04:00", "2026-11-03T00:00-05:00", "2026-11-01T01:00-04:00"},
		{"spring on Lord Howe, half an hour", "10 2 * * *", "Australia/Lord_Howe", "2026-10-03T12:00+10:30", "2026-10-05T12:00+11:00",
			"2026-10-04T02:30+11:00 2026-10-05T02:10+11:00"},
		{"autumn on Lord Howe, half an hour", "45 1 * * *", "Australia/Lord_Howe", "2026-04-04T12:00+11:00", "2026-04-06T12:00+10:30",
			"2026-04-05T01:45+11:00 2026-04-06T01:45+10:30"},
		{"a day that Samoa has left out", "0 12 * * *", "Pacific/Apia", "2011-12-29T00:00-10:00", "2012-01-01T00:00+14:00",
			"2011-12-29T12:00-10:00 2011-12-31T00:00+14:00 2011-12-31T12:00+14:00"},
		{"29 February around 2100", "0 0 29 2 *", "UTC", "2095-01-01T00:00+00:00", "2105-01-01T00:00+00:00", "2096-02-29T00:00+00:00 2104-02-29T00:00+00:00"},
		{"the 31st", "0 0 31 * *", "UTC", "2026-03-01T00:00+00:00", "2026-08-01T00:00+00:00", "2026-03-31T00:00+00:00 2026-05-31T00:00+00:00 2026-07-31T00:00+00:00"},
		{"@weekly", "@weekly", "UTC", "2026-11-30T00:00+00:00", "2026-12-14T00:00+00:00", "2026-12-06T00:00+00:00 2026-12-13T00:00+00:00"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := strings.Join(upTo(t, c.cron, c.zone, c.from, c.to), " "); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// TestBruteForce: minute by minute through two years of zones with all kinds of changes,
// the wall clock shows just what Next says.
func TestBruteForce(t *testing.T) {
	r := rand.New(rand.NewPCG(26, 2))
	field := func(low, high int) string {
		a := low + r.IntN(high-low+1)
		return []string{"*", "*", fmt.Sprint(a), fmt.Sprint(a), fmt.Sprintf("%d-%d", a, a+r.IntN(high-a+1)), fmt.Sprintf("*/%d", 1+r.IntN(high))}[r.IntN(6)]
	}
	zones := []string{"Europe/Rome", "America/New_York", "Australia/Lord_Howe", "America/St_Johns", "Africa/Casablanca", "Asia/Kathmandu", "UTC", "America/Sao_Paulo", "Pacific/Apia"}
	for range 20 {
		zone := zones[r.IntN(len(zones))]
		text := strings.Join([]string{field(0, 59), field(0, 23), field(1, 28), field(1, 12), field(0, 6)}, " ")
		x, err := Parse(text, zone)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		loc, _ := time.LoadLocation(zone)
		from := time.Date(2010+r.IntN(17), time.Month(1+r.IntN(12)), 1+r.IntN(28), 0, 0, 0, 0, loc)
		to := from.AddDate(0, 2, 0)
		var got, want []string
		for at := x.Next(from); !at.IsZero() && !at.After(to); at = x.Next(at) {
			got = append(got, at.In(loc).Format(stamp))
		}
		seen := onWall(from) // the furthest that the clock has shown
		for at := from.Add(time.Minute); !at.After(to); at = at.Add(time.Minute) {
			due := false
			for w := seen.Add(time.Minute); !w.After(onWall(at.In(loc))); w = w.Add(time.Minute) {
				due = due || names(x, w)
				seen = w
			}
			if due {
				want = append(want, at.In(loc).Format(stamp))
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%s in %s from %s:\ngot  %q\nwant %q", text, zone, from, got, want)
		}
	}
}

// names tells whether an expression names a minute of the wall clock.
func names(x Times, w time.Time) bool { return x.wall.Next(w.Add(-time.Second)).Equal(w) }

func TestRefused(t *testing.T) {
	for _, c := range []struct{ cron, zone, want string }{
		{"0 0 31 2 *", "UTC", "never comes"},
		{"0 0 30 2 *", "UTC", "never comes"},
		{"0 25 * * *", "UTC", `"25" cannot be the hour (0-23)`},
		{"61 * * * *", "UTC", `"61" cannot be the minute (0-59)`},
		{"* * * JUNK *", "UTC", `"JUNK" cannot be the month (1-12)`},
		{"* * * * 8", "UTC", `"8" cannot be the day of the week`},
		{"* * *", "UTC", "has 3 fields; cron has 5"},
		{"0 0 0 * * *", "UTC", "has 6 fields"},
		{"", "UTC", "has 0 fields"},
		{"@nightly", "UTC", "there is no @nightly; there are @hourly"},
		{"@every 5m", "UTC", "write the minutes"},
		{"@reboot", "UTC", "no restarts"},
		{"TZ=UTC 0 0 * * *", "UTC", "write 'timezone'"},
		{"0 0 * * *", "Rome", `there is no time zone "Rome"`},
		{"0 0 * * *", "Local", "the same on each machine"},
	} {
		if _, err := Parse(c.cron, c.zone); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q in %s: got %v, want %q in it", c.cron, c.zone, err, c.want)
		}
	}
}

func TestFirst(t *testing.T) {
	a, _ := Parse("0 2 * * *", "Europe/Rome")
	b, _ := Parse("0 2 * * *", "UTC")
	now := time.Date(2026, 7, 1, 1, 0, 0, 0, time.UTC)
	if got := First([]Times{a, b}, now); !got.Equal(time.Date(2026, 7, 1, 2, 0, 0, 0, time.UTC)) {
		t.Errorf("got %s", got)
	}
	if got := First(nil, now); !got.IsZero() {
		t.Errorf("of nothing: got %s", got)
	}
}
