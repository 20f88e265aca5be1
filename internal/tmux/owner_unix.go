//go:build unix

package tmux

import (
	"io/fs"
	"os"
	"syscall"

	"github.com/piton-project/piton"
)

func ownedByUs(name string, info fs.FileInfo) error {
	if st, ok := info.Sys().(*syscall.Stat_t); ok && int(st.Uid) != os.Getuid() {
		return &Refusal{said: piton.Printable(name) + " belongs to another user"}
	}
	return nil
}
