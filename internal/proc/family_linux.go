package proc

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// relatives are what this process has started, and what those have started. What leaves
// its group, its session and its environment is still somebody's child: it is seen
// while its parent lives, and where this process adopts, it becomes ours when its
// parent ends.
type relatives struct {
	forking sync.RWMutex // a look at our children does not fall into a start
	mu      sync.Mutex   // over all that follows
	adopts  bool         // set by Adopt
	asked   bool         // the system was asked to hand orphans to us
	ours    map[int]bool // what this process has started itself
	orphans map[int]bool // what has become ours, and is waited for
	atWork  map[*brood]bool
	ended   []*brood      // since the last look
	joined  int           // how many have ever been seen
	watched bool          // watch is at work
	begun   chan struct{} // wakes it
}

// brood is a command and all that is known to have come of it.
type brood struct {
	whole bool              // it is ended as a whole
	known map[Identity]bool // false: it has ended
}

var kin = relatives{ours: map[int]bool{}, orphans: map[int]bool{}, atWork: map[*brood]bool{}, begun: make(chan struct{}, 1)}

// How often the children of commands that are ended as a whole are looked at: often where
// somebody has just joined, and some two seconds later seldom.
const (
	often  = 25 * time.Millisecond
	seldom = 10 * often
)

// Adopt has what loses its parent below a step become this process's child, from the
// first step on, so that it can be ended with the step. Only a program of Piton's own
// may call it: it takes every child that package proc did not start, and that is in
// another session, for such an orphan.
func Adopt() {
	kin.mu.Lock()
	kin.adopts = true
	kin.mu.Unlock()
}

// start starts a command as one of the family.
func start(cmd *exec.Cmd, whole bool) (*brood, error) {
	if whole {
		kin.look(true) // what there is now came of others
	}
	kin.forking.RLock()
	defer kin.forking.RUnlock()
	kin.mu.Lock()
	if whole && kin.adopts && !kin.asked {
		kin.asked = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == nil
	}
	kin.mu.Unlock()
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	b := &brood{whole: whole, known: map[Identity]bool{}}
	kin.mu.Lock()
	defer kin.mu.Unlock()
	kin.ours[cmd.Process.Pid] = true
	kin.atWork[b] = true
	if whole {
		if id, err := Identify(cmd.Process.Pid); err == nil {
			b.known[id] = true
		}
		if kin.joined++; !kin.watched {
			kin.watched = true
			go kin.watch()
		}
		select {
		case kin.begun <- struct{}{}:
		default:
		}
	}
	return b, nil
}

// nextLook is the time until the next look.
func nextLook(last time.Duration, joined bool) time.Duration {
	if joined {
		return often
	}
	return min(last+last/8, seldom)
}

// watch looks at the family while a command is at work that is ended as a whole.
func (f *relatives) watch() {
	before := 0
	for every := often; ; {
		select {
		case <-f.begun:
			every = often
		case <-time.After(every):
		}
		f.look(false)
		f.mu.Lock()
		every = nextLook(every, f.joined != before)
		before, f.watched = f.joined, false
		for b := range f.atWork {
			f.watched = f.watched || b.whole
		}
		goesOn := f.watched
		f.mu.Unlock()
		if !goesOn {
			return
		}
	}
}

// end ends all that is known of a command and still there.
func (b *brood) end() {
	for range 10 { // one may begin another just before it is killed
		kin.look(true)
		found := false
		kin.mu.Lock()
		b.grow()
		for id, lives := range b.known {
			if alive, known := id.Alive(); lives && alive && known {
				found = syscall.Kill(id.PID, syscall.SIGKILL) == nil || found
			}
		}
		kin.mu.Unlock()
		if !found {
			return
		}
		time.Sleep(time.Millisecond) // until they are gone
	}
}

// leave says of a command that nothing comes of it, or nothing that is looked for.
func (b *brood) leave() {
	kin.mu.Lock()
	defer kin.mu.Unlock()
	delete(kin.atWork, b)
}

// done takes a command out of the family that has ended and was waited for.
func (b *brood) done(pid int) {
	kin.mu.Lock()
	defer kin.mu.Unlock()
	delete(kin.ours, pid)
	if kin.atWork[b] {
		delete(kin.atWork, b)
		kin.ended = append(kin.ended, b)
	}
}

func look() { kin.look(true) }

// look finds who has joined. An orphan belongs to the command whose session or group
// it is in, or to the only one that was at work since the last look; of any other
// nobody knows whose it is, and it is left alone. waits: a start that is under way is
// waited for.
func (f *relatives) look(waits bool) {
	if waits {
		f.forking.Lock()
	} else if !f.forking.TryLock() {
		return // the next look sees them
	}
	kids := children(os.Getpid())
	f.forking.Unlock()
	f.mu.Lock()
	defer f.mu.Unlock()
	for b := range f.atWork {
		b.grow()
	}
	for _, pid := range kids {
		if !f.asked || f.ours[pid] || f.orphans[pid] {
			continue
		}
		st, err := readStatus(pid)
		if err != nil || st.session == ownSession() {
			continue // what other packages start stays in our session
		}
		f.orphans[pid] = true
		f.joined++
		id, err := Identify(pid)
		if b := f.parent(st); b != nil && err == nil {
			b.known[id] = true
			b.grow()
		}
		go f.bury(pid)
	}
	f.ended = nil
}

// bury waits for an orphan's end, as its parent has to.
func (f *relatives) bury(pid int) {
	for {
		if _, err := syscall.Wait4(pid, nil, 0, nil); err != syscall.EINTR {
			break
		}
	}
	f.mu.Lock()
	delete(f.orphans, pid)
	f.mu.Unlock()
}

// parent is the command that an orphan came of; nil where nobody knows.
func (f *relatives) parent(st status) (only *brood) {
	some := f.ended
	for b := range f.atWork {
		some = append(some[:len(some):len(some)], b)
	}
	for _, b := range some {
		for id := range b.known {
			if id.PID == st.session || id.PID == st.group {
				return b
			}
		}
	}
	if len(some) == 1 && some[0].whole {
		only = some[0]
	}
	return only
}

// grow adds the children of those who are known.
func (b *brood) grow() {
	for more := b.whole; more; {
		more = false
		for id, lives := range b.known {
			if !lives {
				continue
			}
			if alive, known := id.Alive(); known && !alive {
				b.known[id] = false // its number may be another's by now
				continue
			}
			for _, pid := range children(id.PID) {
				child, err := Identify(pid)
				if _, seen := b.known[child]; err != nil || seen {
					continue
				}
				if alive, known := id.Alive(); alive && known {
					b.known[child], more = true, true
					kin.joined++
				}
			}
		}
	}
}

var ownSession = sync.OnceValue(func() int {
	st, _ := readStatus(os.Getpid())
	return st.session
})

// children are a process's own; none where the system does not list them.
func children(pid int) (list []int) {
	tasks, _ := filepath.Glob("/proc/" + strconv.Itoa(pid) + "/task/*/children")
	for _, name := range tasks {
		text, _ := os.ReadFile(name)
		for _, word := range strings.Fields(string(text)) {
			if n, err := strconv.Atoi(word); err == nil {
				list = append(list, n)
			}
		}
	}
	return list
}
