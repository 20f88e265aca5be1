package announce

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/piton-project/piton/internal/agent"
)

// sign sets the headers of Standard Webhooks (standardwebhooks.com): the id is that
// of the letter, and the signature is over id, time and body. Without a key nothing
// is signed.
func sign(h http.Header, key []byte, id string, at time.Time, body []byte) {
	stamp := strconv.FormatInt(at.Unix(), 10)
	h.Set("webhook-id", id)
	h.Set("webhook-timestamp", stamp)
	if len(key) == 0 {
		return
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.", id, stamp)
	mac.Write(body)
	h.Set("webhook-signature", "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
}

// key is what a listener's webhooks are signed with; none where its settings name
// none. It is read each time and never kept. One that begins with whsec_ is
// base64, as Standard Webhooks has it.
func (c Carrier) key(l agent.Listener) ([]byte, error) {
	text := ""
	switch {
	case l.Secret != "":
		filled, missing := agent.Expand(l.Secret, c.Getenv)
		if len(missing) > 0 {
			return nil, fmt.Errorf("the variable %s of secret is not set where Piton runs", missing[0])
		}
		text = filled
	case l.SecretFile != "":
		path := l.SecretFile
		if rest, ok := strings.CutPrefix(path, "~/"); ok {
			path = filepath.Join(c.UserHome, rest)
		}
		read, err := c.secretOf(path)
		if err != nil {
			return nil, fmt.Errorf("secret_file: %w", err)
		}
		text = read
	default:
		return nil, nil
	}
	rest, encoded := strings.CutPrefix(strings.TrimSpace(text), "whsec_")
	if !encoded {
		return []byte(rest), nil
	}
	key, err := base64.StdEncoding.DecodeString(rest)
	if err != nil || len(key) == 0 {
		return nil, errors.New("the secret begins with whsec_ and is not base64 behind that")
	}
	return key, nil
}

// maxSecret bounds a file with a key, in bytes.
const maxSecret = 4 << 10

// secretOf reads a file that only its owner can read, and that no other user can
// have put in the place of the user's.
func (c Carrier) secretOf(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", errors.New("the file cannot be read")
	}
	if err := c.ownHands(path); err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() || info.Size() > maxSecret {
		return "", fmt.Errorf("it is not a file of at most %d bytes", maxSecret)
	}
	if info.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows" {
		return "", errors.New("others can read the file; give it the mode 0600")
	}
	f, err := os.Open(path)
	if err != nil {
		return "", errors.New("the file cannot be read")
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxSecret))
	if err != nil || strings.TrimSpace(string(text)) == "" {
		return "", errors.New("the file holds no secret")
	}
	return string(text), nil
}
