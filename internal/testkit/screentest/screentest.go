// Package screentest compares what commands print on a terminal with files.
package screentest

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/cli"
	"github.com/piton-project/piton/internal/screen"
)

// Update tells whether what is compared is written anew.
var Update = flag.Bool("update", false, "write the screens, the pages of docs and the list of hints anew")

// now is the time of all screens.
var now = time.Date(2026, 11, 23, 9, 30, 0, 0, time.UTC)

// Ago is a time so long before that of the screens.
func Ago(d time.Duration) piton.Time { return piton.At(now.Add(-d)) }

// Screen is what a command prints; Name is that of its files.
type Screen struct {
	Name  string
	Print func(*cli.Console) error
}

// Compare compares screens at three widths with testdata/screens/NAME.WIDTH.txt. No line is
// wider than the terminal.
func Compare(t *testing.T, screens ...Screen) {
	for _, c := range screens {
		for _, width := range []int{60, 80, 160} {
			name := fmt.Sprintf("%s.%d.txt", c.Name, width)
			t.Run(name, func(t *testing.T) {
				terminal := &terminal{columns: width}
				env := map[string]string{"NO_COLOR": "1", "HOME": "/home/ann", "LANG": "C.UTF-8"}
				con := cli.New(nil, terminal, terminal, func(name string) string { return env[name] })
				con.Zone, con.Clock = time.FixedZone("CET", 60*60), func() time.Time { return now }
				if err := c.Print(con); err != nil {
					t.Fatal(err)
				}
				got := terminal.String()
				for l := range strings.Lines(got) {
					if n := screen.Columns(strings.TrimSuffix(l, "\n")); n > width {
						t.Errorf("%d columns, want at most %d: %s", n, width, l)
					}
				}
				file := filepath.Join("testdata", "screens", name)
				if *Update {
					if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
						t.Fatal(err)
					}
				}
				want, err := os.ReadFile(file)
				if err != nil || got != string(want) {
					t.Errorf("%v; -update writes it anew; got:\n%s\nwant:\n%s", err, got, want)
				}
			})
		}
	}
}

// terminal is a terminal of so many columns that keeps what is written to it.
type terminal struct {
	strings.Builder
	columns int
}

func (t *terminal) Columns() int { return t.columns }
