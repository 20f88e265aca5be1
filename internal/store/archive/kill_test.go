package archive_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton/internal/store/archive"
)

// childEnv makes this binary a program that writes archives without end.
const childEnv = "PITON_TEST_ARCHIVE_CHILD"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childEnv); dir != "" {
		writeForever(archive.Folder{Dir: dir})
	}
	os.Exit(m.Run())
}

// writeForever writes files of different sizes, and says when each is there.
func writeForever(f archive.Folder) {
	fmt.Println("begun")
	for n := 20; ; n += 7 {
		name, _, err := f.Write(context.Background(), slow(n))
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println(name)
	}
}

// However often a Write is killed: what it has returned is there and whole,
// and nothing else is visible.
func TestKilledWritesLeaveWholeFiles(t *testing.T) {
	f := archive.Folder{Dir: t.TempDir()}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	acknowledged := map[string]bool{}
	for range 20 {
		cmd := exec.Command(self)
		cmd.Env = append(os.Environ(), childEnv+"="+f.Dir)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		lines.Scan() // it has begun
		kill := time.AfterFunc(rand.N(150*time.Millisecond), func() { cmd.Process.Kill() })
		for lines.Scan() {
			if !strings.HasPrefix(lines.Text(), "piton-") {
				t.Errorf("got %s from the child, want a file's name", lines.Text())
			}
			acknowledged[lines.Text()] = true
		}
		cmd.Wait() // it was killed
		kill.Stop()
	}
	names, err := f.Files(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d files, %d acknowledged", len(names), len(acknowledged))
	for _, name := range names {
		delete(acknowledged, name)
		r, err := f.Open(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		list, err := collect(archive.Decode(r))
		r.Close()
		if err != nil || len(list) == 0 {
			t.Errorf("%s: got %d entries and %v, want a whole file", name, len(list), err)
		}
	}
	if len(acknowledged) > 0 {
		t.Errorf("got none of %v, which a Write had returned", acknowledged)
	}
	left, err := os.ReadDir(f.Dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range left {
		if strings.HasSuffix(d.Name(), ".tmp") {
			old := time.Now().Add(-25 * time.Hour)
			if err := os.Chtimes(f.Dir+"/"+d.Name(), old, old); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, _, err := f.Write(t.Context(), slow(1)); err != nil {
		t.Fatal(err)
	}
	if left, _ = os.ReadDir(f.Dir); len(left) != len(names)+1 && len(left) != len(names) {
		t.Errorf("got %d names in the folder, want the %d files and no rest of killed writes", len(left), len(names)+1)
	}
}
