package caller

import (
	"os"
	"testing"

	"github.com/piton-project/piton"
)

// TestAFolderThatIsGone: who works in a folder that was removed is told what to do.
func TestAFolderThatIsGone(t *testing.T) {
	a, dir := newCaller(t, Options{Home: t.TempDir()}), t.TempDir()
	a.Options.Dir = ""
	t.Chdir(dir)
	if os.Remove(dir) != nil {
		t.Skip("a folder that somebody works in cannot be removed here")
	}
	if path, err := a.Path("x"); piton.CodeOf(err) != piton.Unavailable || AsError(err).Hint == "" {
		t.Errorf("got %q, %v, want an error with a hint", path, err)
	}
}
