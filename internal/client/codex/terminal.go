package codex

import (
	"path/filepath"
	"strings"

	"github.com/piton-project/piton/internal/client"
)

// field is the client's input field.
var field = client.Field{Marks: []string{"› "}, Column: 2, Hint: "Ask Codex to do anything"}

// Stand: the title is the folder's name, with a spinner before it in a turn, and
// "[ ! ] Action Required | " while a person is asked.
func (Client) Stand(s client.Screen) client.Stand {
	x := client.Stand{Idle: s.Title != "" && s.Title == filepath.Base(s.Dir), Asking: strings.Contains(s.Title, "Action Required")}
	x.Typed, x.Composer = field.Typed(s)
	return x
}
