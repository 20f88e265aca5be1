package debrief

import (
	"fmt"
	"github.com/piton-project/piton"
	"strings"
	"testing"
	"time"
)

func TestZZ(t *testing.T) {
	for _, o := range []string{strings.Repeat("a ", 8000), strings.Repeat("exit ", 3200), strings.Repeat("Traceback (most recent call last)\n", 480), strings.Repeat("\x1b[31m", 3000), strings.Repeat("1 failed ", 1) + strings.Repeat("9", 15000), strings.Repeat("x", 16000), strings.Repeat("_", 16000), strings.Repeat("a\n", 8000)} {
		s := time.Now()
		failureMark(o)
		d1 := time.Since(s)
		s = time.Now()
		nameError(o, true)
		d2 := time.Since(s)
		fmt.Printf("%.10q %v %v\n", o, d1, d2)
	}
	for _, g := range []string{"**/**/**/**/**/**x", "{a,*}{a,*}{a,*}{a,*}**x", "a*a*a*a*a*a*a*a*a*a*a*x", "**/a*/**/a*/**/a*/**x", "{{a,aa},{a,aa}}{{a,aa},aa}*x"} {
		s := time.Now()
		match(g, strings.Repeat("a/", 400))
		d1 := time.Since(s)
		s = time.Now()
		match(g, strings.Repeat("a", 800))
		fmt.Println(g, d1, time.Since(s))
	}
	// worst-case turn
	in := Input{Root: "/r", CallsSeen: true}
	now := time.Now()
	for i := 0; i < 1000; i++ {
		in.Calls = append(in.Calls, piton.Call{Kind: piton.CallShell, Command: fmt.Sprintf("go test ./a%d 2>&1 | tail -5 && npm run x%d; git commit -m 'x'", i, i), Failed: i%2 == 0, StartedAt: now, EndedAt: now, Output: strings.Repeat("a b c\n", 2000)})
	}
	for i := 0; i < 2000; i++ {
		in.Files = append(in.Files, File{Path: fmt.Sprintf("p%d/f%d.go", i%10, i), ModTime: now})
	}
	s := time.Now()
	r := Look(in)
	fmt.Println("1000 calls 2000 files", time.Since(s), len(r.Message))
	s = time.Now()
	newTurn(in)
	fmt.Println("newTurn", time.Since(s))
}
func BenchmarkLook(b *testing.B) {
	in := Input{Root: "/r", CallsSeen: true, Tests: []Test{{Run: "make test"}, {Run: "go test ./...", Ecosystem: "go", Matches: []string{"go test"}}}}
	now := time.Now()
	for i := 0; i < 150; i++ {
		now = now.Add(10 * time.Second)
		in.Calls = append(in.Calls, piton.Call{Kind: piton.CallShell, Command: fmt.Sprintf("cd /r && go test ./a%d 2>&1 | tail -5", i), StartedAt: now, EndedAt: now, Output: strings.Repeat("ok  \tpkg 0.1s\n", 100)}, piton.Call{Kind: piton.CallEdit, Paths: []string{fmt.Sprintf("/r/p/f%d.go", i%10)}, StartedAt: now, EndedAt: now})
	}
	for i := 0; i < 10; i++ {
		in.Files = append(in.Files, File{Path: fmt.Sprintf("p/f%d.go", i), ModTime: now})
	}
	for b.Loop() {
		Look(in)
	}
}
