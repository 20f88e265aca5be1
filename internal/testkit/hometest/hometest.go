// Package hometest runs a package's tests as a user of their own, without settings.
// Tests only.
package hometest

import (
	"os"
	"strings"
	"testing"
)

// Main runs the tests and ends the program. Their home is a new folder, which begin is
// told; no setting of who runs the tests reaches them.
func Main(m *testing.M, begin func(home string)) {
	dir, err := os.MkdirTemp("", "piton-home-")
	if err != nil {
		panic(err)
	}
	for name, value := range map[string]string{"HOME": dir, "XDG_CONFIG_HOME": dir + "/config", "PITON_HOME": dir + "/state"} {
		os.Setenv(name, value)
	}
	for _, pair := range os.Environ() {
		if name, _, _ := strings.Cut(pair, "="); strings.HasPrefix(name, "PITON_") && name != "PITON_HOME" && !strings.HasPrefix(name, "PITON_TEST") {
			os.Unsetenv(name)
		}
	}
	begin(dir)
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}
