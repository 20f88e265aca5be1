package marks_test

import (
	"os"
	"testing"

	"github.com/piton-project/piton/internal/testkit/hometest"
)

// TestMain runs the tests as a user of their own, with git as it is without settings.
func TestMain(m *testing.M) {
	hometest.Main(m, func(string) {
		os.Setenv("GIT_CONFIG_NOSYSTEM", "1")
		os.Setenv("LC_ALL", "C.UTF-8")
	})
}
