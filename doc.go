// Package piton is the ground of Piton: its nouns and its pure rules.
//
// Piton saves the execution state of coding agents step by step, lets any
// agent resume it, and looks at each turn's end whether what was changed was
// also verified. This package does no input or output; the rooms above it do
// (see docs/architecture.md). The rules it holds are written out in
// docs/spec.md.
package piton
