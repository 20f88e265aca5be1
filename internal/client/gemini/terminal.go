package gemini

import (
	"strings"

	"github.com/piton-project/piton/internal/client"
)

// field is the client's input field. It is marked with a star where calls are made
// without a question.
var field = client.Field{Marks: []string{" > ", " * "}, Column: 3, Above: "▄▄▄", Hint: "Type your message or @path/to/file"}

// Stand: the title begins with a sign for how the client stands.
func (Client) Stand(s client.Screen) client.Stand {
	title := strings.TrimSpace(s.Title)
	x := client.Stand{Idle: strings.HasPrefix(title, "◇") && strings.Contains(title, "Ready"), Asking: strings.HasPrefix(title, "✋")}
	x.Typed, x.Composer = field.Typed(s)
	return x
}
