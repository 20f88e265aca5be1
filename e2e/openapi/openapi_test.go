// Package openapi compiles a program against a client that a public generator makes
// from the document of a real 'piton serve', and runs it.
package openapi

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/piton-project/piton/internal/testkit/need"
)

// TestGeneratedClient: the document is one that a generator takes, its types fit what
// is answered, and a program with them makes a round trip.
func TestGeneratedClient(t *testing.T) {
	node := need.Program(t, "node")
	modules, err := filepath.Abs("node_modules")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(modules, "openapi-typescript")); err != nil {
		need.Missing(t, "the generator is not installed: e2e/install")
	}
	url, token := serve(t)
	dir := t.TempDir()
	document := filepath.Join(dir, "openapi.json")
	write(t, document, get(t, url+"/openapi.json", token))
	program, err := os.ReadFile("roundtrip.ts")
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "roundtrip.ts"), program)
	write(t, filepath.Join(dir, "package.json"), []byte(`{"type":"module"}`))
	if err := os.Symlink(modules, filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	command(t, dir, node, filepath.Join(modules, "openapi-typescript/bin/cli.js"), document, "-o", filepath.Join(dir, "piton.d.ts"))
	write(t, filepath.Join(dir, "process.d.ts"), []byte("declare const process: { argv: string[] };\n"))
	command(t, dir, node, filepath.Join(modules, "typescript/bin/tsc"), "--strict", "--target", "es2022", "--module", "nodenext", "--lib", "es2022,dom", "--skipLibCheck", "roundtrip.ts", "process.d.ts")
	out := command(t, dir, node, "roundtrip.js", url, token, t.TempDir())
	if !strings.HasPrefix(out, "round trip chk_") {
		t.Errorf("got %s", out)
	}
}

// serve starts 'piton serve' in a home of its own, and returns its address and token.
func serve(t *testing.T) (url, token string) {
	t.Helper()
	dir, home := t.TempDir(), filepath.Join(t.TempDir(), "home")
	program := filepath.Join(dir, "piton")
	command(t, ".", "go", "build", "-o", dir, "../../cmd/piton")
	c := exec.Command(program, "serve", "--listen", "127.0.0.1:0")
	c.Dir = dir
	c.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "PITON_HOME=" + home}
	var log bytes.Buffer
	c.Stdout, c.Stderr = &log, &log
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Process.Signal(syscall.SIGTERM)
		if err := c.Wait(); err != nil {
			t.Errorf("the daemon: %v\n%s", err, &log)
		}
	})
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		var x struct{ Listen string }
		text, err := os.ReadFile(filepath.Join(home, "daemon.lock"))
		if err != nil || json.Unmarshal(text, &x) != nil || x.Listen == "" {
			continue
		}
		key, err := os.ReadFile(filepath.Join(home, "token"))
		if err != nil {
			t.Fatal(err)
		}
		return "http://" + x.Listen, strings.TrimSpace(string(key))
	}
	t.Fatalf("the daemon does not begin to serve")
	return "", ""
}

func get(t *testing.T, url, token string) []byte {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("%s: got %d, %v, %s", url, res.StatusCode, err, text)
	}
	return text
}

func write(t *testing.T, file string, text []byte) {
	t.Helper()
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// command runs a program and returns what it prints.
func command(t *testing.T, dir string, argv ...string) string {
	t.Helper()
	c := exec.CommandContext(t.Context(), argv[0], argv[1:]...)
	c.Dir = dir
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%q: %v\n%s", argv, err, out)
	}
	return string(out)
}
