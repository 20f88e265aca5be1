package s3

import (
	"errors"
	"net"
	"strings"
)

// CheckBucket returns an error unless a name can be that of a bucket.
func CheckBucket(name string) error {
	const alnum = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	switch {
	case len(name) < 3 || len(name) > 63:
		return errors.New("a name has 3 to 63 characters")
	case net.ParseIP(name) != nil:
		return errors.New("a name is no address")
	case strings.Contains(name, "..") || strings.Contains(name, ".-") || strings.Contains(name, "-."):
		return errors.New("a name has no empty part")
	case strings.Trim(name[:1]+name[len(name)-1:], alnum) != "":
		return errors.New("a name begins and ends with a letter or a digit")
	case strings.Trim(name, alnum+".-_:") != "":
		return errors.New("a name has letters, digits, dots and dashes")
	}
	return nil
}
