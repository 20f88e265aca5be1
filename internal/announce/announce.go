// Package announce carries letters to listeners: the programs and servers that a
// person has named in the settings (docs/spec.md, "Announcements"). What agents
// have said is data to them; nothing of it is pasted into a command line.
package announce

import (
	"cmp"
	"path/filepath"
	"strings"
	"time"
	"unicode"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/redact"
)

// Carrier carries letters of the kinds announce and event.
type Carrier struct {
	// Listeners are those that the settings name in a work tree; "": in none. An
	// error: the settings cannot be read now.
	Listeners func(root string) ([]agent.Listener, error)
	Getenv    func(string) string
	UserHome  string           // where commands run, and what ~/ stands for
	Version   string           // of Piton, for servers
	Now       func() time.Time // time.Now when nil
}

// message is what one listener is told.
type message struct {
	id       string // of the letter
	listener agent.Listener
	session  agent.Session
	news     agent.News
	summary  bool // the text is what the summary command has printed
}

// maxText bounds what a listener is told, in bytes.
const maxText = 8 << 10

// title says whose words they are.
func (m message) title() string {
	who := cmp.Or(m.session.Agent, "Piton")
	if m.session.Root == "" {
		return who
	}
	return tidy(who + " in " + piton.Printable(filepath.Base(m.session.Root)))
}

// tidy is a text as it is told: without secrets, without what steers a terminal or
// cannot be seen, bounded.
func tidy(s string) string {
	s, _ = redact.Text(strings.ToValidUTF8(piton.Cut(s, 4*maxText), "�"))
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case unicode.IsControl(r), unicode.In(r, unicode.Bidi_Control), 0xE0000 <= r && r < 0xE0080:
			return -1
		}
		return r
	}, strings.ReplaceAll(s, "\r\n", "\n"))
	return strings.TrimSpace(piton.Cut(s, maxText))
}

func (c Carrier) now() time.Time {
	if c.Now == nil {
		return time.Now()
	}
	return c.Now()
}
