// Package draw draws the cases of property tests. Tests only.
package draw

import (
	"flag"
	"os"
	"strconv"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// SeedVariable names the seed that cases are drawn from, a number above 0. Without
// it, and without rapid's own flag, they are drawn from the same one each time: one
// tree is either green or red. scripts/properties draws others.
const SeedVariable = "PITON_TEST_SEED"

// Seed is the number that cases are drawn from.
func Seed() uint64 {
	if n, err := strconv.ParseUint(os.Getenv(SeedVariable), 10, 64); err == nil && n > 0 {
		return n
	}
	return 1
}

// checks is how many cases each property is tried with where nobody says: they are the
// same each time, and only other ones find more.
const checks = 25

var seeded = sync.OnceFunc(func() {
	for name, value := range map[string]uint64{"rapid.seed": Seed(), "rapid.checks": checks} {
		if f := flag.Lookup(name); f.Value.String() == f.DefValue {
			_ = f.Value.Set(strconv.FormatUint(value, 10)) // a number is valid for both
		}
	}
})

// Check is rapid.Check, from the seed.
func Check(t *testing.T, property func(*rapid.T)) {
	t.Helper()
	Slow(t, 1, property)
}

// Slow is Check with one case in so many, at least as many as where nobody says: of a property whose
// cases take long.
func Slow(t *testing.T, of int, property func(*rapid.T)) {
	t.Helper()
	seeded()
	f := flag.Lookup("rapid.checks")
	all := f.Value.String()
	if n, err := strconv.Atoi(all); err == nil && n > checks {
		defer func() { _ = f.Value.Set(all) }()
		_ = f.Value.Set(strconv.Itoa(max(n/of, checks)))
	}
	rapid.Check(t, property)
}
