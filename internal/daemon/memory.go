package daemon

import (
	"os"
	"runtime"
	"runtime/debug"
)

// private: this system knows who may read a file.
const private = runtime.GOOS != "windows"

// memoryLimit is what the daemon tries to stay below, in bytes. It is soft: a state of
// 64 MiB that somebody saves takes more for a moment. GOMEMLIMIT sets another.
const memoryLimit = 256 << 20

func limitMemory() {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryLimit)
	}
}
