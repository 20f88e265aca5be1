//go:build !linux

package filestore

// local cannot tell here and refuses nothing.
func local(string) error { return nil }
