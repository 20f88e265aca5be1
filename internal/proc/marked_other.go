//go:build !linux

package proc

// endMarked has no way to see the environment of others here.
func endMarked(string) {}
