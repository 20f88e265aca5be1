//go:build !linux

package proc

// EndMarked has no way to see the environment of others here.
func EndMarked(string) {}
