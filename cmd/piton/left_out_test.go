package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestManyLeftOut: of millions of values that are not checkpoints an import keeps the
// first, and counts the rest.
func TestManyLeftOut(t *testing.T) {
	dir := t.TempDir()
	env := map[string]string{"HOME": dir, "PITON_HOME": filepath.Join(dir, "state")}
	file := filepath.Join(dir, "file.jsonl")
	good := `{"id":"a","sessionId":"s","phase":"BUILD","phaseNumber":4,"createdAt":"2026-02-01T12:00:00Z","completed":false,"taskSummary":"t","iscCriteria":[],"metadata":{}}`
	if err := os.WriteFile(file, []byte(strings.Repeat("1\n", 5000)+good), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, text bytes.Buffer
	get := func(key string) string { return env[key] }
	if status := run(t.Context(), []string{"import", file, "--json", "--project", dir}, strings.NewReader(""), &out, &text, get); status != 2 {
		t.Errorf("got status %d, want 2: %s", status, text.String())
	}
	var got struct {
		Added   int
		LeftOut []any `json:"left_out"`
		More    int   `json:"left_out_more"`
	}
	if err := json.Unmarshal(out.Bytes(), &got); err != nil || got.Added != 1 || len(got.LeftOut) != 1000 || got.More != 5000-1000 {
		t.Errorf("got %d added, %d left out and %d more, %v", got.Added, len(got.LeftOut), got.More, err)
	}
	text.Reset()
	run(t.Context(), []string{"import", file, "--project", dir}, strings.NewReader(""), &out, &text, get)
	if !strings.Contains(text.String(), "piton: left out: 4000 more\nLeft out: 5000.") {
		t.Errorf("got %.200s... %s", text.String(), text.String()[max(0, text.Len()-200):])
	}
}

// TestAnObjectOfManyMembers: to take one apart costs memory for each member.
func TestAnObjectOfManyMembers(t *testing.T) {
	dir := t.TempDir()
	env := map[string]string{"HOME": dir, "PITON_HOME": filepath.Join(dir, "state")}
	file := filepath.Join(dir, "file.json")
	var b strings.Builder
	b.WriteString(`{"id":"a","sessionId":"s","phase":"BUILD","phaseNumber":4,"createdAt":"2026-02-01T12:00:00Z","completed":false,"taskSummary":"t","iscCriteria":[],"metadata":{}`)
	for i := range 20_000 {
		fmt.Fprintf(&b, `,"m%d":1`, i)
	}
	if err := os.WriteFile(file, []byte(b.String()+"}"), 0o600); err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if status := run(t.Context(), []string{"import", file, "--project", dir}, strings.NewReader(""), &text, &text, func(key string) string { return env[key] }); status != 2 {
		t.Errorf("got status %d, want 2: %s", status, text.String())
	}
}
