package pgtest

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Cluster is a running PostgreSQL server with a folder of its own.
type Cluster struct {
	Dir string // of the socket; the data lie in Dir/data

	bin   string
	made  int // databases
	watch *exec.Cmd
	in    io.WriteCloser
	ended chan struct{} // closed when the watching shell has ended
}

// settings of every cluster. Everything that makes a save durable is on, as it
// is by default.
const settings = `
listen_addresses = ''
unix_socket_permissions = 0700
shared_buffers = 32MB
max_connections = 100
lc_messages = 'C'
log_min_messages = 'warning'
fsync = on
`

// startLimit is how long a server may take to come up.
const startLimit = time.Minute

// watcher runs the server ($1 is the program, $2 the folder) until it reads
// how to end it: "fast" in order, "quit" at once, "kill" its first process
// alone, "end" with all that belongs to it. No word at all means that our process has died.
const watcher = `
trap : PIPE
"$1/postgres" -D "$2/data" -k "$2" </dev/null &
pid=$!
read how || how=end
case $how in
fast) kill -INT $pid ;;
kill) kill -KILL $pid ;;
*) kill -QUIT $pid ;;
esac
wait $pid
if [ "$how" = end ]; then rm -rf "$2"; fi
`

// guard runs a program ($2 and on) and, should our process die before it has
// ended, ends it and removes the folder ($1).
const guard = `
trap : PIPE # a word of the shell's own finds nobody then
dir=$1; shift
exec 3<&0
"$@" </dev/null 3<&- &
pid=$!
{ read word || { : >"$dir/orphan"; kill -TERM $pid; }; } <&3 >/dev/null 2>&1 &
watch=$!
wait $pid
status=$?
kill $watch 2>/dev/null
if [ -e "$dir/orphan" ]; then rm -rf "$dir"; fi
exit $status
`

// Start makes a cluster in dir, which must be empty and have a short path, or
// in a new folder under /dev/shm or /tmp for "", and starts its server. It must be closed;
// if the process dies without, the server ends all the same. Run as root, it
// runs the server as the user postgres or nobody and gives that user dir.
func Start(dir string) (*Cluster, error) {
	bin, err := binaries()
	if err != nil {
		return nil, err
	}
	if dir == "" {
		// Not os.TempDir: a socket's path has at most 103 bytes. In memory where that can
		// be: what the server syncs is read by nobody after a loss of power.
		if dir, err = os.MkdirTemp("/dev/shm", "pgtest"); err != nil {
			dir, err = os.MkdirTemp("/tmp", "pgtest")
		}
		if err != nil {
			return nil, err
		}
	}
	c := &Cluster{Dir: dir, bin: bin}
	if err := c.init(); err != nil {
		os.RemoveAll(dir)
		return nil, err
	}
	if err := c.Start(); err != nil {
		os.RemoveAll(dir)
		return nil, err
	}
	return c, nil
}

func (c *Cluster) init() error {
	if err := give(c.Dir); err != nil {
		return err
	}
	// Names sort by their language, as on a server that somebody set up at home.
	args := []string{"-D", filepath.Join(c.Dir, "data"), "-U", "piton", "-E", "UTF8", "--locale=C", "--auth=trust", "--data-checksums", "--no-sync"}
	icu := append(slices.Clone(args), "--locale-provider=icu", "--icu-locale=en-US")
	if c.initdb(icu) != nil {
		// Before PostgreSQL 15, or built without ICU.
		if err := os.RemoveAll(filepath.Join(c.Dir, "data")); err != nil {
			return err
		}
		if err := c.initdb(args); err != nil {
			return err
		}
	}
	f, err := os.OpenFile(filepath.Join(c.Dir, "data", "postgresql.conf"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	if _, err := f.WriteString(settings); err != nil {
		f.Close()
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	// One role is asked for its password.
	hba := "local all locked scram-sha-256\nlocal all all trust\n"
	return os.WriteFile(filepath.Join(c.Dir, "data", "pg_hba.conf"), []byte(hba), 0o600)
}

func (c *Cluster) initdb(args []string) error {
	cmd := exec.Command("/bin/sh", append([]string{"-c", guard, "sh", c.Dir, filepath.Join(c.bin, "initdb")}, args...)...)
	cmd.Dir = c.Dir
	as(cmd)
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	defer in.Close()
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w: %s", err, out)
	}
	return nil
}

// Start starts the server again that Stop, Quit or Kill has ended.
func (c *Cluster) Start() error {
	for begin := time.Now(); ; {
		err := c.start()
		// A killed server's other processes hold its memory until they notice.
		if err == nil || !strings.Contains(err.Error(), "shared memory block") || time.Since(begin) > startLimit {
			return err
		}
	}
}

func (c *Cluster) start() error {
	cmd := exec.Command("/bin/sh", "-c", watcher, "sh", c.bin, c.Dir)
	cmd.Dir = c.Dir
	as(cmd)
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	log, err := cmd.StderrPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	c.watch, c.in, c.ended = cmd, in, make(chan struct{})
	up := make(chan error, 1)
	go c.listen(log, up)
	select {
	case err = <-up:
	case <-time.After(startLimit):
		err = errors.New("the server did not come up")
	}
	if err != nil {
		c.end("fast")
	}
	return err
}

// listen reads the server's log to its end and says when it is up.
func (c *Cluster) listen(log io.Reader, up chan<- error) {
	var said strings.Builder
	lines, ready := bufio.NewScanner(log), false
	for lines.Scan() {
		switch {
		case ready:
		case strings.Contains(lines.Text(), "database system is ready to accept connections"):
			ready = true
			up <- nil
		case strings.Contains(lines.Text(), "FATAL:  the database system is"): // it refuses a client that is too early
		case strings.Contains(lines.Text(), "FATAL"):
			ready = true
			up <- errors.New(said.String() + lines.Text())
		default:
			said.WriteString(lines.Text() + "\n")
		}
	}
	if !ready {
		up <- errors.New("the server has ended: " + said.String())
	}
	c.watch.Wait()
	close(c.ended)
}

// end tells the watching shell how to end the server and waits until both are
// gone.
func (c *Cluster) end(how string) {
	if c.in == nil {
		return
	}
	io.WriteString(c.in, how+"\n") // fails only if the shell is gone
	c.in.Close()
	<-c.ended
	c.in = nil
}

// Stop ends the server in order; Start brings it back.
func (c *Cluster) Stop() { c.end("fast") }

// Quit ends the server at once: what it was doing is broken off, and the next
// start recovers from its log.
func (c *Cluster) Quit() { c.end("quit") }

// Kill kills the server's first process and leaves the others to notice.
func (c *Cluster) Kill() { c.end("kill") }

// Close ends the server and removes its folder.
func (c *Cluster) Close() error {
	c.end("end")
	return os.RemoveAll(c.Dir)
}

// DSN is the address of a database.
func (c *Cluster) DSN(database string) string { return c.As("piton", "", database) }

// As is the address of a database for a user with a password. The role locked
// is the one whose password is asked for; a test makes it.
func (c *Cluster) As(user, password, database string) string {
	u := url.URL{Scheme: "postgres", User: url.User(user), Path: "/" + database, RawQuery: url.Values{"host": {c.Dir}}.Encode()}
	if password != "" {
		u.User = url.UserPassword(user, password)
	}
	return u.String()
}

// binaries finds the folder of initdb and postgres, the newest version's.
func binaries() (string, error) {
	var dirs []string
	for _, pattern := range []string{"/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/opt/homebrew/opt/postgresql@*/bin", "/usr/local/opt/postgresql@*/bin"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			return "", err
		}
		dirs = append(dirs, found...)
	}
	slices.Reverse(dirs)
	for _, dir := range append(filepath.SplitList(os.Getenv("PATH")), dirs...) {
		if dir, ok := holds(dir); ok {
			return dir, nil
		}
	}
	return "", errors.New("PostgreSQL's programs initdb and postgres are not there (scripts/postgres installs them)")
}

// holds tells whether a folder has both programs, and where they really lie:
// beside them are the files they need.
func holds(dir string) (string, bool) {
	var real string
	for _, name := range []string{"postgres", "initdb"} {
		path, err := exec.LookPath(filepath.Join(dir, name))
		if err != nil {
			return "", false
		}
		if real, err = filepath.EvalSymlinks(path); err != nil {
			return "", false
		}
	}
	return filepath.Dir(real), true
}
