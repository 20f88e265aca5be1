//go:build !linux

package main

// ttyMain is for Linux: scripts that need it skip elsewhere.
func ttyMain() { panic("no terminal here") }
