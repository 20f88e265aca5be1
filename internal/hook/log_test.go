package hook_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/piton-project/piton/internal/hook"
)

func TestLog(t *testing.T) {
	const secret = "ghp_0123456789abcdefghijklmnopqrstuvwxyz"
	path := filepath.Join(t.TempDir(), "home", "piton.log")
	log := hook.Log(path)
	if _, err := os.Stat(filepath.Dir(path)); !os.IsNotExist(err) {
		t.Errorf("got %v, want nothing made before the first line", err)
	}
	log.Warn("the message "+secret, "text", "x "+secret, "err", fmt.Errorf("outer: %w", errors.New(secret)), "any", []string{secret}, "n", 7)
	log.With("session", secret).WithGroup("g").Info("more", "k", secret)
	hook.Problems(t.Context(), log, []error{errors.New("store: " + secret)})
	b, err := os.ReadFile(path)
	if err != nil || strings.Contains(string(b), secret) || bytes.Count(b, []byte("\n")) != 3 || bytes.Count(b, []byte("[REDACTED:")) != 7 || !strings.Contains(string(b), "n=7") {
		t.Errorf("got %q (%v), want 3 lines with 7 marks", b, err)
	}
	for _, p := range []string{path, filepath.Dir(path)} {
		if info, err := os.Stat(p); err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("got %s with mode %v (%v), want it for its owner alone", p, info.Mode(), err)
		}
	}
}

func TestLogRotates(t *testing.T) {
	path := filepath.Join(t.TempDir(), "piton.log")
	old := bytes.Repeat([]byte("old line\n"), 500_000)
	if err := os.WriteFile(path, old, 0o600); err != nil {
		t.Fatal(err)
	}
	hook.Log(path).Info("new")
	kept, err := os.ReadFile(path + ".1")
	if err != nil || !bytes.Equal(kept, old) {
		t.Errorf("got %d bytes put aside (%v), want %d", len(kept), err, len(old))
	}
	if b, err := os.ReadFile(path); err != nil || bytes.Count(b, []byte("\n")) != 1 {
		t.Errorf("got %q (%v), want the new line alone", b, err)
	}
}

func TestLogOfMany(t *testing.T) {
	path := filepath.Join(t.TempDir(), "piton.log")
	var wg sync.WaitGroup
	for i := range 8 {
		log := hook.Log(path) // each as in a process of its own
		wg.Go(func() {
			for range 50 {
				log.Info("line", "text", strings.Repeat(fmt.Sprint(i), 500))
			}
		})
	}
	wg.Wait()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(b)) {
		text := strings.TrimSuffix(line[strings.LastIndex(line, "=")+1:], "\n")
		if len(text) != 500 || strings.Trim(text, text[:1]) != "" {
			t.Fatalf("got the line %q, want it whole", line)
		}
		n++
	}
	if n != 400 {
		t.Errorf("got %d lines, want 400", n)
	}
}

func TestLogThatCannotBeWritten(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, path := range map[string]string{"below a file": filepath.Join(file, "piton.log"), "a folder": dir, "a pipe that nobody reads": pipe, "a device": "/dev/full"} {
		hook.Log(path).Info("line") // returns, and that is all
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			t.Errorf("%s: got a file", name)
		}
	}
}
