//go:build !man

package main

import "github.com/spf13/cobra"

// buildCommands are the commands that only the build of Piton needs (man.go).
func buildCommands() []*cobra.Command { return nil }
