package filestore_test

import (
	"testing"

	"github.com/piton-project/piton/internal/store/filestore"
	"github.com/piton-project/piton/internal/testkit/verbtest"
)

func TestVerbs(t *testing.T) {
	verbtest.Run(t, func(t testing.TB) verbtest.Fixture {
		dir := t.TempDir()
		s, err := filestore.Open(dir, filestore.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return verbtest.Files(s, dir)
	})
}
