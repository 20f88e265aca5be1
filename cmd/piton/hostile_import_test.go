//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
)

// TestHostileImport gives import what is not a file to import, or one that never
// ends: it says so and ends.
func TestHostileImport(t *testing.T) {
	write := func(text string) func(string) error {
		return func(file string) error { return os.WriteFile(file, []byte(text), 0o600) }
	}
	bomb := func(head string) func(string) error {
		return func(file string) error {
			f, err := os.Create(file)
			if err != nil {
				return err
			}
			defer f.Close()
			z, err := zstd.NewWriter(f)
			if err != nil {
				return err
			}
			_, err = io.WriteString(z, head)
			chunk := bytes.Repeat([]byte{'0'}, 1<<20)
			for range 256 {
				if _, err2 := z.Write(chunk); err2 != nil {
					err = err2
				}
			}
			return errors.Join(err, z.Close())
		}
	}
	for _, c := range []struct {
		name string
		make func(file string) error
	}{
		{"a pipe that nobody writes to", func(file string) error { return syscall.Mkfifo(file, 0o600) }},
		{"a link to a pipe", func(file string) error {
			return errors.Join(syscall.Mkfifo(file+".pipe", 0o600), os.Symlink(file+".pipe", file))
		}},
		{"a device", func(file string) error { return os.Symlink("/dev/zero", file) }},
		{"another device", func(file string) error { return os.Symlink("/dev/full", file) }},
		{"a terminal's device", func(file string) error { return os.Symlink("/dev/ptmx", file) }},
		{"a file of the kernel's", func(file string) error { return os.Symlink("/proc/self/mem", file) }},
		{"a socket", func(file string) error {
			l, err := net.Listen("unix", file)
			if err == nil {
				t.Cleanup(func() { l.Close() })
			}
			return err
		}},
		{"a link to itself", func(file string) error { return os.Symlink(file, file) }},
		{"a folder without files", func(file string) error { return os.MkdirAll(filepath.Join(file, "x.json"), 0o700) }},
		{"a giant of nothing", func(file string) error { return errors.Join(write("")(file), os.Truncate(file, 1<<40)) }},
		{"a giant behind a value", func(file string) error { return errors.Join(write("{}")(file), os.Truncate(file, 1<<40)) }},
		{"a giant behind an archive's beginning", func(file string) error {
			return errors.Join(write(`{"format":"piton-archive","version":1,"sum":"`)(file), os.Truncate(file, 1<<40))
		}},
		{"much that is compressed small", bomb("")},
		{"much that is compressed small, as an archive", bomb(`{"format":"piton-archive",`)},
		{"much that is compressed small, as JSON", bomb(`{"phase":"`)},
		{"a compressed file without an end", write("\x28\xb5\x2f\xfd\x04\x58")},
		{"a window of gigabytes", write("\x28\xb5\x2f\xfd\x00\xff\x01\x00\x00")},
		{"deep JSON", write(strings.Repeat(`{"state":`, 1<<18))},
		{"deep JSON in a state", write(`{"phase":"x","phaseNumber":1,"createdAt":"2026-02-01T12:00:00Z","a":` + strings.Repeat("[", 200000) + strings.Repeat("]", 200000) + "}")},
		{"deep content", write(`{"content":` + strings.Repeat(`"{\"content\":`, 1000))},
		{"names that lead outside", write(`{"checkpoint_id":"../../x","workflow_id":"../../../y","workflow_type":"../z","created_at":"2026-02-01T12:00:00Z","step_name":"../a","state":{"a":1},"metadata":{"branch":"../../b","parent_checkpoint":"/etc/passwd"}}`)},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := shared{t: t, home: t.TempDir(), outside: t.TempDir()}
			p.store = filepath.Join(p.outside, "deep", "store")
			file := filepath.Join(p.outside, "file.json")
			if err := c.make(file); err != nil {
				t.Fatal(err)
			}
			if got := p.piton("import", file, "--project", p.home); (got.status == 0) != strings.HasPrefix(c.name, "names") {
				t.Errorf("got %+v", got)
			}
			dir := filepath.Join(p.outside, "deep", "folder")
			if err := errors.Join(os.MkdirAll(dir, 0o700), c.make(filepath.Join(dir, "file.json"))); err != nil {
				t.Fatal(err)
			}
			p.piton("import", dir, "--project", p.home)
			p.piton("list")
			for _, name := range []string{"x", "deep/x", "deep/y", "y", "z"} {
				if _, err := os.Lstat(filepath.Join(p.outside, name)); err == nil {
					t.Errorf("got %s outside of the store", name)
				}
			}
		})
	}
}

// TestImportFromAPipe takes what comes through a named pipe, and ends when it is
// told to while nothing comes.
func TestImportFromAPipe(t *testing.T) {
	for _, verb := range [][]string{{"import"}, {"save", "--workflow", "w", "--state"}} {
		dir := t.TempDir()
		pipe := filepath.Join(dir, "pipe")
		if err := syscall.Mkfifo(pipe, 0o600); err != nil {
			t.Fatal(err)
		}
		w, err := os.OpenFile(pipe, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		env := map[string]string{"HOME": dir, "PITON_HOME": filepath.Join(dir, "state")}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan int)
		go func() {
			ended <- run(ctx, append(verb, pipe), strings.NewReader(""), io.Discard, io.Discard, func(key string) string { return env[key] })
		}()
		time.AfterFunc(100*time.Millisecond, cancel)
		select {
		case status := <-ended:
			if status != 130 {
				t.Errorf("piton %q: got status %d, want 130", verb, status)
			}
		case <-time.After(verbTime):
			t.Errorf("piton %q: it still waits", verb)
		}
		w.Close()
	}
}

// TestImportFromAPipeWithoutAWriter says what is wrong at once.
func TestImportFromAPipeWithoutAWriter(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	env := map[string]string{"HOME": dir, "PITON_HOME": filepath.Join(dir, "piton")}
	var errOut strings.Builder
	status := run(t.Context(), []string{"import", pipe}, strings.NewReader(""), io.Discard, &errOut, func(key string) string { return env[key] })
	if status != 6 || !strings.Contains(errOut.String(), "a pipe that nothing has been written to") {
		t.Errorf("got status %d and %q, want 6 and what to do", status, errOut.String())
	}
}
