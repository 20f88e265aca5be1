package daemon

import (
	"net"
	"os"
	"strconv"
	"time"
)

// Manager is the service manager that has started this process (sd_notify(3)).
type Manager struct {
	socket string
	// Watchdog is how long it waits for a sign of life; 0: it does not.
	Watchdog time.Duration
}

// managers are the variables with which a manager speaks. They are for this process
// and not for what it starts.
var managers = []string{"NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"}

// TakeManager reads who has started this process, and takes that out of the
// environment of what it will start.
func TakeManager(getenv func(string) string) Manager {
	var m Manager
	if path := getenv("NOTIFY_SOCKET"); path != "" && (path[0] == '/' || path[0] == '@') {
		m.socket = path // a leading @ means an abstract name
	}
	n, err := strconv.ParseInt(getenv("WATCHDOG_USEC"), 10, 64)
	if pid := getenv("WATCHDOG_PID"); err == nil && n > 0 && (pid == "" || pid == strconv.Itoa(os.Getpid())) {
		m.Watchdog = time.Duration(n) * time.Microsecond
	}
	for _, name := range managers {
		os.Unsetenv(name)
	}
	return m
}

// tell tells the manager how the daemon stands. A manager that is gone disturbs
// nothing.
func (m Manager) tell(state string) {
	if m.socket == "" {
		return
	}
	c, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: m.socket, Net: "unixgram"})
	if err != nil {
		return
	}
	defer c.Close()
	_ = c.SetWriteDeadline(time.Now().Add(time.Second))
	_, _ = c.Write([]byte(state))
}

// beat ticks twice in the time after which the manager takes the daemon for dead;
// never where it does not watch.
func (m Manager) beat() (beat <-chan time.Time, stop func()) {
	if m.Watchdog <= 0 {
		return nil, func() {}
	}
	t := time.NewTicker(max(m.Watchdog/2, 10*time.Millisecond))
	return t.C, t.Stop
}
