package proc

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"
)

// Child is a program that was started to talk with us over its stdin and stdout.
type Child struct {
	In  io.WriteCloser // what it reads
	Out io.ReadCloser  // what it writes
	// Done is closed when it has ended; then Code is its exit status.
	Done chan struct{}
	Code int

	group group
	begun *brood
	grace time.Duration
	mark  string
	once  sync.Once
}

// Start starts a program and returns at once. It runs in a session of its own, which
// ends with it and with us. Of c it takes Argv, Dir, Env, Err, Mark and Grace. Whoever
// starts a program calls End.
func Start(c Command) (*Child, error) {
	if len(c.Argv) == 0 {
		return nil, errors.New("start: no program named")
	}
	c.Grace = cmp.Or(c.Grace, grace)
	cmd := exec.Command(c.Argv[0], c.Argv[1:]...)
	cmd.Dir, cmd.Env = c.Dir, c.environ()
	p := &Child{Done: make(chan struct{}), grace: c.Grace, mark: c.Mark, group: newGroup(cmd, true)}
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, theirs, err := os.Pipe() // not StdoutPipe: Wait would close it before all is read
	if err != nil {
		in.Close()
		return nil, err
	}
	p.In, p.Out, cmd.Stdout = in, out, theirs
	var errs *stream
	if c.Err != nil {
		if errs, err = newStream(c.Err); err != nil {
			in.Close()
			out.Close()
			theirs.Close()
			return nil, fmt.Errorf("run %s: %w", c.Argv[0], err)
		}
		cmd.Stderr = errs.theirs
	}
	watch := newWatcher()
	p.begun, err = start(cmd, true)
	theirs.Close()
	if err != nil {
		in.Close()
		out.Close()
		watch.end()
		if errs != nil {
			errs.close()
		}
		return nil, startError(c, err)
	}
	if errs != nil {
		errs.theirs.Close()
	}
	watch.name(p.group)
	go func() {
		cmd.Wait()
		if errs != nil {
			errs.wait(time.Now().Add(c.Grace))
		}
		p.group.kill(time.Time{})
		watch.end()
		p.Code = exitCode(cmd.ProcessState)
		p.begun.done(cmd.Process.Pid)
		close(p.Done)
	}()
	return p, nil
}

// End closes the program's stdin, and where it does not end by itself within Grace,
// tells it to, and kills it after Grace again: its whole group, and what has the Mark.
func (p *Child) End() {
	p.once.Do(func() {
		p.In.Close()
		if !p.ends() {
			_ = p.group.terminate()
			if !p.ends() {
				p.group.kill(time.Time{})
				_ = p.group.cmd.Process.Kill()
				<-p.Done
			}
		}
		p.begun.end()
		if p.mark != "" {
			EndMarked(p.mark)
		}
		p.Out.Close()
	})
}

// ends waits for the program's end, for Grace.
func (p *Child) ends() bool {
	select {
	case <-p.Done:
		return true
	case <-time.After(p.grace):
		return false
	}
}
