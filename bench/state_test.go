package main

import (
	"bytes"
	"testing"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
)

// The figures mean nothing if the states are not what docs/performance.md says.
func TestStates(t *testing.T) {
	for _, s := range []shape{atTop, deepIn, withCounters} {
		ms := newWriter(1).messages(50)
		state := s.state(ms)
		p, taken, err := history.Keeper{}.Prepare(history.Draft{SaveRequest: piton.SaveRequest{State: state}})
		if err != nil || taken != 0 || !bytes.Equal(p.State.Get(), state) {
			t.Errorf("%s: got %d secrets, the same bytes %v (%v); want a state that is kept as it is", s.name, taken, bytes.Equal(p.State.Get(), state), err)
		}
		if !bytes.Equal(s.state(newWriter(1).messages(50)), state) {
			t.Errorf("%s: got another text for the same seed", s.name)
		}
		if each := len(state) / len(ms); each < recordBytes*9/10 || each > recordBytes*11/10 {
			t.Errorf("%s: got %d bytes a message, want about %d", s.name, each, recordBytes)
		}
		before, after := s.state(ms[:49]), state
		same := 0
		for same < len(before) && before[same] == after[same] {
			same++
		}
		if early := same < 200; early != s.counters {
			t.Errorf("%s: got the first change at byte %d, want it near the front only where counters change", s.name, same)
		}
	}
	for _, size := range []int{1 << 10, 10 << 10, 100 << 10, 1 << 20} {
		if got := len(encode(newWriter(2).ofSize(size))); got < size*9/10 || got > size*11/10 {
			t.Errorf("got a state of %d bytes, want about %d", got, size)
		}
	}
}
