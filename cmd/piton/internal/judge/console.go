// Package judge is the commands about what the judge decides and by which rules: piton
// explain, piton rules and piton judge.
package judge

import "github.com/piton-project/piton/internal/cli"

// console is what the commands share, with what they print.
type console struct{ *cli.Console }
