package claude

import (
	"strings"

	"github.com/piton-project/piton/internal/client"
)

// field is the client's input field: a line above it and one below.
var field = client.Field{Marks: []string{"❯\u00a0", "❯ "}, Column: 2, Above: "───"}

// Stand: the title begins with a star when no turn runs, and with a spinner in one. A question keeps the star; it stands in the place of the input field. What the
// terminal has read as a title does not tell: the client sets its own only when that
// changes.
func (Client) Stand(s client.Screen) client.Stand {
	sign, _, _ := strings.Cut(s.Title, " ")
	x := client.Stand{Idle: sign == "✳"}
	x.Untold = !x.Idle && !strings.Contains("◐◑◒◓", sign) && (sign < "\u2800" || sign > "\u28ff")
	x.Typed, x.Composer = field.Typed(s)
	for _, line := range s.Lines {
		x.Asking = x.Asking || !x.Composer && strings.Contains(line, "Esc to cancel")
	}
	return x
}
