//go:build unix

package main

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/piton-project/piton/internal/api"
)

// TestUI: the daemon serves the page where one runs, else the command does until it ends;
// each address lets in one browser.
func TestUI(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	own := h.piton("ui", "--json")
	out, err := own.StdoutPipe()
	if err == nil {
		err = own.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	line, _ := bufio.NewReader(out).ReadString('\n')
	if x := addressOf(t, line); x.Daemon || !enters(t, x.Address) || enters(t, x.Address) {
		t.Errorf("without a daemon: %+v", x)
	}
	if err := own.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := own.Wait(); err != nil && own.ProcessState.ExitCode() != 130 {
		t.Errorf("it ends with %v", err)
	}

	h.serve()
	first, second := addressOf(t, h.run("ui", "--json")), addressOf(t, h.run("ui", "--json"))
	if !first.Daemon || first.Address == second.Address || !enters(t, second.Address) || !enters(t, first.Address) {
		t.Errorf("of the daemon: %+v, %+v", first, second)
	}
	if got := h.run("ui"); !strings.HasPrefix(got, "http://127.0.0.1:") || strings.Count(got, "\n") != 1 {
		t.Errorf("in a pipe it prints %q", got)
	}
}

func addressOf(t *testing.T, text string) (x api.PageAddress) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &x); err != nil {
		t.Fatalf("%v: %q", err, text)
	}
	return x
}

// enters tells whether an address lets in who opens it.
func enters(t *testing.T, address string) bool {
	t.Helper()
	page, ticket, _ := strings.Cut(address, "/#")
	r, _ := http.NewRequest(http.MethodPost, page+"/enter", nil)
	r.Header.Set("Piton-Ticket", ticket)
	got, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer got.Body.Close()
	token, _ := io.ReadAll(got.Body)
	return got.StatusCode == http.StatusOK && len(token) > 40
}
