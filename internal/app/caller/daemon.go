package caller

import (
	"encoding/json"
	"errors"
	"os"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/place"
	"github.com/piton-project/piton/internal/setup"
	"github.com/piton-project/piton/internal/store/localfs"
)

// Daemon is the daemon of a home, as it says of itself.
type Daemon struct {
	PID       int        `json:"pid"`
	Version   string     `json:"version"`
	StartedAt piton.Time `json:"started_at"`
	Socket    string     `json:"socket"`
	Listen    string     `json:"listen,omitempty"` // its address on the loopback
}

// Daemon is the daemon that runs in this home; false where none does.
func (a *env) Daemon() (Daemon, bool) {
	path := place.DaemonLock(a.Options.Home)
	if !localfs.Held(path) {
		return Daemon{}, false
	}
	return readDaemon(path), true
}

// readDaemon is what the file says of who has it locked; what cannot be read is empty.
func readDaemon(path string) (d Daemon) {
	f, err := localfs.OpenOwn(path, false)
	if err != nil {
		return d
	}
	defer f.Close()
	if text, err := localfs.ReadAll(f, sizeOf(f), maxDaemonFile); err == nil {
		_ = json.Unmarshal(text, &d)
	}
	return d
}

const maxDaemonFile = 64 << 10

func sizeOf(f *os.File) int64 {
	info, err := f.Stat()
	if err != nil {
		return 0
	}
	return info.Size()
}

// lockPatience is how long a daemon waits for one that ends.
const lockPatience = 3 * time.Second

// BeDaemon makes this process the daemon of the home until release is called: there is
// one at a time. Conflict, which names the other, where there is one.
func (a *env) BeDaemon() (release func(), err error) {
	const op = "start the daemon"
	path := place.DaemonLock(a.Options.Home)
	if err := os.MkdirAll(a.Options.Home, 0o700); err != nil {
		return nil, &piton.Error{Code: piton.Unavailable, Op: op, Hint: "name a folder that can be written to: PITON_HOME", Err: err}
	}
	if info, err := os.Stat(a.Options.Home); err == nil && setup.OpenToAll(info) {
		return nil, piton.Errorf(piton.Invalid, op, "make it yours alone: chmod 700 "+a.Options.Home, "everybody can change what is in %s (mode %04o): the token, the socket and the store", a.Options.Home, info.Mode().Perm())
	}
	for end := time.Now().Add(lockPatience); ; time.Sleep(20 * time.Millisecond) {
		release, err = localfs.TryLock(path)
		if !errors.Is(err, localfs.ErrBusy) || time.Now().After(end) {
			break
		}
	}
	switch {
	case errors.Is(err, localfs.ErrBusy):
		other := readDaemon(path)
		return nil, piton.Errorf(piton.Conflict, op, "end that one first, or give this one a home of its own: PITON_HOME",
			"a daemon runs in %s already: process %d, version %s, since %s", a.Options.Home, other.PID, other.Version, other.StartedAt)
	case err != nil:
		return nil, &piton.Error{Code: piton.Unavailable, Op: op, Hint: "look at the file " + path, Err: err}
	}
	return release, nil
}

// SayDaemon writes down who the daemon is. It is called by the daemon alone.
func (a *env) SayDaemon(d Daemon) error {
	d.PID, d.Version = os.Getpid(), piton.Version()
	text, err := json.Marshal(d)
	if err != nil {
		return err
	}
	f, err := localfs.OpenOwn(place.DaemonLock(a.Options.Home), true)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Truncate(0); err != nil {
		return err
	}
	_, err = f.Write(append(text, '\n'))
	return err
}
