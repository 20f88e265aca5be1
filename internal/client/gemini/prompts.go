package gemini

import "github.com/piton-project/piton/internal/client"

// Prompts lists what a person said. A message that is written again under its id
// counts where it was written first: the log before that place is the log as it
// was. Copies that the client wrote out just before it set all messages anew (see
// turn.set) are nobody's prompts. What a rewind took back was said and done all the
// same, and stays; the prompt after a rewind begins with it.
func (Client) Prompts(path string) (list []client.Prompt, whole bool, err error) {
	seen := map[string]bool{}
	var row []place // the messages since the last set
	rewound := int64(-1)
	whole, err = lines(path, func(off int64, l line) {
		switch {
		case l.kind == "set":
			if l.bare {
				return
			}
			list = withoutCopies(list, row, l)
			row = nil
		case l.kind == "header":
		case l.kind == "rewind":
			if rewound < 0 {
				rewound = off
			}
		case seen[l.id]:
			row = append(row, place{off, l.frame()})
		default:
			seen[l.id] = true
			row = append(row, place{off, l.frame()})
			if !l.prompt() {
				break
			}
			p := client.Prompt{Offset: off, At: l.at, Text: client.CutPrompt(l.typed())}
			if rewound >= 0 {
				p.Offset, rewound = rewound, -1
			}
			list = append(list, p)
		}
		if len(row) > 2*maxRow {
			row = append([]place(nil), row[maxRow:]...)
		}
	})
	return list, whole, err
}

// maxRow bounds how many copies in a row are known as such.
const maxRow = 4096

// place is a message and where it stands.
type place struct {
	off int64
	line
}

// frame is what tells a copy from a message, without the parts of the line.
func (l line) frame() line {
	f := line{kind: l.kind, id: l.id, at: l.at}
	if l.calls != nil {
		f.calls = []byte{}
	}
	return f
}

// withoutCopies takes the prompts out that are copies of the messages that a set
// lists.
func withoutCopies(list []client.Prompt, row []place, set line) []client.Prompt {
	var t turn
	t.set(set)
	for i := len(row) - 1; i >= 0 && t.copy(row[i].line); i-- {
		if n := len(list); n > 0 && list[n-1].Offset <= row[i].off && list[n-1].At.Equal(row[i].at) && row[i].kind == "user" {
			list = list[:n-1]
		}
	}
	return list
}
