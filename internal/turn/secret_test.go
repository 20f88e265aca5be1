package turn_test

import (
	"database/sql"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
)

// damage flips a byte in a checkpoint's stored state.
func (w *world) damage(c piton.Checkpoint) {
	w.Helper()
	db, err := sql.Open("sqlite3", "file:"+filepath.Join(w.home, "piton.db")+"?_pragma=busy_timeout(2000)")
	if err != nil {
		w.Fatal(err)
	}
	defer db.Close()
	r, err := db.Exec(`UPDATE manifests SET data = x'00' WHERE checkpoint = ?`, c.Ordinal)
	if err != nil {
		w.Fatal(err)
	}
	if n, _ := r.RowsAffected(); n != 1 {
		w.Fatalf("got %d rows damaged, want 1", n)
	}
}

func TestSecretsAreNeverStored(t *testing.T) {
	// Each is the beginning of one of its own, so that half of it is found too.
	secret := func(n int) string {
		return "ghp_" + strings.Repeat(string(rune('A'+n)), 3) + "0123456789abcdefghijklmnopqrstuvw"
	}
	// Of a long text only the beginning is scanned; when keys shrink in it, what
	// stood at the cut comes into what is kept.
	key := "-----BEGIN PRIVATE KEY-----\n" + strings.Repeat(strings.Repeat("k3", 32)+"\n", 28) + "-----END PRIVATE KEY-----\n"
	long := strings.Repeat(key, 4)
	long += strings.Repeat("w ", (7988-len(long))/2)
	w := shop(t)
	w.git("checkout", "-q", "-b", "fix-"+secret(14))
	w.write("notes-"+secret(15)+".txt", "dirty before the turn\n")
	w.asks("use " + secret(0) + " please")
	w.after(time.Minute)
	w.edits("main.go", "package shop\n\nconst text = `1`\n")
	w.runs("curl -H 'Authorization: Bearer "+secret(1)+"' https://example.org", "token: "+secret(2))
	w.fails("deploy --token="+secret(3), "panic: token "+strings.Repeat("x", 90)+" "+secret(4))
	w.runs("go test ./... | tail -1", "FAIL shop "+strings.Repeat("y", 60)+" "+secret(5))
	for n := range 5 { // as many as a decision names, cut after 120 bytes
		w.runs("go test ./... -run "+strings.Repeat("x", 65+5*n)+" -token "+secret(13), "FAIL")
	}
	w.todo(`[{"content":"rotate ` + secret(6) + `","status":"pending"}]`)
	w.happens("SubagentStop", map[string]any{"agent_id": "a1", "agent_type": "r " + secret(7), "last_assistant_message": strings.Repeat("z", 470) + " " + secret(8)})
	w.want(w.stops(), agent.ReasonHeld)
	w.asks(long + secret(9) + " and more")
	w.after(time.Minute)
	w.stops(map[string]any{"last_assistant_message": "It was " + secret(10)})
	w.happens("StopFailure", map[string]any{"error": secret(11), "last_assistant_message": secret(12)})
	w.happens("SessionEnd", nil)
	err := filepath.WalkDir(w.home, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for n := range 16 {
			if at := strings.Index(string(b), secret(n)[:8]); at >= 0 {
				t.Errorf("%s holds secret %d: %q", filepath.Base(path), n, b[max(at-80, 0):min(at+40, len(b))])
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if s := w.session(); !strings.Contains(w.state()["todos"].([]any)[0].(map[string]any)["content"].(string), "[REDACTED:") || s.LastMessage == "" {
		t.Errorf("got the state %v, want the secrets marked", w.state())
	}
}

func TestSessionIDsAreNeverPaths(t *testing.T) {
	w := shop(t)
	outside := t.TempDir()
	for _, id := range []string{"../../x", "/etc/passwd", outside + "/x", "..", "a/b", "x\x00y", "checkpoint_clear", strings.Repeat("../", 60)} {
		w.id = id
		changed(w)
		held := w.heldAgain()
		s := w.session()
		w.want(held, agent.ReasonHeld, filepath.Join(w.home, "sessions", "checkpoint_clear_"+s.ID))
		if !piton.IsID(piton.SessionPrefix, s.ID) {
			t.Errorf("%q: got the session id %q", id, s.ID)
		}
		w.happens("SessionEnd", nil)
	}
	var names []string
	for _, dir := range []string{w.home, w.tmp, outside} {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			names = append(names, d.Name())
			if strings.Contains(d.Name(), "passwd") || d.Name() == "x" || d.Name() == "b" {
				t.Errorf("got %s, want nothing made of a session's id", path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	sessions, err := os.ReadDir(filepath.Join(w.home, "sessions"))
	if err != nil || len(sessions) != 0 {
		t.Errorf("got %v (%v), want the folder of the markers, with nothing in it", names, err)
	}
}
