package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/piton-project/piton/internal/testkit/need"
)

func TestFullDisk(t *testing.T) {
	if os.Getuid() != 0 {
		need.Missing(t, "only root can make a disk that is full")
	}
	for _, size := range []string{"4k", "64k", "200k"} {
		t.Run(size, func(t *testing.T) {
			c := start(t)
			if err := os.Mkdir(c.piton, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := syscall.Mount("tmpfs", c.piton, "tmpfs", 0, "size="+size); err != nil {
				t.Skipf("no tmpfs can be mounted here: %v", err)
			}
			defer func() {
				if err := syscall.Unmount(c.piton, 0); err != nil {
					t.Error(err)
				}
			}()
			told := 0
			for range 3 {
				for _, e := range []string{"SessionStart", "UserPromptSubmit", "PreCompact", "Stop", "SessionEnd"} {
					got := c.hook(c.event(e, map[string]any{"prompt": strings.Repeat("word ", 1000)}))
					if strings.Contains(got, missed) && e == "Stop" {
						told++
					} else if got != "" {
						t.Errorf("%s: got %q, want silence", e, got)
					}
				}
			}
			if told > 1 {
				t.Errorf("got the person told %d times, want once a session", told)
			}
			if entries, err := os.ReadDir(c.piton); err != nil || len(entries) == 0 {
				t.Errorf("got %v (%v), want what fitted", entries, err)
			}
			if err := os.WriteFile(filepath.Join(c.piton, "x"), make([]byte, 1<<20), 0o600); err == nil {
				t.Error("the disk was not full")
			}
		})
	}
}
