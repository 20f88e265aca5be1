// Package e2e runs the real clients, with Piton's hooks installed by `piton
// init`, against a model that is played by the test. Run it with `make e2e`,
// which installs the clients first; where they are missing the tests are
// skipped.
//
// Nothing leaves the machine: the clients are given an address on loopback, a
// key that is none, and, on Linux where that is permitted, a network of their
// own with nothing else in it.
//
// PITON_E2E_BUILT=DIR takes the programs from a folder instead of building
// them; PITON_E2E_KEEP=1 keeps the folder of a test that fails.
package e2e
