//go:build unix

package main

import (
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton/internal/agent"
)

// rss is what a process has in memory, in KiB; 0 where the system does not tell.
func rss(c *exec.Cmd) int {
	b, _ := os.ReadFile(fmt.Sprint("/proc/", c.Process.Pid, "/status"))
	for line := range strings.Lines(string(b)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			n, _ := strconv.Atoi(strings.Fields(rest)[0])
			return n
		}
	}
	return 0
}

// drain waits until no letter waits but those to the listener that is dead: each has
// arrived, was given up, or has expired. Without a daemon it is what hooks start that
// delivers.
func (l *load) drain(daemon bool) {
	l.t.Helper()
	waiting := -1
	for end := time.Now().Add(agent.AnnouncementLasts + 3*time.Minute); time.Now().Before(end); time.Sleep(200 * time.Millisecond) {
		if !daemon {
			_, _ = l.piton("flush")
		}
		waiting = 0
		l.query(`SELECT COUNT(*) FROM letters WHERE done_at = 0 AND recipient <> 'listener:dead'`, func(r *sql.Rows) error { return r.Scan(&waiting) })
		if waiting == 0 {
			return
		}
	}
	l.t.Errorf("got %d letters that still wait, want none", waiting)
}

// account is what became of the announcements to one listener. An announcement that
// could not be delivered in 5 minutes has expired: a slow listener may miss some.
type account struct {
	delivered, expired, parked, waiting int
	lost                                int // neither, though the stop was acknowledged
}

func (a account) String() string {
	written := a.delivered + a.expired + a.parked + a.waiting + a.lost
	return fmt.Sprintf("%d written = %d delivered + %d expired + %d parked + %d waiting + %d lost", written, a.delivered, a.expired, a.parked, a.waiting, a.lost)
}

// compare holds what the outbox says against what the listeners got, and what the
// hooks said against what is kept.
func (l *load) compare() {
	l.t.Helper()
	l.webhooks.mu.Lock()
	defer l.webhooks.mu.Unlock()
	wrong := 0
	errorf := func(format string, args ...any) {
		if wrong++; wrong <= 20 {
			l.t.Errorf(format, args...)
		}
	}
	accounts, rows := map[string]account{}, map[string]int{} // by listener
	l.query(`SELECT id, recipient, kind, expires, done_at, outcome FROM letters`, func(r *sql.Rows) error {
		var x loadLetter
		if err := r.Scan(&x.id, &x.to, &x.kind, &x.expires, &x.done, &x.outcome); err != nil {
			return err
		}
		x.to = strings.TrimPrefix(x.to, "listener:")
		arrived := l.webhooks.got[x.to][x.id] > 0
		if why := x.wrong(arrived); why != "" {
			errorf("letter %s to %s: got %q, %s", x.id, x.to, x.outcome, why)
		}
		if x.kind == string(agent.LetterAnnounce) {
			rows[x.to]++
			accounts[x.to] = accounts[x.to].with(x, arrived)
		}
		return nil
	})
	stops := l.stops
	for _, n := range l.unkept(agent.EventStop) {
		stops -= n
	}
	for _, name := range []string{"fast", "slow", "flaky", "dead"} {
		a := accounts[name]
		a.lost += max(0, stops-rows[name])
		if rows[name] != stops || a.lost > 0 {
			l.t.Errorf("%s: got %d letters of %d stops that were acknowledged, %d of them lost, want one of each", name, rows[name], stops, a.lost)
		}
		l.t.Logf("announcements to %-5s %v", name+":", a)
	}
	turns := map[string]int{}
	l.query(`SELECT client_id, MAX(n) FROM sessions JOIN turns ON session_id = id GROUP BY client_id`, func(r *sql.Rows) error {
		var id string
		var n int
		err := r.Scan(&id, &n)
		turns[id] = n
		return err
	})
	unkept := l.unkept(agent.EventPrompt)
	for id, want := range l.prompts {
		if turns[id] > want || turns[id] < want-unkept[id] { // the turn of such a prompt may begin with what comes next
			l.t.Errorf("session %s: got turn %d, want the %d prompts that were acknowledged", id, turns[id], want)
		}
	}
}

// unkept is how many events of a kind, by session, hooks say that they could not keep
// because the store's lock was held for longer than they may wait, as where the machine
// stands still: they were not acknowledged.
func (l *load) unkept(kind agent.EventKind) map[string]int {
	l.t.Helper()
	text, err := os.ReadFile(l.dir + "/state/piton.log")
	if err != nil && !os.IsNotExist(err) {
		l.t.Error(err)
	}
	list := map[string]int{}
	for line := range strings.Lines(string(text)) {
		if strings.Contains(line, "the event was not kept") && strings.Contains(line, " kind="+string(kind)+" ") && strings.Contains(line, "another process") {
			_, rest, _ := strings.Cut(line, " session=")
			id, _, _ := strings.Cut(rest, " ")
			list[id]++
			l.t.Logf("not acknowledged: %s", strings.TrimSpace(line))
		}
	}
	return list
}

// loadLetter is a row of the outbox; its times are in milliseconds.
type loadLetter struct {
	id, to, kind  string
	expires, done int64
	outcome       string
}

// expired reports whether it was dropped at its time, and not before.
func (x loadLetter) expired() bool {
	return x.done != 0 && x.expires != 0 && x.done >= x.expires && strings.HasPrefix(x.outcome, agent.LetterDropped+":")
}

// wrong says what is wrong with what became of a letter; "": nothing is.
func (x loadLetter) wrong(arrived bool) string {
	switch what, _, _ := strings.Cut(x.outcome, ":"); {
	case x.done == 0:
		return "" // drain has looked
	case what == agent.LetterDelivered && !arrived:
		return "and it did not arrive"
	case what == agent.LetterDropped && (!x.expired() || x.to == "fast"):
		return "want it delivered"
	case what == agent.LetterParked && x.to != "dead" && x.to != "flaky":
		return "want it delivered"
	}
	return ""
}

// with is the account with one letter more.
func (a account) with(x loadLetter, arrived bool) account {
	switch what, _, _ := strings.Cut(x.outcome, ":"); {
	case x.done == 0:
		a.waiting++
	case what == agent.LetterDelivered && arrived:
		a.delivered++
	case what == agent.LetterParked:
		a.parked++
	case x.expired():
		a.expired++
	default:
		a.lost++
	}
	return a
}

// report prints the figures.
func (l *load) report(took time.Duration, d *loadDaemon) {
	n := 0
	for event, all := range l.took {
		n += len(all)
		l.t.Logf("%-18s %6d hooks, p50 %v, p99 %v", event, len(all), quantile(all, 0.5).Round(10*time.Microsecond), quantile(all, 0.99).Round(10*time.Microsecond))
	}
	l.t.Logf("%d sessions, %.0f hooks a second; delivery p50 %v, p99 %v; doubled %d", l.sessions, float64(n)/took.Seconds(),
		quantile(l.webhooks.lags, 0.5).Round(time.Millisecond), quantile(l.webhooks.lags, 0.99).Round(time.Millisecond), l.webhooks.doubled())
	if d != nil {
		l.t.Logf("the daemon was killed %d times; in memory %d KiB when the first one began to serve, %d KiB when the last one did, %d KiB at its end", d.kills, d.rss.first, d.rss.last, d.rss.end)
	}
}

// TestLoadAccount: what counts as lost, and what a listener may miss.
func TestLoadAccount(t *testing.T) {
	for _, c := range []struct {
		name, to      string
		expires, done int64
		outcome       string
		arrived       bool
		want          account
		wrong         bool
	}{
		{"delivered", "fast", 5, 1, "delivered", true, account{delivered: 1}, false},
		{"called delivered, and never arrived", "fast", 5, 1, "delivered", false, account{lost: 1}, true},
		{"expired at a slow listener", "slow", 5, 5, "dropped: it expired", false, account{expired: 1}, false},
		{"expired at one that answers at once", "fast", 5, 5, "dropped: it expired", false, account{expired: 1}, true},
		{"dropped before its time", "slow", 5, 4, "dropped: it expired", false, account{lost: 1}, true},
		{"dropped, and it never expires", "slow", 0, 4, "dropped: x", false, account{lost: 1}, true},
		{"given up at a listener that fails", "flaky", 5, 4, "parked: x", false, account{parked: 1}, false},
		{"given up at one that does not fail", "slow", 5, 4, "parked: x", false, account{parked: 1}, true},
		{"tried, and it waits", "dead", 5, 0, "connection refused", false, account{waiting: 1}, false},
	} {
		x := loadLetter{to: c.to, expires: c.expires, done: c.done, outcome: c.outcome}
		if got := (account{}).with(x, c.arrived); got != c.want {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
		if why := x.wrong(c.arrived); (why != "") != c.wrong {
			t.Errorf("%s: got %q, want something wrong: %v", c.name, why, c.wrong)
		}
	}
}
