// Package project knows what a work tree is: which ecosystems live in it and
// how its tests are run. It reads a few small files at known places and
// changes nothing.
package project
