package main

import (
	"os"
	"path/filepath"
	"testing"
)

// TestFresh: what is committed is what the sources make. It needs the packages of
// web/package.json, which 'make e2e' installs.
func TestFresh(t *testing.T) {
	if os.Getenv("PITON_TEST_PAGE") == "" {
		t.Skip("set PITON_TEST_PAGE=1 once 'npm ci' has run in internal/page/web")
	}
	files, err := Bundle("../web")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join("../static", name))
		if err != nil || string(got) != string(want) {
			t.Errorf("%s is not what its sources make (%v): go generate ./internal/page", name, err)
		}
	}
	if kept, err := os.ReadDir("../static"); err != nil || len(kept) != len(files) {
		t.Errorf("static holds %d files, and the sources make %d (%v)", len(kept), len(files), err)
	}
}
