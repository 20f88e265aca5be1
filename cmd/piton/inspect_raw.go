package main

import (
	"bytes"
	"fmt"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
)

// gapLine stands in the place of what is lost of a state.
const gapLine = "[… lost …]"

// printRemains prints what can still be read of a state, byte for byte in a
// pipe.
func (a *app) printRemains(r history.Remains) error {
	if a.json {
		return a.printRemainsJSON(r)
	}
	var b bytes.Buffer
	read := 0
	for _, part := range r.Fragments {
		read += len(part)
		if part == nil {
			part = []byte(gapLine)
		}
		b.Write(part)
		if !bytes.HasSuffix(part, []byte("\n")) {
			b.WriteByte('\n')
		}
	}
	text := b.Bytes()
	if isTerminal(a.out) {
		text = []byte(clean(b.String()))
	}
	if _, err := a.out.Write(text); err != nil {
		return err
	}
	if c := r.Checkpoint; c.Damaged != "" {
		fmt.Fprintf(a.err, "piton: %s is damaged (%s); %d of its %d bytes can still be read, and nothing vouches for them\n", c.ID, line(c.Damaged), read, c.StateBytes)
	}
	return nil
}

func (a *app) printRemainsJSON(r history.Remains) error {
	parts := make([]*string, len(r.Fragments))
	for i, part := range r.Fragments {
		if part != nil {
			text := string(part)
			parts[i] = &text
		}
	}
	return a.printJSON(struct {
		Checkpoint piton.Checkpoint `json:"checkpoint"`
		Fragments  []*string        `json:"fragments"`
	}{r.Checkpoint, parts})
}
