// Package e2e runs the real clients (Claude Code, Gemini CLI, Codex), with
// Piton's hooks installed by `piton init`, against a model that is played by the
// test. Run it with `make e2e`, which installs the clients first; where one is
// missing its tests are skipped.
//
// A test is written once: it scripts the model and calls tools in no client's
// words, each client puts them in its own (client_test.go), and one server
// speaks the APIs of all three (model_test.go). What only one client does has
// tests of its own.
//
// Nothing leaves the machine: the clients are given an address on loopback, a
// key that is none, and, on Linux where that is permitted, a network of their
// own with nothing else in it.
//
// PITON_E2E_BUILT=DIR takes the programs from a folder instead of building
// them; PITON_E2E_KEEP=1 keeps the folder of a test that fails.
package e2e
