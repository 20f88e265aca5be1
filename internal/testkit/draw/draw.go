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

var seeded = sync.OnceFunc(func() {
	if f := flag.Lookup("rapid.seed"); f.Value.String() == "0" {
		_ = f.Value.Set(strconv.FormatUint(Seed(), 10)) // a number is a valid seed
	}
})

// Check is rapid.Check, from the seed.
func Check(t *testing.T, property func(*rapid.T)) {
	t.Helper()
	seeded()
	rapid.Check(t, property)
}
