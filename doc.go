// Package piton holds the nouns of Piton and its pure rules: Checkpoint,
// Workflow, Query, Retention, Error, and the ids of all of them.
//
// Piton saves the execution state of coding agents step by step, lets any
// agent resume it, and looks at each turn's end whether what was changed was
// also verified. This package does no input or output; the rooms above it do
// (see docs/architecture.md). The rules it holds are written out in
// docs/spec.md.
//
// A Go program opens a store and uses the verbs with package checkpoints;
// docs/library.md shows how.
package piton
