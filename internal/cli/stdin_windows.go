package cli

import (
	"os"
	"time"
)

// poll says that there is something: a read of a pipe waits for its end here.
func poll(*os.File, time.Duration) (bool, error) { return true, nil }

func peekSocket(*os.File) []byte { return nil }

func foreground(*os.File) bool { return true }
