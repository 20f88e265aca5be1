//go:build !unix

package localfs

import "errors"

// Ring wakes nobody where there are no pipes with a name.
func Ring(string) bool { return false }

// Attended is false where there are no pipes with a name.
func Attended(string) bool { return false }

// Listen fails where there are no pipes with a name.
func Listen(string) (rings <-chan struct{}, stop func(), err error) {
	return nil, nil, errors.ErrUnsupported
}
