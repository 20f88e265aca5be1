package claude

import (
	"strings"

	"github.com/piton-project/piton/internal/client"
)

// field is the client's input field: a line above it and one below.
var field = client.Field{Marks: []string{"❯\u00a0", "❯ "}, Column: 2, Above: "───"}

// Stand: the title begins with a star when no turn runs, and with a spinner in
// one. A question keeps the star; it stands in the place of the input field.
func (Client) Stand(s client.Screen) client.Stand {
	x := client.Stand{Idle: strings.HasPrefix(s.Title, "✳ ")}
	x.Typed, x.Composer = field.Typed(s)
	for _, line := range s.Lines {
		x.Asking = x.Asking || !x.Composer && strings.Contains(line, "Esc to cancel")
	}
	return x
}
