package e2e

import (
	"html"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// recordEnv names the folder to write the recordings of README into (make recordings).
const recordEnv = "PITON_E2E_RECORD"

// Size of the terminals that are recorded.
const (
	recordColumns = 92
	recordRows    = 26
)

// scene is a recording: what is played with the real clients, in the person's own
// terminal and with the settings that Piton has by itself, and the texts that are seen.
type scene struct {
	file, title string
	texts       []string // stand in the recording, in each run of this test
	play        func(x *terminal)
}

var scenes = []scene{
	{"held", "Claude Code edits a file and wants to stop; Piton asks for the test that was not run.", []string{
		"make Add add", "Stop hook says: [Piton Checkpoint]", "its tests (`calc_test.go`) have not run since", "go test ./...", "The tests pass.",
	}, playHeld},
	{"resumed", "Claude Code is killed in the middle of its work; Codex goes on with it.", []string{
		"claude", "add Sub and Mul", "Killed", "piton resume --agent codex --exec", "Sub is there. Mul comes next.",
	}, playResumed},
	{"undone", "An agent throws work away that nobody had committed; piton undo brings it back.", []string{
		"git checkout -- .", "reverted your uncommitted file `cart.go`", "piton undo", "bring back", "cart.go", "Done: brought back 1 file.",
	}, playUndone},
}

// TestRecordings plays what README shows, and holds the recordings there against it. With
// PITON_E2E_RECORD they are made.
func TestRecordings(t *testing.T) {
	for _, s := range scenes {
		t.Run(s.file, func(t *testing.T) {
			w := newMachine(t, "PS1=$ ", "FORCE_COLOR=1")
			w.add(codex)
			w.piton("init", "--agent", "claude,codex")
			if s.file != "resumed" {
				w.write("cart.go", "package calc\n\n// Cart is not committed yet.\ntype Cart struct{}\n")
				w.git("add", "cart.go")
				w.git("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "commit", "-q", "-m", "cart")
			}
			w.columns, w.rows = recordColumns, recordRows
			x := w.start("bash", "--norc", "-i")
			x.until("the prompt", func() bool { return strings.Contains(x.screen(), "$") })
			stop := x.film()
			s.play(x)
			frames := stop()
			seen := ""
			for _, f := range frames {
				seen += unbroken(escape.ReplaceAllString(f.text, "")) + "\n"
			}
			dir := os.Getenv(recordEnv)
			for _, l := range looks {
				path := filepath.Join(dir, s.file+"-"+l.name+".svg")
				if dir == "" {
					path = filepath.Join("../docs/recordings", filepath.Base(path))
				} else {
					check(t, os.WriteFile(path, []byte(l.drawn(frames, recordColumns, recordRows, s.title)), 0o644))
				}
				shown, err := os.ReadFile(path)
				check(t, err)
				drawn := unbroken(html.UnescapeString(tags.ReplaceAllString(string(shown), " ")))
				for _, text := range s.texts {
					if !strings.Contains(seen, unbroken(text)) {
						t.Errorf("%q was not seen", text)
					}
					if !strings.Contains(drawn, unbroken(text)) {
						t.Errorf("%s does not show %q: make recordings makes it anew", path, text)
					}
				}
			}
		})
	}
}

var tags = regexp.MustCompile(`<[^>]*>`)

// unbroken is a text without blanks, which a terminal breaks lines at.
func unbroken(s string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(" \t\n\u00a0│┃▌", r) {
			return -1
		}
		return r
	}, s)
}

// plainSigns are signs of clients that few fonts have, and ones that look alike.
var plainSigns = strings.NewReplacer("⎿", "└", "⏵", "▸")

// film keeps what is seen on the terminal until it is stopped.
func (x *terminal) film() (stop func() []frame) {
	end, done := make(chan struct{}), make(chan struct{})
	var frames []frame
	go func() {
		defer close(done)
		began := time.Now()
		for {
			if out, err := x.tryTmux("capture-pane", "-e", "-p", "-t", "e2e"); err == nil {
				text := strings.ReplaceAll(out, x.project, "~/calc"+strings.Repeat(" ", max(0, len(x.project)-len("~/calc"))))
				text = plainSigns.Replace(strings.ReplaceAll(text, x.root, "~"))
				if len(frames) == 0 || frames[len(frames)-1].text != text {
					frames = append(frames, frame{time.Since(began), text})
				}
			}
			select {
			case <-end:
				return
			case <-time.After(70 * time.Millisecond):
			}
		}
	}()
	return func() []frame {
		time.Sleep(500 * time.Millisecond)
		close(end)
		<-done
		return frames
	}
}

// read leaves time to read what has come.
func (x *terminal) read() { time.Sleep(1700 * time.Millisecond) }

// types types a line into the shell and sends it.
func (x *terminal) types(line string) {
	for _, part := range strings.SplitAfter(line, " ") {
		x.tmux("send-keys", "-t", "e2e", "-l", "--", part)
		time.Sleep(150 * time.Millisecond)
	}
	x.key("Enter")
}

// killChild kills what runs in the shell.
func (x *terminal) killChild() {
	x.t.Helper()
	pid := strconv.Itoa(x.pid)
	list, err := os.ReadFile("/proc/" + pid + "/task/" + pid + "/children")
	check(x.t, err)
	child, err := strconv.Atoi(strings.TrimSpace(string(list)))
	check(x.t, err)
	check(x.t, syscall.Kill(child, syscall.SIGKILL))
}

// A turn of less than half a minute is let go, so the model thinks that long.
func playHeld(x *terminal) {
	x.model.script(call(readTool("calc.go")), reply{Tools: []tool{editTool("calc.go", "a + b", "b + a")}, Delay: 31 * time.Second}, say("Done."),
		reply{Tools: []tool{bash("go test ./...")}, Delay: 2 * time.Second}, reply{Text: "Swapped the operands of Add. The tests pass.", Delay: time.Second})
	x.types("claude")
	x.see(claude.screen().ready)
	x.say("make Add add")
	x.see("The tests pass.")
	x.read()
}

func playResumed(x *terminal) {
	x.model.script(call(writeTool("sub.go", "package calc\n\n// Sub subtracts.\nfunc Sub(a, b int) int { return a - b }\n")), call(bash("hang")))
	x.types("claude")
	x.see(claude.screen().ready)
	x.say("add Sub and Mul")
	x.hanging()
	x.read()
	x.killChild()
	x.see("Killed")
	x.read()
	x.types("clear")
	x.model.afresh(reply{Text: "Sub is there. Mul comes next.", Repeat: true})
	x.use(codex)
	x.types("piton")
	x.see("piton resume")
	x.read()
	x.types("piton resume --agent codex --exec")
	x.see("Sub is there. Mul comes next.")
	x.read()
}

func playUndone(x *terminal) {
	x.write("cart.go", "package calc\n\n// Cart holds what is bought. An hour of work.\ntype Cart struct{ Items []string }\n")
	x.model.script(call(bash("git checkout -- .")), say("The work tree is clean again."))
	x.types("claude")
	x.see(claude.screen().ready)
	x.read()
	x.say("clean up")
	x.see("is clean again.")
	x.see("brings it back")
	x.read()
	x.say("/exit")
	x.until("the shell", func() bool { return strings.HasSuffix(strings.TrimSpace(x.screen()), "$") })
	x.types("piton undo")
	x.see("[y/N]")
	x.read()
	x.types("y")
	x.see("Done: brought back")
	x.read()
}

// A person's own client is held once, in a folder that is made for it.
func TestTrial(t *testing.T) {
	w := newWorld(t)
	w.model.script(call(bash("sed -i 's/hello/good morning/' greet.js")), say("Done."), call(bash("npm test")), say("It says good morning, and the test passes."))
	out := w.piton("demo", "client", "claude")
	for _, text := range []string{"held, because something was changed", "greet.js", "let go, because tests that cover all the changed code were seen to pass"} {
		if !strings.Contains(out, text) {
			t.Errorf("%q is not in what the trial prints:\n%s", text, out)
		}
	}
	if left, _ := filepath.Glob(w.tmp + "/piton-trial-*"); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
