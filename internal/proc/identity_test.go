package proc

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"testing"

	"github.com/piton-project/piton/internal/testkit/need"
)

func TestIdentityOfTheLiving(t *testing.T) {
	i, err := Identify(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	if alive, known := i.Alive(); !alive || !known {
		t.Fatalf("got alive %v, known %v for ourselves, want both", alive, known)
	}
	if i.Start == "" {
		need.Missing(t, "no /proc here")
	}
	for _, tc := range []struct {
		name         string
		change       func(*Identity)
		alive, known bool
	}{
		{"pid given out again", func(i *Identity) { i.Start += "1" }, false, true},
		{"machine started again", func(i *Identity) { i.Boot = "another" }, false, true},
		{"another pid namespace", func(i *Identity) { i.Space = "pid:[1]" }, false, false},
		{"only a pid", func(i *Identity) { *i = Identity{PID: i.PID} }, true, true},
		{"nobody", func(i *Identity) { *i = Identity{} }, false, false},
		{"a group, not a process", func(i *Identity) { i.PID = -i.PID }, false, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			other := i
			tc.change(&other)
			if alive, known := other.Alive(); alive != tc.alive || known != tc.known {
				t.Errorf("got alive %v, known %v, want %v, %v", alive, known, tc.alive, tc.known)
			}
		})
	}
}

func TestIdentityOfTheDead(t *testing.T) {
	cmd := exec.Command("sleep", "60")
	if err := cmd.Start(); err != nil {
		need.Missing(t, err.Error())
	}
	i, err := Identify(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	if alive, known := i.Alive(); alive || !known {
		t.Errorf("got alive %v, known %v, want it known to be gone", alive, known)
	}
	for _, pid := range []int{i.PID, 0, -1} {
		if _, err := Identify(pid); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("identify %d: got %v, want %v", pid, err, fs.ErrNotExist)
		}
	}
}

func TestParseStat(t *testing.T) {
	const tail = " 1 1 1 0 -1 4194560 0 0 0 0 0 0 0 0 20 0 1 0 4711 0 0"
	for _, tc := range []struct {
		name, stat, start string
		zombie, bad       bool
	}{
		{"plain", "12 (sleep) S" + tail, "4711", false, false},
		{"name with blanks and parentheses", "12 (a) Z 1 (b c) R" + tail, "4711", false, false},
		{"zombie", "12 (sh) Z" + tail, "4711", true, false},
		{"empty", "", "", false, true},
		{"short", "12 (sh) S 1 2", "", false, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			st, err := parseStatus([]byte(tc.stat))
			if st.start != tc.start || st.ended != tc.zombie || (err != nil) != tc.bad {
				t.Errorf("got %q, zombie %v, %v, want %q, %v, an error: %v", st.start, st.ended, err, tc.start, tc.zombie, tc.bad)
			}
		})
	}
}
