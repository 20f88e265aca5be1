//go:build !unix

package config

const openSafely = 0
