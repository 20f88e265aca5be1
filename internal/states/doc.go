// Package states knows what a saved state is and what it says: its compact
// form, its kind and how far the work has come, the brief for whoever goes on,
// and the words it is found by. It is pure.
package states
