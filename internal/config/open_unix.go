//go:build unix

package config

import "syscall"

// openSafely: a pipe that has taken a file's place does not hold us up.
const openSafely = syscall.O_NONBLOCK
