package sqlite_test

import (
	"testing"

	"github.com/piton-project/piton/internal/testkit/verbtest"
)

func TestVerbs(t *testing.T) {
	verbtest.Run(t, func(t testing.TB) verbtest.Fixture { return verbtest.SQL(fresh(t)) })
}
