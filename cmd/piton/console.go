package main

import "github.com/piton-project/piton/internal/cli"

// console is what the commands share, with what they print.
type console struct{ *cli.Console }
