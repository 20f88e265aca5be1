package main

import (
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/debrief"
)

// acceptTests makes a command one that runs the tests of the project at root,
// as 'piton rules accept' does.
func (a *app) acceptTests(root, command string) error {
	return piton.Errorf(piton.Unavailable, "accept "+command, "add it to debrief.tests in "+root+"/.piton.yaml", "this program cannot write rules yet")
}

// verifyBound is how long what Piton runs itself at a stop may take.
func verifyBound(s debrief.Settings) time.Duration {
	var sum time.Duration
	for _, v := range s.Verify {
		if v.Timeout == 0 {
			v.Timeout = time.Minute
		}
		sum += v.Timeout
	}
	return sum
}
