package main

import (
	"bytes"
	"testing"
)

func TestProgressIsForTerminals(t *testing.T) {
	var out bytes.Buffer
	con := &console{err: &out}
	show := con.progress("Reading")
	for n := range int64(10) {
		show(n, 10)
	}
	show(1, 1)
	if out.Len() > 0 {
		t.Errorf("got %q, want nothing", out.String())
	}
}
