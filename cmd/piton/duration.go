package main

import (
	"time"

	"github.com/piton-project/piton/internal/app"
)

// duration is a flag that holds a duration as people write it.
type duration struct{ to *time.Duration }

func (d duration) String() string {
	if d.to == nil || *d.to == 0 {
		return ""
	}
	return d.to.String()
}

func (d duration) Set(text string) (err error) {
	*d.to, err = app.ParseSpan(text)
	return err
}

func (duration) Type() string { return "duration" }
