package main

import (
	"os/exec"
	"strings"
	"testing"
)

// TestLinks keeps out of this program what hooks never use: it starts at every
// event.
func TestLinks(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, heavy := range []string{"ext/fts5", "spf13/cobra", "wI2L/jsondiff", "charmbracelet/", "schollz/progressbar", "jackc/pgx", "jsonschema", "net/http", "text/template"} {
		if strings.Contains(string(out), heavy) {
			t.Errorf("it links %s, want it left out", heavy)
		}
	}
}
