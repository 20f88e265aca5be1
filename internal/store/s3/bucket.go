package s3

import (
	"errors"
	"net"
	"strings"
)

// CheckBucket returns an error unless a name can be that of a bucket.
func CheckBucket(name string) error {
	alnum := func(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' }
	switch {
	case len(name) < 3 || len(name) > 63:
		return errors.New("a name has 3 to 63 characters")
	case net.ParseIP(name) != nil:
		return errors.New("a name is no address")
	case strings.Contains(name, "..") || strings.Contains(name, ".-") || strings.Contains(name, "-."):
		return errors.New("a name has no empty part")
	case !alnum(name[0]) || !alnum(name[len(name)-1]):
		return errors.New("a name begins and ends with a letter or a digit")
	}
	for i := range len(name) {
		if c := name[i]; !alnum(c) && strings.IndexByte(".-_:", c) < 0 {
			return errors.New("a name has letters, digits, dots and dashes")
		}
	}
	return nil
}
