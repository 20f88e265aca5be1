package claude

import (
	"cmp"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client"
	"github.com/piton-project/piton/internal/client/logfile"
	"github.com/piton-project/piton/internal/client/rawjson"
)

// Prompts lists what a person said. What waited in a queue and went into a running
// turn stands in an attachment. A prompt that the client wrote twice, when the
// session was forked or compacted, counts once.
func (Client) Prompts(path string) (list []client.Prompt, whole bool, err error) {
	type key struct {
		at    int64
		words string
	}
	seen := map[key]bool{}
	whole, err = logfile.ReadLines(path, parseLine, func(off int64, l line) {
		if l.sidechain {
			return
		}
		p := client.Prompt{Offset: off, At: l.at, Text: client.CutPrompt(l.words)}
		if !l.prompt() {
			queued, ok := l.queued()
			if !ok {
				return
			}
			p.Text, p.Within = client.CutPrompt(queued), true
		}
		if k := (key{l.at.UnixNano(), p.Text}); !seen[k] {
			seen[k] = true
			list = append(list, p)
		}
	})
	return list, whole, err
}

// queued is a prompt of a person's that waited in a queue while the agent worked.
func (l line) queued() (words string, ok bool) {
	if l.kind != "attachment" {
		return "", false
	}
	v := rawjson.Values(l.attachment, "type", "prompt", "humanTurn", "origin")
	words, origin := textOf(v[1]), rawjson.Text(rawjson.Member(v[3], "kind"))
	byPerson := rawjson.IsTrue(v[2]) && cmp.Or(origin, "human") == "human"
	return words, byPerson && rawjson.Text(v[0]) == "queued_command" && !agent.Injected(words)
}
