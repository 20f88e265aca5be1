package config

import (
	"crypto/sha256"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
)

// StoreName tells a store other than the local file from others, wherever we
// stand and without its password; "" for the local file. What this machine
// notes of such a store (how far it was flushed to, its open heads) it notes
// under this name.
func StoreName(spec string) string {
	if spec == "" || strings.HasPrefix(spec, "sqlite:") {
		return ""
	}
	if dir, ok := strings.CutPrefix(spec, "file:"); ok {
		if abs, err := filepath.Abs(dir); err == nil {
			spec = "file:" + abs
		}
	} else if u, err := url.Parse(spec); err == nil && u.User != nil {
		u.User = url.User(u.User.Username())
		spec = u.String()
	}
	return fmt.Sprintf("%x", sha256.Sum256([]byte(spec)))[:16]
}
